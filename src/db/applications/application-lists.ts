// Filtered lists of applications for the console, and their counts. Each statement reads a page from an index, however
// large the program. A search also scans the index of words that begin with the search text (sought-applications.ts).

import { type Static, Type } from 'typebox'
import type { RevisionState } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue, type Sql } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import type { ProgramIntake } from '../programs/program-intake.ts'
import { flag, integer, row, textOrNull, time, timeOrNull } from '../row-schemas.ts'
import type { Position } from '../walks/walks.ts'
import { type Fragment, type LaneRange, lanes, rangeOf, uncompiled } from './list-lanes.ts'
import { ordered, type SearchStep, searching, searchSteps, soughtPlaces, within } from './sought-applications.ts'
import { isWorded, soughtNumber, type WordFilter } from './word-search.ts'

/** Selects the applications that match everything given. */
export interface ListFilter extends WordFilter {
  /** Submitted at or after `from`, and before `to`. */
  from?: Micros | undefined
  to?: Micros | undefined
  /** Null: applications without a status. */
  status?: string | null | undefined
  revisionState?: RevisionState | undefined
  applicantId?: number | undefined
  applicationId?: number | undefined
  /** A change number: applications submitted up to it, with `revisionState` as it was then. Otherwise the current state. */
  asOf?: number | undefined
}

/** The facts of an application besides its answers, in a list or alone. */
export const applicationFacts = {
  application_id: integer,
  applicant_id: integer,
  submit_time: time,
  submit_seq: integer,
  is_current: flag,
  status: textOrNull,
  status_last_modified_time: timeOrNull,
  has_note: flag,
}

/** An application in a list, without its answers. */
export const listedApplication = row({
  ...applicationFacts,
  is_own_name: Type.Boolean({
    description: 'Whether the applicant’s own name matches `q`. These applications come first.',
  }),
})
export type ListedApplication = Static<typeof listedApplication>

/** The position of an application in a list. */
export type ListPosition = Position & Pick<ListedApplication, 'is_own_name'>

/** Where a page of a list starts: at its first application, or next to a position; `newer` means towards the present and the top of the list. */
export interface ListPlace {
  direction: 'older' | 'newer'
  /** The application at the position isn't part of the page. */
  beyond: ListPosition | undefined
}

/**
 * At most `rowsMax` applications in the given direction: newest first if it is `older`. New submissions are newer than all others, so paging towards
 * older ones never meets them. The choice of index must not depend on PostgreSQL's estimates: with a status or revision state, lanes are read; an
 * applicant's applications, or one with a given ID, are collected first, because for a limit unknown at planning time PostgreSQL expects a tenth of
 * all rows and would never collect and sort them. The program has a separate condition, which identifies its shard.
 */
export async function readListedApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  place: ListPlace,
  rowsMax: number,
): Promise<ListedApplication[]> {
  const range = rangeOf(filter, place)
  if (isLaned(filter)) return uncompiled(sql, db => readRange(db, programId, filter, range, rowsMax))
  if (!isSearch(filter)) return readRange(sql, programId, filter, range, rowsMax)
  return searching(sql, async db => {
    let rows: ListedApplication[] = []
    for (const step of soughtNumber(filter) === undefined ? searchSteps : (['all'] as const)) {
      rows = await readRange(db, programId, filter, range, rowsMax, step)
      if (rows.length === rowsMax) break
    }
    return rows
  })
}

function readRange(
  db: Db,
  programId: number,
  filter: ListFilter,
  range: LaneRange,
  rowsMax: number,
  step: SearchStep = 'all',
): PromiseLike<ListedApplication[]> {
  return db<ListedApplication[]>`
    select application_id, applicant_id, submit_time, submit_seq, superseded_seq is null as is_current, application.status,
      status_last_modified_time, application_note is not null as has_note, ${filter.wordsIn === 'own_name'}::boolean as is_own_name
    from ${source(db, programId, filter, range, rowsMax, step)}
    order by ${ordered(db, range)}
    limit (select ${rowsMax}::bigint)`
}

/** Whether words are looked up in their index. */
const isSearch = ({ words, applicantId, applicationId }: ListFilter): boolean =>
  words !== undefined && applicantId === undefined && applicationId === undefined

/** Whether a search has no filters except words and times. */
const isBare = ({ status, revisionState, asOf }: ListFilter): boolean =>
  status === undefined && revisionState === undefined && asOf === undefined

/** Whether the only filters are a status or revision state and a range of times. */
const isLaned = ({ status, revisionState, ...named }: ListFilter): boolean =>
  (status !== undefined || revisionState !== undefined) &&
  named.words === undefined &&
  named.asOf === undefined &&
  named.applicantId === undefined &&
  named.applicationId === undefined

/** Number of applications that a filter finds, counted up to `most`. */
export async function countListedApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  most: number,
): Promise<number> {
  const range = rangeOf(filter, { direction: 'older', beyond: undefined })
  const count = (db: Db): Promise<number> => {
    const all: Fragment =
      isSearch(filter) && isBare(filter)
        ? soughtInRange(db, programId, filter, range, 'all')
        : source(db, programId, filter, range, most, 'all')
    return readValue<number>(db)`select count(*) as count from (select submit_seq from ${all} limit ${most}) counted`
  }
  if (isSearch(filter)) return searching(sql, count)
  return isLaned(filter) ? uncompiled(sql, count) : count(sql)
}

