// Paged lists of programs, versions and the question bank for the console.
// Application counts come from the submission counter.

import { type Static, Type } from 'typebox'
import type { QuestionKind, QuestionSettings } from '../../domain/questions/question.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import { integer, integerOrNull, row, text, textOrNull, texts, time, timeOrNull } from '../row-schemas.ts'
import { type AmongPrograms, isAmong } from './among-programs.ts'
import { newestApplication } from './newest-application.ts'
import { programIntake } from './program-intake.ts'
import { containing, versionNumber } from './programs.ts'

export const programOverview = row({
  program_id: integer,
  slug: text,
  display_name: text,
  statuses: texts,
  created_at: time,
  active_version_id: integerOrNull,
  /** Number of the version among the program's published ones: 1, 2, 3. */
  active_version_number: integerOrNull,
  active_published_at: timeOrNull,
  active_published_by: textOrNull,
  draft_version_id: integerOrNull,
  draft_created_at: timeOrNull,
  draft_created_by: textOrNull,
  /** Applications ever submitted, including erased ones. */
  submissions: integer,
  /** Submission time of the newest application. A bulk load can add applications from long ago. */
  last_submit_time: timeOrNull,
  ...programIntake.properties,
  published_versions: integer,
})
export type ProgramOverview = Static<typeof programOverview>

const columns = (db: Db) => db`
  select p.program_id, p.slug, p.display_name, p.statuses, p.created_at, p.intake_state, p.intake_text,
    active.program_version_id as active_version_id,
    ${versionNumber(db, db`active`)} as active_version_number,
    active.published_at as active_published_at,
    active.published_by as active_published_by,
    draft.program_version_id as draft_version_id,
    draft.created_at as draft_created_at,
    draft.created_by as draft_created_by,
    c.submissions,
    newest.submit_time as last_submit_time,
    (
      select count(*)::integer
      from program_version v
      where v.program_id = p.program_id
      and v.published_at is not null
    ) as published_versions
  from program p
  join submission_counter c on c.program_id = p.program_id
  ${newestApplication(db)}
  left join program_version active on active.program_id = p.program_id and active.state = 'ACTIVE'
  left join program_version draft on draft.program_id = p.program_id and draft.state = 'DRAFT'`

export interface ProgramListPage {
  among: AmongPrograms
  /** Searched in slug and name, ignoring case. */
  search: string
  /** The slug before the page; empty for the first page. */
  after: string
  rowsMax: number
}

/** Programs by slug: active or archived ones, or both for a search. */
export async function readProgramOverviews(
  db: Db,
  page: ProgramListPage & { archived: boolean },
): Promise<ProgramOverview[]> {
  const { among, search, after, rowsMax, archived } = page
  const pattern = containing(search)
  return db<ProgramOverview[]>`
    ${columns(db)}
    where p.slug > ${after}
    and ${isAmong(db, 'p.program_id', among)}
    and (p.slug ilike ${pattern} or p.display_name ilike ${pattern})
    and (${search !== ''} or (p.intake_state = 'ARCHIVED') = ${archived})
    order by p.slug
    limit ${rowsMax}`
}

export async function findProgramOverview(db: Db, slug: string): Promise<ProgramOverview | undefined> {
  return findRow<ProgramOverview>(db)`${columns(db)} where p.slug = ${slug}`
}

export const retentionRow = row({
  program_id: integer,
  slug: text,
  display_name: text,
  /** Null if they are kept permanently. */
  retention_days: integerOrNull,
})
export type ProgramRetention = Static<typeof retentionRow>

/** Retention periods of programs, by slug. */
export async function readProgramRetentions(
  db: Db,
  { search, after, rowsMax }: Omit<ProgramListPage, 'among'>,
): Promise<ProgramRetention[]> {
  const pattern = containing(search)
  return db<ProgramRetention[]>`
    select program_id, slug, display_name, retention_days
    from program
    where slug > ${after}
    and (slug ilike ${pattern} or display_name ilike ${pattern})
    order by slug
    limit ${rowsMax}`
}

export async function findProgramRetention(db: Db, slug: string): Promise<ProgramRetention | undefined> {
  return findRow<ProgramRetention>(db)`
    select program_id, slug, display_name, retention_days
    from program
    where slug = ${slug}`
}

/** The identifiers of a version: its number among the program's published versions, which a draft doesn't have, and its ID. */
export interface VersionId {
  program_version_id: number
  version_number: number | null
}

/** The draft of a program and its published versions, newest first. */
export async function readVersionIds(db: Db, program_id: number): Promise<VersionId[]> {
  return db<VersionId[]>`
    select program_version_id, case when state <> 'DRAFT' then (
      row_number() over (order by published_at nulls last, program_version_id))::integer end as version_number
    from program_version
    where program_id = ${program_id}
    order by published_at desc nulls first, program_version_id desc`
}

