// A good credential is remembered for checkAuth: what that saves, and what it must not change.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { editApiKey, retireApiKey } from '../../../src/access/api-keys.ts'
import { mintCredential } from '../../../src/access/credential.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { ExportClient } from '../../support/export-client.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const slug = 'raw'
const path = '/api/v1/checkAuth'
const by = { actor: 'admin:kim', now: Date.now() * 1000 }
let database: TestDatabase
let statements = 0
let counted: Sql
/** Two instances, both hearing of changed keys. */
let instances: TestService[]
beforeAll(async () => {
  database = await createTestDatabase()
  await insertRawApplications(database.sql, await insertRawProgram(database.sql, slug), 5)
  const pool = openDatabase({ url: database.url, connectionsMax: 5 })
  counted = new Proxy(pool, {
    apply: (target, self, args: unknown[]) => {
      statements++
      return Reflect.apply(target as (...values: unknown[]) => unknown, self, args)
    },
  })
  instances = [
    await startTestService(database, {}, { hearsOfKeys: true, db: counted }),
    await startTestService(database, {}, { hearsOfKeys: true }),
  ]
})
afterAll(async () => {
  for (const instance of instances) await instance.stop()
  await counted.end()
  await database.drop()
})

const check = (key: Pick<TestKey, 'authorization'>, on = instances[0]!): Promise<Response> =>
  on.get(path, { headers: { Authorization: key.authorization } })

/** Statements for one request, once a key is remembered if it can be. */
async function statementsFor(key: Pick<TestKey, 'authorization'>): Promise<number> {
  const before = statements
  await check(key)
  return statements - before
}

/** Whether the key is remembered by the first instance: it may take a while to listen, and forgets when any key changes. */
const remembered = (key: TestKey) => until('the key to be remembered', async () => (await statementsFor(key)) === 0)

describe('checkAuth', () => {
  test('asks the database nothing for a credential that was good a moment ago', async () => {
    await remembered(await createTestKey(database.sql))
  })

  test('"unknown ids cost the same as known ones": one statement for what is not good, each time', async () => {
    await remembered(await createTestKey(database.sql))
    const { apiSecretToken } = mintCredential()
    for (const _ of [1, 2, 3]) expect(await statementsFor({ authorization: `Basic ${apiSecretToken}` })).toBe(1)
  })

  test('"Retiring or editing takes effect on every instance within 1 s": as soon as the notice has come', async () => {
    const key = await createTestKey(database.sql, { programs: [slug] })
    for (const instance of instances) expect((await check(key, instance)).status).toBe(200)
    await editApiKey(database.sql, key.api_key_id, { name: 'Renamed' }, by)
    for (const instance of instances)
      await until(
        'the new name',
        async () => ((await (await check(key, instance)).json()) as { name: string }).name === 'Renamed',
      )
    await retireApiKey(database.sql, key.api_key_id, by)
    for (const instance of instances) await until('401', async () => (await check(key, instance)).status === 401)
  })

  test('"within 1 s": also when the notice is lost', async () => {
    const key = await createTestKey(database.sql)
    await remembered(key)
    await database.sql`alter table api_key disable trigger user`
    await retireApiKey(database.sql, key.api_key_id, by)
    const retiredMs = performance.now()
    await database.sql`alter table api_key enable trigger user`
    await until('a second to pass', () => performance.now() > retiredMs + 1000)
    expect((await check(key)).status).toBe(401)
  })
})

describe('an export', () => {
  test('"Retiring takes effect … on the next page of a walk": at once, whatever checkAuth remembers', async () => {
    const key = await createTestKey(database.sql, { programs: [slug] })
    const client = new ExportClient(instances[0]!, key, slug)
    const { page } = await client.page({ pageSize: '2' })
    await remembered(key)
    await database.sql`alter table api_key disable trigger user`
    await retireApiKey(database.sql, key.api_key_id, by)
    expect((await client.request({ nextPageToken: page.nextPageToken! })).status).toBe(401)
    await database.sql`alter table api_key enable trigger user`
  })
})
