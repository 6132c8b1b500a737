// Writes programs and their versions. Callers must hold the question bank's lock (db/programs/questions).
// The database rejects changes to a published version.

import type { ProgramDetails, ProgramVersionState, Screen } from '../../domain/questions/program-version.ts'
import { type Db, readValue, type Transaction } from '../client.ts'

interface NewProgram {
  slug: string
  display_name: string
  statuses: readonly string[]
}

/** Creates a program and the counter that numbers its submissions. */
export async function insertProgram(db: Db, program: NewProgram): Promise<number> {
  return readValue<number>(db)`
    with made as (
      insert into program (slug, display_name, statuses)
      values (${program.slug}, ${program.display_name}, ${program.statuses as string[]}::text[])
      returning program_id, created_at
    )
    insert into submission_counter (program_id, last_submit_time)
    select program_id, created_at
    from made
    returning program_id`
}

/** Gives the program the display name and statuses of one of its versions. */
export async function setProgramContent(db: Db, program_version_id: number): Promise<void> {
  await db`
    update program p
    set display_name = v.display_name, statuses = v.statuses
    from program_version v
    where v.program_version_id = ${program_version_id}
    and p.program_id = v.program_id
    and (p.display_name, p.statuses) is distinct from (v.display_name, v.statuses)`
}

/** The content of one version as an administrator defines it, by IDs. Questions are in screen order. */
export interface VersionContent {
  display_name: string
  statuses: readonly string[]
  details: ProgramDetails
  screens: readonly Screen[]
  questions: readonly { question_id: number; question_version_id: number }[]
}

interface NewDraft extends VersionContent {
  program_id: number
  based_on: number | null
  created_by: string
}

/** Creates the program's draft, which must not exist yet. Returns its ID. */
export async function insertDraft(db: Db, draft: NewDraft): Promise<number> {
  const [row] = await db<{ program_version_id: number }[]>`
    insert into program_version (program_id, state, screens, display_name, statuses, details, based_on, created_by)
    values (${draft.program_id}, 'DRAFT', ${JSON.stringify(draft.screens)}::text::jsonb, ${draft.display_name},
      ${draft.statuses as string[]}::text[], ${JSON.stringify(draft.details)}::text::jsonb, ${draft.based_on}, ${draft.created_by})
    returning program_version_id`
  const { program_version_id } = row!
  await insertVersionQuestions(db, program_version_id, draft.questions)
  return program_version_id
}

async function insertVersionQuestions(
  db: Db,
  program_version_id: number,
  questions: VersionContent['questions'],
): Promise<void> {
  await db`
    insert into program_version_question (program_version_id, question_id, question_version_id, position)
    select ${program_version_id}::bigint, question_id, question_version_id, position
    from unnest(${questions.map(q => q.question_id)}::bigint[], ${questions.map(q => q.question_version_id)}::bigint[])
      with ordinality as given (question_id, question_version_id, position)`
}

/** Removes a draft. Its questions and question versions stay in the bank. */
export async function deleteDraft(db: Db, program_version_id: number): Promise<void> {
  await db`
    delete from program_version
    where program_version_id = ${program_version_id}
    and state = 'DRAFT'`
}

/** Makes the ACTIVE version OBSOLETE; no effect if there is none. */
export async function retireActiveVersion(tx: Transaction, program_id: number): Promise<void> {
  await tx`
    update program_version
    set state = 'OBSOLETE'
    where program_id = ${program_id}
    and state = 'ACTIVE'`
}

/** Makes the draft ACTIVE, at a time after every earlier publication of the program. */
export async function activateDraft(tx: Transaction, program_version_id: number, actor: string): Promise<void> {
  await tx`
    update program_version v
    set state = 'ACTIVE', published_by = ${actor}, published_at = greatest(
      present_time(),
      (
        select max(earlier.published_at) + interval '1 microsecond'
        from program_version earlier
        where earlier.program_id = v.program_id
      )
    )
    where v.program_version_id = ${program_version_id}`
}

/** A question in a version about to be published whose question version is not yet the newest published one. */
export interface QuestionRelease {
  question_id: number
  admin_name: string
  question_version_id: number
  /** The published version it is based on. */
  based_on: number | null
  /** The newest published version now. If it is not `based_on`, the question has changed since. */
  replaces: number | null
}

/** The questions that a draft would change for every program, or publish for the first time, by question ID. */
export async function readQuestionReleases(db: Db, program_version_id: number): Promise<QuestionRelease[]> {
  return db<QuestionRelease[]>`
    select pvq.question_id, q.admin_name, pvq.question_version_id, qv.based_on, newest.question_version_id as replaces
    from program_version_question pvq
    join question q using (question_id)
    join question_version qv using (question_version_id)
    left join lateral (
      select published.question_version_id
      from program_version_question published
      join program_version pv using (program_version_id)
      join question_version published_qv using (question_version_id)
      where published.question_id = pvq.question_id
      and pv.published_at is not null
      order by published_qv.version_number desc
      limit 1
    ) newest on true
    where pvq.program_version_id = ${program_version_id}
    and newest.question_version_id is distinct from pvq.question_version_id
    order by pvq.question_id`
}

/**
 * The programs with a version in one of these states that uses one of these questions in another version than the given one, by ID; and whether that
 * is the active version.
 */
export async function readProgramsUsingOthers(
  db: Db,
  questions: VersionContent['questions'],
  states: readonly ProgramVersionState[],
): Promise<{ program_id: number; slug: string; is_active: boolean }[]> {
  return db<{ program_id: number; slug: string; is_active: boolean }[]>`
    select v.program_id, p.slug, bool_or(v.state = 'ACTIVE') as is_active
    from program_version v
    join program p using (program_id)
    join program_version_question pvq using (program_version_id)
    join unnest(${questions.map(q => q.question_id)}::bigint[], ${questions.map(q => q.question_version_id)}::bigint[])
      as given (question_id, question_version_id) using (question_id)
    where v.state = any(${states as string[]}::text[])
    and pvq.question_version_id <> given.question_version_id
    group by v.program_id, p.slug
    order by v.program_id`
}

/** The programs whose active version asks one of these questions, by ID. */
export async function readProgramsAsking(db: Db, question_ids: readonly number[]): Promise<number[]> {
  const rows = await db<{ program_id: number }[]>`
    select distinct v.program_id
    from program_version_question pvq
    join program_version v using (program_version_id)
    where pvq.question_id = any(${question_ids as number[]}::bigint[])
    and v.state = 'ACTIVE'
    order by v.program_id`
  return rows.map(row => row.program_id)
}
