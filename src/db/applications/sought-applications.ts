// Finds applications by their words. The choice of an index does not depend on PostgreSQL's statistics: `offset 0` keeps conditions apart, and
// a search may not read a table from end to end.

import { latest } from '../../domain/values/offset-time.ts'
import { type Db, inTransaction, type Sql } from '../client.ts'
import { farPast, type LaneRange } from './list-lanes.ts'
import { areSought, soughtNumber, type WordFilter } from './word-search.ts'

/**
 * The steps of a search, which ends when it has a page: first the nearest applications of the range, whose words are read one by one in a few
 * milliseconds, then everything that the index finds. At 3,000,000 applications, a name in 1 of 200 applications fills a page from the nearest ones,
 * and the matches of rarer names are fetched in a tenth of a second.
 */
export const searchSteps = ['nearest', 'all'] as const
export type SearchStep = (typeof searchSteps)[number]
const nearestMax = 10_000

/**
 * For words that most applications have, the index finds more places than fit into PostgreSQL's usual 4 MB, which would then remember only pages; 64
 * MB hold a million pages. A generic plan for any words and times would fetch every match. Without the other settings, PostgreSQL would start
 * parallel workers for words that nobody has, and compile statements for a second.
 */
export async function searching<T>(sql: Sql, read: (db: Db) => PromiseLike<T>): Promise<T> {
  return inTransaction(sql, async tx => {
    await Promise.all([
      tx`set local jit = off`,
      tx`set local work_mem = '64MB'`,
      tx`set local max_parallel_workers_per_gather = 0`,
      tx`set local plan_cache_mode = force_custom_plan`,
      tx`set local enable_seqscan = off`,
    ])
    return read(tx)
  })
}

/** What a step finds in its range, as rows of `program_id`, `submit_time` and `submit_seq`. The caller removes rows outside the range. */
export function soughtPlaces(db: Db, programId: number, filter: WordFilter, range: LaneRange, step: SearchStep) {
  const [number, isSought] = [soughtNumber(filter), areSought(db, programId, filter)]
  if (step === 'nearest')
    return db`(
      select program_id, submit_time, submit_seq
      from (
        select program_id, submit_time, submit_seq, words
        from application_words
        where program_id = ${programId}
        ${within(db, range)}
        order by ${ordered(db, range)}
        limit ${nearestMax}
      ) nearest
      where ${isSought})`
  // No condition on the program: each word starts with the program's ID, and PostgreSQL might read the whole program because of such a condition.
  const found = db`
    select program_id, submit_time, submit_seq
    from application_words
    where ${isSought}
    offset 0`
  if (number === undefined) return db`(${found})`
  return db`(
    (${found})
    union all
    select program_id, submit_time, submit_seq
    from application
    where program_id = ${programId}
    and application_id = ${number}
    and not exists (
      select from application_words
      where program_id = ${programId}
      and submit_time = application.submit_time
      and submit_seq = application.submit_seq
      and ${isSought}
      offset 0))`
}

/** The condition that an application is in a range. An end after all applications needs no condition. */
export function within(db: Db, { least, most }: Pick<LaneRange, 'least' | 'most'>) {
  return db`
    ${least.submit_time === farPast ? db`` : db`and (submit_time, submit_seq) >= (${least.submit_time}::timestamptz, ${least.submit_seq}::bigint)`}
    ${most.submit_time === latest ? db`` : db`and (submit_time, submit_seq) < (${most.submit_time}::timestamptz, ${most.submit_seq}::bigint)`}`
}

/** Newest first if the direction is `older`. */
export const ordered = (db: Db, { direction }: Pick<LaneRange, 'direction'>) =>
  direction === 'older' ? db`submit_time desc, submit_seq desc` : db`submit_time asc, submit_seq asc`
