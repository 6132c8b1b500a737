// Pages that are read from DATABASE_READ_URL: a real primary and two real standbys that lag, stop, and take over (contract G1 to G6, G13, D37).
// `STANDBY_ROUNDS=20` has twenty times as many walks alongside errors.

import { afterEach, describe, expect, test } from 'bun:test'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import type { Sql } from '../../../../src/db/client.ts'
import { unlimited } from '../../../support/config.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { endWithTest, openedIf, useDatabase, usePool, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../../support/raw-applications.ts'
import { databaseAt, readPoolOf, readsOf, useBalancer } from '../../../support/read-address.ts'
import { type Node, useCluster } from '../../../support/replication.ts'
import type { TestService } from '../../../support/service.ts'
import { useSilentProxy } from '../../../support/silent-proxy.ts'
import { until } from '../../../support/until.ts'
import { StandbyStory } from './standby-story.ts'

const isThere = needs('postgresql15')
const settings = { standbySettings: { max_standby_streaming_delay: '0' } }
const cluster = await openedIf(isThere, () => useCluster(settings))
const database = await openedIf(isThere, async () => databaseAt(cluster.url))
const none = { read: 0, behind: 0, other_history: 0, failed: 0, unreachable: 0 }

describe.skipIf(!isThere)('pages are read from DATABASE_READ_URL', () => {
  const [a, b] = (isThere ? cluster.standbys : []) as [Node, Node]
  let programs = 0
  afterEach(async () => {
    for (const node of cluster.standbys) await node.resume()
  })

  const caughtUp = (node: Node) =>
    until(`${node.name} to catch up`, async () => {
      const [at] = await database.sql`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`
      const [has] = await node.sql`select (pg_last_wal_replay_lsn() - '0/0')::bigint as bytes`
      return has!.bytes >= at!.bytes
    })

  interface Opened {
    service: TestService
    client: ExportClient
    program: RawProgram
    ids: number[]
  }

  interface OpenOptions {
    applications?: number
    releaseAfterMs?: number
    textOf?: (i: number) => string
    exportDb?: Sql
  }

  /** A service that reads from this server, and a program of its own, which both standbys have. */
  async function open(readDb: Sql | undefined, options: OpenOptions = {}): Promise<Opened> {
    const slug = `standby-${++programs}`
    const program = await insertRawProgram(database.sql, slug)
    const ids = await insertRawApplications(database.sql, program, options.applications ?? 50, options.textOf)
    const key = await createTestKey(database.sql, { programs: [slug] })
    for (const node of cluster.standbys) await caughtUp(node)
    const { exportDb, releaseAfterMs = 1000 } = options
    const service = await useService(
      database,
      { ...unlimited, releaseAfterMs, databaseUrl: cluster.url },
      { ...(readDb && { readDb }), ...(exportDb && { exportDb }) },
      endWithTest,
    )
    return { service, client: new ExportClient(service, key, slug), program, ids }
  }

  const idsOf = async (client: ExportClient, parameters: Record<string, string> = {}) =>
    (await client.walkAll(parameters)).map(application => application.application_id)

  /** How often the log says that a page is read from the primary instead. */
  const reports = ({ logLines }: TestService) => logLines.filter(({ level, reason }) => level === 'warn' && reason)

  test('for all pages of a walk', async () => {
    const { service, client, ids } = await open(readPoolOf(a.url))
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, read: 10 })
    expect(reports(service)).toEqual([])
  })

  test('G1, G13: unless it lags, with nothing missing from a walk, and again once it has caught up', async () => {
    const { service, client, ids, program } = await open(readPoolOf(a.url))
    await a.pause()
    ids.push(...(await insertRawApplications(database.sql, program, 7)))
    expect(await idsOf(client, { pageSize: '19' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, behind: 3 })
    expect(reports(service)).toMatchObject([{ reason: 'behind' }])
    await a.resume()
    await caughtUp(a)
    expect(await idsOf(client, { pageSize: '19' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, behind: 3, read: 3 })
  })

  test('D22: with the primary’s statuses while it lags, even if it has the whole walk', async () => {
    const { service, client, ids, program } = await open(readPoolOf(a.url))
    await database.sql`update program set statuses = '{Approved}' where program_id = ${program.program_id}`
    const { page } = await client.page({ pageSize: '30' })
    await a.pause()
    const by = { program_id: program.program_id, actor: 'admin:test', timeZone: 'UTC', now: Date.now() * 1000 }
    await annotate(database.sql, { ...by, application_id: ids[30]!, status: 'Approved' })
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect([...page.payload, ...rest.page.payload].map(application => application.application_id)).toEqual(ids)
    expect(rest.page.payload[0]!.status).toBe('Approved')
    expect(await readsOf(service)).toEqual({ ...none, read: 1, behind: 1 })
  })

  test('through a load balancer in front of a lagging and a current standby, with complete walks and both tried', async () => {
    const { service, client, ids, program } = await open(readPoolOf(await useBalancer([a.url, b.url])))
    await a.pause()
    ids.push(...(await insertRawApplications(database.sql, program, 7)))
    await caughtUp(b)
    const walks = await Promise.all(Array.from({ length: 8 }, () => idsOf(client, { pageSize: '5' })))
    expect(walks).toEqual(Array.from({ length: 8 }, () => ids))
    const { read, behind, ...others } = await readsOf(service)
    expect(Math.min(read, behind)).toBeGreaterThan(0)
    expect([read + behind, others]).toEqual([8 * 12, { other_history: 0, failed: 0, unreachable: 0 }])
  })

  /** A page that its reader has begun to read, from a cursor of `a` that waits for that reader. */
  async function beginPage(opened: Opened) {
    const { client, ids } = opened
    const response = await client.request({ pageSize: String(ids.length) }, { 'Accept-Encoding': 'identity' })
    const reader = response.body!.getReader()
    const chunks = [(await reader.read()).value!]
    const pid = await until('a cursor that waits for its reader', async () => {
      const [cursor] = await a.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like 'test-export %' and backend_xmin is not null`
      return cursor?.pid
    })
    const rest = async (): Promise<number[]> => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value)
      const page = JSON.parse(Buffer.concat(chunks).toString()) as { payload: { application_id: number }[] }
      return page.payload.map(({ application_id }) => application_id)
    }
    return { pid, rest }
  }
  const large = { applications: 400, releaseAfterMs: 60_000, textOf: () => 'x'.repeat(60_000) }

  test('G8: without a lost row if recovery cancels a snapshot midway, as the primary continues after the last row sent', async () => {
    const opened = await open(readPoolOf(a.url), large)
    const { pid, rest } = await beginPage(opened)
    // What the cursor might still see is removed on the primary, and recovery does not wait for it.
    await database.sql`update application set application_note = null where program_id = ${opened.program.program_id}`
    await database.sql`vacuum application`
    await until('recovery to withdraw it', async () => {
      const rows = await a.sql`select 1 from pg_stat_activity where pid = ${pid} and backend_xmin is not null`
      return rows.length === 0
    })
    expect(await rest()).toEqual(opened.ids)
    expect(await readsOf(opened.service)).toMatchObject({ read: 0 })
    expect((await opened.service.foundation.metrics.exposition()).text).toContain(
      '\ntributary_cursors_reopened_total 1\n',
    )
  })

  test('G8: without a lost row if the server dies midway, as the primary continues after the last row sent', async () => {
    const opened = await open(readPoolOf(a.url), large)
    const { rest } = await beginPage(opened)
    await a.kill()
    const read = await rest()
    await a.startAgain()
    expect(read).toEqual(opened.ids)
    expect(await readsOf(opened.service)).toEqual({ ...none, unreachable: 1 })
  })

  test('G14: with few pages waiting for a silent server, and every walk complete', async () => {
    const proxy = await useSilentProxy(a.url)
    proxy.fallSilent()
    const { service, client, ids } = await open(readPoolOf(proxy.url, 300))
    for (let n = 0; n < 3; n++) expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, unreachable: 30 })
    expect(proxy.made()).toBeLessThan(10)
    expect(reports(service)).toMatchObject([{ reason: 'unreachable' }])
  })

  test('with only one failed attempt if the server is unreachable', async () => {
    const { service, client, ids } = await open(readPoolOf('postgres://127.0.0.1:1/nowhere'))
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, unreachable: 10 })
  })

  test('but never from another installation', async () => {
    const other = await useDatabase({}, endWithTest)
    const { service, client, ids } = await open(readPoolOf(other.url))
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...none, other_history: 10 })
    expect(reports(service)).toMatchObject([{ reason: 'other_history' }])
  })

  test('G1: but no walk begins on a server that is replaying a log, which gets a 503, while pages of a walk continue', async () => {
    const { client, ids } = await open(readPoolOf(a.url))
    const { page } = await client.page({ pageSize: '30' })
    const exportDb = usePool({ url: a.url, connectionsMax: 2 }, endWithTest)
    const moved = await open(undefined, { exportDb })
    const response = await moved.client.request()
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('5')
    expect(moved.service.requestLine(response.headers.get('X-Request-Id'))?.reason).toBe('start_in_recovery')
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect(rest.page.payload.map(a => a.application_id)).toEqual(ids.slice(30))
  })
})

describe.skipIf(!isThere)('a standby that is promoted alongside the primary', () => {
  test('is never read, and no failover is recorded', async () => {
    const own = await useCluster({}, endWithTest)
    const [promoted] = own.standbys as [Node]
    const there = databaseAt(own.url, endWithTest)
    const program = await insertRawProgram(there.sql, 'alongside')
    const ids = await insertRawApplications(there.sql, program, 10)
    const key = await createTestKey(there.sql, { programs: ['alongside'] })
    const readDb = readPoolOf(promoted.url)
    const service = await useService(there, { databaseUrl: own.url, ...unlimited }, { readDb }, endWithTest)
    const client = new ExportClient(service, key, 'alongside')
    const walked = async () => (await client.walkAll({ pageSize: '5' })).map(({ application_id }) => application_id)
    await until('it to be read', async () => {
      expect(await walked()).toEqual(ids)
      return (await readsOf(service)).read > 0
    })
    const before = await readsOf(service)
    await promoted.promote()
    expect(await walked()).toEqual(ids)
    expect(await readsOf(service)).toEqual({ ...before, other_history: 2 })
    expect(await there.sql`select from database_history`).toHaveLength(1)
  }, 120_000)
})

describe.skipIf(!isThere)('walks alongside 8 writers, while standbys stop, die and take over', () => {
  const rounds = Number(process.env.STANDBY_ROUNDS ?? 1)

  test.each(['waits for', 'does not wait for'])(
    'G1 to G6, G13: are exact or end with a 400 or 503, and are never short, when the primary %s its standbys',
    async how => {
      const synchronous = how === 'waits for'
      const cluster = await useCluster({ synchronous }, endWithTest)
      const database = databaseAt(cluster.url, endWithTest)
      const [a, b] = cluster.standbys as [Node, Node]
      const readDb = readPoolOf(await useBalancer([a.url, b.url]))
      const service = await useService(database, { databaseUrl: cluster.url, ...unlimited }, { readDb }, endWithTest)
      const story = await StandbyStory.begin(service, database.sql, 8)
      endWithTest(() => story.end())
      const shaking = story.shake(cluster.standbys)
      await story.walks(3 * rounds)
      await shaking.stop()

      await a.kill()
      await story.walks(2 * rounds)
      await a.startAgain()
      await story.walks(rounds)

      // The failover. What had committed before is there afterwards, unless the primary had not waited for a standby to have it.
      const underWay = story.walks(2 * rounds)
      if (!synchronous) {
        cluster.cutReplication()
        await story.submissions(20)
      }
      await cluster.primary.kill()
      const [heir] = (await a.received()) >= (await b.received()) ? [a] : [b]
      await heir.promote()
      cluster.pointTo(heir)
      await underWay
      await story.submissions(10)
      await story.walks(rounds)
      await story.end()
      await story.check({ synchronous })
      const { read, behind } = await readsOf(service)
      expect(Math.min(read, behind)).toBeGreaterThan(0)
    },
  )
})
