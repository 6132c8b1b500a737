import { beforeEach, describe, expect, test } from 'bun:test'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { snapshotTime } from '../../../src/core/export/requests/walk.ts'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import type { Sql } from '../../../src/db/client.ts'
import { readChanges } from '../../../src/db/walks/change-rows.ts'
import { readWalkStart } from '../../../src/db/walks/walk-start.ts'
import { parseInstantParameter } from '../../../src/domain/values/instant-parameter.ts'
import { exportLines } from '../../support/export-lines.ts'
import {
  contents,
  line,
  lines,
  load,
  loadOptions,
  longPast,
  manyLines,
  newDatabase,
  now,
  pieces,
  reasonProgram,
  second,
} from '../../support/load-input.ts'

let sql: Sql
beforeEach(async () => {
  ;({ sql } = await newDatabase())
})

/** An installation with seeded applications, and a database with the same programs and nothing in them. */
async function seeded(programs: { slug: string; applications: number }[], timeZone = 'UTC') {
  const [{ sql: from }, { sql: to }] = [await newDatabase(timeZone), await newDatabase(timeZone)]
  // To the second, as times are exported.
  await seedPrograms(from, { ...loadOptions, timeZone, programs, now: Math.floor(now / second) * second })
  for (const { slug } of programs)
    await importProgram(to, JSON.parse(JSON.stringify(await exportProgram(from, slug))), 'operator:test')
  return { from, to, exported: await Promise.all(programs.map(({ slug }) => exportLines(from, slug))) }
}

