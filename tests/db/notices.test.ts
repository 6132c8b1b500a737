import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { noteApiKeyUse, replaceApiKeyPrograms, retireApiKeyRow, updateApiKey } from '../../src/db/api-key-rows.ts'
import { apiKeyChanged, type Listener, listenFor } from '../../src/db/notices.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestKey, ensureTestProgram } from '../support/keys.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let listeners: Listener[] = []
afterEach(async () => {
  for (const listener of listeners) await listener.stop()
  listeners = []
})

/** Somebody who writes down what is heard, in order. */
function listen(url = database.url) {
  const heard: string[] = []
  const listener = listenFor(url, apiKeyChanged, {
    onListening: () => void heard.push('listening'),
    onNotice: payload => void heard.push(payload),
    onDeaf: () => void heard.push('deaf'),
  })
  listeners.push(listener)
  return { heard, listener }
}

/** What was announced up to a mark that is set now. */
async function announced(heard: string[]): Promise<string[]> {
  const mark = crypto.randomUUID()
  await database.sql`select pg_notify(${apiKeyChanged}, ${mark})`
  await until('the mark', () => heard.includes(mark))
  return heard.splice(0).filter(entry => entry !== mark)
}

const killListeners = () => database.sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'tributary-notices'`

describe('a change of an API key is announced, by whatever door it came', () => {
  test('made, edited, granted, retired, removed; with its id, once a transaction', async () => {
    const { heard } = listen()
    await until('listening', () => heard.includes('listening'))
    heard.length = 0
    const { api_key_id } = await createTestKey(database.sql, { programs: ['food'] })
    expect(new Set(await announced(heard))).toEqual(new Set([api_key_id]))
    await updateApiKey(database.sql, api_key_id, { name: 'New name', allowed_subnets: ['192.0.2.0/24'] })
    expect(await announced(heard)).toEqual([api_key_id])
    await replaceApiKeyPrograms(database.sql, api_key_id, [await ensureTestProgram(database.sql, 'rent')])
    expect(await announced(heard)).toEqual([api_key_id])
    await retireApiKeyRow(database.sql, api_key_id, Date.now() * 1000, 'operator:test')
    expect(await announced(heard)).toEqual([api_key_id])
    await database.sql`update api_key set expires_at = expires_at - interval '1 hour' where api_key_id = ${api_key_id}`
    expect(await announced(heard)).toEqual([api_key_id])
    await database.sql`delete from api_key_program where api_key_id = ${api_key_id}`
    expect(await announced(heard)).toEqual([api_key_id])
    await database.sql`delete from api_key where api_key_id = ${api_key_id}`
    expect(await announced(heard)).toEqual([api_key_id])
    await database.sql`truncate api_key_program`
    expect(await announced(heard)).toEqual([''])
  })

  test('not its use, which is noted every minute, and not a statement that changes nothing', async () => {
    const { api_key_id } = await createTestKey(database.sql)
    const { heard } = listen()
    await until('listening', () => heard.includes('listening'))
    heard.length = 0
    await noteApiKeyUse(database.sql, api_key_id, Date.now() * 1000, '192.0.2.1', 0)
    await database.sql`update api_key set name = name`
    expect(await announced(heard)).toEqual([])
  })

  test('only once it is committed', async () => {
    const { api_key_id } = await createTestKey(database.sql)
    const { heard } = listen()
    await until('listening', () => heard.includes('listening'))
    heard.length = 0
    await database.sql.begin(async tx => {
      await retireApiKeyRow(tx, api_key_id, Date.now() * 1000, 'operator:test')
      expect(await announced(heard)).toEqual([])
    })
    expect(await announced(heard)).toEqual([api_key_id])
  })
})

describe('a listener', () => {
  test('tells when it went deaf, and listens again by itself, as often as its connection is lost', async () => {
    const { heard } = listen()
    for (let i = 0; i < 3; i++) {
      await until('listening', () => heard.at(-1) === 'listening')
      heard.length = 0
      await killListeners()
      await until('deaf', () => heard[0] === 'deaf')
    }
    await until('listening', () => heard.at(-1) === 'listening')
    await database.sql`select pg_notify(${apiKeyChanged}, 'hello')`
    await until('the notice', () => heard.at(-1) === 'hello')
  })

  test('keeps trying while the database is away', async () => {
    const own = await createTestDatabase()
    const { heard, listener } = listen(own.url)
    const name = new URL(own.url).pathname.slice(1)
    try {
      await until('listening', () => heard.at(-1) === 'listening')
      await database.sql.unsafe(`alter database ${name} allow_connections false`)
      await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      await until('several attempts', () => heard.filter(entry => entry === 'deaf').length > 2)
      expect(heard.at(-1)).toBe('deaf')
      await database.sql.unsafe(`alter database ${name} allow_connections true`)
      await until('listening', () => heard.at(-1) === 'listening')
    } finally {
      await listener.stop()
      await own.drop()
    }
  })

  test('stops: its connection is closed and not made again, and it says that it hears no more', async () => {
    const { heard, listener } = listen()
    await until('listening', () => heard.includes('listening'))
    await listener.stop()
    const open = async () => (await killListeners()).length
    await until('no connection', async () => (await open()) === 0)
    expect(heard).toEqual(['listening', 'deaf'])
  })
})
