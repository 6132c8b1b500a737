// An installation whose applications are in partitions by program: everything holds that held before, and every statement that names a
// program touches one partition.

import { describe, expect, test } from 'bun:test'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { grantRoles, partitionApplications } from '../../src/db/migrate.ts'
import { loadLines } from '../../src/load/load-lines.ts'
import { exportProgram, importProgram } from '../../src/programs/program-transport.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { eraseApplication } from '../../src/upkeep/erase.ts'
import { runScript } from '../scripts/run-script.ts'
import { ExportClient } from '../support/export-client.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithFile, useDatabase, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { planModes, planOf } from '../support/query-plans.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { startStatementRecorder } from '../support/statement-recorder.ts'

const tables = [
  'application',
  'application_annotation',
  'application_in_progress',
  'erased_application',
  'submission_request',
]

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
    const pages = recorder.statements.filter(({ text }) => /from application\b/.test(text))
    expect(pages.length).toBeGreaterThanOrEqual(9)
    for (const statement of pages)
      for (const mode of planModes) {
        const nodes = await planOf(explaining, statement, mode)
        const read = nodes.flatMap(node => node['Relation Name'] ?? []).filter(name => /^application_\d+$/.test(name))
        expect(new Set(read).size, statement.text).toBe(1)
      }
  })
})
