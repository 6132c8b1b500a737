// Pages that are read on the node that has the program's applications. Run by scripts/test-citus.

import { afterAll, describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/client.ts'
import { grantRoles } from '../../src/db/migrate.ts'
import { hashOfProgram } from '../../src/db/program-hash.ts'
import { parseShards, readNodeView, shardOf } from '../../src/db/shard-places.ts'
import { type PageQuery, readPageRows } from '../../src/db/walks.ts'
import { ExportClient } from '../support/export-client.ts'
import { endWithTest, useBareDatabase, useService } from '../support/fixtures.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { usePgbouncer } from '../support/pgbouncer.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { insertRawApplications } from '../support/raw-applications.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { cluster, moveAway, nodesOf, placeOf, poolsOf, programsIn, useCluster } from './on-cluster.ts'

afterAll(endProcesses)

const readsOf = (service: TestService): number[] => service.foundation.standbys.states().map(({ reads }) => reads)

let readers = 0
/** A login that may read pages on every node. */
async function aReader(sql: Sql): Promise<string> {
  await grantRoles(sql)
  const login = `reader_${process.pid}_${++readers}`
  await sql.unsafe(`create role ${login} login in role tributary_pages`)
  return login
}

/** A process that should read pages from the nodes `named` serves the 30 applications of a program, and says so on its health port. */
async function expectServed(
  { url, health }: Awaited<ReturnType<typeof startMain>>,
  named: readonly string[],
  slug: string,
  { authorization }: TestKey,
): Promise<void> {
  const response = await fetch(`${url}/api/v1/admin/programs/${slug}/applications`, {
    headers: { Authorization: authorization },
  })
  expect(response.status).toBe(200)
  expect(((await response.json()) as { payload: unknown[] }).payload).toHaveLength(30)
  const lines = (await (await fetch(`${health}/readyz`)).text()).trim().split('\n')
  expect(lines).toEqual(['ready', ...named.map(node => `node ${new URL(node).host}: used`)])
}

describe('pages of a distributed installation', () => {
  test('G1, G2: are read on the node that has the program, by a login that may read applications there and nothing else', async () => {
    const database = await useCluster()
    const { sql } = database
    const programs = await programsIn(sql, 8)
    const nodes = nodesOf(database, await aReader(sql))
    const service = await useService(database, {}, { standbys: nodes })
    const key = await createTestKey(sql, { programs: programs.map(({ slug }) => slug) })
    expect(service.foundation.standbys.states()).toMatchObject([
      { isUsed: true, node: 1 },
      { isUsed: true, node: 2 },
    ])
    expect(service.logText()).toContain('pages are read from a node of the cluster')
    for (const { slug, program_id } of programs) {
      const before = readsOf(service)
      const all = await new ExportClient(service, key, slug).walkAll({ pageSize: '10' })
      expect(new Set(all.map(({ application_id }) => application_id)).size).toBe(30)
      const { worker } = await placeOf(sql, program_id)
      expect(readsOf(service).map((reads, i) => reads - before[i]!)).toEqual(worker === 0 ? [3, 0] : [0, 3])
    }
    expect(readsOf(service).every(reads => reads > 0)).toBe(true)
    for (const statement of [
      `update application set snapshot = '{}'`,
      'delete from application',
      'update submission_counter set submit_seq = 0',
      'select from application_in_progress',
      'select from submission_request',
    ])
      await expect(nodes[0]!.sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('a program is in the shard that Citus says', async () => {
    const { sql } = await useCluster()
    const ranges = parseShards((await readNodeView(sql)).shards)
    expect(ranges).toHaveLength(4)
    const shards = await sql<{ id: number; name: string; hash: number }[]>`
      select id, 'application_' || get_shard_id_for_distribution_column('application', id) as name, worker_hash(id) as hash
      from generate_series(1::bigint, 500) id`
    expect(shards.map(({ id }) => shardOf(ranges, id)?.application)).toEqual(shards.map(({ name }) => name))
    expect(shards.map(({ id }) => hashOfProgram(id))).toEqual(shards.map(({ hash }) => hash))
  })

  test('G13: what is left of a shard that was moved refuses what it lacks, whatever the cluster has by then', async () => {
    const database = await useCluster()
    const { sql } = database
    const [program] = await programsIn(sql, 1)
    const { program_id } = program!
    const shard = shardOf(parseShards((await readNodeView(sql)).shards), program_id)!
    const node = nodesOf(database)[shard.node - 1]!.sql
    // As they were, under names of their own.
    const left = {
      node: shard.node,
      application: 'old_application',
      submissionCounter: 'old_counter',
      erasedApplication: 'old_erased',
    }
    await node`create table old_application as select * from ${node(shard.application)}`
    await node`create table old_counter as select * from ${node(shard.submissionCounter)}`
    await node`create table old_erased as select * from ${node(shard.erasedApplication)}`
    await insertRawApplications(sql, program!, 1)
    const rowsUpTo = async (horizon: number, from: typeof left) => {
      let rows = 0
      const query: PageQuery = {
        programId: program_id,
        horizon,
        lastApplication: undefined,
        from: undefined,
        to: undefined,
        revisionState: undefined,
        after: undefined,
        rowsMax: 100,
      }
      const reader = { take: () => void rows++, batchAhead: () => 100, endBatch: () => 100 }
      await readPageRows(node, query, 100, reader, from)
      return rows
    }
    expect(await rowsUpTo(31, shard)).toBe(31)
    expect(await rowsUpTo(30, left)).toBe(30)
    await expect(rowsUpTo(31, left)).rejects.toMatchObject({ code: 'TB001' })
  })

  test('G1: when the service cannot reach the node and the coordinator can, the coordinator reads on', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const nodes = nodesOf(database)
    const service = await useService(database, {}, { standbys: nodes })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const pages = new ExportClient(service, key, program!.slug).walk({ pageSize: '10' }, async () => {
      for (const { sql } of nodes) await sql.end({ timeout: 0 })
    })
    const ids: number[] = []
    for await (const { page } of pages) ids.push(...page.payload.map(a => a.application_id))
    expect(new Set(ids).size).toBe(30)
    expect(ids).toHaveLength(30)
    expect(readsOf(service).reduce((sum, reads) => sum + reads)).toBeGreaterThanOrEqual(2)
  })

  test('G13: while the node of a walk is gone its pages are 503 with Retry-After, and then it goes on', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const service = await useService(database, {}, { standbys: nodesOf(database) })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const client = new ExportClient(service, key, program!.slug)
    const { page } = await client.page({ pageSize: '10' })
    const rest = { nextPageToken: page.nextPageToken! }
    const { worker } = await placeOf(database.sql, program!.program_id)
    await cluster.without(worker, async () => {
      const refused = await client.request(rest)
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
    })
    const second = await until('the node to be reached again', async () => {
      const response = await client.request(rest)
      return response.status === 200 && ((await response.json()) as typeof page)
    })
    expect(second.payload).toHaveLength(10)
  })

  test.each(['block_writes', 'force_logical'])(
    'G1: a walk goes on where its shard was moved to (%s), and in between on the coordinator',
    async how => {
      const database = await useCluster()
      const [program] = await programsIn(database.sql, 1)
      const reader = await aReader(database.sql)
      const service = await useService(database, {}, { standbys: nodesOf(database, reader) })
      const key = await createTestKey(database.sql, { programs: [program!.slug] })
      const client = new ExportClient(service, key, program!.slug)
      const { standbys } = service.foundation
      const { worker } = await placeOf(database.sql, program!.program_id)
      const first = await client.page({ pageSize: '10' })
      await moveAway(database.sql, program!.program_id, how)
      // The service knows of it by now, or does not.
      const second = await client.page({ nextPageToken: first.page.nextPageToken! })
      await until('the move to be known', () => {
        const shard = standbys.shardOf(program!.program_id)!
        return shard.node === 2 - worker && standbys.usable(shard).length === 1
      })
      const before = readsOf(service)
      const third = await client.page({ nextPageToken: second.page.nextPageToken! })
      expect(readsOf(service)[1 - worker]).toBe(before[1 - worker]! + 1)
      const ids = [first, second, third].flatMap(({ page }) => page.payload.map(a => a.application_id))
      expect(new Set(ids).size).toBe(30)
      expect(third.page.nextPageToken).toBeNull()
    },
  )

  test('a process reads them on the coordinator without EXPORT_DATABASE_URL, else on its nodes, and says so on its health port', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const urls = cluster.workers.map(({ port }) => database.url.replace(/:[0-9]+\//, `:${port}/`))
    for (const named of [[], urls]) {
      const main = await startMain(database, { EXPORT_DATABASE_URL: named.join(',') })
      await expectServed(main, named, program!.slug, key)
      const metrics = await (await fetch(`${main.health}/metrics`)).text()
      expect(metrics.match(/^tributary_standby_reads_total\{.* 1$/gm) ?? []).toHaveLength(named.length / 2)
    }
  })

  test('a server that is no node of the cluster is never read', async () => {
    const [database, other] = [await useCluster(), await useCluster()]
    const [program] = await programsIn(database.sql, 1)
    const plain = await useBareDatabase()
    const strangers = [poolsOf('plain', plain.url), ...nodesOf(other)]
    const service = await useService(database, {}, { standbys: strangers })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    expect(await new ExportClient(service, key, program!.slug).walkAll({ pageSize: '10' })).toHaveLength(30)
    expect(service.foundation.standbys.states().map(({ isUsed }) => isUsed)).toEqual([false, false, false])
    expect(readsOf(service)).toEqual([0, 0, 0])
    expect(service.logText()).toContain('this server is no node of the cluster in DATABASE_URL')
  })

  test('G1: a walk goes on when its shard was split, on the node that has the part with its program', async () => {
    const database = await useCluster()
    const { sql } = database
    const programs = await programsIn(sql, 8)
    const service = await useService(database, {}, { standbys: nodesOf(database, await aReader(sql)) })
    const key = await createTestKey(sql, { programs: programs.map(({ slug }) => slug) })
    const clients = programs.map(({ slug }) => new ExportClient(service, key, slug))
    const begun = await Promise.all(clients.map(client => client.page({ pageSize: '10' })))
    const [here, there] = await sql<{ id: number }[]>`
      select nodeid as id from pg_dist_node where noderole = 'primary' and shouldhaveshards order by groupid`
    const shards = await sql<{ id: number; middle: string }[]>`
      select shardid as id, ((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text as middle
      from pg_dist_shard where logicalrelid = 'application'::regclass`
    // By logical replication it needs a server that lets in the plugin of Citus.
    for (const { id, middle } of shards)
      await sql`
        select citus_split_shard_by_split_points(
          ${id}::bigint, array[${middle}::text], array[${here!.id}::int, ${there!.id}::int], 'block_writes')`
    const { standbys } = service.foundation
    const places = await Promise.all(programs.map(({ program_id }) => placeOf(sql, program_id)))
    await until('the split to be known', () =>
      programs.every(({ program_id }, i) => {
        const shard = standbys.shardOf(program_id)!
        return shard.application === `application_${places[i]!.shard}` && standbys.usable(shard).length === 1
      }),
    )
    const before = readsOf(service)
    for (const [i, { page }] of begun.entries()) {
      const ids = page.payload.map(a => a.application_id)
      for (let token = page.nextPageToken; token !== null; ) {
        const next = await clients[i]!.page({ nextPageToken: token })
        ids.push(...next.page.payload.map(a => a.application_id))
        token = next.page.nextPageToken
      }
      expect([ids.length, new Set(ids).size]).toEqual([30, 30])
    }
    const expected = [...before]
    for (const { worker } of places) expected[worker]! += 2
    expect(readsOf(service)).toEqual(expected)
    // A part holds what the whole did, and what is submitted then is in it too.
    await expect(
      sql`update application set snapshot = '{}' where program_id = ${programs[0]!.program_id}`,
    ).rejects.toThrow('never changed once submitted')
    await insertRawApplications(sql, programs[0]!, 1)
    expect(await clients[0]!.walkAll({ pageSize: '10' })).toHaveLength(31)
  })

  test('G1, G13: a service that only exports reads them on a coordinator that takes no write, and on its nodes', async () => {
    const database = await useCluster()
    const { sql } = database
    const [program] = await programsIn(sql, 1)
    const key = await createTestKey(sql, { programs: [program!.slug] })
    await grantRoles(sql)
    const name = new URL(database.url).pathname.slice(1)
    await sql`alter database ${sql(name)} set default_transaction_read_only = on`
    const urls = cluster.workers.map(({ port }) => database.url.replace(/:[0-9]+\//, `:${port}/`))
    for (const named of [[], urls]) {
      const { url, health } = await startMain(database, {
        EXPORT_ONLY: 'on',
        AUDIT_REQUIRED: 'off',
        EXPORT_DATABASE_URL: named.join(','),
      })
      const ids: number[] = []
      let query = 'pageSize=10'
      for (;;) {
        const response = await fetch(`${url}/api/v1/admin/programs/${program!.slug}/applications?${query}`, {
          headers: { Authorization: key.authorization },
        })
        expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
        const page = (await response.json()) as { payload: { application_id: number }[]; nextPageToken: string | null }
        ids.push(...page.payload.map(a => a.application_id))
        if (page.nextPageToken === null) break
        query = `nextPageToken=${page.nextPageToken}`
      }
      expect([ids.length, new Set(ids).size]).toEqual([30, 30])
      const lines = (await (await fetch(`${health}/readyz`)).text()).trim().split('\n')
      expect(lines).toEqual(['ready', ...named.map(node => `node ${new URL(node).host}: used`)])
    }
  })

  test.skipIf(!needs('pgbouncer'))('G1: they are read through a pooler before each node', async () => {
    const database = await useCluster()
    const { sql } = database
    const [program] = await programsIn(sql, 1)
    const key = await createTestKey(sql, { programs: [program!.slug] })
    await grantRoles(sql)
    const poolers = await Promise.all(
      cluster.workers.map(({ port }) => usePgbouncer(database.url.replace(/:[0-9]+\//, `:${port}/`), endWithTest)),
    )
    const named = poolers.map(pooler => pooler.through(database.url))
    const main = await startMain(database, {
      EXPORT_DATABASE_URL: named.join(','),
      DATABASE_PREPARE: 'off',
    })
    await expectServed(main, named, program!.slug, key)
    await endProcesses()
  })
})
