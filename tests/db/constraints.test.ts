// "Validity lives in the schema": what no route would ask for, asked of the database itself.

import { beforeAll, describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/fixtures.ts'
import { aProgram, type PublishedTestProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { failureOf } from '../support/refusal.ts'

const database = await useDatabase()
const raw = await insertRawProgram(database.sql, 'raw')
const [first, second] = (await insertRawApplications(database.sql, raw, 2)) as [number, number]

/** Why the database refused a statement: a constraint's name where there is one, else the SQLSTATE. */
const refusal = async (statement: PromiseLike<unknown>): Promise<string | undefined> => {
  const error = await failureOf(statement)
  return error?.constraint_name ?? error?.code
}
const restrictViolation = '23001'

describe('"An application is a snapshot of the applicant\'s answers at the moment of submission"', () => {
  test('"Answers never change": the database refuses to change anything that a submission has fixed', async () => {
    const { sql } = database
    const { program_version_id } = raw
    const before = await sql`select to_jsonb(application) as row from application order by submit_seq`
    for (const change of [
      sql`update application set snapshot = snapshot || ' ' where application_id = ${first}`,
      sql`update application set snapshot = replace(snapshot, 'answer 0', 'answer 9')`,
      sql`update application set applicant_id = (select applicant_id from application where application_id = ${second}) where application_id = ${first}`,
      sql`update application set application_id = application_id + 1000`,
      sql`update application set program_id = program_id + 1000`,
      sql`update application set program_version_id = ${program_version_id + 1000}`,
      sql`update application set create_time = create_time - interval '1 second'`,
      sql`update application set submit_time = submit_time + interval '1 second'`,
      sql`update application set submit_seq = submit_seq + 1000`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
    expect(await sql`select to_jsonb(application) as row from application order by submit_seq`).toEqual(before)
  })

  test('an application is superseded once, and only by a later submission', async () => {
    const { sql } = database
    const other = await insertRawProgram(sql, 'superseding')
    const [id] = await insertRawApplications(sql, other, 1)
    expect(await refusal(sql`update application set superseded_seq = 1 where application_id = ${id!}`)).toBe(
      'application_check',
    )
    await sql`update application set superseded_seq = 2 where application_id = ${id!}`
    for (const change of [
      sql`update application set superseded_seq = null where application_id = ${id!}`,
      sql`update application set superseded_seq = 3 where application_id = ${id!}`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
  })

  test('the history of status and note never changes and is deleted only with its application', async () => {
    const { sql } = database
    const own = await insertRawProgram(sql, 'annotated')
    const [id] = await insertRawApplications(sql, own, 1)
    await sql`
      insert into application_annotation (program_id, application_id, changed_at, changed_by, status)
      values (${own.program_id}, ${id!}, now(), 'operator:test', 'Approved')`
    for (const change of [
      sql`update application_annotation set status = 'Denied'`,
      sql`update application_annotation set changed_by = 'mallory'`,
      sql`delete from application_annotation`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
    await sql`delete from application where application_id = ${id!}`
    expect(await sql`select from application_annotation`).toHaveLength(0)
  })
})

describe('numbers and states of a program', () => {
  /** Adds an application like another one, with other values for some of its columns. */
  const insertLike = (
    applicationId: number,
    changes: { applicant_id?: number; program_version_id?: number; submit_seq?: number },
  ) => {
    const { sql } = database
    return refusal(sql`
      insert into application (
        program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
        snapshot, annotations)
      select program_id, application_id + 500, coalesce(${changes.applicant_id ?? null}, applicant_id),
        coalesce(${changes.program_version_id ?? null}, program_version_id), create_time, submit_time,
        coalesce(${changes.submit_seq ?? null}, submit_seq), snapshot, annotations
      from application
      where application_id = ${applicationId}`)
  }

  test('G11: "One CURRENT application per (program, applicant) …; the database enforces it"', async () => {
    expect(await insertLike(second, { submit_seq: 50 })).toBe('application_one_current')
  })

  test('"unique sequence per program": each number belongs to one application', async () => {
    const [applicant] = await database.sql<{ applicant_id: number }[]>`
      insert into applicant (language) values ('en') returning applicant_id`
    const applicant_id = applicant!.applicant_id
    expect(await insertLike(second, { applicant_id })).toBe('application_program_id_submit_seq_key')
    expect(await insertLike(second, { applicant_id, submit_seq: 0 })).toBe('application_submit_seq_check')
  })

  test('an application belongs to a version of its own program', async () => {
    const other = await insertRawProgram(database.sql, 'other')
    const [applicant] = await database.sql<{ applicant_id: number }[]>`
      insert into applicant (language) values ('en') returning applicant_id`
    expect(
      await insertLike(second, {
        applicant_id: applicant!.applicant_id,
        submit_seq: 52,
        program_version_id: other.program_version_id,
      }),
    ).toBe('application_program_id_program_version_id_fkey')
  })

  test('the submission counter never goes back in number or time', async () => {
    const { sql } = database
    for (const change of [
      sql`update submission_counter set submit_seq = submit_seq - 1 where program_id = ${raw.program_id}`,
      sql`update submission_counter set last_submit_time = last_submit_time - interval '1 microsecond'`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
  })
})

describe('programs and questions', () => {
  let program: PublishedTestProgram
  beforeAll(async () => {
    program = await aProgram(database.sql, { slug: 'fixed', questions: [q.enumerator('pet', [q.text('pet name')])] })
  })

  test('"Immutable admin name of the program": slug and ID never change, other columns may', async () => {
    const { sql } = database
    for (const change of [
      sql`update program set slug = 'moved' where slug = 'fixed'`,
      sql`update program set program_id = program_id + 1000 where slug = 'fixed'`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
    await sql`update program set display_name = 'Another name' where slug = 'fixed'`
  })

  test.each(['', 'Fixed', 'a_b', 'a--b', '-a', 'a-', 'a b', 'ä', 'a'.repeat(101)])(
    '%p is not a valid slug',
    async slug => {
      expect(await refusal(database.sql`insert into program (slug, display_name) values (${slug}, 'A program')`)).toBe(
        'program_slug_check',
      )
    },
  )

  test('a program has at most one draft and one active version', async () => {
    const { sql } = database
    const insert = () => sql`
      insert into program_version (program_id, state, screens, display_name, statuses, created_by)
      values (${program.program_id}, 'DRAFT', '[]', 'Fixed', '{}', 'test')
      returning program_version_id`
    const [draft] = await insert()
    expect(await refusal(insert())).toBe('program_version_one_draft')
    expect(
      await refusal(sql`
        update program_version
        set state = 'ACTIVE', published_at = now(), published_by = 'test'
        where program_version_id = ${draft!.program_version_id}`),
    ).toBe('program_version_one_active')
  })

  test('"A question: admin name, key, type, enumerator" never change, and keys under one enumerator differ in more than case', async () => {
    const { sql } = database
    const { question_id, enumerator_id } = program.question('pet name')
    for (const change of [
      sql`update question set admin_name = 'other' where question_id = ${question_id}`,
      sql`update question set question_key = 'other' where question_id = ${question_id}`,
      sql`update question set kind = 'DATE' where question_id = ${question_id}`,
      sql`update question set enumerator_id = null where question_id = ${question_id}`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
    const insert = (key: string, folded: string, parent: number | null) =>
      refusal(sql`
        insert into question (admin_name, question_key, question_key_folded, kind, enumerator_id)
        values (${crypto.randomUUID()}, ${key}, ${folded}, 'TEXT', ${parent})`)
    expect(await insert('Pet_Name', 'pet_name', enumerator_id)).toBe('question_enumerator_id_question_key_folded_key')
    expect(await insert('PET', 'pet', null)).toBe('question_enumerator_id_question_key_folded_key')
    for (const reserved of ['entity_name', 'question_type', ''])
      expect(await insert(reserved, reserved || 'x', null)).toBe('question_question_key_check')
    // Only an enumerator has questions repeated under it.
    expect(await insert('fur', 'fur', question_id)).toBe('question_enumerator_id_enumerator_kind_fkey')
  })

  test('questions of a published version are never added, replaced or removed', async () => {
    const { sql } = database
    const { program_version_id } = program
    for (const change of [
      sql`update program_version_question set position = 99 where program_version_id = ${program_version_id}`,
      sql`
        insert into program_version_question (program_version_id, question_id, question_version_id, position)
        select ${program_version_id}::bigint, question_id, question_version_id, 77
        from question_version
        where question_id not in (select question_id from program_version_question where program_version_id = ${program_version_id})
        limit 1`,
    ])
      expect(await refusal(change)).toBe(restrictViolation)
  })
})
