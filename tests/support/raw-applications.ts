// Applications put into the tables directly. There are three ways to make applications, and this is which to take when:
// - `FrontEnd` (front-end.ts), through the routes of a service: for what intake makes of answers, programs of any questions;
// - `insertRawApplications` (here), a program of TEXT questions in three versions: for reading, when answers do not matter but rows do, and
//   any text, time or number of them is wanted. `useExport` opens a service with these;
// - `multiplyApplications` (here), tens of thousands from what is there already: for how reading behaves in large tables.

import { refreshKeyMap } from '../../src/core/derived/program-key-map.ts'
import type { Sql } from '../../src/db/client.ts'
import { renderAnnotations, renderSnapshot } from '../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../src/domain/questions/key-map.ts'
import type { VersionQuestion } from '../../src/domain/questions/question.ts'
import { planFill, type VersionFill } from '../../src/domain/questions/version-fill.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'

export interface RawProgram {
  program_id: number
  /** The newest version, which is ACTIVE. */
  program_version_id: number
  slug: string
  /** The key map. Its first question is the answered one. */
  shape: KeyMap
  fills: ReadonlyMap<number, VersionFill>
  /** Each version with its own shape, oldest first: applications use them in turn. */
  versions: readonly RawVersion[]
}

interface RawVersion {
  program_version_id: number
  shape: KeyMap
}

/** The questions of each version: two others besides the answered one, in a different order each time, one of them removed and restored. */
const orders = [
  ['words', 'more', 'seldom'],
  ['more', 'words'],
  ['seldom', 'more', 'words'],
]

/**
 * A program with three published versions and a stored key map. All questions are TEXT, and one is answered. With `versions: 'one'` it has one
 * version with one question, and its key map is computed.
 */
export async function insertRawProgram(
  sql: Sql,
  slug: string,
  { versions = 'three' }: { versions?: 'one' | 'three' | undefined } = {},
): Promise<RawProgram> {
  const [program] = await sql<{ program_id: number }[]>`
    insert into program (slug, display_name) values (${slug}, ${slug}) returning program_id`
  const { program_id } = program!
  const asked = new Map<string, VersionQuestion>()
  for (const name of versions === 'one' ? ['words'] : orders[0]!)
    asked.set(name, await insertTextQuestion(sql, name, slug))
  const published: PublishedVersion[] = []
  for (const order of versions === 'one' ? [['words']] : orders)
    published.push(
      await publishRaw(
        sql,
        program_id,
        slug,
        order.map(name => asked.get(name)!),
      ),
    )
  await sql`insert into submission_counter (program_id) values (${program_id}) on conflict do nothing`
  const { program_version_id } = published.at(-1)!
  if (versions === 'three') await refreshKeyMap(sql, program_version_id)
  const shape = buildKeyMap(published)
  const shapes = published.map(version => ({ ...version, shape: buildKeyMap([version]) }))
  const fills = new Map(shapes.map(version => [version.program_version_id, planFill(shape, version.shape)]))
  return { program_id, program_version_id, slug, shape, fills, versions: shapes }
}

async function insertTextQuestion(sql: Sql, name: string, slug: string): Promise<VersionQuestion> {
  const [admin_name, question_key] = [`${name} ${slug}`, `${name}_${slug}`]
  const [question] = await sql<{ question_id: number }[]>`
    insert into question (admin_name, question_key, question_key_folded, kind)
    values (${admin_name}, ${question_key}, ${question_key}, 'TEXT') returning question_id`
  const { question_id } = question!
  const settings = { text: 'Words?' }
  const [version] = await sql<{ question_version_id: number }[]>`
    insert into question_version (question_id, version_number, settings)
    values (${question_id}, 1, ${sql.json(settings)}) returning question_version_id`
  const { question_version_id } = version!
  return { question_id, question_version_id, kind: 'TEXT', admin_name, question_key, enumerator_id: null, settings }
}

async function publishRaw(
  sql: Sql,
  program_id: number,
  slug: string,
  questions: readonly VersionQuestion[],
): Promise<PublishedVersion> {
  const [version] = await sql<{ program_version_id: number }[]>`
    insert into program_version (program_id, state, screens, display_name, statuses, created_by)
    values (${program_id}, 'DRAFT', '[]', ${slug}, '{}', 'test') returning program_version_id`
  const { program_version_id } = version!
  const rows = questions.map(({ question_id, question_version_id }, i) => ({
    program_version_id,
    question_id,
    question_version_id,
    position: i + 1,
  }))
  await sql`insert into program_version_question ${sql(rows)}`
  await sql`update program_version set state = 'OBSOLETE' where program_id = ${program_id} and state = 'ACTIVE'`
  await sql`
    update program_version set state = 'ACTIVE', published_at = present_time(), published_by = 'test'
    where program_version_id = ${program_version_id}`
  return { program_version_id, questions }
}