/** Number of a program's applications. */
export async function countApplications(db: Db, programId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select submissions - erased as count from submission_counter where program_id = ${programId}`
  return row?.count ?? 0
}

/** The applications in a range that match a filter. Lanes and search steps may omit everything after the first `rowsMax`. */
const source = (
  db: Db,
  programId: number,
  filter: ListFilter,
  range: LaneRange,
  rowsMax: number,
  step: SearchStep,
): Fragment =>
  isLaned(filter)
    ? lanes(db, programId, filter, range, rowsMax)
    : found(db, programId, filter, range, gathered(db, programId, filter, range, rowsMax, step))

/** The collected applications that match a filter. */
function found(db: Db, programId: number, filter: ListFilter, range: LaneRange, from: Fragment): Fragment {
  const { status, revisionState, applicantId, words } = filter
  return db`${from} as application
    where program_id = ${programId}
    ${within(db, range)}
    ${status === undefined ? db`` : db`and coalesce(status, '') = ${status ?? ''}`}
    ${filter.asOf === undefined ? db`` : db`and submit_seq <= ${filter.asOf}`}
    ${revisionState === undefined ? db`` : db`and ${isCurrentAsOf(db, filter.asOf)} = ${revisionState === 'CURRENT'}`}
    ${applicantId === undefined ? db`` : db`and applicant_id = ${applicantId}`}
    ${words === undefined || isSearch(filter) ? db`` : db`and ${isWorded(db, programId, filter)}`}`
}

/**
 * The matches of a search, or the few applications that a filter names, collected before sorting; for other filters, the table itself. A search
 * without other filters fetches at most `rowsMax` applications.
 */
function gathered(
  db: Db,
  programId: number,
  filter: ListFilter,
  range: LaneRange,
  rowsMax: number,
  step: SearchStep,
): Fragment {
  const { applicationId, applicantId, words } = filter
  const columns = db`program_id, application_id, applicant_id, submit_time, submit_seq, superseded_seq, status,
      status_last_modified_time, application_note`
  const those = (condition: Fragment): Fragment =>
    db`(select ${columns} from application where program_id = ${programId} and ${condition} offset 0)`
  if (applicationId !== undefined) return those(db`application_id = ${applicationId}`)
  if (applicantId !== undefined) return those(db`applicant_id = ${applicantId}`)
  if (words === undefined) return db`application`
  return db`(
    select application.*
    from (
      select submit_seq
      from ${soughtInRange(db, programId, filter, range, step)}
      ${isBare(filter) ? db`order by ${ordered(db, range)} limit ${rowsMax}` : db``}
    ) place
    cross join lateral ${those(db`submit_seq = place.submit_seq`)} application)`
}

/** What a step of a search finds in its range and program. */
const soughtInRange = (db: Db, programId: number, filter: ListFilter, range: LaneRange, step: SearchStep): Fragment =>
  db`${soughtPlaces(db, programId, filter, range, step)} as sought where program_id = ${programId} ${within(db, range)}`

/** Whether nothing had superseded an application up to a change, or until now. */
const isCurrentAsOf = (db: Db, asOf: number | undefined) =>
  asOf === undefined
    ? db`(superseded_seq is null)`
    : db`(coalesce(superseded_seq, 9223372036854775807) > ${asOf}::bigint)`

/** A program with the number of applications ever submitted to it, including erased ones. */
export interface ProgramWithSubmissions {
  program_id: number
  slug: string
  display_name: string
  intake_state: ProgramIntake['intake_state']
  submissions: number
}

/** Programs after this slug, in order; only these unless all are requested. */
export async function readProgramsWithSubmissions(
  db: Db,
  page: { among: AmongPrograms; after: string; rowsMax: number },
): Promise<ProgramWithSubmissions[]> {
  const { among, after, rowsMax } = page
  return db<ProgramWithSubmissions[]>`
    select p.program_id, p.slug, p.display_name, p.intake_state, c.submissions
    from program p
    join submission_counter c on c.program_id = p.program_id
    where p.slug > ${after}
    and ${isAmong(db, 'p.program_id', among)}
    order by p.slug
    limit ${rowsMax}`
}

/**
 * Number of a program's applications before a time in which an option of a question is selected, at any depth. Only searches this many of the newest
 * applications, and reports whether these were all. Searches the text: question objects are always written in the same way, and option IDs contain no
 * quotes to escape, except those of a map.
 */
export async function countWithOption(
  db: Db,
  programId: number,
  { question_key, option_id, to }: { question_key: string; option_id: string; to: Micros },
  rowsMax: number,
): Promise<{ found: number; all: boolean }> {
  const key = `${JSON.stringify(question_key)}:{"question_type":"`
  const id = JSON.stringify(option_id)
  const [row] = await db<{ found: number; seen: number }[]>`
    select
      count(*) filter (where exists (
        select
        from string_to_table(snapshot, ${key}) with ordinality as answer (text, nth)
        where nth > 1
        and position(${id} in split_part(answer.text, '}', 1)) > 0
      ))::integer as found,
      count(*)::integer as seen
    from (
      select snapshot
      from application
      where program_id = ${programId}
      and submit_time < ${to}
      order by submit_time desc, submit_seq desc
      limit ${rowsMax}
    ) theirs`
  return { found: row!.found, all: row!.seen < rowsMax }
}
