// Pages that are read from streaming standbys: a real primary and two real standbys that lag, stop, and take over (contract G1 to G6,
// G13). `STANDBY_ROUNDS=20` has twenty times as many walks alongside errors.

import { afterEach, describe, expect, test } from 'bun:test'
import type { Sql } from '../../../src/db/client.ts'
import type { StandbyPool } from '../../../src/export/servers/standbys.ts'
import { unlimited } from '../../support/config.ts'
import { testServer } from '../../support/database.ts'
import { ExportClient } from '../../support/export-client.ts'
import { endWithTest, openedIf, usePool, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { endProcesses, startMain } from '../../support/processes.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../support/raw-applications.ts'
import { type Node, useCluster } from '../../support/replication.ts'
import type { TestService, TestServiceOptions } from '../../support/service.ts'
import { databaseAt, poolsOf } from '../../support/standby-pools.ts'
import { until } from '../../support/until.ts'
import { StandbyStory } from './standby-story.ts'

const isThere = needs('postgresql15')
const settings = { standbySettings: { max_standby_streaming_delay: '0' } }
const cluster = await openedIf(isThere, () => useCluster(settings))
const database = await openedIf(isThere, async () => databaseAt(cluster.url))

describe.skipIf(!isThere)('pages are read from standbys', () => {
  let programs = 0
  afterEach(async () => {
    for (const node of cluster.standbys) await node.resume()
    await endProcesses()
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

  /** A service that reads from these servers, and a program of its own. */
  async function open(
    servers: readonly StandbyPool[],
    applications = 50,
    options: { lagMaxMs?: number; releaseAfterMs?: number; textOf?: (i: number) => string; exportDb?: Sql } = {},
  ): Promise<Opened> {
    const slug = `standby-${++programs}`
    const program = await insertRawProgram(database.sql, slug)
    const ids = await insertRawApplications(database.sql, program, applications, options.textOf)
    const key = await createTestKey(database.sql, { programs: [slug] })
    for (const node of cluster.standbys) await caughtUp(node)
    const config = {
      ...unlimited,
      exportLagMaxMs: options.lagMaxMs ?? 60_000,
      releaseAfterMs: options.releaseAfterMs ?? 1000,
      databaseUrl: cluster.url,
    }
    const serviceOptions: TestServiceOptions = {
      standbys: servers,
      ...(options.exportDb === undefined ? {} : { exportDb: options.exportDb }),
    }
    const service = await useService(database, config, serviceOptions, endWithTest)
    return { service, client: new ExportClient(service, key, slug), program, ids }
  }

  const both = () => cluster.standbys.map(node => poolsOf(node.name, node.url))
  const readsOf = (service: TestService): number[] => service.foundation.standbys.states().map(state => state.reads)
  const idsOf = async (client: ExportClient, parameters: Record<string, string> = {}) =>
    (await client.walkAll(parameters)).map(application => application.application_id)

  test('a walk is whole, and its pages are spread over the standbys', async () => {
    const { service, client, ids } = await open(both())
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    const reads = readsOf(service)
    expect(reads[0]! + reads[1]!).toBe(10)
    expect(Math.abs(reads[0]! - reads[1]!)).toBeLessThanOrEqual(1)
  })

  test('pages go to the standby that is less busy, however often the other was read', async () => {
    const { service, client, ids } = await open(both())
    const [busy, idle] = service.foundation.standbys.all
    busy!.reading++
    expect(await idsOf(client, { pageSize: '10' })).toEqual(ids)
    expect(readsOf(service)).toEqual([0, 5])
    busy!.reading--
    idle!.reading++
    expect(await idsOf(client, { pageSize: '10' })).toEqual(ids)
    expect(readsOf(service)).toEqual([5, 5])
  })

  test('G1: what was committed on the primary before page 1 is in the walk, though no standby has it yet', async () => {
    const { client, ids, program } = await open(both())
    for (const node of cluster.standbys) await node.pause()
    const later = await insertRawApplications(database.sql, program, 7)
    expect(await idsOf(client, { pageSize: '20' })).toEqual([...ids, ...later])
  })

  test('G13: a standby that is behind the walk is not read; the one that is not behind is', async () => {
    const { service, client, ids, program } = await open(both())
    await cluster.standbys[0]!.pause()
    const later = await insertRawApplications(database.sql, program, 7)
    await caughtUp(cluster.standbys[1]!)
    expect(await idsOf(client, { pageSize: '19' })).toEqual([...ids, ...later])
    expect(readsOf(service)[1]).toBe(3)
  })

  test('a standby that lags too far is not read, however old the walk; readers see why, and it is read again once caught up', async () => {
    const { service, client, ids, program } = await open(both(), 50, { lagMaxMs: 1200 })
    const { standbys } = service.foundation
    const { page } = await client.page({ pageSize: '30' })
    for (const node of cluster.standbys) await node.pause()
    await insertRawApplications(database.sql, program, 1)
    await until('both to be too far behind', () => standbys.usable().length === 0)
    const before = readsOf(service)
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect([...page.payload, ...rest.page.payload].map(a => a.application_id)).toEqual(ids)
    expect(readsOf(service)).toEqual(before)
    await standbys.look()
    for (const { lagBytes, lagSeconds } of standbys.states()) {
      expect(lagBytes).toBeGreaterThan(0)
      expect(lagSeconds).toBeGreaterThan(1.2)
    }
    expect(service.logText()).toContain('no pages are read from a standby')
    for (const node of cluster.standbys) await node.resume()
    await until('both to be read again', () => standbys.usable().length === 2)
    expect(standbys.states().map(state => state.lagBytes)).toEqual([0, 0])
  })

  test('G8: a snapshot that recovery withdraws in mid-page re-opens after the last row sent', async () => {
    const count = 400
    const { service, client, ids, program } = await open(both(), count, {
      releaseAfterMs: 60_000,
      textOf: () => 'x'.repeat(60_000),
    })
    const response = await client.request({ pageSize: String(count) }, { 'Accept-Encoding': 'identity' })
    const reader = response.body!.getReader()
    const chunks = [(await reader.read()).value!]
    const reading = await until('a cursor that waits for its reader', async () => {
      for (const node of cluster.standbys) {
        // Under way for longer than a statement that only looks at the standby.
        const [cursor] = await node.sql<{ pid: number }[]>`
          select pid from pg_stat_activity
          where application_name like 'test-export %' and backend_xmin is not null
          and xact_start < clock_timestamp() - interval '100 milliseconds'`
        if (cursor !== undefined) return { node, pid: cursor.pid }
      }
      return undefined
    })
    // What the cursor might still see is removed on the primary, and recovery does not wait for it.
    await database.sql`update application set application_note = null where program_id = ${program.program_id}`
    await database.sql`vacuum application`
    await until('recovery to withdraw it', async () => {
      const rows = await reading.node.sql`
        select 1 from pg_stat_activity where pid = ${reading.pid} and backend_xmin is not null`
      return rows.length === 0
    })
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value)
    const page = JSON.parse(Buffer.concat(chunks).toString()) as { payload: { application_id: number }[] }
    expect(page.payload.map(a => a.application_id)).toEqual(ids)
    expect(readsOf(service)[0]! + readsOf(service)[1]!).toBeGreaterThanOrEqual(1)
    // On the other standby, or on the primary when recovery withdrew what looked at the standby too.
    expect((await service.foundation.metrics.exposition()).text).toMatch(/\ntributary_cursors_reopened_total [1-9]/)
  })

  test('a standby that cannot be reached costs nothing but the try, and is left alone', async () => {
    const { service, client, ids } = await open([...both(), poolsOf('nowhere', 'postgres://127.0.0.1:1/nowhere')])
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(readsOf(service)[2]).toBe(0)
    expect(service.foundation.standbys.states()[2]).toMatchObject({ isUsed: false, lagSeconds: undefined })
  })

  test('a server that is no standby of the primary is never read', async () => {
    const { url } = await testServer()
    const { service, client, ids } = await open([poolsOf('stranger', url)])
    expect(await idsOf(client, { pageSize: '5' })).toEqual(ids)
    expect(readsOf(service)).toEqual([0])
    expect(service.logText()).toContain('no standby of the one in DATABASE_URL')
  })

  test('G1: no walk begins on a server that replays another one’s log: 503 that says so; pages of a walk continue', async () => {
    const { client, ids } = await open(both())
    const { page } = await client.page({ pageSize: '30' })
    const [standby] = cluster.standbys
    const exportDb = usePool({ url: standby!.url, connectionsMax: 2 }, endWithTest)
    const moved = await open([], 1, { exportDb })
    const response = await moved.client.request()
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('5')
    expect(moved.service.requestLine(response.headers.get('X-Request-Id'))?.reason).toBe('start_in_recovery')
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect(rest.page.payload.map(a => a.application_id)).toEqual(ids.slice(30))
  })

  test('a process with EXPORT_DATABASE_URL says on its health port what is up, and how far it lags', async () => {
    const [a] = cluster.standbys
    const { health } = await startMain(
      { url: cluster.url },
      { EXPORT_DATABASE_URL: `${a!.url}, postgres://tributary@127.0.0.1:1/postgres` },
    )
    // The first look has a deadline, which a busy machine may miss.
    const text = await until('the standby to be used', async () => {
      const ready = await fetch(`${health}/readyz`)
      expect(ready.status).toBe(200)
      const lines = await ready.text()
      return lines.includes(': used, ') ? lines : undefined
    })
    expect(text.split('\n')).toEqual([
      'ready',
      expect.stringMatching(/^standby 127\.0\.0\.1:\d+: used, lag at most \d+\.\d s$/),
      'standby 127.0.0.1:1: not used, lag unknown',
      '',
    ])
    const metrics = await (await fetch(`${health}/metrics`)).text()
    const { host } = new URL(a!.url)
    expect(metrics).toContain(`tributary_standby_used{standby="${host}"} 1`)
    expect(metrics).toContain('tributary_standby_used{standby="127.0.0.1:1"} 0')
    expect(metrics).toContain(`tributary_standby_lag_bytes{standby="${host}"} 0`)
    expect(metrics).toMatch(/tributary_standby_lag_seconds\{standby="[^"]+"\} \d/)
    expect(metrics).not.toContain('tributary_standby_lag_seconds{standby="127.0.0.1:1"}')
  })
})

describe.skipIf(!isThere)('walks alongside 8 writers, while standbys stop, die and take over', () => {
  const rounds = Number(process.env.STANDBY_ROUNDS ?? 1)

  test.each(['waits for', 'does not wait for'])(
    'G1 to G6, G13: the primary %s its standbys: each walk is exact, or ends in the 400 or 503 that says so; never short',
    async how => {
      const synchronous = how === 'waits for'
      const cluster = await useCluster({ synchronous }, endWithTest)
      const database = databaseAt(cluster.url, endWithTest)
      const standbys = cluster.standbys.map(node => poolsOf(node.name, node.url))
      const service = await useService(database, { databaseUrl: cluster.url, ...unlimited }, { standbys }, endWithTest)
      const story = await StandbyStory.begin(service, database.sql, 8)
      endWithTest(() => story.end())
      const [a, b] = cluster.standbys as [Node, Node]
      const shaking = story.shake(cluster.standbys)
      await story.walks(3 * rounds)
      await shaking.stop()

      await a.kill()
      await story.walks(2 * rounds)
      await a.startAgain()
      await until('the standby to be read again', () => service.foundation.standbys.usable().length === 2)
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
    },
  )
})