/**
 * `count` applications for the versions in turn, each of a different applicant; `textOf` returns the answer of each, `timeOf` its submission time.
 */
export async function insertRawApplications(
  sql: Sql,
  program: RawProgram,
  count: number,
  textOf: (i: number) => string = i => `answer ${i}`,
  timeOf: (i: number) => Micros = i => 1_700_000_000_000_000 + i * 1_000_000,
): Promise<number[]> {
  const applicants = await sql<{ applicant_id: number }[]>`
    insert into applicant (language) select 'en-US' from generate_series(1, ${count}) returning applicant_id`
  const [{ submit_seq: base }] = (await sql<{ submit_seq: number }[]>`
    update submission_counter set submit_seq = submit_seq + ${count}, submissions = submissions + ${count}
    where program_id = ${program.program_id} returning submit_seq - ${count} as submit_seq`) as unknown as [
    { submit_seq: number },
  ]
  const rows = applicants.map(({ applicant_id }, i) => {
    const submit_time = timeOf(base + i)
    const application_id = applicant_id + 1_000_000
    const { program_version_id, shape } = program.versions[(base + i) % program.versions.length]!
    const snapshot = renderSnapshot(
      {
        applicant_id,
        application_id,
        create_time: submit_time,
        submit_time,
        language: 'en-US',
        program_name: program.slug,
        program_version_id,
        submitter: { submitter_type: 'APPLICANT' },
        answers: new Map([[program.shape[0]!.question_key, { type: 'TEXT', text: textOf(i) }]]),
      },
      shape,
      'UTC',
    )
    return {
      program_id: program.program_id,
      application_id,
      applicant_id,
      program_version_id,
      create_time: submit_time,
      submit_time,
      submit_seq: base + i + 1,
      snapshot,
      annotations: renderAnnotations({ status: null, status_last_modified_time: null, application_note: null }, 'UTC'),
    }
  })
  for (let i = 0; i < rows.length; i += 1000) await sql`insert into application ${sql(rows.slice(i, i + 1000))}`
  return rows.map(row => row.application_id)
}

/** Stored text that no version explains, as only damage to the database could cause, in one application or all. */
export async function damageApplications(sql: Sql, { program_id }: RawProgram, submitSeq?: number): Promise<void> {
  await sql.begin(async tx => {
    await tx`alter table application disable trigger application_snapshot_is_immutable`
    await tx`
      update application set snapshot = snapshot || ${'\u0001999\u0002'}
      where program_id = ${program_id} and submit_seq = coalesce(${submitSeq ?? null}, submit_seq)`
    await tx`alter table application enable trigger application_snapshot_is_immutable`
  })
}

/**
 * Repeats the existing applications of all programs `times` times: each time for new applicants, a second later. Programs are interleaved as if
 * submitted concurrently, and one in eight is OBSOLETE.
 */
export async function multiplyApplications(sql: Sql, times: number): Promise<void> {
  await sql`
    with person as (
      insert into applicant (language)
      select 'en-US'
      from application
      cross join generate_series(1, ${times})
      returning applicant_id
    ),
    numbered_person as (
      select applicant_id, row_number() over () as n
      from person
    ),
    copy as (
      select
        a.program_id, a.program_version_id, a.create_time, a.snapshot, a.annotations,
        a.submit_time + repetition * interval '1 second' as submit_time,
        row_number() over (order by repetition, a.program_id, a.submit_seq) as n,
        max(a.submit_seq) over (partition by a.program_id)
          + row_number() over (partition by a.program_id order by a.submit_time + repetition * interval '1 second', a.submit_seq)
          as submit_seq
      from application a
      cross join generate_series(1, ${times}) as repetition
    )
    insert into application (
      program_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, superseded_seq, snapshot, annotations)
    select
      program_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
      case when submit_seq % 8 = 0 then submit_seq + 3 end, snapshot, annotations
    from copy
    join numbered_person using (n)
    order by n`
  await sql`
    update submission_counter c
    set submit_seq = newest.submit_seq + 3, submissions = newest.applications, last_submit_time = greatest(last_submit_time, newest.submit_time)
    from (select program_id, max(submit_seq) as submit_seq, max(submit_time) as submit_time, count(*) as applications from application group by program_id) newest
    where newest.program_id = c.program_id`
}
