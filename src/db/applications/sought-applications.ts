// Looks applications up by their words. Which index is read is not left to what PostgreSQL believes about the data: `offset 0` keeps conditions
// apart, and a search is not allowed to read a table from end to end.

import { latest } from '../../domain/values/offset-time.ts'
import { type Db, inTransaction, type Sql } from '../client.ts'
import { farPast, type LaneRange } from './list-lanes.ts'
import { areSought, soughtNumber, type WordFilter } from './word-search.ts'

/**
 * Among which applications of a range a search looks, one after the other until it has a page: the nearest, whose words are read one by one in a
 * few milliseconds, and all that the index finds. At 3,000,000 applications, a name of 1 in 200 fills a page from the nearest, and what is found
 * of rarer names is fetched in a tenth of a second.
 */
export const searchSteps = ['nearest', 'all'] as const
export type SearchStep = (typeof searchSteps)[number]
const nearestMax = 10_000

/**
 * Of words that most applications have, the index finds more places than PostgreSQL's 4 MB hold; it would then remember pages alone. 64 MB
 * hold a million pages. With a plan for any words and times, PostgreSQL fetches all that have the words. It would begin parallel workers for
 * words that nobody has, and compile statements for a second.
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

/** The places of the applications that a step finds in its range: rows of `program_id`, `submit_time` and `submit_seq`, those of others among them. */
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
  // Without a condition on the program, which each word begins with: PostgreSQL could take it for reason enough to read the whole program.
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

/** Between two places; an end beyond all applications is no condition. */
export function within(db: Db, { least, most }: Pick<LaneRange, 'least' | 'most'>) {
  return db`
    ${least.submit_time === farPast ? db`` : db`and (submit_time, submit_seq) >= (${least.submit_time}::timestamptz, ${least.submit_seq}::bigint)`}
    ${most.submit_time === latest ? db`` : db`and (submit_time, submit_seq) < (${most.submit_time}::timestamptz, ${most.submit_seq}::bigint)`}`
}

/** Newest first towards the older ones. */
export const ordered = (db: Db, { direction }: Pick<LaneRange, 'direction'>) =>
  direction === 'older' ? db`submit_time desc, submit_seq desc` : db`submit_time asc, submit_seq asc`
