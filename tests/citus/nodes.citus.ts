// Pages that are read through nodes of a cluster. Run by scripts/test-citus.

import { afterAll, describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/client.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient, walkIds } from '../support/export-client.ts'
import { useBareDatabase, useService } from '../support/fixtures.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { portOf, startProxy } from '../support/proxy.ts'
import { readPoolOf, readsIn, readsOf, useBalancer } from '../support/read-address.ts'
import { until } from '../support/until.ts'
import { balanced, cluster, moveAway, nodesOf, placeOf, programsIn, useCluster } from './on-cluster.ts'

afterAll(endProcesses)

let readers = 0
/** A login that may read pages on every node, made as SCALE.md says. */
async function aReader(sql: Sql): Promise<string> {
  await grantRoles(sql)
  const login = `reader_${process.pid}_${++readers}`
  await sql.unsafe(`create role ${login} login`)
  await sql.unsafe(
    `grant select on application, application_annotation, submission_counter, erased_application, erased_change to ${login}`,
  )
  return login
}

/** A process serves the 30 applications of a program; how many cursors its read address has served then. */
async function readsThrough(
  { url, health }: Awaited<ReturnType<typeof startMain>>,
  slug: string,
  { authorization }: TestKey,
): Promise<number> {
  const ids = await walkIds(
    query =>
      fetch(`${url}/api/v1/admin/programs/${slug}/applications?${query}`, {
        headers: { Authorization: authorization },
      }),
    'pageSize=10',
  )
  expect([ids.length, new Set(ids).size]).toEqual([30, 30])
  return readsIn(await (await fetch(`${health}/metrics`)).text()).read
}

describe('pages of a distributed installation', () => {
  test('G1, G2: are read through every node, with a login that may only read applications', async () => {
    const database = await useCluster()
    const { sql } = database
    const programs = await programsIn(sql, 8)
    const nodes = nodesOf(database, await aReader(sql)).map(url => readPoolOf(url))
    const key = await createTestKey(sql, { programs: programs.map(({ slug }) => slug) })
    // Whichever node has a program, any may be asked.
    for (const readDb of nodes) {
      const service = await useService(database, unlimited, { readDb })
      for (const { slug } of programs) {
        const all = await new ExportClient(service, key, slug).walkAll({ pageSize: '10' })
        expect(new Set(all.map(({ application_id }) => application_id)).size).toBe(30)
      }
      expect((await readsOf(service)).read).toBe(24)
    }
    for (const statement of [
      `update application set snapshot = '{}'`,
      'delete from application',
      'update submission_counter set submit_seq = 0',
      'select from application_in_progress',
      'select from submission_request',
    ])
      await expect(nodes[0]!.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('G1: are read by the coordinator if the service cannot reach the node and the coordinator can', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const [node] = nodesOf(database)
    const proxy = await startProxy(portOf(node), () => ({}))
    const service = await useService(database, unlimited, { readDb: readPoolOf(proxy.through(node)) })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const pages = new ExportClient(service, key, program!.slug).walk({ pageSize: '10' }, proxy.stop)
    const ids: number[] = []
    for await (const { page } of pages) ids.push(...page.payload.map(a => a.application_id))
    expect(new Set(ids).size).toBe(30)
    expect(ids).toHaveLength(30)
    expect(await readsOf(service)).toMatchObject({ read: 1, unreachable: 2 })
  })

  test('G13: get a 503 with Retry-After while the node with their program is unreachable, and continue afterwards', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const service = await useService(database, unlimited, { readDb: await balanced(database) })
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

  test.each(['block_writes', 'force_logical'])('G1: a walk continues when its shard is moved (%s)', async how => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const reader = await aReader(database.sql)
    const service = await useService(database, unlimited, { readDb: await balanced(database, reader) })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const client = new ExportClient(service, key, program!.slug)
    const first = await client.page({ pageSize: '10' })
    await moveAway(database.sql, program!.program_id, how)
    const second = await client.page({ nextPageToken: first.page.nextPageToken! })
    const third = await client.page({ nextPageToken: second.page.nextPageToken! })
    const ids = [first, second, third].flatMap(({ page }) => page.payload.map(a => a.application_id))
    expect(new Set(ids).size).toBe(30)
    expect(third.page.nextPageToken).toBeNull()
  })

  test('are read on the nodes with DATABASE_READ_URL, and on the coordinator without it', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    for (const url of ['', await useBalancer(nodesOf(database))]) {
      const main = await startMain(database, { DATABASE_READ_URL: url })
      expect(await readsThrough(main, program!.slug, key)).toBe(url === '' ? 0 : 3)
    }
  })

  test('are never read from a server outside the cluster', async () => {
    const [database, other] = [await useCluster(), await useCluster()]
    const [program] = await programsIn(database.sql, 1)
    const plain = await useBareDatabase()
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    for (const url of [plain.url, ...nodesOf(other)]) {
      const service = await useService(database, unlimited, { readDb: readPoolOf(url) })
      expect(await new ExportClient(service, key, program!.slug).walkAll({ pageSize: '10' })).toHaveLength(30)
      const { other_history, unreachable, ...others } = await readsOf(service)
      expect([others.read, other_history + unreachable]).toEqual([0, 3])
    }
  })

  test('G1, G13: are read by an export-only service from a read-only coordinator and from the nodes', async () => {
    const database = await useCluster()
    const { sql } = database
    const [program] = await programsIn(sql, 1)
    const key = await createTestKey(sql, { programs: [program!.slug] })
    await grantRoles(sql)
    const name = new URL(database.url).pathname.slice(1)
    await sql`alter database ${sql(name)} set default_transaction_read_only = on`
    for (const url of ['', await useBalancer(nodesOf(database))]) {
      const main = await startMain(database, { EXPORT_ONLY: 'on', AUDIT_REQUIRED: 'off', DATABASE_READ_URL: url })
      expect(await readsThrough(main, program!.slug, key)).toBe(url === '' ? 0 : 3)
    }
  })
})
