import { expect, test } from 'bun:test'
import { KeyUses } from '../../src/keys/key-use.ts'
import { createLog } from '../../src/log.ts'
import { useDatabase, usePool } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'

const database = await useDatabase()
/** One connection: what is asked last is answered last. */
const sql = usePool({ url: database.url, connectionsMax: 1 })

test('"marks its key as exposed" (contract section 3), once: also when several requests or instances see it before it is marked', async () => {
  const { api_key_id } = await createTestKey(database.sql)
  const uses = new KeyUses(sql, createLog('silent', { write: () => {} }))
  const now = Date.now() * 1000
  for (const later of [0, 1, 2]) uses.noteExposure(api_key_id, '192.0.2.1', now + later, false)
  const [seen] = await sql<{ exposed_at: number; events: number }[]>`
    select exposed_at, (select count(*) from audit_event where action = 'api_key_exposed') as events
    from api_key where api_key_id = ${api_key_id}`
  expect(seen).toEqual({ exposed_at: now, events: 1 })
})
