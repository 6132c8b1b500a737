// The question bank: questions, which never change, and their versions.

import type { QuestionKind, QuestionSettings } from '../../domain/questions/question.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue, type Transaction } from '../client.ts'

/** An arbitrary fixed number, different from that of db/migrate. */
const bankLockId = 7_319_042_552

/**
 * Waits for the lock of the question bank, and holds it until the end of the transaction. Saving and publishing a program take it first: questions
 * are shared, so a publication can affect every program, and a single lock that is taken first cannot deadlock. Reading, submitting and exporting
 * never take it.
 */
export async function lockQuestionBank(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${bankLockId}::bigint)`
}

/** The admin names that questions have, sorted. */
export async function readKnownAdminNames(db: Db, names: readonly string[]): Promise<string[]> {
  const rows = await db<{ admin_name: string }[]>`
    select admin_name
    from question
    where admin_name = any(${names as string[]}::text[])
    order by admin_name collate "C"`
  return rows.map(row => row.admin_name)
}

/** A question of the bank in the version that programs ask now: the newest published one, or the newest if none is published. */
export interface BankQuestion {
  question_id: number
  admin_name: string
  question_key: string
  question_key_folded: string
  kind: QuestionKind
  enumerator_id: number | null
  /** Admin name of the enumerator it is repeated under. */
  enumerator: string | null
  question_version_id: number
  version_number: number
  settings: QuestionSettings
  /** Whether that version was ever published. */
  published: boolean
}

interface BankSelection {
  admin_names: readonly string[]
  question_keys_folded: readonly string[]
}

/** The questions with one of these admin names or folded keys, and all their enumerators, ordered by ID. */
export async function readBankQuestions(db: Db, selection: BankSelection): Promise<BankQuestion[]> {
  return db<BankQuestion[]>`
    with recursive wanted as (
      select question_id, enumerator_id
      from question
      where admin_name = any(${selection.admin_names as string[]}::text[])
      or question_key_folded = any(${selection.question_keys_folded as string[]}::text[])
      union
      select parent.question_id, parent.enumerator_id
      from wanted
      join question parent on parent.question_id = wanted.enumerator_id
    )
    select q.question_id, q.admin_name, q.question_key, q.question_key_folded, q.kind, q.enumerator_id,
      parent.admin_name as enumerator, v.question_version_id, v.version_number, v.settings, v.published
    from wanted
    join question q using (question_id)
    left join question parent on parent.question_id = q.enumerator_id
    cross join lateral (
      select qv.question_version_id, qv.version_number, qv.settings, exists (
        select
        from program_version_question pvq
        join program_version pv using (program_version_id)
        where pvq.question_id = qv.question_id
        and pvq.question_version_id = qv.question_version_id
        and pv.published_at is not null
      ) as published
      from question_version qv
      where qv.question_id = q.question_id
      order by published desc, qv.version_number desc
      limit 1
    ) v
    order by q.question_id`
}

interface NewQuestion {
  admin_name: string
  question_key: string
  question_key_folded: string
  kind: QuestionKind
  enumerator_id: number | null
}

export async function insertQuestion(db: Db, question: NewQuestion): Promise<number> {
  return readValue<number>(db)`
    insert into question (admin_name, question_key, question_key_folded, kind, enumerator_id)
    values (${question.admin_name}, ${question.question_key}, ${question.question_key_folded}, ${question.kind},
      ${question.enumerator_id})
    returning question_id`
}

interface NewQuestionVersion {
  question_id: number
  settings: QuestionSettings
  /** The newest published version of the question, if this one differs from it. */
  based_on: number | null
}

export async function insertQuestionVersion(db: Db, version: NewQuestionVersion): Promise<number> {
  return readValue<number>(db)`
    insert into question_version (question_id, version_number, settings, based_on)
    select ${version.question_id}::bigint, coalesce(max(version_number), 0) + 1, ${JSON.stringify(version.settings)}::text::jsonb,
      ${version.based_on}::bigint
    from question_version
    where question_id = ${version.question_id}
    returning question_version_id`
}

interface QuestionVersionRow {
  question_version_id: number
  question_id: number
  version_number: number
  settings: QuestionSettings
  based_on: number | null
  created_at: Micros
}

/** These question versions, by ID. */
export async function readQuestionVersions(db: Db, ids: readonly number[]): Promise<QuestionVersionRow[]> {
  return db<QuestionVersionRow[]>`
    select question_version_id, question_id, version_number, settings, based_on, created_at
    from question_version
    where question_version_id = any(${ids as number[]}::bigint[])
    order by question_version_id`
}

/** Removes those of these question versions that no program version uses. */
export async function deleteUnusedQuestionVersions(db: Db, ids: readonly number[]): Promise<void> {
  await db`
    delete from question_version qv
    where question_version_id = any(${ids as number[]}::bigint[])
    and not exists (
      select
      from program_version_question pvq
      where pvq.question_id = qv.question_id
      and pvq.question_version_id = qv.question_version_id
    )`
}

/** Removes those of these questions that have no version left. */
export async function deleteUnusedQuestions(db: Db, ids: readonly number[]): Promise<void> {
  await db`
    delete from question q
    where question_id = any(${ids as number[]}::bigint[])
    and not exists (select from question_version qv where qv.question_id = q.question_id)`
}
