// An installation whose applications are in partitions by program: everything holds that held before, and every statement that names a
// program touches one partition.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.ts'
import { findRevisionBefore, readListedApplications, readRevisions } from '../../src/db/application-lists.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { grantRoles, partitionApplications } from '../../src/db/migrate.ts'
import { knowPartitions, partitionOf, readPartitions } from '../../src/db/partition-places.ts'
import { type PageQuery, type RowReader, readPageRows, readWalkStart } from '../../src/db/walks.ts'
import { loadLines } from '../../src/load/load-lines.ts'
import { exportProgram, importProgram } from '../../src/programs/program-transport.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { eraseApplication } from '../../src/upkeep/erase.ts'
import { runScript } from '../scripts/run-script.ts'
import { ExportClient } from '../support/export-client.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithFile, useDatabase, useFolder, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, type PublishedTestProgram, q } from '../support/programs.ts'
import { planModes, planOf } from '../support/query-plans.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { startStatementRecorder } from '../support/statement-recorder.ts'
import { until } from '../support/until.ts'

const tables = ['application', 'application_annotation', 'erased_application', 'submission_request']

/** What holds for these tables, as the catalogue tells it: columns, keys and checks, indexes, triggers, rights. */
async function promisesOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    with its as (select oid, relname from pg_class where oid = any(${tables}::regclass[]))
    select format('%s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity) || attstorage::text as line
    from its join pg_attribute on attrelid = its.oid and attnum > 0
    union all
    select format('%s: %s %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
    from its join pg_constraint c on its.oid in (c.conrelid, c.confrelid)
    where conparentid = 0 and contype <> 'n'
    union all
    select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') from its join pg_index on indrelid = its.oid
    union all
    select pg_get_triggerdef(t.oid) from its join pg_trigger t on tgrelid = its.oid where not tgisinternal
    union all
    select format('%s may %s %s', grantee, privilege_type, table_name)
    from information_schema.role_table_grants join its on relname = table_name
    where grantee like 'tributary%'
    order by line`
  return rows.map(({ line }) => line)
}

/** All that a program has, as a page. */
const allOf = (programId: number, horizon: number): PageQuery => ({
  programId,
  horizon,
  lastApplication: undefined,
  after: undefined,
  from: undefined,
  to: undefined,
  revisionState: undefined,
  rowsMax: 100,
})

const takingInto = (numbers: number[]): RowReader => ({
  take: ({ submitSeq }) => numbers.push(submitSeq),
  batchAhead: () => 0,
  endBatch: () => 0,
})

describe('applications in partitions', () => {
  test('every column, key, check, index, trigger and right is as it was; nothing is lost, and ids go on', async () => {
    const { sql } = await useDatabase()
    await grantRoles(sql)
    const program = await insertRawProgram(sql, 'before')
    await insertRawApplications(sql, program, 20)
    await sql`select setval('application_application_id_seq', 77)`
    const rows = () => sql`select * from application order by application_id`
    const [before, promises] = [await rows(), await promisesOf(sql)]
    await partitionApplications(sql, 4)
    expect(await promisesOf(sql)).toEqual(promises)
    expect([...(await rows())]).toEqual([...before])
    const [next] = await sql`select nextval('application_application_id_seq')::int as id`
    expect(next!.id).toBe(78)
    const options = await sql<{ storage: string[] }[]>`
      select distinct reloptions as storage from pg_class where relname ~ '^application_[0-9]+$'`
    expect(options.map(({ storage }) => storage)).toEqual([['toast_tuple_target=8160']])
  })

  test('scripts/migrate --partitions does it once, and only in a number that makes sense', async () => {
    const { sql, url } = await useDatabase()
    const run = (partitions: string) => runScript('migrate-database', url, ['--partitions', partitions])
    for (const partitions of ['1', '257', 'many', '1e2'])
      expect((await run(partitions)).err).toContain('--partitions takes a number from 2 to 256')
    await expect(partitionApplications(sql, 1)).rejects.toThrow('from 2 to 256 partitions')
    expect((await run('2')).out).toContain('Applications are in 2 partitions by program.')
    const again = await run('2')
    expect([again.code, again.err]).toEqual([1, 'Nothing was changed: the applications are in partitions already.\n'])
    expect(await sql`select 1 from pg_class where relname ~ '^application_[0-9]+$'`).toHaveLength(2)
  })

  test('a server without room for the locks is told of before anything is done, with what to set', async () => {
    const settings = {
      max_connections: '20',
      max_wal_senders: '0',
      max_worker_processes: '0',
      autovacuum_max_workers: '3',
      max_locks_per_transaction: '20',
    }
    const dataDirectory = join(await useFolder(), 'pg')
    const server = await startEmbeddedPostgres({ dataDirectory, unsafeFast: true, settings })
    endWithFile(() => server.stop())
    const sql = openDatabase({ url: server.url, connectionsMax: 1 })
    endWithFile(() => sql.end())
    await prepareDatabase(sql, 'UTC')
    await expect(partitionApplications(sql, 8)).rejects.toThrow(
      'Nothing was changed: 8 partitions need max_locks_per_transaction to be at least 38, and it is 20; set it and restart PostgreSQL.',
    )
    expect(await sql`select from pg_class where relname ~ '^application_[0-9]+$'`).toHaveLength(0)
    await partitionApplications(sql, 2)
  })

  test('submitting, superseding, annotating, erasing, exporting and loading work; G3, G11', async () => {
    const [one, other] = [await useDatabase(), await useDatabase()]
    for (const { sql } of [one, other]) await partitionApplications(sql, 4)
    const { sql } = one
    for (const slug of ['first', 'second']) await aProgram(sql, { slug, questions: [q.text('words')] })
    const service = await useService(one)
    const key = await createTestKey(sql, { programs: ['first', 'second'], maySubmit: true })
    const submitted: Record<string, number[]> = {}
    for (const slug of ['first', 'second']) {
      const frontEnd = new FrontEnd(service, key, slug)
      const applicant = await frontEnd.register()
      submitted[slug] = []
      for (const text of ['one', 'two', 'three'])
        submitted[slug].push((await frontEnd.apply(applicant, { words: { text } })).application_id)
    }
    const client = new ExportClient(service, key, 'first')
    const states = async () =>
      (await client.walkAll({ pageSize: '2' })).map(a => [a.application_id, a.revision_state, a.application_note])
    const [a, b, c] = submitted.first as [number, number, number]
    expect(await states()).toEqual([
      [a, 'OBSOLETE', null],
      [b, 'OBSOLETE', null],
      [c, 'CURRENT', null],
    ])
    const [{ program_id }] = (await sql`select program_id from program where slug = 'first'`) as unknown as [
      { program_id: number },
    ]
    await annotate(sql, {
      program_id,
      application_id: b,
      note: 'seen',
      actor: 'operator:test',
      timeZone: 'UTC',
      now: Date.now() * 1000,
    })
    await eraseApplication(sql, { program_id, application_id: a }, { actor: 'operator:test', reason: undefined })
    expect(await states()).toEqual([
      [b, 'OBSOLETE', 'seen'],
      [c, 'CURRENT', null],
    ])
    const [left] = await sql`select count(*)::int as count from erased_application where application_id = ${a}`
    expect(left!.count).toBe(1)
    await expect(sql`update application set superseded_seq = null where application_id = ${b}`).rejects.toThrow(
      'never changed',
    )

    const lines = await exportLines(sql, 'second')
    await importProgram(other.sql, await exportProgram(sql, 'second'), 'operator:test')
    const bytes = async function* () {
      yield Buffer.from(lines.join('\n'))
    }
    await loadLines(other.sql, bytes(), { now: Date.now() * 1000, timeZone: 'UTC', actor: 'operator:test' })
    expect(await exportLines(other.sql, 'second')).toEqual(lines)
  })

  test('a page of an export is read from one partition, with the plan made for it and with a plan kept for all', async () => {
    const database = await useDatabase()
    await partitionApplications(database.sql, 16)
    const programs = []
    for (const slug of ['first', 'second', 'third']) programs.push(await insertRawProgram(database.sql, slug))
    for (const program of programs) await insertRawApplications(database.sql, program, 300)
    await database.sql`analyze application`
    const recorder = await startStatementRecorder(database.url)
    endWithFile(() => recorder.stop())
    const recorded = openDatabase({ url: recorder.url, connectionsMax: 2 })
    endWithFile(() => recorded.end())
    const service = await useService({ ...database, url: recorder.url, sql: recorded })
    const client = new ExportClient(
      service,
      await createTestKey(database.sql, { programs: ['first', 'second', 'third'] }),
      'second',
    )
    const asked: Record<string, string>[] = [{}, { revisionState: 'CURRENT' }, { fromDate: '2023-11-14' }]
    for (const parameters of asked) expect((await client.walkAll({ pageSize: '100', ...parameters })).length).toBe(300)
    const explaining = openDatabase({ url: database.url, connectionsMax: 1 })
    endWithFile(() => explaining.end())
    const pages = recorder.statements.filter(({ text }) => /from "application_\d+"/.test(text))
    expect(pages.length).toBeGreaterThanOrEqual(9)
    for (const statement of pages)
      for (const mode of planModes) {
        const nodes = await planOf(explaining, statement, mode)
        const read = nodes.flatMap(node => node['Relation Name'] ?? []).filter(name => /^application_\d+$/.test(name))
        expect(new Set(read).size, statement.text).toBe(1)
      }
  })

  test('so is whatever else is asked or done by program: reading one, revisions, lists, changes, receipts, status, erasure, a load', async () => {
    const database = await useDatabase()
    await partitionApplications(database.sql, 8)
    for (const slug of ['first', 'second', 'third'])
      await aProgram(database.sql, { slug, questions: [q.text('words')] })
    const recorder = await startStatementRecorder(database.url)
    endWithFile(() => recorder.stop())
    const recorded = openDatabase({ url: recorder.url, connectionsMax: 2 })
    endWithFile(() => recorded.end())
    const service = await useService({ ...database, url: recorder.url, sql: recorded })
    const key = await createTestKey(database.sql, { programs: ['first', 'second'], maySubmit: true })
    const frontEnd = new FrontEnd(service, key, 'second')
    const applicant = await frontEnd.register()
    const [a, b] = [
      (await frontEnd.apply(applicant, { words: { text: 'one' } })).application_id,
      (await frontEnd.apply(applicant, { words: { text: 'two' } })).application_id,
    ]
    const client = new ExportClient(service, key, 'second')
    const { response } = await client.page({ pageSize: '1' })
    const program = '/api/v1/admin/programs/second'
    for (const path of [
      `/applications/${a}`,
      `/applications/${b}/revisions`,
      `/applications/${b}/revisions?after=${a}`,
      `/applications/${b}/history`,
      `/applications/${b}/status`,
      '/changes?after=0',
      `/receipt?walk=${response.headers.get('Walk-Token')}`,
    ]) {
      const answer = await service.get(`${program}${path}`, { headers: { Authorization: key.authorization } })
      expect([path, answer.status]).toEqual([path, 200])
    }
    const [{ program_id }] = (await recorded`select program_id from program where slug = 'second'`) as unknown as [
      { program_id: number },
    ]
    const place = { direction: 'older', beyond: undefined } as const
    for (const filter of [
      {},
      { status: null },
      { status: 'Approved' },
      { applicantId: applicant },
      { applicationId: a },
    ])
      await readListedApplications(recorded, program_id, filter, place, 10)
    const theirs = await readRevisions(recorded, program_id, applicant, 5)
    expect(theirs.map(one => one.application_id)).toEqual([b, a])
    expect((await findRevisionBefore(recorded, program_id, applicant, theirs[0]!))?.application_id).toBe(a)
    const change = { program_id, application_id: b, note: 'seen', actor: 'operator:test', timeZone: 'UTC' }
    await annotate(recorded, { ...change, now: Date.now() * 1000 })
    await eraseApplication(recorded, { program_id, application_id: a }, { actor: 'operator:test', reason: undefined })
    const lines = (await exportLines(database.sql, 'second')).map(line =>
      line.replace(`"application_id":${b}`, '"application_id":9000'),
    )
    const later = lines.map(line => line.replace(/"(create|submit)_time":"[^"]*"/g, '"$1_time":"2200-01-01T00:00:00Z"'))
    await loadLines(recorded, Readable.from([Buffer.from(later.join('\n'))]), {
      now: Date.parse('2201-01-01') * 1000,
      timeZone: 'UTC',
      actor: 'operator:test',
    })
    const explaining = openDatabase({ url: database.url, connectionsMax: 1 })
    endWithFile(() => explaining.end())
    const own = new RegExp(`\\b(from|into|update|join) (${tables.join('|')})\\b`)
    const asked = recorder.statements.filter(({ text }) => own.test(text) && !/^\s*copy/.test(text))
    expect(asked.length).toBeGreaterThanOrEqual(20)
    for (const statement of asked)
      for (const mode of planModes) {
        const nodes = await planOf(explaining, statement, mode)
        const read = nodes.flatMap(node => node['Relation Name'] ?? []).filter(name => /_\d+$/.test(name))
        const pieces = new Set(read.map(name => name.match(/\d+$/)![0]))
        expect([pieces.size <= 1, statement.text]).toEqual([true, statement.text])
      }
  })

  test('a page and the start of a walk lock one partition of each table, and are planned once for each', async () => {
    const { sql, url } = await useDatabase()
    await partitionApplications(sql, 16)
    const programs = []
    for (const slug of ['first', 'second', 'third']) programs.push(await insertRawProgram(sql, slug))
    for (const program of programs) await insertRawApplications(sql, program, 30)
    await sql`analyze application`
    const partitions = await readPartitions(sql)
    knowPartitions(sql, partitions)
    const one = openDatabase({ url, connectionsMax: 1 })
    endWithFile(() => one.end())
    const locked = (read: (tx: Sql) => Promise<unknown>): Promise<string[]> =>
      one.begin(async tx => {
        knowPartitions(tx, partitions)
        await read(tx as unknown as Sql)
        const rows = await tx<{ name: string }[]>`
          select relation::regclass::text as name
          from pg_locks join pg_class on oid = relation
          where pid = pg_backend_pid() and relkind = 'r' and relispartition
          order by name`
        return rows.map(({ name }) => name).sort()
      }) as Promise<string[]>
    for (let round = 0; round < 7; round++)
      for (const { program_id } of programs) {
        const { application, applicationAnnotation, erasedApplication } = partitionOf(sql, program_id)!
        const own = [application, applicationAnnotation, erasedApplication]
        expect(await locked(tx => readWalkStart(tx, program_id))).toEqual(own.sort())
        const page = allOf(program_id, 30)
        const rows: number[] = []
        const lockedByPage = await locked(tx => readPageRows(tx, page, page.rowsMax, takingInto(rows)))
        expect(lockedByPage).toContain(application)
        // As it plans the statement it asks of all three whether they are what they were.
        expect(own).toEqual(expect.arrayContaining(lockedByPage))
        expect(rows).toHaveLength(30)
      }
  })

  test('a load reads and writes the partitions of its program, as PostgreSQL counts it', async () => {
    const { sql } = await useDatabase()
    await partitionApplications(sql, 8)
    const programs: PublishedTestProgram[] = []
    for (const slug of ['first', 'second'])
      programs.push(await aProgram(sql, { slug, questions: [q.text('words', { optional: true })] }))
    const line = (program: PublishedTestProgram, n: number) =>
      JSON.stringify({
        applicant_id: 1 + (n % 50),
        application_id: n,
        create_time: '2020-01-01T00:00:00Z',
        submit_time: new Date(Date.UTC(2020, 0, 2, 0, 0, n)).toISOString(),
        language: 'en',
        program_name: program.slug,
        program_version_id: program.program_version_id,
        revision_state: 'OBSOLETE',
        submitter_type: 'APPLICANT',
        application_note: 'noted',
        application: {},
      })
    const load = (lines: readonly string[]) =>
      loadLines(sql, Readable.from([Buffer.from(lines.join('\n'))]), {
        now: Date.now() * 1000,
        timeZone: 'UTC',
        actor: 'operator:test',
        batchBytes: 10_000,
      })
    const touched = async () => {
      const rows = await sql<{ piece: string; touched: number }[]>`
        select relname as piece, n_tup_ins + n_tup_upd + coalesce(idx_scan, 0) + seq_scan as touched
        from pg_stat_user_tables where relname ~ '^(application|application_annotation)_[0-9]+$'`
      return new Map(rows.map(row => [row.piece, row.touched]))
    }
    const ids = Array.from({ length: 200 }, (_, i) => i + 1)
    await load(ids.filter(n => n % 2 === 1).map(n => line(programs[0]!, n)))
    const [{ own }] = (await sql`
      select array_agg(distinct tableoid::regclass::text) as own from application_annotation`) as unknown as [
      { own: string[] },
    ]
    expect(own).toHaveLength(1)
    const settled = () =>
      until('the counters to stand still', async () => {
        const before = await touched()
        await sql`select pg_stat_force_next_flush()`
        await Bun.sleep(50)
        const after = await touched()
        return Bun.deepEquals(before, after) ? after : undefined
      })
    const before = await settled()
    await load(ids.filter(n => n % 2 === 0).map(n => line(programs[1]!, n)))
    const theirs = await sql<{ piece: string }[]>`
      select distinct a.tableoid::regclass::text as piece from application a where program_id = ${programs[1]!.program_id}
      union all
      select distinct n.tableoid::regclass::text from application_annotation n where program_id = ${programs[1]!.program_id}`
    const after = await settled()
    const changed = [...after].filter(([piece, count]) => count !== before.get(piece)).map(([piece]) => piece)
    expect(changed.sort()).toEqual(theirs.map(row => row.piece).sort())
  })
})