describe('what an export gives, a load takes', () => {
  test('into an empty database, from which the export and everything stored are the same byte for byte', async () => {
    const timeZone = 'America/Los_Angeles'
    const programs = [
      { slug: 'utility-assistance', applications: 700 },
      { slug: 'child-care-subsidy', applications: 90 },
    ]
    const { from, to, exported } = await seeded(programs, timeZone)
    const receipt = await load(to, exported.map(all => `${all.join('\n')}\n`).join(''), { timeZone })
    expect(receipt).toEqual({ applications: 790, programs, before: undefined })
    const counted = await to`
      select slug, submissions as applications from submission_counter join program using (program_id) order by 2 desc`
    expect([...counted]).toEqual(programs)
    expect(await Promise.all(programs.map(({ slug }) => exportLines(to, slug)))).toEqual(exported)

    const [before, after] = [await contents(from), await contents(to)]
    const wholeSeconds = (time: unknown): number => Math.floor(Number(time) / second) * second
    expect(after.applications).toEqual(
      before.applications.map(row => ({
        ...row,
        create_time: wholeSeconds(row.create_time),
        submit_time: wholeSeconds(row.submit_time),
        status_last_modified_time: row.status === null ? null : wholeSeconds(row.status_last_modified_time),
      })),
    )
    expect(after.applicants).toEqual(before.applicants)
  })

  test('a line may be a page of an export, and stands for its applications', async () => {
    const to = await reasonProgram(sql)
    const page = `{"payload":[${line(to, { id: 1 })},${line(to, { id: 2 })}],"nextPageToken":"abc"}`
    const text = `${page}\n${line(to, { id: 3 })}\n{"payload":[],"nextPageToken":null}`
    expect((await load(sql, text)).applications).toBe(3)
  })

  test.each([1, 7, 4096])(
    'empty lines, carriage returns, a missing line end and characters cut by pieces of %d bytes are accepted',
    async bytes => {
      const to = await reasonProgram(sql)
      const application_note = 'Łódź 🙂\r\n\t\\N ünïcödé'.repeat(50)
      const [item, two] = [1, 2].map(id => line(to, { id, more: { application_note } }))
      const text = `\r\n${item}\r\n\n  \n${two}`
      expect((await loadLines(sql, pieces(text, bytes), loadOptions)).applications).toBe(2)
      const stored = await sql`select application_note from application`
      expect(stored).toMatchObject([{ application_note }, { application_note }])
    },
  )

  test('control characters in an answer stay in that answer', async () => {
    const to = await reasonProgram(sql)
    const controls = String.fromCharCode(...Array(32).keys())
    const texts = [1, 2, 3].map(id => `${controls}"\\${id}`)
    const specs = texts.map((text, i) => ({
      id: i + 1,
      more: { application: { reason: { question_type: 'TEXT', text } } },
    }))
    await load(sql, lines(to, ...specs))
    const exported = (await exportLines(sql, to.slug)).map(text => JSON.parse(text))
    expect(exported.map(({ application_id, application }) => [application_id, application.reason.text])).toEqual(
      texts.map((text, i) => [i + 1, text]),
    )
  })

  test('texts are stored like those of a submission, in the row and uncompressed', async () => {
    const to = await reasonProgram(sql)
    const application_note = 'The same words again. '.repeat(30)
    const reason = { question_type: 'TEXT', text: 'We came in spring, when the river was high. '.repeat(60) }
    await load(sql, line(to, { id: 1, more: { application_note, application: { reason } } }))
    const [sizes] = await sql<{ text: number; row: number; elsewhere: number }[]>`
      select octet_length(snapshot) + octet_length(annotations) as text, pg_column_size(snapshot) + pg_column_size(annotations) as row,
        (select pg_relation_size(reltoastrelid) from pg_class where oid = 'application'::regclass) as elsewhere
      from application`
    expect(sizes!.row).toBeGreaterThanOrEqual(sizes!.text)
    expect(sizes!.elsewhere).toBe(0)
  })

  test('a lost connection ends the load with an error, and the next run continues', async () => {
    const text = manyLines(await reasonProgram(sql), 40)
    // Every fourth batch loses its connection in the middle.
    await sql
      .unsafe(`
        create sequence batches;
        create function lose_connection() returns trigger language plpgsql as $$
        begin
          if nextval('batches') % 4 = 0 then perform pg_terminate_backend(pg_backend_pid()); end if;
          return null;
        end $$;
        create trigger lose_connection after update of stored on bulk_load for each row execute function lose_connection()`)
      .simple()
    for (const stored of [3, 6]) {
      await expect(load(sql, text, { batchBytes: 1 })).rejects.toThrow()
      expect(await sql`select stored from bulk_load`).toMatchObject([{ stored }])
    }
    await sql`drop trigger lose_connection on bulk_load`
    expect((await load(sql, text)).before).toEqual({ stored: 6, endedAt: undefined })
    expect(await exportLines(sql, 'food-aid')).toHaveLength(40)
  })

  test('the last batch and the end of the load are stored together, so a load that fails there continues and ends once', async () => {
    const text = manyLines(await reasonProgram(sql), 3)
    await sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused between the two'; end $$`
    await sql`
      create trigger refuse_end before insert on audit_event for each row when (new.action = 'applications_loaded')
      execute function refuse()`
    await expect(load(sql, text, { batchBytes: 1 })).rejects.toThrow('refused between the two')
    expect(await sql`select stored, ended_at from bulk_load`).toMatchObject([{ stored: 2, ended_at: null }])
    await sql`drop trigger refuse_end on audit_event`
    expect((await load(sql, text)).before).toEqual({ stored: 2, endedAt: undefined })
    const [after] = await sql<Record<string, number>[]>`
      select
        (select count(*)::int from bulk_load_program where under_way) as under_way,
        (select count(*)::int from submission_counter where loading_from is not null) as held,
        (select count(*)::int from audit_event where action = 'applications_loaded') as events,
        (select count(*)::int from application) as applications`
    expect(after).toEqual({ under_way: 0, held: 0, events: 1, applications: 3 })
  })

  test('a load that fails or dies before its first batch delays neither Snapshot-Time, nor another input, nor the same one', async () => {
    const to = await reasonProgram(sql)
    await sql
      .unsafe(`
        create function fail() returns trigger language plpgsql as $$ begin raise 'no space'; end $$;
        create trigger fail before insert on application execute function fail()`)
      .simple()
    await expect(load(sql, lines(to, { id: 1 }))).rejects.toThrow('no space')
    expect(await sql`select from submission_counter where loading_from is null`).toHaveLength(1)
    // It cannot even end its load now, as when it is killed.
    await sql`create trigger fail before update on bulk_load execute function fail()`
    await expect(load(sql, lines(to, { id: 1 }))).rejects.toThrow('no space')
    const unfinished = () => sql`select from bulk_load where ended_at is null`
    expect(await unfinished()).toHaveLength(1)
    await sql`drop function fail cascade`
    expect((await load(sql, lines(to, { id: 1 }, { id: 2 }))).applications).toBe(2)
    expect(await unfinished()).toHaveLength(0)
  })

  test('an empty input loads nothing', async () => {
    expect(await load(sql, '')).toEqual({ applications: 0, programs: [], before: undefined })
  })

  test('applications of several programs are loaded unless one program is named, even of the same applicant, each up to its own time', async () => {
    const [to, other] = [await reasonProgram(sql), await reasonProgram(sql, 'other-aid')]
    const long = { application_note: 'x'.repeat(9000) }
    const input = lines(to, { id: 1 }) + lines(other, { id: 2, applicant: 1, more: long }) + lines(to, { id: 3 })
    const from: unknown[] = []
    const onProgress = async () => {
      const rows = await sql`select loading_from from submission_counter order by program_id`
      from.push(rows.map(({ loading_from }) => loading_from && (loading_from - longPast) / second))
    }
    expect((await load(sql, input, { batchBytes: 9000, onProgress })).programs).toEqual([
      { slug: 'food-aid', applications: 2 },
      { slug: 'other-aid', applications: 1 },
    ])
    expect(from).toEqual([
      [1, 2],
      [null, null],
    ])
  })

  test('the audit log and the status history record who loaded what', async () => {
    const to = await reasonProgram(sql)
    const changed_at = Date.parse('2020-02-01T00:00:00Z') * 1000
    const noted = { status: 'Gone since', application_note: 'noted' }
    const more = { ...noted, status_last_modified_time: '2020-02-01T00:00:00Z' }
    await load(sql, lines(to, { id: 1, more }, { id: 2 }))
    const auditLog = await sql`select actor, subject, detail from audit_event where action = 'applications_loaded'`
    expect(auditLog).toMatchObject([{ actor: 'operator:test', subject: 'food-aid', detail: { applications: 2 } }])
    expect((await contents(sql)).notes).toMatchObject([
      { application_id: 1, changed_by: 'operator:test', changed_at, ...noted },
    ])
  })
})

