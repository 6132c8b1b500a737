// Filtered lists of applications for the console, and their counts. Each statement reads a page from an index, however
// large the program. A search also scans the index of words that begin with the search text, at less than 1 µs per
// application found.

import { type Static, Type } from 'typebox'
import type { RevisionState } from '../../domain/questions/application.ts'
import { latest, type Micros } from '../../domain/values/offset-time.ts'
import type { Db, Sql } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import type { ProgramIntake } from '../programs/program-intake.ts'
import { flag, integer, row, textOrNull, time, timeOrNull } from '../row-schemas.ts'
import type { Position } from '../walks/walks.ts'
import { farPast, type LaneRange, lanes, rangeOf, uncompiled } from './list-lanes.ts'
import { isWorded, type WordFilter } from './word-search.ts'

/** What applications are wanted: those of which everything given is true. */
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

/** Of an application, in a list and by itself: what it has besides its answers. */
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
  return finding(sql, filter, async db => {
    const window = isSearch(filter) ? await narrowed(db, programId, range) : undefined
    const rows = window && (await readRange(db, programId, filter, window, rowsMax))
    return rows?.length === rowsMax ? rows : readRange(db, programId, filter, range, rowsMax)
  })
}

function readRange(
  db: Db,
  programId: number,
  filter: ListFilter,
  range: LaneRange,
  rowsMax: number,
): PromiseLike<ListedApplication[]> {
  const ordered = range.direction === 'older' ? db`desc` : db`asc`
  return db<ListedApplication[]>`
    select application_id, applicant_id, submit_time, submit_seq, superseded_seq is null as is_current, application.status,
      status_last_modified_time, application_note is not null as has_note, ${filter.wordsIn === 'own_name'}::boolean as is_own_name
    from ${source(db, programId, filter, range, rowsMax)}
    order by submit_time ${ordered}, submit_seq ${ordered}
    limit (select ${rowsMax}::bigint)`
}

/**
 * A search looks among this many applications next to its place first, then among all. Of a common name, what the index of words finds is thus
 * fetched for a page or two, and not for each that has the name: at 3,000,000 applications, a name of 1 in 200 fills a page from these, and
 * what rarer ones find is fetched in a tenth of a second.
 */
const searchWindow = 10_000

/** The part of a range with its first `searchWindow` applications; undefined when it has no more of them. */
async function narrowed(db: Db, programId: number, range: LaneRange): Promise<LaneRange | undefined> {
  const { least, most, direction } = range
  const ordered = direction === 'older' ? db`desc` : db`asc`
  const [edge] = await db<Position[]>`
    select submit_time, submit_seq
    from application
    where program_id = ${programId}
    and (submit_time, submit_seq) >= (${least.submit_time}::timestamptz, ${least.submit_seq}::bigint)
    and (submit_time, submit_seq) < (${most.submit_time}::timestamptz, ${most.submit_seq}::bigint)
    order by submit_time ${ordered}, submit_seq ${ordered}
    limit 1
    offset ${searchWindow}`
  if (edge === undefined) return undefined
  return direction === 'older' ? { least: edge, most, direction } : { least, most: edge, direction }
}

/** Whether words are looked up in their index. */
const isSearch = ({ words, applicantId, applicationId }: ListFilter): boolean =>
  words !== undefined && applicantId === undefined && applicationId === undefined

/** Whether nothing is wanted but a status or a revision state, between two times. */
const isLaned = ({ status, revisionState, ...named }: ListFilter): boolean =>
  (status !== undefined || revisionState !== undefined) &&
  named.words === undefined &&
  named.asOf === undefined &&
  named.applicantId === undefined &&
  named.applicationId === undefined

/**
 * Of words that most applications have, the index finds more places than PostgreSQL's 4 MB hold. It then remembers pages alone, and computes
 * the words of every application on them again, which takes 17 times as long in a program of 300,000. 64 MB hold a million pages.
 * For what `applicant_words` is said to cost, PostgreSQL would begin parallel workers for words that nobody has, and compile statements for a second.
 */
