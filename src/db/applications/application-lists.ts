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

/** Selects the applications for which everything given is true. */
export interface ListFilter extends WordFilter {
  /** Submitted at or after; before. */
  from?: Micros | undefined
  to?: Micros | undefined
  /** Null: those that have none. */
  status?: string | null | undefined
  revisionState?: RevisionState | undefined
  applicantId?: number | undefined
  applicationId?: number | undefined
  /** A change number: what was submitted up to it, with `revisionState` as it was then. Else now. */
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

/** Where an application is in a list. */
export type ListPosition = Position & Pick<ListedApplication, 'is_own_name'>

/** Where a page of a list begins: at its first application, or next to a place; `newer` goes towards the present and the first. */
export interface ListPlace {
  direction: 'older' | 'newer'
  /** Not itself in the page. */
  beyond: ListPosition | undefined
}

/**
 * At most `rowsMax` applications, in the order of the direction: newest first when it is `older`. What is submitted in the meantime is
 * newer than every application, so a walk towards the older never meets it.
 *
 * Which index is walked is not left to what PostgreSQL believes about the data: with a status or a revision state, lanes are read; an
 * applicant's and one by its id are gathered first; and of a limit that is not known when it plans PostgreSQL expects a tenth of all rows, for
 * which it never gathers and sorts them. The program has a condition of its own, by which its shard is found.
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

/** Whether nothing is wanted but a status or a revision state, between two times. */
const isLaned = ({ status, revisionState, ...named }: ListFilter): boolean =>
  (status !== undefined || revisionState !== undefined) &&
  named.words === undefined &&
  named.asOf === undefined &&
  named.applicantId === undefined &&
  named.applicationId === undefined

/** How many applications a filter finds, counted no further than `most`. */
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

/** How many applications a program has. */
export async function countApplications(db: Db, programId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select submissions - erased as count from submission_counter where program_id = ${programId}`
  return row?.count ?? 0
}

/** What a filter finds in a range. Lanes and steps of a search may omit everything after the first `rowsMax`. */
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

/** What is gathered, with the conditions of a filter. */
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
 * The matches of a search, or the few applications that a filter names, gathered before they are sorted; the table itself for other filters. A
 * search without other filters fetches no more applications than `rowsMax`.
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

/** Whether nothing had superseded an application up to a change, or has now. */
const isCurrentAsOf = (db: Db, asOf: number | undefined) =>
  asOf === undefined
    ? db`(superseded_seq is null)`
    : db`(coalesce(superseded_seq, 9223372036854775807) > ${asOf}::bigint)`

/** A program with how many applications were ever submitted to it, those erased since among them. */
export interface ProgramWithSubmissions {
  program_id: number
  slug: string
  display_name: string
  intake_state: ProgramIntake['intake_state']
  submissions: number
}

/** Programs by slug, after this one; of these alone, unless all are meant. */
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
 * Of a program's applications before a time, how many have an option selected in a question, at any depth; of the newest so many, and whether
 * these were all. As text: a question object is written in one way, and an option id has no quotes to escape but that of a map.
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
