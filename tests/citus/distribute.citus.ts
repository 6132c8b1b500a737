// Distributing an installation, and what only a distributed one can do wrong. Run by scripts/test-citus, with the ordinary tests of all the
// rest.

import { describe, expect, test } from 'bun:test'
import { eraseApplicant, eraseExpired, setRetention } from '../../src/core/applications/erase.ts'
import { loadLines } from '../../src/core/load/load-lines.ts'
import { exportProgram, importProgram } from '../../src/core/programs/program-transport.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { distributeApplications, grantRoles, isDistributed } from '../../src/db/distribution.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { distributedTables } from '../../src/db/table-placements.ts'
import { runScript } from '../scripts/run-script.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithFile, useBareDatabase, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'
import { cluster, useCluster } from './on-cluster.ts'

const idsOf = (applications: readonly { application_id: number }[]): number[] =>
  applications.map(({ application_id }) => application_id)

describe('a running installation is distributed alongside its writers', () => {
  test('G1, G2, G13: no acknowledged submission is lost, an earlier walk continues, and numbers and IDs go on', async () => {
    const database = await useCluster({ undistributed: true })
    const { sql } = database
    const slugs = ['first', 'second', 'third']
    for (const slug of slugs) await aProgram(sql, { slug, questions: [q.text('words')] })
    await insertRawApplications(sql, await insertRawProgram(sql, 'old'), 300)
    const key = await createTestKey(sql, { programs: [...slugs, 'old'], maySubmit: true })
    const service = await useService(database, { maxPageSize: 1000, ...unlimited })
    const answered: Record<string, number[]> = Object.fromEntries(slugs.map(slug => [slug, []]))
    let writing = true
    const writers = slugs.map(async slug => {
      const frontEnd = new FrontEnd(service, key, slug)
      let applicant = await frontEnd.register()
      const again = async (n: number) => {
        if (n % 3 === 0) applicant = await frontEnd.register()
        return frontEnd.apply(applicant, { words: { text: `${n}` } })
      }
      for (let n = 0; writing; n++) {
        // A request that waited for the move, or ran into its end, tries again.
        const submitted = await again(n).catch((error: Error) => {
          if (!/answered (503|500|409|400)/.test(error.message)) throw error
        })
        if (submitted !== undefined) answered[slug]!.push(submitted.application_id)
      }
    })
    await until('some submissions', () => slugs.every(slug => answered[slug]!.length > 5))
    const client = new ExportClient(service, key, 'old')
    const { page } = await client.page({ pageSize: '100' })
    const before = answered.first!.length

    await distributeApplications(sql, 4)

    await until('submissions afterwards', () => slugs.every(slug => answered[slug]!.length > before + 10))
    writing = false
    await Promise.all(writers)
    const restarted = await useService(database, { maxPageSize: 1000, ...unlimited })
    for (const slug of slugs) {
      const exported = await new ExportClient(restarted, key, slug).walkAll({ pageSize: '50' })
      expect(idsOf(exported)).toEqual([...new Set(idsOf(exported))])
      expect(answered[slug]!.filter(id => !idsOf(exported).includes(id))).toEqual([])
    }
    const rest = []
    for (let token: string | null = page.nextPageToken; token !== null; ) {
      const next = await new ExportClient(restarted, key, 'old').page({ nextPageToken: token })
      rest.push(...next.page.payload)
      token = next.page.nextPageToken
    }
    expect(page.payload.length + rest.length).toBe(300)
    const nodes = await sql`
      select distinct nodeport from citus_shards where table_name = 'application'::regclass and shard_size > 0`
    expect(nodes).toHaveLength(2)
    // Nothing stays behind where no erasure would reach it.
    const [left] = await sql<{ bytes: number }[]>`
      select sum(pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0)) as bytes
      from pg_class where oid = any(${distributedTables as string[]}::regclass[])`
    expect(Number(left!.bytes)).toBe(0)
  })
})

