// CiviForm's API keys accepted by the service: the same ids and secrets, and every constraint they have there.

import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readFindings } from '../../src/civiform/db/follow-state.ts'
import { retireApiKey } from '../../src/core/keys/api-keys.ts'
import { parseSubnet, type Subnet } from '../../src/domain/values/ip-address.ts'
import { useFollowing } from '../support/civiform/following.ts'
import { useService } from '../support/fixtures.ts'

const salt = 'unit-test-pepper'
const { civiform, database, sql, catchUp } = await useFollowing()
await civiform.publish({ 'rent relief': [{ name: 'job', type: 'TEXT' }], 'food help': [{ name: 'job', type: 'TEXT' }] })
const proxy = parseSubnet('127.0.0.1/32') as Subnet
let clock: number | undefined
const now = (): number => clock ?? Date.now() * 1000
const service = await useService(
  database,
  { originApiSalt: salt, trustedProxies: [proxy], authFailuresPerMinute: 0 },
  { now },
)
let made = 0

interface CiviFormKey {
  id: string
  secret: string
}

/** A key as CiviForm makes it. */
async function keyOf(
  options: { subnet?: string; expiration?: string; grants?: string[]; secret?: string } = {},
): Promise<CiviFormKey> {
  const id = Buffer.alloc(16, ++made).toString('base64')
  const secret = options.secret ?? Buffer.alloc(32, made).toString('base64')
  const grants = {
    programGrants: Object.fromEntries((options.grants ?? ['rent-relief']).map(slug => [slug, ['READ']])),
  }
  await civiform.app`
    insert into api_keys (name, create_time, key_id, salted_key_secret, subnet, expiration, grants)
    values (${`key ${made}`}, now() at time zone 'UTC', ${id}, ${createHmac('sha256', salt).update(secret).digest('base64')},
      ${options.subnet ?? '0.0.0.0/0'}, ${options.expiration ?? '2200-01-01'}, ${civiform.app.json(grants)})`
  await catchUp()
  return { id, secret }
}

async function ask({ id, secret }: CiviFormKey, { from = '203.0.113.7', slug = 'rent-relief' } = {}): Promise<number> {
  const headers = {
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'X-Forwarded-For': from,
    'X-Forwarded-Proto': 'https',
  }
  return (await service.get(`/api/v1/admin/programs/${slug}/applications`, { headers })).status
}

