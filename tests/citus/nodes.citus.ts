// Pages that are read through nodes of a cluster. Run by scripts/test-citus.

import { afterAll, describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/client.ts'
import { grantRoles } from '../../src/db/migrate.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { useBareDatabase, useService } from '../support/fixtures.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { cluster, moveAway, nodesOf, placeOf, poolsOf, programsIn, useCluster } from './on-cluster.ts'

afterAll(endProcesses)

const readsOf = (service: TestService): number[] => service.foundation.standbys.states().map(({ reads }) => reads)

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
  expect(lines).toEqual(['ready', ...named.map(node => expect.stringContaining(`standby ${new URL(node).host}: used`))])
}

describe('pages of a distributed installation', () => {
  test('G1, G2: are read through every node, by a login that may read applications there and nothing else', async () => {
    const database = await useCluster()
    const { sql } = database
    const programs = await programsIn(sql, 8)
    const nodes = nodesOf(database, await aReader(sql))
    const service = await useService(database, unlimited, { standbys: nodes })
    const key = await createTestKey(sql, { programs: programs.map(({ slug }) => slug) })
    expect(service.foundation.standbys.states()).toMatchObject([{ isUsed: true }, { isUsed: true }])
    expect(service.logText()).toContain('pages are read from a node of the cluster')
    for (const { slug } of programs) {
      const all = await new ExportClient(service, key, slug).walkAll({ pageSize: '10' })
      expect(new Set(all.map(({ application_id }) => application_id)).size).toBe(30)
    }
    // Whichever node has a program, any may be asked, and they take turns.
    expect(readsOf(service)).toEqual([12, 12])
    for (const statement of [
      `update application set snapshot = '{}'`,
      'delete from application',
      'update submission_counter set submit_seq = 0',
      'select from application_in_progress',
      'select from submission_request',
    ])
      await expect(nodes[0]!.sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('G1: when the service cannot reach the nodes and the coordinator can, the coordinator reads on', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const nodes = nodesOf(database)
    const service = await useService(database, unlimited, { standbys: nodes })
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

  test('G13: while the node that has a program is gone its pages are 503 with Retry-After, and then it continues', async () => {
    const database = await useCluster()
    const [program] = await programsIn(database.sql, 1)
    const service = await useService(database, unlimited, { standbys: nodesOf(database) })
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
    const service = await useService(database, unlimited, { standbys: nodesOf(database, reader) })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    const client = new ExportClient(service, key, program!.slug)
    const { standbys } = service.foundation
    const first = await client.page({ pageSize: '10' })
    await moveAway(database.sql, program!.program_id, how)
    // The service knows of it by now, or does not.
    const second = await client.page({ nextPageToken: first.page.nextPageToken! })
    await standbys.look()
    expect(standbys.usable()).toHaveLength(2)
    const third = await client.page({ nextPageToken: second.page.nextPageToken! })
    const ids = [first, second, third].flatMap(({ page }) => page.payload.map(a => a.application_id))
    expect(new Set(ids).size).toBe(30)
    expect(third.page.nextPageToken).toBeNull()
  })

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
    const service = await useService(database, unlimited, { standbys: strangers })
    const key = await createTestKey(database.sql, { programs: [program!.slug] })
    expect(await new ExportClient(service, key, program!.slug).walkAll({ pageSize: '10' })).toHaveLength(30)
    expect(service.foundation.standbys.states().map(({ isUsed }) => isUsed)).toEqual([false, false, false])
    expect(readsOf(service)).toEqual([0, 0, 0])
    expect(service.logText()).toContain('this server is no node of the cluster in DATABASE_URL')
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
      expect(lines).toEqual([
        'ready',
        ...named.map(node => expect.stringContaining(`standby ${new URL(node).host}: used`)),
      ])
    }
  })
})
