import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { insertApplicant } from '../../src/db/applicants.ts'
import type { Sql } from '../../src/db/client.ts'
import { readWalkStart } from '../../src/db/walks.ts'
import { parseInstantParameter } from '../../src/export/instant-parameter.ts'
import { snapshotTime } from '../../src/export/walk.ts'
import { submitApplication } from '../../src/intake/submit.ts'
import { loadLines } from '../../src/load/load-lines.ts'
import { Problem } from '../../src/problem.ts'
import { exportProgram, importProgram } from '../../src/programs/program-transport.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { exportLines } from '../support/export-lines.ts'
import { createTestKey, testFrontEnd } from '../support/keys.ts'
import { aProgram, type PublishedTestProgram, q } from '../support/programs.ts'

const now = Date.now() * 1000
const second = 1_000_000
const options = { now, timeZone: 'UTC', actor: 'operator:test' }

let databases: TestDatabase[] = []
let sql: Sql
async function newDatabase(timeZone = 'UTC'): Promise<Sql> {
  const database = await createTestDatabase({ timeZone })
  databases.push(database)
  return database.sql
}
beforeEach(async () => {
  sql = await newDatabase()
})
afterEach(async () => {
  await Promise.all(databases.map(database => database.drop()))
  databases = []
})

/** Bytes in pieces that end anywhere, as they do when read from a file. */
async function* pieces(text: string, bytes = 1000): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}
const load = (to: Sql, text: string, more: Partial<Parameters<typeof loadLines>[2]> = {}) =>
  loadLines(to, pieces(text), { ...options, ...more })

async function refusal(loading: Promise<unknown>): Promise<Problem> {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Problem)) throw error ?? new Error('was not refused')
  return error
}
const told = (problem: Problem): string[] => problem.errors.map(e => `${e.parameter}: ${e.code}`)

/** Everything a load writes. */
async function contents(db: Sql) {
  return {
    applications: [
      ...(await db`
        select program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
          superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations
        from application order by program_id, submit_seq`),
    ],
    applicants: [...(await db`select applicant_id, language from applicant order by applicant_id`)],
    notes: [
      ...(await db`
        select application_id, changed_at, changed_by, status, application_note
        from application_annotation order by application_id`),
    ],
    counters: [
      ...(await db`select program_id, submit_seq, last_submit_time from submission_counter order by program_id`),
    ],
  }
}

const program = (db: Sql = sql): Promise<PublishedTestProgram> =>
  aProgram(db, { slug: 'food-aid', questions: [q.text('reason', { optional: true })] })

interface LineSpec {
  id: number
  applicant?: number
  /** Seconds after a fixed moment long past. */
  at?: number
  state?: 'CURRENT' | 'OBSOLETE'
  more?: Record<string, unknown>
}
const longPast = Date.parse('2020-01-01T00:00:00Z') * 1000
function line({ program_version_id, slug }: PublishedTestProgram, spec: LineSpec): string {
  const time = new Date((longPast + (spec.at ?? spec.id) * second) / 1000).toISOString()
  return JSON.stringify({
    applicant_id: spec.applicant ?? spec.id,
    application_id: spec.id,
    create_time: time,
    submit_time: time,
    language: 'es-US',
    program_name: slug,
    program_version_id,
    revision_state: spec.state ?? 'CURRENT',
    submitter_type: 'APPLICANT',
    application: { reason: { question_type: 'TEXT', text: `reason ${spec.id}` } },
    ...spec.more,
  })
}
const lines = (of: PublishedTestProgram, ...specs: LineSpec[]): string =>
  specs.map(spec => `${line(of, spec)}\n`).join('')

async function submit(db: Sql, to: PublishedTestProgram, applicant_id: number) {
  await db`
    insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
    values (${to.program_id}, ${applicant_id}, now(), '{}', now())`
  const { api_key_id } = await createTestKey(db, { maySubmit: true })
  const { receipt } = await submitApplication(db, {
    program_id: to.program_id,
    applicant_id,
    timeZone: 'UTC',
    key: { api_key_id, front_end: testFrontEnd, address: '127.0.0.1' },
    submitter: { submitter_type: 'APPLICANT' },
    idempotency_key: crypto.randomUUID(),
  })
  return receipt
}