describe('a CiviForm key', () => {
  test('79: works with its secret under CiviForm’s salt, and with no other', async () => {
    const secret = 'bm90LWEtcmVhbC1zZWNyZXQ='
    expect(createHmac('sha256', salt).update(secret).digest('base64')).toBe(
      'Jx8DqXOhA3YDEQAexLtU2yCQu+OioBMaUwkb3CDAeAE=',
    )
    const key = await keyOf({ secret })
    expect(await ask(key)).toBe(200)
    expect(await ask({ ...key, secret: `${secret}x` })).toBe(401)
    expect(await ask({ ...key, id: Buffer.alloc(16, 255).toString('base64') })).toBe(401)
    const ofIt = service.logLines.filter(line => line.api_key_id === key.id)
    expect(ofIt.flatMap(({ reason }) => reason ?? [])).toEqual(['wrong_secret_or_salt'])
  })

  test('80: works only from its subnets, from the first to the last address, even if host bits are set', async () => {
    const key = await keyOf({ subnet: '10.1.0.5/16,203.0.113.7/32' })
    for (const from of ['203.0.113.7', '10.1.255.255', '10.1.0.0']) expect(await ask(key, { from })).toBe(200)
    for (const from of ['203.0.113.8', '10.2.0.0']) expect(await ask(key, { from })).toBe(401)
  })

  test('81: works until the moment it expires, and not after', async () => {
    const key = await keyOf({ expiration: '2200-01-01' })
    const expiry = Date.parse('2200-01-01T00:00:00Z') * 1000
    for (const [after, status] of [
      [-1, 200],
      [1, 401],
    ] as const) {
      clock = expiry + after
      expect(await ask(key)).toBe(status)
    }
    clock = undefined
    expect(await ask(await keyOf({ expiration: '2020-01-01' }))).toBe(401)
  })

  test('has in the next round whatever was changed in CiviForm', async () => {
    const key = await keyOf({ expiration: '2200-01-01', subnet: '203.0.113.7/32' })
    const secret = Buffer.alloc(32, 99).toString('base64')
    const hash = createHmac('sha256', salt).update(secret).digest('base64')
    const change = async (changed: Record<string, unknown>): Promise<void> => {
      await civiform.app`update api_keys set ${civiform.app(changed)} where key_id = ${key.id}`
      await catchUp()
    }
    await change({ expiration: '2020-01-01' })
    expect(await ask(key)).toBe(401)
    await change({ expiration: '2200-01-01' })
    expect(await ask(key)).toBe(200)
    await change({ subnet: '203.0.113.8/32' })
    expect([await ask(key), await ask(key, { from: '203.0.113.8' })]).toEqual([401, 200])
    await change({ salted_key_secret: hash, subnet: '203.0.113.7/32' })
    expect([await ask(key), await ask({ ...key, secret })]).toEqual([401, 200])
    await change({ grants: civiform.app.json({ programGrants: { 'food-help': ['READ'] } }) })
    const statuses = [await ask({ ...key, secret }), await ask({ ...key, secret }, { slug: 'food-help' })]
    expect(statuses).toEqual([401, 200])
    await change({ name: 'another name' })
    expect(await sql`select name from api_key where api_key_id = ${key.id}`).toMatchObject([{ name: 'another name' }])
  })

  test('82: opens only the programs granted to it, by slug', async () => {
    const key = await keyOf({ grants: ['rent-relief', 'later-program'] })
    // A permission that is not to read opens nothing.
    await civiform.app`
      update api_keys set grants = jsonb_set(grants, '{programGrants,food-help}', '["WRITE"]') where key_id = ${key.id}`
    await catchUp()
    for (const slug of ['food-help', 'nothing', 'later-program']) expect(await ask(key, { slug })).toBe(401)
    await civiform.publish({ 'later program': [{ name: 'job', type: 'TEXT' }] })
    await catchUp()
    expect(await ask(key, { slug: 'later-program' })).toBe(200)
  })

  test('83: opens nothing one round after it was retired or deleted in CiviForm, and the audit log records it', async () => {
    const [retired, gone] = [await keyOf(), await keyOf()]
    expect([await ask(retired), await ask(gone)]).toEqual([200, 200])
    await civiform.app`update api_keys set retired_time = now() at time zone 'UTC', retired_by = 'admin' where key_id = ${retired.id}`
    await civiform.app`delete from api_keys where key_id = ${gone.id}`
    await catchUp()
    expect([await ask(retired), await ask(gone)]).toEqual([401, 401])
    await civiform.app`update api_keys set name = 'retired before' where key_id = ${retired.id}`
    await catchUp()
    const events = await sql<{ subject: string }[]>`
      select subject from audit_event where action = 'api_key_retired' and actor = 'civiform' order by subject`
    expect(events.map(event => event.subject)).toEqual([retired.id, gone.id].sort())
  })

  test('cannot be changed here', async () => {
    const { id } = await keyOf()
    const retiring = retireApiKey(sql, id, { actor: 'admin:kim', now: Date.now() * 1000 } as never)
    await expect(retiring).rejects.toMatchObject({ internal: 'followed' })
  })

  test('is reported as long as it is unusable, while other keys work', async () => {
    const key = await keyOf()
    const odd = Buffer.alloc(16, 201).toString('base64')
    const own = [odd, 'of another']
    const reported = async () =>
      (await readFindings(sql, 'api_key')).flatMap(({ subject, detail }) =>
        own.includes(subject) ? [[subject, detail]] : [],
      )
    await civiform.app`
      insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
      values ('odd', ${odd}, 'short', 'nonsense', '2200-01-01', '{}'),
        ('old', 'of another', ${Buffer.alloc(32, 201).toString('base64')}, '0.0.0.0/0', '2200-01-01', '{}')`
    await catchUp()
    const [ofOdd, old] = (await reported()).sort(([item]) => (item === odd ? -1 : 1))
    expect([ofOdd![0], old![0]]).toEqual([odd, 'of another'])
    await civiform.app`update api_keys set salted_key_secret = ${Buffer.alloc(32, 7).toString('base64')} where key_id = ${odd}`
    await catchUp()
    // Of another fault now.
    expect((await reported()).filter(([item]) => item === odd)).toEqual([
      [odd, expect.not.stringContaining(ofOdd![1]!)],
    ])
    await civiform.app`delete from api_keys where key_id = ${odd}`
    await catchUp()
    expect(await reported()).toEqual([old!])
    expect([await ask(key), await ask(await keyOf())]).toEqual([200, 200])
  })
})
