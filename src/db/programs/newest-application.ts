// The newest application of each program in a list of programs.

import type { Db } from '../client.ts'

/**
 * Joins `newest.submit_time`, null if there is none, to each row of `submission_counter c`, by that ID and no other column, or a Citus cluster would
 * reject the statement.
 */
export const newestApplication = (db: Db) => db`
  left join lateral (
    select a.submit_time
    from application a
    where a.program_id = c.program_id
    order by a.submit_time desc, a.submit_seq desc
    limit 1
  ) newest on true`