describe('what an export gives, a load takes', () => {
  test('into an empty database: the next export is the same to the byte, and so is everything stored', async () => {
    const slugs = ['utility-assistance', 'child-care-subsidy']
    const from = await newDatabase('America/Los_Angeles')
    const zone = { timeZone: 'America/Los_Angeles' }
    const programs = slugs.map((slug, i) => ({ slug, applications: [700, 90][i]! }))
    // To the second, as times are exported.
    await seedPrograms(from, { ...options, ...zone, programs, now: Math.floor(now / second) * second })
    const exported = await Promise.all(slugs.map(slug => exportLines(from, slug)))

    const to = await newDatabase('America/Los_Angeles')
    for (const slug of slugs)
      await importProgram(to, JSON.parse(JSON.stringify(await exportProgram(from, slug))), 'operator:test')
    const receipt = await load(to, exported.map(all => `${all.join('\n')}\n`).join(''), zone)
    expect(receipt).toEqual({ applications: 790, programs, before: undefined })
    expect(await Promise.all(slugs.map(slug => exportLines(to, slug)))).toEqual(exported)

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

  test('a page of an export as a line is its applications', async () => {
    const to = await program()
    const page = `{"payload":[${line(to, { id: 1 })},${line(to, { id: 2 })}],"nextPageToken":"abc"}`
    expect((await load(sql, `${page}\n${line(to, { id: 3 })}\n{"payload":[],"nextPageToken":null}`)).applications).toBe(
      3,
    )
    const problem = await refusal(load(sql, `\n{"payload":[${line(to, { id: 4 })},7]}\n{"payload":7}`))
    expect(told(problem)).toEqual([
      'line 2, application 1: too_early',
      'line 2, application 2: not_an_object',
      'line 3: not_an_array',
    ])
  })

  test('empty lines, carriage returns, a missing line end and characters cut by pieces are taken', async () => {
    const to = await program()
    const name = { more: { application_note: 'Łódź 🙂 – ünïcödé'.repeat(50) } }
    const text = `\r\n${line(to, { id: 1, ...name })}\r\n\n  \n${line(to, { id: 2, ...name })}`
    for (const bytes of [1, 7, 4096]) {
      const db = await newDatabase()
      await program(db)
      expect((await loadLines(db, pieces(text, bytes), options)).applications).toBe(2)
      expect(await db`select application_note from application`).toMatchObject([
        { application_note: name.more.application_note },
        { application_note: name.more.application_note },
      ])
    }
  })

  test('with threads beside: the same, in the same order, and the lines that are wrong have their numbers', async () => {
    const slug = 'utility-assistance'
    const from = await newDatabase()
    // Times as they are exported, to the second.
    const programs = [{ slug, applications: 1600 }]
    await seedPrograms(from, { ...options, programs, now: Math.floor(now / second) * second })
    const exported = await exportLines(from, slug)
    await importProgram(sql, await exportProgram(from, slug), 'operator:test')

    const broken = exported.with(3, '{').with(1200, exported[1]!)
    const problem = await refusal(load(sql, `\n${broken.join('\n')}`, { threads: 2 }))
    expect(told(problem)).toEqual([
      'line 5: not_json',
      'line 1202: too_early',
      'line 1202: inconsistent',
      'line 1202: duplicate_id',
    ])

    expect((await load(sql, exported.join('\n'), { threads: 2 })).applications).toBe(1600)
    expect(await exportLines(sql, slug)).toEqual(exported)
    const [before, after] = [await contents(from), await contents(sql)]
    const numbers = (rows: readonly Record<string, unknown>[]) =>
      rows.map(row => [row.submit_seq, row.superseded_seq, row.snapshot])
    expect(numbers(after.applications)).toEqual(numbers(before.applications))

    // Of an input that is known to be large, not even the beginning is read here.
    const other = await newDatabase()
    await importProgram(other, await exportProgram(from, slug), 'operator:test')
    const text = exported.join('\n')
    expect((await load(other, text, { threads: 1, inputBytes: text.length })).applications).toBe(1600)
    expect(await exportLines(other, slug)).toEqual(exported)
  })

  test('a connection that dies in between ends the load with an error; run again, it goes on', async () => {
    const to = await program()
    const text = lines(to, ...Array.from({ length: 40 }, (_, i) => ({ id: i + 1 })))
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
    for (const threads of [0, 1]) {
      const outcome = await load(sql, text, { threads, batchBytes: 1 }).then(
        () => 'loaded',
        () => 'failed',
      )
      expect(outcome).toBe('failed')
      expect(await sql`select stored from bulk_load`).toMatchObject([{ stored: (threads + 1) * 3 }])
    }
    await sql`drop trigger lose_connection on bulk_load`
    expect((await load(sql, text)).before).toEqual({ stored: 6, endedAt: undefined })
    expect((await exportLines(sql, 'food-aid')).length).toBe(40)
  })

  test('an empty input loads nothing', async () => {
    expect(await load(sql, '')).toEqual({ applications: 0, programs: [], before: undefined })
  })
})

describe('all or nothing', () => {
  test('one bad line among many, and nothing is stored, whatever batches had gone before', async () => {
    const to = await program()
    const before = await contents(sql)
    const specs = Array.from({ length: 12_000 }, (_, i) => ({ id: i + 1, more: { application_note: 'x'.repeat(900) } }))
    const text = `${lines(to, ...specs)}{"oops":\n`
    const problem = await refusal(load(sql, text))
    expect(told(problem)).toEqual(['line 12001: not_json'])
    expect(problem.detail).toBe('Nothing was loaded: 1 of 12,001 applications cannot be.')
    expect(await contents(sql)).toEqual(before)
    expect(await sql`select from audit_event where action = 'applications_loaded'`).toHaveLength(0)
    // What was drawn from the sequences is gone, and that is all.
    expect((await load(sql, lines(to, ...specs))).applications).toBe(12_000)
  })

  test('every bad line is told with its number; of very many, how many more', async () => {
    const to = await program()
    const text = [
      line(to, { id: 1 }),
      'not JSON',
      line(to, { id: 2, more: { program_version_id: 999 } }),
      line(to, { id: 3, more: { program_name: 'nowhere' } }),
      '',
      line(to, { id: 4, more: { language: 5, ti_email: 'x' } }),
      '[]',
    ].join('\n')
    const problem = await refusal(load(sql, text))
    expect(told(problem)).toEqual([
      'line 2: not_json',
      'line 3: unknown_version',
      'line 4: unknown_version',
      'line 6: not_a_string',
      'line 6: wrong_submitter',
      'line 7: not_an_object',
    ])
    expect(problem.errors[1]!.detail).toBe(
      `/program_version_id is 999, and the published versions of food-aid are ${to.program_version_id}`,
    )
    expect(problem.errors[2]!.detail).toBe('/program_version_id is of program nowhere, which there is not')

    const many = await refusal(load(sql, 'x\n'.repeat(1234)))
    expect(many.errors).toHaveLength(50)
    expect(many.detail).toBe('Nothing was loaded: 1,234 of 1,234 applications cannot be. 50 of 1,234 reasons:')
  })

  test('bytes that are not UTF-8 are told, not replaced', async () => {
    const to = await program()
    const bytes = Buffer.concat([Buffer.from(`${line(to, { id: 1 })}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])])
    async function* input() {
      yield bytes
    }
    expect(told(await refusal(loadLines(sql, input(), options)))).toEqual(['line 2: not_utf8'])
  })

  test('applications of another program than the one that was named are refused', async () => {
    const to = await program()
    const other = await aProgram(sql, { slug: 'other-aid', questions: [q.text('reason', { optional: true })] })
    const text = lines(to, { id: 1 }) + lines(other, { id: 2 })
    const problem = await refusal(load(sql, text, { programSlug: 'food-aid' }))
    expect(told(problem)).toEqual(['line 2: unknown_version'])
    expect((await load(sql, text)).programs).toEqual([
      { slug: 'food-aid', applications: 1 },
      { slug: 'other-aid', applications: 1 },
    ])
  })

  test('a database whose times are of another zone takes none in this one', async () => {
    const to = await program()
    const problem = await refusal(load(sql, lines(to, { id: 1 }), { timeZone: 'America/New_York' }))
    expect(problem.kind).toBe('conflict')
  })
})

describe('order and times', () => {
  test('a program without submissions takes any past time; its Snapshot-Time does not go back', async () => {
    const to = await program()
    const [counter] = await sql<{ last_submit_time: number }[]>`select last_submit_time from submission_counter`
    await load(sql, lines(to, { id: 1 }, { id: 2, at: 1 }, { id: 3, at: 1 }))
    expect(await sql`select submit_seq, last_submit_time from submission_counter`).toMatchObject([
      { submit_seq: 3, last_submit_time: counter!.last_submit_time },
    ])
  })

  test('G6: a client that polled a program without submissions sees what is loaded then, of whatever time', async () => {
    const to = await program()
    const watermark = snapshotTime(await readWalkStart(sql, to.program_id))
    const old = '1900-01-01T00:00:00Z'
    expect(watermark).toBe(old)
    await load(sql, lines(to, { id: 1, more: { create_time: old, submit_time: old } }, { id: 2 }))
    const [from, later] = [watermark, snapshotTime(await readWalkStart(sql, to.program_id))].map(time =>
      parseInstantParameter(time, 'UTC'),
    )
    const times = await sql<{ submit_time: number }[]>`select submit_time from application order by submit_seq`
    expect(times.map(({ submit_time }) => submit_time >= Number(from) && submit_time < Number(later))).toEqual([
      true,
      true,
    ])
  })

  test('after that, nothing before its last submission: "clients … would never see it"', async () => {
    const to = await program()
    await submit(sql, to, await insertApplicant(sql, testFrontEnd, 'en-US'))
    const problem = await refusal(load(sql, lines(to, { id: 100 })))
    expect(told(problem)).toEqual(['line 1: too_early'])
    expect(problem.errors[0]!.detail).toMatch(/Snapshot-Time on would never see it/)
  })

  test('lines that are not in order of submit_time are told, each with the line it should stand before', async () => {
    const to = await program()
    const problem = await refusal(
      load(sql, lines(to, { id: 1, at: 5 }, { id: 2, at: 9 }, { id: 3, at: 8 }, { id: 4, at: 4 })),
    )
    expect(told(problem)).toEqual(['line 3: too_early', 'line 4: too_early'])
    expect(problem.errors[1]!.detail).toMatch(/the one on line 2/)
  })

  test('nothing from the future', async () => {
    const to = await program()
    const tomorrow = new Date(now / 1000 + 86_400_000).toISOString()
    const problem = await refusal(load(sql, lines(to, { id: 1, more: { submit_time: tomorrow } })))
    expect(told(problem)).toEqual(['line 1: in_the_future'])
  })
})

describe('revision states', () => {
  const states = () => sql<{ application_id: number; submit_seq: number; superseded_seq: number | null }[]>`
    select application_id, submit_seq, superseded_seq from application order by submit_seq`

  test('numbers follow the lines; what is OBSOLETE is superseded within the load', async () => {
    const to = await program()
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
    expect(await states()).toMatchObject([
      { application_id: 1, submit_seq: 1, superseded_seq: 2 },
      { application_id: 2, submit_seq: 2, superseded_seq: null },
      { application_id: 3, submit_seq: 3, superseded_seq: 4 },
      { application_id: 4, submit_seq: 4, superseded_seq: null },
      { application_id: 5, submit_seq: 5, superseded_seq: 6 },
    ])
    // The horizon of every later walk takes in the number at which the last line was superseded.
    expect(await sql`select submit_seq, submissions from submission_counter`).toMatchObject([
      { submit_seq: 6, submissions: 5 },
    ])
  })

  test('two CURRENT of one applicant, or an OBSOLETE after the CURRENT, are told with the other line', async () => {
    const to = await program()
    const problem = await refusal(
      load(
        sql,
        lines(
          to,
          { id: 1, applicant: 1 },
          { id: 2, applicant: 2 },
          { id: 3, applicant: 1 },
          { id: 4, applicant: 2, state: 'OBSOLETE' },
        ),
      ),
    )
    expect(told(problem)).toEqual(['line 3: inconsistent', 'line 4: inconsistent'])
    expect(problem.errors[0]!.detail).toMatch(
      /must not be CURRENT: the CURRENT application of applicant 1, on line 1, is older/,
    )
    expect(problem.errors[1]!.detail).toMatch(
      /must not be OBSOLETE: the CURRENT application of applicant 2, on line 2, is older/,
    )
  })

  test('an applicant CURRENT in the database is superseded by the first line of the load, and only if the load is valid', async () => {
    const to = await program()
    await load(sql, lines(to, { id: 1, applicant: 1 }, { id: 2, applicant: 2 }, { id: 3, applicant: 3 }))
    const [{ last_submit_time: last }] = (await sql`select last_submit_time from submission_counter`) as unknown as [
      { last_submit_time: number },
    ]
    const later = (id: number) => Math.ceil((last - longPast) / second) + id
    const specs: LineSpec[] = [
      { id: 4, at: later(0), applicant: 1, state: 'OBSOLETE' },
      { id: 5, at: later(1), applicant: 1 },
      { id: 6, at: later(2), applicant: 2, state: 'OBSOLETE' },
    ]
    const future = { now: now + 3600 * second }
    await refusal(load(sql, `${lines(to, ...specs)}oops`, future))
    expect((await states()).map(row => row.superseded_seq)).toEqual([null, null, null])

    await load(sql, lines(to, ...specs), future)
    expect(await states()).toMatchObject([
      { application_id: 1, submit_seq: 1, superseded_seq: 4 },
      { application_id: 2, submit_seq: 2, superseded_seq: 6 },
      { application_id: 3, submit_seq: 3, superseded_seq: null },
      { application_id: 4, submit_seq: 4, superseded_seq: 5 },
      { application_id: 5, submit_seq: 5, superseded_seq: null },
      { application_id: 6, submit_seq: 6, superseded_seq: 7 },
    ])
  })
})

describe('ids', () => {
  test('the sequences go on after what was loaded, near or far', async () => {
    const to = await program()
    await load(sql, lines(to, { id: 40, applicant: 30 }))
    expect(await submit(sql, to, await insertApplicant(sql, testFrontEnd, 'en-US'))).toMatchObject({
      application_id: 41,
    })
    const other = await aProgram(sql, { slug: 'other-aid', questions: [q.text('reason', { optional: true })] })
    await load(sql, lines(other, { id: 7_000_000_000, applicant: 9_000_000_000, at: 1 }))
    const applicant = await insertApplicant(sql, testFrontEnd, 'en-US')
    expect(applicant).toBe(9_000_000_001)
    expect(await submit(sql, other, applicant)).toMatchObject({ application_id: 7_000_000_001 })
  })

  test('an id that an application has, in any program or in the input, is refused', async () => {
    const to = await program()
    const other = await aProgram(sql, { slug: 'other-aid', questions: [q.text('reason', { optional: true })] })
    await load(sql, lines(other, { id: 5 }))
    const text = lines(
      to,
      { id: 4 },
      { id: 5 },
      { id: 6 },
      { id: 6, at: 7, applicant: 7 },
      { id: 4, at: 8, applicant: 8 },
    )
    const problem = await refusal(load(sql, text))
    expect(told(problem)).toEqual(['line 2: taken_id', 'line 4: duplicate_id', 'line 5: duplicate_id'])
    expect(problem.errors[1]!.detail).toBe('/application_id is 6, which the one on line 3 has too')
  })

  test('applicants are made with the language of their line; those there are stay as they are', async () => {
    const to = await program()
    const known = await insertApplicant(sql, testFrontEnd, 'vi')
    await load(sql, lines(to, { id: 1, applicant: known }, { id: 2, applicant: 70 }))
    expect(await sql`select applicant_id, language from applicant order by 1`).toMatchObject([
      { applicant_id: known, language: 'vi' },
      { applicant_id: 70, language: 'es-US' },
    ])
  })
})

describe('beside others', () => {
  /** An input whose first lines make more than a block, so that they are read before the rest is there. */
  function slowInput(to: PublishedTestProgram, first: LineSpec[], rest: LineSpec[]) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    async function* input() {
      const more = { application_note: 'x'.repeat(1_200_000) }
      yield Buffer.from(lines(to, ...first.map(spec => ({ ...spec, more }))))
      start()
      await released
      yield Buffer.from(lines(to, ...rest))
    }
    const loading = loadLines(sql, input(), options)
    loading.catch(() => {})
    return { loading, started, release }
  }

  test('a submission while the input is checked does not wait; nothing of the past is loaded after it', async () => {
    const to = await program()
    const applicant = await insertApplicant(sql, testFrontEnd, 'en-US')
    const { loading, started, release } = slowInput(to, [{ id: 50 }], [{ id: 51 }])
    await started
    await submit(sql, to, applicant)
    release()
    expect((await refusal(loading)).detail).toMatch(/first submit_time of food-aid is not after that of the last/)
    expect(await sql`select from application`).toHaveLength(1)
  })

  test('an id that another program was given meanwhile is refused, not taken twice', async () => {
    const to = await program()
    const other = await aProgram(sql, { slug: 'other-aid', questions: [q.text('reason', { optional: true })] })
    const applicant = await insertApplicant(sql, testFrontEnd, 'en-US')
    const { loading, started, release } = slowInput(to, [{ id: 50, applicant: 50 }], [{ id: 1, at: 60, applicant: 51 }])
    await started
    expect(await submit(sql, other, applicant)).toMatchObject({ application_id: 1 })
    release()
    expect(told(await refusal(loading))).toEqual(['line 2: taken_id'])
  })

  test('an applicant registered meanwhile is not taken for one of the input', async () => {
    const to = await program()
    const { loading, started, release } = slowInput(to, [{ id: 50, applicant: 50 }], [{ id: 51, applicant: 1 }])
    await started
    expect(await insertApplicant(sql, testFrontEnd, 'en-US')).toBe(1)
    release()
    expect(told(await refusal(loading))).toEqual(['line 2: taken_id'])
  })

  test('of two loads with an id in common, at once and into two programs, one ends before it stores that one', async () => {
    const [to, other] = [
      await program(),
      await aProgram(sql, { slug: 'other-aid', questions: [q.text('reason', { optional: true })] }),
    ]
    let between: Promise<unknown> | undefined
    const first = load(sql, lines(to, { id: 50 }, { id: 51 }, { id: 52 }), {
      batchBytes: 1,
      onProgress: async stored => {
        if (stored === 1) between = load(sql, lines(other, { id: 52 }))
        await between
      },
    })
    expect((await refusal(first)).detail).toMatch(/Another load has taken ids of this one meanwhile/)
    await between
    expect((await exportLines(sql, 'food-aid')).length).toBe(2)
    expect((await exportLines(sql, 'other-aid')).length).toBe(1)
    expect(told(await refusal(load(sql, lines(to, { id: 50 }, { id: 51 }, { id: 52 }))))).toEqual(['line 3: taken_id'])
  })

  test('two loads at once into one program: one, and then what is later', async () => {
    const to = await program()
    const loads = await Promise.allSettled([load(sql, lines(to, { id: 1 })), load(sql, lines(to, { id: 2 }))])
    // Whichever comes second is of the past by then, or finds the other under way.
    expect(loads.map(one => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await sql`select from application`).toHaveLength(1)
  })

  test('the same input by two processes at once is stored once', async () => {
    const to = await program()
    const text = lines(to, ...Array.from({ length: 60 }, (_, i) => ({ id: i + 1 })))
    for (let done = false; !done; ) {
      const both = await Promise.allSettled([1, 2].map(() => load(sql, text, { batchBytes: 1000 })))
      for (const one of both)
        if (one.status === 'rejected') expect(String(one.reason.detail)).toMatch(/Another process loads the same input/)
      done = both.some(one => one.status === 'fulfilled')
    }
    expect((await exportLines(sql, 'food-aid')).length).toBe(60)
    expect(await sql`select action from audit_event where action = 'applications_loaded'`).toHaveLength(1)
  })
})

test('the audit trail and the history of statuses say who loaded what', async () => {
  const to = await program()
  const more = { status: 'Gone since', status_last_modified_time: '2020-02-01T00:00:00Z', application_note: 'noted' }
  await load(sql, lines(to, { id: 1, more }, { id: 2 }))
  expect(
    await sql`select actor, action, subject, detail from audit_event where action = 'applications_loaded'`,
  ).toMatchObject([{ actor: 'operator:test', subject: 'food-aid', detail: { applications: 2 } }])
  expect((await contents(sql)).notes).toMatchObject([
    {
      application_id: 1,
      changed_by: 'operator:test',
      changed_at: Date.parse('2020-02-01T00:00:00Z') * 1000,
      status: 'Gone since',
      application_note: 'noted',
    },
  ])
})