describe('times', () => {
  test('G6: a client that polled an empty program receives what is loaded later, of any time, and its Snapshot-Time never goes back', async () => {
    const to = await reasonProgram(sql)
    const [counter] = await sql<{ last_submit_time: number }[]>`select last_submit_time from submission_counter`
    const watermark = snapshotTime(await readWalkStart(sql, to.program_id))
    const old = '1900-01-01T00:00:00Z'
    expect(watermark).toBe(old)
    await load(sql, lines(to, { id: 1, more: { create_time: old, submit_time: old } }, { id: 2 }, { id: 3, at: 2 }))
    const { last_submit_time } = counter!
    expect((await contents(sql)).counters).toMatchObject([{ submit_seq: 3, last_submit_time }])
    const [from, later] = [watermark, snapshotTime(await readWalkStart(sql, to.program_id))].map(time =>
      parseInstantParameter(time, 'UTC'),
    )
    const times = await sql<{ submit_time: number }[]>`select submit_time from application order by submit_seq`
    const seen = times.filter(({ submit_time }) => submit_time >= Number(from) && submit_time < Number(later))
    expect([seen.length, times.length]).toEqual([3, 3])
  })
})

describe('revision states', () => {
  const states = async () =>
    (
      await sql`
        select application_id, submit_seq, superseded_seq from application order by submit_seq`
    ).map(row => [row.application_id, row.submit_seq, row.superseded_seq])

  test('numbers follow the lines, and OBSOLETE applications are superseded within the load', async () => {
    const to = await reasonProgram(sql)
    await load(
      sql,
      lines(
        to,
        { id: 1, applicant: 1, state: 'OBSOLETE' },
        { id: 2, applicant: 2 },
        { id: 3, applicant: 1, state: 'OBSOLETE' },
        { id: 4, applicant: 1 },
        { id: 5, applicant: 3, state: 'OBSOLETE' },
      ),
    )
    expect(await states()).toEqual([
      [1, 1, 2],
      [2, 2, null],
      [3, 3, 4],
      [4, 4, null],
      [5, 5, 6],
    ])
    const changes = await readChanges(sql, to.program_id, { change: 0, mark: undefined }, 100)
    const superseded = changes.filter(({ kind }) => kind === 'superseded')
    expect(superseded.map(row => [row.application_id, row.superseded_by])).toEqual([
      [1, null],
      [3, 4],
      [5, null],
    ])
    // The horizon of every later walk takes in the number at which the last line was superseded.
    expect(await sql`select submit_seq, submissions from submission_counter`).toMatchObject([
      { submit_seq: 6, submissions: 5 },
    ])
  })

  test('a CURRENT application in the database is superseded by the first line of its applicant (G11)', async () => {
    const to = await reasonProgram(sql)
    await load(sql, lines(to, { id: 1 }, { id: 2 }, { id: 3 }))
    const [counter] = await sql<{ last: number }[]>`select last_submit_time as last from submission_counter`
    const later = Math.ceil((counter!.last - longPast) / second)
    await load(
      sql,
      lines(
        to,
        { id: 4, at: later, applicant: 1, state: 'OBSOLETE' },
        { id: 5, at: later + 1, applicant: 1 },
        { id: 6, at: later + 2, applicant: 2, state: 'OBSOLETE' },
      ),
      { now: now + 3600 * second },
    )
    expect(await states()).toEqual([
      [1, 1, 4],
      [2, 2, 6],
      [3, 3, null],
      [4, 4, 5],
      [5, 5, null],
      [6, 6, 7],
    ])
    expect((await contents(sql)).counters).toMatchObject([{ last_submit_time: longPast + (later + 2) * second }])
  })
})