async function finding<T>(sql: Sql, filter: ListFilter, read: (db: Db) => PromiseLike<T>): Promise<T> {
  if (isLaned(filter)) return uncompiled(sql, read)
  if (filter.words === undefined) return read(sql)
  return uncompiled(sql, async tx => {
    await tx`set local work_mem = '64MB'`
    await tx`set local max_parallel_workers_per_gather = 0`
    // With a plan for any words and times, PostgreSQL fetches all that have the words.
    await tx`set local plan_cache_mode = force_custom_plan`
    return read(tx)
  })
}

/** How many applications a filter finds, counted no further than `most`. */
export async function countListedApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  most: number,
): Promise<number> {
  const range = rangeOf(filter, { direction: 'older', beyond: undefined })
  const [row] = await finding(
    sql,
    filter,
    db => db<[{ count: number }]>`
      select count(*) as count
      from (
        select submit_seq
        from ${source(db, programId, filter, range, most)}
        limit ${most}
      ) counted`,
  )
  return row.count
}

/** How many applications a program has. */
export async function countApplications(db: Db, programId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select submissions - erased as count from submission_counter where program_id = ${programId}`
  return row?.count ?? 0
}

/** What a filter finds in a range. Lanes leave out what is beyond `rowsMax` of them. */
const source = (db: Db, programId: number, filter: ListFilter, range: LaneRange, rowsMax: number) =>
  isLaned(filter) ? lanes(db, programId, filter, range, rowsMax) : found(db, programId, filter, range)

/** The table with the conditions of a filter. */
function found(db: Db, programId: number, filter: ListFilter, range: LaneRange) {
  const { status, revisionState, applicantId, words } = filter
  // Those that an id names are few: words are held against them, and not looked up.
  const isById = (filter.applicationId ?? applicantId) !== undefined
  return db`${gathered(db, programId, filter, range)} as application
    where program_id = ${programId}
    ${within(db, range)}
    ${status === undefined ? db`` : db`and coalesce(status, '') = ${status ?? ''}`}
    ${filter.asOf === undefined ? db`` : db`and submit_seq <= ${filter.asOf}`}
    ${revisionState === undefined ? db`` : db`and ${isCurrentAsOf(db, filter.asOf)} = ${revisionState === 'CURRENT'}`}
    ${applicantId === undefined ? db`` : db`and applicant_id = ${applicantId}`}
    ${isById && words !== undefined ? db`and ${isWorded(db, programId, filter)}` : db``}`
}

/** Between two places; an end beyond all applications is no condition. */
function within(db: Db, { least, most }: Pick<LaneRange, 'least' | 'most'>) {
  return db`
    ${least.submit_time === farPast ? db`` : db`and (submit_time, submit_seq) >= (${least.submit_time}::timestamptz, ${least.submit_seq}::bigint)`}
    ${most.submit_time === latest ? db`` : db`and (submit_time, submit_seq) < (${most.submit_time}::timestamptz, ${most.submit_seq}::bigint)`}`
}

/** The few that a filter names, gathered before they are sorted; the table itself where it names none. */
function gathered(db: Db, programId: number, filter: ListFilter, range: LaneRange) {
  const named = namedBy(db, programId, filter)
  if (named === undefined) return db`application`
  const isNarrow = range.least.submit_time !== farPast || range.most.submit_time !== latest
  return db`(
    select program_id, application_id, applicant_id, submit_time, submit_seq, superseded_seq, status,
      status_last_modified_time, application_note, snapshot
    from application
    where ${named}
    ${isSearch(filter) && isNarrow ? db`and program_id = ${programId} ${within(db, range)}` : db``}
    offset 0)`
}

/**
 * Words are looked up without a condition on the program, which each of them begins with: PostgreSQL, which may know nothing of the table,
 * could take it for reason enough to read the whole program. The list itself has that condition, and so has a search among the nearest.
 */
function namedBy(db: Db, programId: number, filter: ListFilter) {
  const { applicationId, applicantId, words } = filter
  const ofProgram = db`program_id = ${programId}`
  if (applicationId !== undefined) return db`${ofProgram} and application_id = ${applicationId}`
  if (applicantId !== undefined) return db`${ofProgram} and applicant_id = ${applicantId}`
  return words === undefined ? undefined : isWorded(db, programId, filter)
}

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
