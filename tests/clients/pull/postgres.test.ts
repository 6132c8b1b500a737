// `tributary pull --to postgres://…`: the same tables in a database, and the same again however often it is done.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { planTables } from '../../../src/base/tables/table-plan.ts'
import { applyPage, loadPostgres } from '../../../src/clients/pull/postgres/load-postgres.ts'
import { identifierOf } from '../../../src/clients/pull/postgres/postgres-text.ts'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { callTool, runTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const slug = 'utility-assistance'
const { sql: source, ...database } = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(source, { programs: [{ slug, applications: 120 }], now, timeZone: 'UTC', actor: 'test' })
const service = await useService({ ...database, sql: source }, unlimited)
const others = ['growing', 'other', 'followed', 'restored', 'a-later-part', 'set-back']
const key = await createTestKey(source, { programs: [slug, ...others], maySubmit: true })
const applications = await new ExportClient(service, key, slug).walkAll()
const { sql, url } = await useBareDatabase()
const folder = await useFolder()
let states = 0

const argsOf = (program: string, state: string, to = url): string[] => [
  ...['pull', service.baseUrl, '--program', program, '--to', to, '--state', state],
]
const newState = (): string => join(folder, String(++states))

async function pull(program: string, state: string, ...more: string[]): Promise<string> {
  const ended = await callTool(key, [...argsOf(program, state), ...more])
  expect(ended).toMatchObject({ code: 0 })
  return ended.err
}

test('a database has every application and every entity with typed values, and does not change when pulled again', async () => {
  const members = applications.flatMap(
    ({ application }) => (application.household_members as { entities: { jobs: { entities: unknown[] } }[] }).entities,
  )
  const jobs = members.reduce((sum, member) => sum + member.jobs.entities.length, 0)
  for (let time = 0; time < 2; time++) {
    await pull(slug, newState())
    const rows = await sql`
      select application_id, submit_time, applicant_name__first_name, date_of_birth__date::text, utilities__selections,
        monthly_rent__currency_dollars::text, household_members__entities
      from utility_assistance.applications order by application_id`
    expect(rows.map(row => ({ ...row }))).toEqual(
      applications
        .toSorted((a, b) => a.application_id - b.application_id)
        .map(({ application_id, submit_time, application }) => {
          const rent = (application.monthly_rent as { currency_dollars: number | null }).currency_dollars
          return {
            application_id,
            submit_time: Date.parse(submit_time) * 1000,
            applicant_name__first_name: application.applicant_name!.first_name,
            date_of_birth__date: application.date_of_birth!.date,
            utilities__selections: application.utilities!.selections,
            monthly_rent__currency_dollars: rent === null ? null : String(rent),
            household_members__entities: (application.household_members!.entities as unknown[]).length,
          }
        }),
    )
    const [joined] = await sql`
      select count(*) as jobs from utility_assistance.household_members m
      join utility_assistance.household_members__jobs j on j.application_id = m.application_id and j.parent_path = m.entity_path`
    expect({ ...joined }).toEqual({ jobs })
  }
})

test('--since-last adds new applications, and columns for new questions', async () => {
  const asked = { optional: true }
  const state = newState()
  await publish(source, { slug: 'growing', questions: [q.text('words', asked), q.enumerator('child', [], asked)] })
  const frontEnd = new FrontEnd(service, key, 'growing')
  const odd = 'a\tb\\c\r\nd "e" \\N {f,g}'
  const apply = async (answers: Record<string, unknown>) => frontEnd.apply(await frontEnd.register(), answers)
  await apply({ words: { text: odd }, child: { entities: [{ entity_name: 'Ada' }] } })
  await pull('growing', state, '--since-last', '--option-labels')
  const questionsAsOf = async () => (await sql`select questions_as_of from growing.tributary_pull`)[0]!.questions_as_of
  const asOfFirst = await questionsAsOf()
  const long = 'very long name of a question that goes on and on until it is cut off'
  await publish(source, {
    slug: 'growing',
    questions: [
      q.text(long, asked),
      q.checkbox('pets', [], {
        ...asked,
        options: [
          { admin_id: 'cat', text: odd },
          { admin_id: 'dog', text: 'Dog' },
        ],
      }),
      q.text('words', asked),
      q.enumerator('child', [q.number('age', asked)], asked),
    ],
  })
  const { application_id } = await apply({
    [long.replaceAll(' ', '_')]: { text: 'read' },
    pets: { selections: ['cat', 'dog'] },
    child: {
      entities: [
        { entity_name: 'Bo', age: { number: 7 } },
        { entity_name: 'Cy', age: { number: 9 } },
      ],
    },
  })
  await pull('growing', state, '--since-last', '--option-labels')
  expect(await pull('growing', state, '--since-last', '--option-labels')).toMatch(/^Pulled 0 .* growing\b.*\b2\./)
  // What was there has the questions of then: before it is followed, all is pulled.
  expect(await questionsAsOf()).toBe(asOfFirst)
  const column = identifierOf(`${long.replaceAll(' ', '_')}.text`)
  expect(Buffer.byteLength(column)).toBe(63)
  const rows =
    await sql`select words__text, pets__selections, ${sql(column)} as long from growing.applications order by application_id`
  expect(rows.map(row => ({ ...row }))).toEqual([
    { words__text: odd, pets__selections: [], long: null },
    { words__text: null, pets__selections: [odd, 'Dog'], long: 'read' },
  ])
  const children =
    await sql`select entity_path, entity_name, age__number from growing.child where application_id = ${application_id} order by 1`
  expect(children.map(row => ({ ...row }))).toEqual([
    { entity_path: '0', entity_name: 'Bo', age__number: 7 },
    { entity_path: '1', entity_name: 'Cy', age__number: 9 },
  ])
  // An application that is taken out takes its entities with it.
  await sql`delete from growing.applications where application_id = ${application_id}`
  expect(await sql`select entity_name from growing.child`).toMatchObject([{ entity_name: 'Ada' }])
})

describe('applications that were pulled before', () => {
  const now = Date.UTC(2030, 0, 1) * 1000
  const name = (text: string) => ({ words: { text }, applications: { entities: [{ entity_name: `of ${text}` }] } })

  /** A program of its own, with what is done to its applications, and all that the service says of them, as the tables have it. */
  async function aProgramToPull(slug: string) {
    const asked = { optional: true }
    const questions = [q.text('words', asked), q.enumerator('applications', [], asked)]
    await publish(source, { slug, questions, statuses: ['Received', 'Approved'] })
    const [found] = await source<{ program_id: number }[]>`select program_id from program where slug = ${slug}`
    const { program_id } = found!
    const frontEnd = new FrontEnd(service, key, slug)
    return {
      frontEnd,
      set: (application_id: number, change: { status?: string | null; note?: string | null }, at = now) =>
        annotate(source, { program_id, application_id, actor: 'operator:test', now: at, timeZone: 'UTC', ...change }),
      erase: (application_id: number) =>
        eraseApplication(source, { program_id, application_id }, { actor: 'operator:test', reason: undefined }),
      apply: async (text: string, applicant?: number) => {
        const { application_id } = await frontEnd.apply(applicant ?? (await frontEnd.register()), name(text))
        return application_id
      },
      served: (revisionState?: string) => servedOf(slug, revisionState),
    }
  }

  async function servedOf(slug: string, revisionState?: string) {
    const all = await new ExportClient(service, key, slug).walkAll(revisionState ? { revisionState } : {})
    return all.map(application => ({
      application_id: application.application_id,
      words: application.application.words!.text,
      revision_state: application.revision_state,
      status: application.status,
      at: application.status_last_modified_time && Date.parse(application.status_last_modified_time) * 1000,
      note: application.application_note,
      entities: (application.application.applications as { entities: { entity_name: string }[] }).entities[0]!
        .entity_name,
    }))
  }
  const kept = async (schema: string) => {
    const rows = await sql`
      select a.application_id, words__text as words, revision_state, status, status_last_modified_time as at, application_note as note,
        e.entity_name as entities
      from ${sql(schema)}.applications a left join ${sql(schema)}.applications_2 e using (application_id) order by submit_time, application_id`
    return rows.map(row => ({ ...row }))
  }

  test('are removed with their entities if they were erased, and updated if they were superseded or got a status or note', async () => {
    const { frontEnd, set, erase, apply, served } = await aProgramToPull('followed')
    const applicants = [await frontEnd.register(), await frontEnd.register()]
    const ids: number[] = []
    for (let n = 0; n < 8; n++) ids.push(await apply(`first ${n}`, n < 2 ? applicants[n] : undefined))
    const [all, current, full] = ['followed', 'current_ones', 'full_again'].map(schema => [newState(), schema] as const)
    const pullAll = async () => {
      await pull('followed', all![0], '--since-last')
      await pull('followed', current![0], '--since-last', '--revision', 'CURRENT', '--schema', current![1])
      await pull('followed', full![0], '--schema', full![1])
    }
    const compare = async () => {
      const everything = await served()
      expect(await kept(all![1])).toEqual(everything)
      expect(await kept(full![1])).toEqual(everything)
      expect(await kept(current![1])).toEqual(await served('CURRENT'))
      return everything
    }
    await pullAll()
    expect(await compare()).toHaveLength(8)

    await set(ids[2]!, { status: 'Received', note: 'called' })
    // Of one moment, the last.
    for (const status of [null, 'Approved']) await set(ids[2]!, { status }, now + 61_000_000)
    await set(ids[3]!, { note: 'odd \\ "note"' })
    await apply('second 0', applicants[0])
    await set(ids[4]!, { status: 'Received' })
    await erase(ids[4]!)
    await erase(ids[5]!)
    await pullAll()
    const after = await compare()
    expect(after).toHaveLength(7)
    expect(after.filter(item => item.revision_state === 'OBSOLETE')).toHaveLength(1)
    expect(after.filter(item => item.status === 'Approved')).toHaveLength(1)

    // What was taken away is gone; and nothing is new but the changes.
    await set(ids[2]!, { status: null, note: null }, now + 122_000_000)
    await erase(ids[0]!)
    await pullAll()
    expect((await compare()).filter(item => item.note !== null)).toHaveLength(1)
    await pullAll()
    await compare()
  }, 120_000)

  test('need no local state, so another folder continues and a restored database catches up', async () => {
    const { set, erase, apply, served } = await aProgramToPull('restored')
    for (const text of ['first', 'second']) await apply(text)
    await pull('restored', newState(), '--since-last')
    await sql`create table held as select * from restored.tributary_pull`
    const [erased, status] = [await apply('third'), await apply('fourth')]
    await pull('restored', newState(), '--since-last')
    expect(await kept('restored')).toEqual(await served())
    // As a restore of the warehouse would leave it: without what came last, and with the record of then.
    await sql`delete from restored.applications where application_id = any(${[erased, status]}::bigint[])`
    await sql`update restored.tributary_pull t set (watermark, change_cursor) = (select watermark, change_cursor from held)`
    await erase(erased)
    await set(status, { status: 'Received' })
    await pull('restored', newState(), '--since-last')
    expect(await kept('restored')).toEqual(await served())
  })

  test('are not skipped by the next pull after a pull of only newer ones, or after a page of changes before the last', async () => {
    const { apply, set, served } = await aProgramToPull('a-later-part')
    const first = await apply('first')
    await pull('a-later-part', newState(), '--since-last')
    await apply('not asked for')
    await set(first, { note: 'called' })
    await pull('a-later-part', newState(), '--from', new Date(Date.now() + 3_600_000).toISOString())
    expect(await kept('a_later_part')).toHaveLength(1)
    await pull('a-later-part', newState(), '--since-last')
    expect(await kept('a_later_part')).toEqual(await served())
    const record = async (schema = 'a_later_part') =>
      (await sql`select watermark, follows_from, questions_as_of from ${sql(schema)}.tributary_pull`)[0]!
    // A part cannot be followed.
    const before = ['--before', new Date(Date.now() + 3_600_000).toISOString()]
    await pull('a-later-part', newState(), ...before, '--schema', 'earlier_part')
    expect(await record('earlier_part')).toEqual({ watermark: null, follows_from: null, questions_as_of: null })
    const { watermark, follows_from: after } = await record()
    const signal = new AbortController().signal
    const state = { snapshotTime: '2200-01-01T00:00:00Z', changeCursor: after, questionsAsOf: null }
    const seen = { question_key: 'seen', question_type: 'TEXT', path: 'application.seen', options: [] }
    const questions = [{ ...seen, fields: [{ path: 'application.seen.text', type: 'string' }] }]
    const applied = (hasMore: boolean, from = after, asked = questions) => {
      const tables = planTables(asked, { multi: 'one', labels: false })
      const page = { payload: [], nextCursor: after, hasMore, ...state }
      return applyPage({ url, schema: 'a_later_part', tables, page, after: from, signal })
    }
    // Restored since from when it was at another change.
    expect(await applied(false, `${after}0`)).toBe(false)
    expect(await applied(true)).toBe(true)
    expect((await record()).watermark).toBe(watermark)
    // What came while it was followed, and is hidden from the key since.
    expect(await applied(false, after, [])).toBe(true)
    expect((await record()).watermark).toBe(state.snapshotTime)
    await sql`update a_later_part.applications set seen__text = 'hidden since'`
    await pull('a-later-part', newState())
    expect(await sql`select from a_later_part.applications where seen__text is not null`).toHaveLength(0)
  })

  test('are pulled again with --restart, which the error names if the service has lost changes', async () => {
    const { apply, served } = await aProgramToPull('set-back')
    await apply('first')
    await pull('set-back', newState(), '--since-last')
    const [{ change_cursor: cursor }] = (await sql`select change_cursor from set_back.tributary_pull`) as unknown as [
      { change_cursor: string },
    ]
    const [number, ...rest] = cursor.split('.')
    await sql`update set_back.tributary_pull set change_cursor = ${[Number(number) + 1_000_000, ...rest].join('.')}`
    const state = newState()
    const { code, err } = await callTool(key, [...argsOf('set-back', state), '--since-last'])
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('--restart') })
    await pull('set-back', state, '--restart')
    expect(await kept('set_back')).toEqual(await served())
    await pull('set-back', state, '--since-last')
  })
})