/** The IDs of a program's published versions up to `before`, newest first. */
export async function readPublishedVersionIds(
  db: Db,
  program_id: number,
  { before, rowsMax }: { before: number; rowsMax: number },
): Promise<number[]> {
  const rows = await db<{ program_version_id: number }[]>`
    select program_version_id
    from program_version
    where program_id = ${program_id}
    and published_at is not null
    and program_version_id < ${before}
    order by program_version_id desc
    limit ${rowsMax}`
  return rows.map(row => row.program_version_id)
}

/** A program that asks a question, and the version of the question. */
export const questionUse = row({
  slug: text,
  display_name: text,
  state: Type.Enum(['ACTIVE', 'DRAFT']),
  version_number: integer,
})
export type QuestionUse = Static<typeof questionUse>

export interface BankEntry {
  question_id: number
  admin_name: string
  question_key: string
  kind: QuestionKind
  enumerator: string | null
  settings: QuestionSettings
  version_number: number
  created_at: Micros
  /** The active versions and drafts that ask it, by slug. */
  uses: QuestionUse[]
}

const entries = (db: Db, chosen: ReturnType<Db>) => db`
  select q.question_id, q.admin_name, q.question_key, q.kind, q.created_at, parent.admin_name as enumerator,
    newest.settings, newest.version_number,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'slug', p.slug,
        'display_name', p.display_name,
        'state', v.state,
        'version_number', used.version_number
      ) order by p.slug, v.state), '[]')
      from program_version_question pvq
      join program_version v using (program_version_id)
      join program p using (program_id)
      join question_version used using (question_version_id)
      where pvq.question_id = q.question_id
      and v.state in ('ACTIVE', 'DRAFT')
    ) as uses
  from (${chosen}) chosen
  join question q using (question_id)
  left join question parent on parent.question_id = q.enumerator_id
  ${asAskedNow(db)}
  order by q.admin_name`

/** The newest published version of a question `q`; the newest version if none is published. */
const asAskedNow = (db: Db) => db`
  cross join lateral (
    select qv.settings, qv.version_number
    from question_version qv
    where qv.question_id = q.question_id
    order by exists (
      select
      from program_version_question pvq
      join program_version v using (program_version_id)
      where pvq.question_id = qv.question_id
      and pvq.question_version_id = qv.question_version_id
      and v.published_at is not null
    ) desc, qv.version_number desc
    limit 1
  ) newest`

/** A question of the bank by name, for selection. */
export interface NamedQuestion {
  admin_name: string
  text: string
  /** Names of the first two programs whose active version or draft asks it, and the total. */
  programs: string[]
  asked_by: number
}

/** Every question that has an answer, by admin name. */
export async function readNamedQuestions(db: Db, rowsMax: number): Promise<NamedQuestion[]> {
  return db<NamedQuestion[]>`
    select q.admin_name, left(newest.settings ->> 'text', 200) as text, asking.programs, asking.asked_by
    from question q
    ${asAskedNow(db)}
    cross join lateral (
      select coalesce((array_agg(p.display_name order by p.slug))[1:2], '{}') as programs, count(*)::integer as asked_by
      from program p
      where p.program_id in (
        select v.program_id
        from program_version_question pvq
        join program_version v using (program_version_id)
        where pvq.question_id = q.question_id
        and v.state in ('ACTIVE', 'DRAFT')
      )
    ) asking
    where q.kind <> 'STATIC'
    order by q.admin_name
    limit ${rowsMax}`
}

/** Questions of the bank by admin name, in the version programs ask now, with the words in name or text. */
export async function readBankPage(
  db: Db,
  { search, after, rowsMax }: { search: string; after: string; rowsMax: number },
): Promise<BankEntry[]> {
  const pattern = containing(search)
  return db<BankEntry[]>`${entries(
    db,
    db`
      select question_id
      from question q
      where q.admin_name > ${after}
      and (q.admin_name ilike ${pattern} or q.question_key ilike ${pattern} or exists (
        select
        from question_version qv
        where qv.question_id = q.question_id
        and qv.settings ->> 'text' ilike ${pattern}
      ))
      order by q.admin_name
      limit ${rowsMax}`,
  )}`
}

export async function findBankEntry(db: Db, question_id: number): Promise<BankEntry | undefined> {
  const [row] = await db<BankEntry[]>`${entries(db, db`select ${question_id}::bigint as question_id`)}`
  return row
}

/** The questions of these names that the bank has. */
export async function readBankEntries(db: Db, admin_names: readonly string[]): Promise<BankEntry[]> {
  return db<BankEntry[]>`${entries(
    db,
    db`select question_id from question where admin_name = any(${admin_names as string[]}::text[])`,
  )}`
}

/** Questions whose text contains one of these words, up to a maximum number. */
export async function readEntriesWithWords(db: Db, words: readonly string[], rowsMax: number): Promise<BankEntry[]> {
  const patterns = words.map(containing)
  return db<BankEntry[]>`${entries(
    db,
    db`
      select distinct question_id
      from question_version
      where settings ->> 'text' ilike any(${patterns}::text[])
      order by question_id desc
      limit ${rowsMax}`,
  )}`
}
