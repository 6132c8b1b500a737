// Contract G1, G2 and G16 of the OData feed: Excel and Power BI read its tables one after another, while people submit.

import { expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { PinnedStarts } from '../../../../src/core/export/odata/pinned-starts.ts'
import { CountingRedis } from '../../../../src/core/queue/counting-redis.ts'
import { unlimited } from '../../../support/config.ts'
import { endWithFile, useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { holdTransaction } from '../../../support/held-transaction.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { walkFeed } from '../../../support/odata-feed.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { useRedis } from '../../../support/redis.ts'
import { until as untilTrue } from '../../../support/until.ts'

const slug = 'walks'
const writers = 8
const optional = { optional: true }

const database = await useDatabase({ connectionsMax: 40 })
const job = q.enumerator('job', [q.text('employer', optional)], optional)
await aProgram(database.sql, { slug, questions: [q.text('words'), q.enumerator('member', [job], optional)] })
await database.sql`
  create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(random() * 0.008); return new; end $$`
await database.sql`create trigger dawdle after insert on application for each row execute function dawdle()`
const config = { maxPageSize: 7, ...unlimited }
const service = await useService(database, config)
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)

let stopped = false
const committed: number[] = []
const write = async (writer: number): Promise<void> => {
  for (let n = 0; !stopped; n++) {
    const member = {
      entities: [1, 2].map(i => ({ entity_name: `${writer}.${n}.${i}`, job: { entities: [{ entity_name: 'a' }] } })),
    }
    const { application_id } = await frontEnd.apply(await frontEnd.register(), {
      words: { text: `${writer}.${n}` },
      member,
    })
    committed.push(application_id)
  }
}
const running = Array.from({ length: writers }, (_, i) => write(i))
endWithFile(async () => {
  stopped = true
  await Promise.all(running)
})
const until = async (count: number): Promise<void> => {
  while (committed.length < count) await Promise.race([Bun.sleep(2), ...running])
}

const reader = async (of = service) => {
  const { authorization } = await createTestKey(database.sql, { programs: [slug] })
  return async (path: string): Promise<string> => {
    const response = await of.get(path, { headers: { Authorization: authorization } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
    return text
  }
}
const column = (rows: readonly Record<string, unknown>[], name: string): unknown[] => rows.map(row => row[name])

test('alongside 8 writers, each application comes exactly once, and all tables of a refresh are of one snapshot', async () => {
  await until(30)
  for (const first of ['Applications', 'member__job']) {
    const before = [...committed]
    const ask = await reader()
    const tables = new Map<string, Record<string, unknown>[]>()
    for (const name of [first, 'member', 'Applications', 'member__job']) {
      if (!tables.has(name)) tables.set(name, await walkFeed(ask, `/odata/v1/${slug}/${name}`))
      await until(committed.length + 20)
    }
    const ids = column(tables.get('Applications')!, 'application_id')
    expect(new Set(ids).size).toBe(ids.length)
    expect(before.filter(id => !ids.includes(id))).toEqual([])
    expect(committed.length).toBeGreaterThan(ids.length)
    // Every writer's application has two members, and each of these a job.
    const members = tables.get('member')!
    expect(column(members, 'application_id')).toEqual(ids.flatMap(id => [id, id]))
    expect(column(tables.get('member__job')!, 'parent_key')).toEqual(column(members, 'entity_key'))
    expect(new Set(column(tables.get('member__job')!, 'entity_key')).size).toBe(members.length)
    expect(column(members, 'parent_key').every(parent => parent === null)).toBe(true)
  }
}, 120_000)

test('ranges of IDs divide a snapshot, with each application in exactly one range alongside 8 writers', async () => {
  await until(60)
  const ask = await reader()
  const walk = async (filter: string) => {
    const rows = await walkFeed(ask, `/odata/v1/${slug}/Applications?$filter=${encodeURIComponent(filter)}`)
    await until(committed.length + 5)
    return column(rows, 'application_id') as number[]
  }
  const all = await walk('application_id gt 0')
  const [from, to] = [0.3, 0.7].map(part => all.toSorted((a, b) => a - b)[Math.floor(all.length * part)]!)
  const parts = [
    await walk(`application_id lt ${from}`),
    await walk(`application_id ge ${from} and application_id le ${to}`),
    await walk(`application_id gt ${to}`),
  ]
  for (const part of parts) expect(part).toEqual(all.filter(id => part.includes(id)))
  expect(parts.flat().sort()).toEqual(all.toSorted())
  expect(parts.map(part => part.length > 7)).toEqual([true, true, true])
}, 120_000)

test('each key has its own snapshot, and a new one after it expires', async () => {
  const brief = await useService(database, { ...config, feedSnapshotMs: 1 })
  const [item, other, newest] = [await reader(), await reader(), await reader(brief)]
  const count = async (ask: typeof item): Promise<number> =>
    JSON.parse(await ask(`/odata/v1/${slug}/Applications?$count=true&$top=0`))['@odata.count']
  const seen = await count(item)
  const briefly = await count(newest)
  await until(committed.length + 20)
  expect(await count(item)).toBe(seen)
  expect(await item(`/odata/v1/${slug}/Applications/$count`)).toBe(String(seen))
  expect(await count(other)).toBeGreaterThan(seen)
  expect(await count(item)).toBe(seen)
  expect(await count(newest)).toBeGreaterThan(briefly)
}, 120_000)

test.skipIf(!needs('redis'))(
  'processes that share a Redis share snapshots, even if two begin at once, until they expire',
  async () => {
    const { url } = await useRedis()
    const { authorization } = await createTestKey(database.sql, { programs: [slug] })
    const redises = [1, 2].map(() => new CountingRedis(url, createLog('fatal')))
    for (const redis of redises) endWithFile(() => redis.close())
    await untilTrue('Redis to be reached', () => redises.every(redis => !redis.away))
    const services = await Promise.all(redises.map(countingRedis => useService(database, config, { countingRedis })))
    const snapshots: (string | null)[] = []
    for (const of of services) {
      const response = await of.get(`/odata/v1/${slug}/member`, { headers: { Authorization: authorization } })
      await response.text()
      snapshots.push(response.headers.get('Snapshot-Time'))
      await until(committed.length + 5)
    }
    expect(snapshots[0]).not.toBeNull()
    expect(snapshots[1]).toBe(snapshots[0]!)
    const [item, other] = redises.map(redis => new PinnedStarts(60_000, redis))
    const [first, second] = [1, 2].map(n => ({
      horizon: n,
      last_submit_time: n,
      last_change: { change: n, mark: undefined },
      last_published_at: null,
      in_recovery: false,
    }))
    const holds = async () => true
    const found = await item!.of(
      'both',
      async () => (await other!.of('both', async () => first!, holds)) && second!,
      holds,
    )
    expect(found).toEqual(first!)
    expect(await redises[0]!.client.pttl('tributary:feed-start:both')).toBeWithin(1, 60_001)
  },
  60_000,
)

test('a page of the feed is in the audit log like a page of an export, and counts towards the same limits', async () => {
  const limited = await useService(database, { maxPageSize: 7, requestsPerMinute: 4, exportsAtATime: 1 })
  const { api_key_id, authorization } = await createTestKey(database.sql, { programs: [slug] })
  const ask = (path: string) => limited.get(`/odata/v1/${slug}${path}`, { headers: { Authorization: authorization } })
  await until(1)
  const [{ application_id }] = JSON.parse(await (await ask('/Applications?$top=1')).text()).value
  await (await ask(`/member?$select=entity_name&$filter=application_id eq ${application_id}`)).text()
  const jobs = await ask(`/member__job?$filter=application_id eq ${application_id}`)
  await jobs.text()
  await (await ask('/$metadata')).text()
  const refused = await ask('/Applications')
  expect([refused.status, refused.headers.has('Retry-After')]).toEqual([429, true])
  expect((await refused.json()) as unknown).toMatchObject({ error: { code: 'rate_limited' } })
  const lines = await untilTrue('three entries', async () => {
    const rows = await database.sql<{ detail: object }[]>`
      select detail from audit_event where actor = ${`key:${api_key_id}`} and action = 'applications_exported' order by audit_event_id`
    return rows.length >= 3 && rows.map(row => row.detail)
  })
  expect(lines[0]).toMatchObject({ format: 'odata', applications: 1, outcome: 'complete', filters: { page_size: 1 } })
  expect(lines[1]).toMatchObject({
    format: 'odata',
    applications: 1,
    filters: { ids: { from: application_id, to: application_id } },
    fields: [],
  })
  expect(lines[2]).toMatchObject({ applications: 1, fields: ['member.job'] })
  const { walk, filters } = lines[2]! as Record<string, unknown>
  const logged = limited.requestLine(jobs.headers.get('X-Request-Id'))
  expect(logged).toMatchObject({ program: slug, format: 'odata', walk, filters, applications: 1 })
  const { text } = await limited.foundation.metrics.exposition()
  expect(text).toContain('tributary_pages_total{outcome="whole"} 3\n')
  expect(text).toContain('tributary_pages_total{outcome="refused"} 1\n')
}, 60_000)

test('a count that times out leaves no place taken', async () => {
  const impatient = await useService(database, { ...config, exportsAtATime: 1, exportQueueTimeoutMs: 300 })
  const { authorization } = await createTestKey(database.sql, { programs: [slug] })
  const ask = (query: string) =>
    impatient.get(`/odata/v1/${slug}/Applications${query}`, { headers: { Authorization: authorization } })
  await (await ask('?$top=0')).text()
  const release = await holdTransaction(database.sql, tx => tx`lock table application in access exclusive mode`)
  for (const query of ['?$count=true', '/$count']) expect((await ask(query)).status).toBe(503)
  await release()
  for (const query of ['?$count=true', '/$count'])
    await untilTrue('it to be counted', async () => (await ask(query)).status === 200)
}, 60_000)