describe('failures of the target database', () => {
  test('a schema dropped during --since-last does not get only the new applications', async () => {
    const origin = { service: service.baseUrl, program: slug, revisionState: null, layout: null, destination: null }
    const then = { origin }
    const adding = loadPostgres({
      url,
      schema: 'dropped',
      tables: [],
      spoolPath: '',
      check: undefined,
      fills: 'since last',
      then,
      fromDate: undefined,
      changesAfter: undefined,
      signal: new AbortController().signal,
      changes: async function* () {},
    })
    await expect(adding).rejects.toThrow(/\bdropped\b.*--restart/)
  })

  test('an unreachable database is reported immediately, and the same command fills it later', async () => {
    const state = newState()
    const place = new URL(url)
    place.pathname = '/not_there_yet'
    const walks = () => service.logLines.filter(line => String(line.path).endsWith('/applications')).length
    const before = walks()
    const { code, err } = await callTool(key, argsOf(slug, state, place.href))
    expect(code).toBe(1)
    expect(err).toMatch(/not_there_yet|3D000/)
    expect(walks()).toBe(before)
    await sql`create database not_there_yet`
    expect(await runTool(key, argsOf(slug, state, place.href))).toMatchObject({ code: 0 })
    await sql`drop database not_there_yet`
  })

  test('a value that fits no column fails the whole pull without being printed, and the walk is kept', async () => {
    const state = newState()
    await sql`create schema narrow`
    await sql`create table narrow.applications (application_id bigint primary key, applicant_name__first_name integer)`
    const { code, err } = await callTool(key, [...argsOf(slug, state), '--schema', 'narrow'])
    expect(code).toBe(1)
    expect(err).toMatch(/\(22\w{3}\b|\binteger\b/)
    expect(err).not.toContain(String(applications[0]!.application.applicant_name!.first_name))
    expect(await sql`select from narrow.applications`).toHaveLength(0)
    const elsewhere = await callTool(key, [...argsOf(slug, state), '--schema', 'elsewhere'])
    expect(elsewhere).toMatchObject({
      code: 2,
      err: expect.stringMatching(/\bnarrow\b.*\belsewhere\b/),
    })
    await sql`drop table narrow.applications`
    const before = service.logLines.filter(line => String(line.path).endsWith('/applications')).length
    expect(await runTool(key, [...argsOf(slug, state), '--schema', 'narrow'])).toMatchObject({ code: 0 })
    expect(service.logLines.filter(line => String(line.path).endsWith('/applications'))).toHaveLength(before)
    expect(await sql`select from narrow.applications`).toHaveLength(applications.length)
  })

  test('two pulls into one schema take turns', async () => {
    await pull(slug, newState(), '--schema', 'shared')
    const waitingFor = (what: string) =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event = ${what}`
    const { both } = await sql.begin(async tx => {
      await tx`lock table shared.applications`
      const both = [1, 2].map(() => runTool(key, [...argsOf(slug, newState()), '--schema', 'shared']))
      await until('one waits for the table', async () => (await waitingFor('relation')).length === 1)
      await until('and one for the other', async () => (await waitingFor('advisory')).length === 1)
      return { both }
    })
    expect(await Promise.all(both)).toMatchObject([{ code: 0 }, { code: 0 }])
  })

  test('a schema with another program stays unchanged', async () => {
    await pull(slug, newState(), '--schema', 'taken')
    await publish(source, { slug: 'other', questions: [q.text('words')] })
    const { code, err } = await callTool(key, [...argsOf('other', newState()), '--schema', 'taken'])
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(slug) })
  })

  test.each([
    ['a password in the address', ['--to', 'postgres://me:secret@127.0.0.1/a'], 'PGPASSWORD'],
    [
      'a walk that would miss changes',
      ['--to', 'postgres://127.0.0.1/a', '--since-last', '--revision', 'OBSOLETE'],
      'OBSOLETE',
    ],
    ['an address of another kind of server', ['--to', 'https://127.0.0.1/a'], '--to'],
    ['a file as a second output', ['--to', 'postgres://127.0.0.1/a', '--out', 'a.csv'], '--out'],
    [
      'a schema name that PostgreSQL would truncate',
      ['--to', 'postgres://127.0.0.1/a', '--schema', 'ü'.repeat(32)],
      '--schema',
    ],
    ['a system schema', ['--to', 'postgres://127.0.0.1/a', '--schema', 'pg_catalog'], '--schema'],
  ])('%s is refused', async (_, args, said) => {
    const { code, err } = await callTool(key, ['pull', service.baseUrl, '--program', slug, ...args])
    expect(code).toBe(2)
    expect(err).toContain(said)
    expect(err).not.toContain('secret')
  })
})
