import { expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { KeyUses } from '../../../src/core/keys/key-use.ts'
import { useDatabase, usePool } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'

const database = await useDatabase()
/** One connection: what is asked last is answered last. */
const sql = usePool({ url: database.url, connectionsMax: 1 })

test('the last use of each key is stored at most once a minute', async () => {
  const [testKey, other] = [await createTestKey(database.sql), await createTestKey(database.sql)]
  let statements = 0
  const apply = (target: typeof sql, self: unknown, sent: unknown[]) => {
    statements++
    return Reflect.apply(target, self, sent)
  }
  const uses = new KeyUses(new Proxy(sql, { apply }), createLog('silent', { write: () => {} }))
  const now = Date.now() * 1000
  const used = async ({ api_key_id }: { api_key_id: string }) => {
    const [row] = await sql<{ last_used_at: number; address: string }[]>`
      select last_used_at, host(last_used_address) as address from api_key where api_key_id = ${api_key_id}`
    return [row!.last_used_at - now, row!.address]
  }
  uses.noteUse(testKey.api_key_id, '192.0.2.1', now)
  uses.noteUse(other.api_key_id, '192.0.2.2', now + 1)
  uses.noteUse(testKey.api_key_id, '192.0.2.3', now + 59_999_999)
  expect([await used(testKey), await used(other)]).toEqual([
    [0, '192.0.2.1'],
    [1, '192.0.2.2'],
  ])
  uses.noteUse(testKey.api_key_id, '192.0.2.3', now + 60_000_000)
  expect(await used(testKey)).toEqual([60_000_000, '192.0.2.3'])
  // A use within the minute is no statement.
  expect(statements).toBe(3)
})

test('"marks its key as exposed" (contract section 3), once: also when several requests or instances see it before it is marked', async () => {
  const { api_key_id } = await createTestKey(database.sql)
  const uses = new KeyUses(sql, createLog('silent', { write: () => {} }))
  const now = Date.now() * 1000
  for (const later of [0, 1, 2]) uses.noteExposure(api_key_id, '192.0.2.1', now + later, false)
  const seen = await sql`
    select exposed_at, actor, host(address) as address, detail
    from audit_event join api_key on api_key_id = subject where action = 'api_key_exposed'`
  const event = { actor: `key:${api_key_id}`, address: '192.0.2.1', detail: { cause: 'plain_http' } }
  expect([...seen]).toEqual([{ exposed_at: now, ...event }])
})
