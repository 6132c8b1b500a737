// What the service reports to Prometheus, read from the process itself: each figure moves by exactly what happened.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { refuseAuditLines, tamper } from '../support/audit-log.ts'
import { stalledReader } from '../support/bare-reader.ts'
import { useDatabase } from '../support/fixtures.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { type Reading, readMetrics } from '../support/metrics.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
const { sql } = database
let service: TestMain
let key: TestKey
let program: RawProgram
let bytesOfPage: number
beforeAll(async () => {
  program = await insertRawProgram(sql, 'raw')
  await insertRawApplications(sql, program, 3000, i => `answer ${i} `.padEnd(4000, 'x'))
  key = await createTestKey(sql, { programs: ['raw'] })
  service = await startMain(database, {
    EXPORT_CONNECTIONS: '2',
    // Long enough for a busy machine to see what happens in the meantime.
    RESPONSE_TIMEOUT: '5s',
    STALL_TIMEOUT: '8s',
    REQUESTS_PER_MINUTE: '0',
    EXPORTS_AT_A_TIME: '3',
    MAX_PAGE_SIZE: '3000',
    AUTH_FAILURES_PER_MINUTE: '4',
    TRUSTED_PROXIES: '127.0.0.0/8',
  })
  const page = await pull('pageSize=7')
  expect(page.status).toBe(200)
  bytesOfPage = (await page.arrayBuffer()).byteLength
})
afterAll(endProcesses)