describe('distributing an installation', () => {
  test('is refused without Citus or without nodes, and changes nothing', async () => {
    const plain = await useBareDatabase()
    await migrate(plain.sql, allMigrations)
    const impossible = { kind: 'conflict', cause: { code: '22023' } }
    await expect(distributeApplications(plain.sql, 4)).rejects.toMatchObject(impossible)
    const alone = await useCluster({ undistributed: true })
    await alone.sql`select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0`
    await expect(distributeApplications(alone.sql, 4)).rejects.toMatchObject(impossible)
    await alone.sql`insert into civiform_source (identity, rendering, slack_ms) values ('x', 'x', 0)`
    const [still] = await alone.sql`select to_regclass('commit_mark') as table`
    expect(still!.table).toBeNull()
  })

  test('requires ownership of the database on every node but no superuser, and the error names a node without it', async () => {
    const name = `owned_${process.pid}`
    await cluster.createDatabase(name)
    const nodes = [cluster.coordinator, ...cluster.workers]
    const onNode = async (url: string, work: (sql: Sql) => Promise<unknown>) => {
      const sql = openDatabase({ url, connectionsMax: 1, prepare: false })
      await work(sql).finally(() => sql.end())
    }
    const urlOf = (node: { url: string }) => node.url.replace(/\/postgres$/, `/${name}`)
    await onNode(urlOf(cluster.coordinator), sql => sql`create role owner_of_all login createrole`)
    const give = (node: { url: string }, owner = 'owner_of_all') =>
      onNode(node.url, sql => sql`alter database ${sql(name)} owner to ${sql(owner)}`)
    for (const node of nodes) await give(node)
    const sql = openDatabase({
      url: urlOf(cluster.coordinator).replace('tributary@', 'owner_of_all@'),
      connectionsMax: 2,
    })
    endWithFile(async () => {
      await sql.end({ timeout: 1 })
      await cluster.dropDatabase(name)
    })
    await prepareDatabase(sql, 'UTC')
    await give(nodes[2]!, 'tributary')
    await expect(distributeApplications(sql, 4)).rejects.toThrow(`127.0.0.1:${nodes[2]!.port}`)
    expect(await isDistributed(sql)).toBe(false)
    await give(nodes[2]!)
    await distributeApplications(sql, 4)
    await grantRoles(sql)
    expect(await isDistributed(sql)).toBe(true)
  })

  test('is refused the second time', async () => {
    const database = await useCluster()
    const again = await runScript('distribute-installation', database.url, [])
    expect(again.code).toBe(1)
    expect(again.err).toContain('[distributed]')
    for (const shards of ['0', '1001', 'many'])
      expect(await runScript('distribute-installation', database.url, ['--shards', shards])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/--shards .*\b1000\b/),
      })
  })
})

