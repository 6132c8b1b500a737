// A service that only exports, on a database that takes no write: a real hot standby, and a primary that is set read-only.

import { afterEach, describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/client.ts'
import { endWithTest, openedIf, useBareDatabase, useDatabase, usePool } from '../support/fixtures.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, refusalOf, spawnProcess, startMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { useCluster } from '../support/replication.ts'
import { until } from '../support/until.ts'

const exportOnly = { EXPORT_ONLY: 'on', AUDIT_REQUIRED: 'off', LOG_LEVEL: 'info' }
const slug = 'raw'

interface ReadOnly {
  url: string
  key: TestKey
  ids: number[]
}

async function fill(sql: Sql): Promise<Pick<ReadOnly, 'key' | 'ids'>> {
  const ids = await insertRawApplications(sql, await insertRawProgram(sql, slug), 30)
  return { ids, key: await createTestKey(sql, { programs: [slug], maySubmit: true }) }
}

async function hotStandby(): Promise<ReadOnly> {
  const cluster = await useCluster()
  const filled = await fill(cluster.primary.sql)
  const [standby] = cluster.standbys
  await until('the standby to have all of it', async () => {
    const rows = await standby!.sql`select 1 from api_key`
    return rows.length === 1
  })
  return { ...filled, url: standby!.url }
}

async function readOnlyPrimary(): Promise<ReadOnly> {
  const database = await useDatabase()
  const filled = await fill(database.sql)
  const name = new URL(database.url).pathname.slice(1)
  await database.sql`alter database ${database.sql(name)} set default_transaction_read_only = on`
  return { ...filled, url: database.url }
}

const servers = [
  ['a hot standby', hotStandby, needs('postgresql15')],
  ['a primary that is set read-only', readOnlyPrimary, true],
] as const

afterEach(endProcesses)

for (const [what, open, isThere] of servers) {
  const server = await openedIf(isThere, open)
  describe.skipIf(!isThere)(`an export-only service on ${what}`, () => {
    const start = async () => {
      const { url, log, health } = await startMain(server, exportOnly)
      const get = (path: string, init?: RequestInit) =>
        fetch(url + path, { headers: { Authorization: server.key.authorization }, ...init })
      return { get, log, health }
    }

    test('serves complete walks, logs an audit entry for every page, and attempts no writes', async () => {
      const { get, log, health } = await start()
      const before = await countsOf(server.url)
      const seen: number[] = []
      let query = 'pageSize=8'
      for (let pages = 0; query !== ''; pages++) {
        const response = await get(`/api/v1/admin/programs/${slug}/applications?${query}`)
        expect(response.status).toBe(200)
        expect(response.headers.has('Snapshot-Time')).toBe(pages === 0)
        const page = (await response.json()) as {
          payload: { application_id: number }[]
          nextPageToken: string | null
        }
        seen.push(...page.payload.map(application => application.application_id))
        query = page.nextPageToken === null ? '' : `nextPageToken=${page.nextPageToken}`
      }
      expect(seen).toEqual(server.ids)
      expect((await get(`/api/v1/admin/programs/${slug}/changes`)).status).toBe(200)
      expect((await get('/api/v1/checkAuth')).status).toBe(200)
      for (const path of ['/docs/api/programs', `/docs/api/programs/${slug}`, '/docs/api'])
        expect((await get(path)).status).toBe(200)
      expect((await fetch(`${health}/readyz`)).status).toBe(200)
      // A refused call is not noted in the database either.
      expect((await get('/api/v1/checkAuth', { headers: {} })).status).toBe(401)
      await until('the lines', () => log.filter(line => 'audit_event' in line).length === 5)
      const events = log.flatMap(line =>
        line.audit_event === undefined ? [] : [line.audit_event as { action: string }],
      )
      expect(events.map(({ action }) => action).sort()).toEqual(
        [...Array(4).fill('applications_exported'), 'changes_read'].sort(),
      )
      expect(log.filter(line => ['warn', 'error', 'fatal'].includes(String(line.level)))).toEqual([])
      expect(await countsOf(server.url)).toEqual(before)
    })

    test.each([
      ['POST', '/intake/v1/applicants'],
      ['GET', `/intake/v1/programs/${slug}`],
      ['GET', '/admin'],
      ['POST', '/admin/sign-in'],
    ])('responds to %s %s with 503, and logs the reason', async (method, path) => {
      const { get, log } = await start()
      const body = method === 'POST' ? { body: '{}' } : {}
      const response = await get(path, { method, ...body })
      expect(response.status).toBe(503)
      expect(response.headers.get('Retry-After')).toBe('60')
      expect(await response.json()).toMatchObject({ type: 'urn:tributary:problem:unavailable' })
      await until('the reason', () => log.some(line => line.path === path && line.reason === 'export_only'))
    })

    test('"AUDIT_REQUIRED must be honoured": refuses to start with it, or with a log level that would drop audit entries', async () => {
      const refusal = (environment: Record<string, string>) =>
        refusalOf(spawnProcess('src/main.ts', server, { ...exportOnly, ...environment }))
      const unusable = (setting: string) =>
        expect.stringMatching(new RegExp(`^ {2}${setting}: .* \\[unusable_setting\\]$`, 'm'))
      expect(await refusal({ AUDIT_REQUIRED: 'on' })).toEqual(unusable('AUDIT_REQUIRED'))
      expect(await refusal({ LOG_LEVEL: 'warn' })).toEqual(unusable('LOG_LEVEL'))
    })
  })
}

test('an export-only service applies no migrations, and reports the missing ones', async () => {
  const bare = await useBareDatabase(endWithTest)
  expect(await refusalOf(spawnProcess('src/main.ts', bare, exportOnly))).toMatch(
    /\b0001-foundation\.sql\b.* \[migrations_missing\]\n$/,
  )
  expect(await bare.sql`select 1 from pg_class where relname = 'schema_migration'`).toHaveLength(0)
})

test('a worker refuses EXPORT_ONLY, because it could do nothing', async () => {
  const bare = await useBareDatabase(endWithTest)
  expect(await refusalOf(spawnProcess('workers/main.ts', bare, exportOnly))).toMatch(/EXPORT_ONLY.* \[export_only\]\n$/)
})

/** What a service would write: last uses of keys, lines of the audit log, refusals. */
async function countsOf(url: string): Promise<unknown> {
  const sql = usePool({ url, connectionsMax: 1 }, endWithTest)
  const [counts] = await sql`
    select
      (select count(*) from audit_event) as events,
      (select count(*) from refusal) as refusals,
      (select count(*) from api_key where last_used_at is not null) as uses`
  return counts
}