const pull = (query: string, authorization = key.authorization, fields: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1/admin/programs/raw/applications?${query}`, {
    headers: { Authorization: authorization, ...fields },
  })

/** What became more by what was done; whatever happened before has been counted by then. */
async function counted(names: RegExp, act: () => Promise<unknown>): Promise<Record<string, number>> {
  await settled()
  const before = await readMetrics(service.health)
  await act()
  await settled()
  return (await readMetrics(service.health)).since(before, names)
}

const settled = (): Promise<unknown> =>
  until('nothing to be under way', async () => (await readMetrics(service.health)).of('tributary_open_requests') === 0)

/** Asks for a page and reads nothing of it after its head. */
const silentReader = (query: string) =>
  stalledReader({
    port: new URL(service.url).port,
    path: `/api/v1/admin/programs/raw/applications?${query}`,
    authorization: key.authorization,
  })

describe('metrics of pages', () => {
  test('count whole pages with their applications and bytes', async () => {
    const act = async () => {
      for (const _ of [1, 2, 3]) await (await pull('pageSize=7')).arrayBuffer()
    }
    expect(await counted(/^tributary_(pages|exported)_/, act)).toEqual({
      'tributary_pages_total{outcome="whole"}': 3,
      tributary_exported_applications_total: 21,
      tributary_exported_bytes_total: 3 * bytesOfPage,
    })
  })

  test('count pages refused for parameters or a missing grant, but not unknown callers, HEAD, or unmodified pages', async () => {
    const other = await createTestKey(sql, { programs: ['other'] })
    const act = async () => {
      expect((await pull('pageSize=0')).status).toBe(400)
      expect((await pull('', other.authorization)).status).toBe(401)
      expect((await pull('', 'Basic x')).status).toBe(401)
      expect((await pull('', key.authorization, { 'If-None-Match': '*' })).status).toBe(304)
      const url = `${service.url}/api/v1/admin/programs/raw/applications`
      expect((await fetch(url, { method: 'HEAD', headers: { Authorization: key.authorization } })).status).toBe(200)
    }
    expect(await counted(/^tributary_(pages|exported)_/, act)).toEqual({
      'tributary_pages_total{outcome="refused"}': 2,
    })
  })

  test('count a stalled page, and its cursor released before', async () => {
    const more = await counted(/^tributary_(pages_|cursors_)/, async () => {
      const silent = await silentReader('pageSize=3000')
      await until(
        'it to be cut off',
        async () => (await readMetrics(service.health)).of('tributary_open_requests') === 0,
      )
      silent.socket.terminate()
    })
    expect(more).toEqual({ 'tributary_pages_total{outcome="stalled"}': 1, tributary_cursors_released_total: 1 })
  })

  test('count a page whose client is gone', async () => {
    const more = await counted(/^tributary_pages_/, async () =>
      (await silentReader('pageSize=3000')).socket.terminate(),
    )
    expect(more).toEqual({ 'tributary_pages_total{outcome="client_gone"}': 1 })
  })

  test('count a cursor reopened for a paused reader, which gets its whole page', async () => {
    const more = await counted(/^tributary_(pages_|cursors_)/, async () => {
      const slow = await silentReader('pageSize=3000')
      await until(
        'it to be let go',
        async () => (await readMetrics(service.health)).of('tributary_exports_reading') === 0,
      )
      slow.socket.resume()
      await settled()
      slow.socket.terminate()
    })
    expect(more['tributary_pages_total{outcome="whole"}']).toBe(1)
    expect(more.tributary_cursors_released_total).toBeGreaterThanOrEqual(1)
    expect(more.tributary_cursors_reopened_total).toBe(more.tributary_cursors_released_total!)
  })
})

describe('metrics of errors', () => {
  test('count 401s by the reason that is otherwise only in the log', async () => {
    const retired = await createTestKey(sql, { programs: ['raw'], retiredAt: Date.now() * 1000 })
    const more = await counted(/^tributary_unauthenticated_/, async () => {
      for (const authorization of ['', 'Basic x', retired.authorization]) await pull('', authorization)
      await pull('', (await createTestKey(sql, { programs: ['other'] })).authorization)
    })
    expect(Object.values(more)).toEqual([1, 1, 1, 1])
    expect(more).toMatchObject({
      'tributary_unauthenticated_total{reason="retired"}': 1,
      'tributary_unauthenticated_total{reason="no_grant"}': 1,
    })
  })

  test('count exports that give up waiting, and show reading and waiting exports and connections', async () => {
    const release = await holdTransaction(sql, tx => tx`lock table application in access exclusive mode`)
    let during: Reading | undefined
    const more = await counted(/^tributary_(rate_limited|unavailable)_/, async () => {
      const three = [1, 2, 3].map(() => pull('pageSize=1'))
      await until('three to read or wait', async () => {
        during = await readMetrics(service.health)
        return during.of('tributary_exports_waiting') === 1 && during.of('tributary_exports_reading') === 2
      })
      await Promise.all(three.map(async answer => (await answer).arrayBuffer()))
      await release()
    })
    expect(during!.of('tributary_pool_connections{pool="export",state="used"}')).toBe(2)
    expect(during!.of('tributary_pool_connections_max{pool="export"}')).toBe(2)
    expect(during!.of('tributary_pool_waiting{pool="export"}')).toBe(1)
    expect(more).toEqual({ 'tributary_unavailable_total{reason="export_queue_timeout"}': 3 })
  })

  test('count an export over the limit of a key', async () => {
    const readers = await Promise.all([1, 2, 3].map(() => silentReader('pageSize=3000')))
    const before = await readMetrics(service.health)
    expect((await pull('')).status).toBe(429)
    for (const { socket } of readers) socket.terminate()
    await settled()
    const after = await readMetrics(service.health)
    expect(after.since(before, /^tributary_rate_limited_/)).toEqual({
      'tributary_rate_limited_total{limit="exports_at_a_time"}': 1,
    })
  })

  test('count failed authentications over the limit of an address', async () => {
    const more = await counted(/^tributary_rate_limited_/, async () => {
      // The failures of other tests are of this machine's own address.
      const elsewhere = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' }
      const statuses: number[] = []
      while (statuses.at(-1) !== 429 && statuses.length < 10)
        statuses.push((await pull('', 'Basic x', elsewhere)).status)
      expect(statuses.at(-1)).toBe(429)
    })
    expect(more).toEqual({ 'tributary_rate_limited_total{limit="failed_authentications"}': 1 })
  })

  test('count walks refused by a database that is behind, or has another history', async () => {
    const { nextPageToken } = (await (await pull('pageSize=2')).json()) as { nextPageToken: string }
    const set = (seq: number) =>
      tamper(sql, `update submission_counter set submit_seq = ${seq} where program_id = ${program.program_id}`)
    const [counter] = await sql<{ submit_seq: number }[]>`
      select submit_seq from submission_counter where program_id = ${program.program_id}`
    const shift = (seconds: number) =>
      tamper(
        sql,
        `update application set submit_time = submit_time + ${seconds} * interval '1 second'
         where program_id = ${program.program_id} and submit_seq = ${counter!.submit_seq}`,
      )
    const more = await counted(/^tributary_(walks|pages)_/, async () => {
      await set(counter!.submit_seq - 1)
      expect((await pull(`nextPageToken=${nextPageToken}`)).status).toBe(503)
      await set(counter!.submit_seq)
      await shift(1)
      expect((await pull(`nextPageToken=${nextPageToken}`)).status).toBe(400)
      await shift(-1)
    })
    expect(more).toEqual({
      'tributary_walks_refused_total{reason="behind_walk"}': 1,
      'tributary_walks_refused_total{reason="walk_of_another_history"}': 1,
      'tributary_pages_total{outcome="refused"}': 2,
    })
  })
})

test('the metrics show audit entries that wait to be written', async () => {
  const takeLines = await refuseAuditLines(sql)
  const waiting = async () => (await readMetrics(service.health)).of('tributary_audit_entries_waiting')
  await until('the lines of other tests to be written', async () => (await waiting()) === 0)
  await (await pull('pageSize=1')).arrayBuffer()
  await until('one to wait', async () => (await waiting()) === 1)
  await takeLines()
  await until('none to wait', async () => (await waiting()) === 0)
})

test('the wait of each statement for a connection is in the histogram of its pool', async () => {
  const more = await counted(/^tributary_pool_wait_seconds_count/, async () => {
    await (await pull('pageSize=1')).arrayBuffer()
  })
  // The walk's start and its rows.
  expect(more['tributary_pool_wait_seconds_count{pool="export"}']).toBe(2)
  expect(more['tributary_pool_wait_seconds_count{pool="intake"}']).toBeUndefined()
})

describe('process metrics', () => {
  test('include version, commit, Bun and schema', async () => {
    const schema = allMigrations.at(-1)!.name.replace('.sql', '')
    const labels = `version="${manifest.version}",commit="unknown",bun="${Bun.version}",schema="${schema}"`
    expect((await readMetrics(service.health)).of(`tributary_build_info{${labels}}`)).toBe(1)
  })

  test('agree with the operating system on memory, descriptors and processor time', async () => {
    const { pid } = service.child
    const reading = await readMetrics(service.health)
    const status = await Bun.file(`/proc/${pid}/status`).text()
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024
    expect(reading.of('process_resident_memory_bytes') / rss).toBeWithin(0.7, 1.4)
    expect(reading.of('bun_heap_used_bytes')).toBeWithin(1_000_000, rss)
    expect(reading.of('bun_heap_external_bytes')).toBeLessThanOrEqual(reading.of('bun_heap_used_bytes'))
    const open = Bun.spawnSync(['ls', `/proc/${pid}/fd`])
      .stdout.toString()
      .trim()
      .split('\n').length
    expect(Math.abs(reading.of('process_open_fds') - open)).toBeLessThan(10)
    expect(reading.of('process_start_time_seconds')).toBeWithin(Date.now() / 1000 - 600, Date.now() / 1000 + 1)
    // No metric adds to what it had at the scrape before, or counts milliseconds.
    const [user, system] = (await Bun.file(`/proc/${pid}/stat`).text()).split(' ').slice(13, 15).map(Number)
    expect(reading.of('process_cpu_seconds_total')).toBeWithin(0.05, (user! + system!) / 100 + 1)
    const seconds = Date.now() / 1000 - reading.of('process_start_time_seconds')
    expect(reading.of('tributary_event_loop_delay_seconds_sum')).toBeLessThan(seconds)
  })

  test('omit values that are meaningless under Bun', async () => {
    const { names } = await readMetrics(service.health)
    expect([...names].filter(name => name.startsWith('nodejs_') || name === 'process_heap_bytes')).toEqual([])
  })
})

test.skipIf(!needs('promtool'))('promtool accepts the metrics', async () => {
  const { text } = await readMetrics(service.health)
  const checked = Bun.spawnSync(['promtool', 'check', 'metrics'], { stdin: Buffer.from(text) })
  expect([checked.exitCode, checked.stdout.toString(), checked.stderr.toString()]).toEqual([0, '', ''])
})