describe('a distributed installation', () => {
  test('reads a page from one shard, in the order of its index', async () => {
    const { sql } = await useCluster()
    const program = await insertRawProgram(sql, 'planned')
    await insertRawApplications(sql, program, 500)
    await sql`analyze application`
    const plan = await sql<{ 'QUERY PLAN': string }[]>`
      explain select snapshot from application
      where (select require_change(${program.program_id}, 500, null, null)) and program_id = ${program.program_id} and submit_seq <= 500
      order by submit_time, submit_seq limit 100`
    const text = plan.map(row => row['QUERY PLAN']).join('\n')
    expect(text).toContain('Task Count: 1')
    expect(text).toContain('Index Scan using application_walk')
  })

  test('loads another installation’s export byte-identically, and erases an applicant from several programs with tombstones', async () => {
    const [database, other] = [await useCluster(), await useCluster()]
    for (const slug of ['first', 'second']) await aProgram(database.sql, { slug, questions: [q.text('words')] })
    const service = await useService(database, unlimited)
    const key = await createTestKey(database.sql, { programs: ['first', 'second'], maySubmit: true })
    const applicant = await new FrontEnd(service, key, 'first').register()
    for (const slug of ['first', 'second', 'first'])
      await new FrontEnd(service, key, slug).apply(applicant, { words: { text: slug } })
    for (const slug of ['first', 'second']) {
      const lines = await exportLines(database.sql, slug)
      await importProgram(other.sql, await exportProgram(database.sql, slug), 'operator:test')
      const bytes = async function* () {
        yield Buffer.from(lines.join('\n'))
      }
      // In batches of one application: all in one transaction, as a demo is filled, then each in its own.
      const batches = { batchBytes: 1, wholeOrNothing: slug === 'first' }
      await loadLines(other.sql, bytes(), {
        now: Date.now() * 1000,
        timeZone: 'UTC',
        actor: 'operator:test',
        ...batches,
      })
      expect(await exportLines(other.sql, slug)).toEqual(lines)
    }
    await eraseApplicant(database.sql, applicant, { actor: 'operator:test', reason: undefined })
    const [left] = await database.sql`
      select (select count(*)::int from application) as applications, (select count(*)::int from erased_application) as tombstones`
    expect(left).toEqual({ applications: 0, tombstones: 3 })
  })

  test('lets the worker’s role erase only expired applications, and the service’s role change no answers', async () => {
    const { sql, url } = await useCluster()
    const program = await insertRawProgram(sql, 'kept')
    await insertRawApplications(sql, program, 20)
    await grantRoles(sql)
    const as = async (group: string): Promise<Sql> => {
      const login = `${group}_of_cluster`
      await sql.unsafe(`create role ${login} login in role ${group}`)
      const pool = openDatabase({ url: url.replace('tributary@', `${login}@`), connectionsMax: 2 })
      endWithFile(() => pool.end({ timeout: 1 }))
      return pool
    }
    const [service, worker] = [await as('tributary_service'), await as('tributary_worker')]
    const refused = { code: '42501' }
    await expect(
      service`update application set snapshot = '{}' where program_id = ${program.program_id}`,
    ).rejects.toMatchObject(refused)
    await expect(service`delete from application where program_id = ${program.program_id}`).rejects.toMatchObject(
      refused,
    )
    await expect(
      worker`select snapshot from application where program_id = ${program.program_id}`,
    ).rejects.toMatchObject(refused)
    await expect(worker`delete from application where program_id = ${program.program_id}`).rejects.toMatchObject(
      refused,
    )
    await setRetention(sql, 'kept', { days: 30, actor: 'operator:test', confirmation: 'kept' })
    expect(await eraseExpired(worker)).toMatchObject([{ slug: 'kept', applications: 20 }])
    expect(await sql`select from erased_application`).toHaveLength(20)
  })

  test('commits a change and its audit entry together, in a transaction that the coordinator decides', async () => {
    const { sql } = await useCluster()

    const program = await insertRawProgram(sql, 'whole')
    await insertRawApplications(sql, program, 1)
    const before = await sql`select from pg_dist_transaction`
    await sql.begin(async tx => {
      await tx`select hold_changes(${program.program_id})`
      await tx`select draw_changes(${program.program_id}, 1)`
      await tx`insert into audit_event (actor, action, subject) values ('operator:test', 'application_annotated', '1')`
    })
    expect(await sql`select from pg_dist_transaction`).toHaveLength(before.length + 1)
  })

  test('G13: refuses the programs of an unreachable worker without shortening any, while others continue, and has everything afterwards', async () => {
    const database = await useCluster()
    const { sql } = database
    const programs = []
    for (let n = 0; n < 8; n++) programs.push(await insertRawProgram(sql, `of-worker-${n}`))
    for (const program of programs) await insertRawApplications(sql, program, 30)
    const service = await useService(database, unlimited)
    const key = await createTestKey(sql, { programs: programs.map(({ slug }) => slug) })
    const clients = programs.map(({ slug }) => new ExportClient(service, key, slug))
    const tokens = await Promise.all(
      clients.map(async client => (await client.page({ pageSize: '10' })).page.nextPageToken!),
    )
    await cluster.without(0, async () => {
      const statuses = await Promise.all(
        clients.map((client, n) => client.request({ nextPageToken: tokens[n]! }).then(({ status }) => status)),
      )
      expect(statuses).toContain(200)
      expect(statuses.filter(status => status !== 200).length).toBeGreaterThan(0)
      expect(statuses.filter(status => ![200, 503].includes(status))).toEqual([])
    })
    for (const client of clients)
      await until('all of them', async () => {
        const all = await client.walkAll({ pageSize: '10' }).catch(() => undefined)
        return all !== undefined && all.length === 30
      })
  })
})
