// Makes many applications of few, in the database itself, for tests of how reading behaves when there are tens of thousands.

import type { Sql } from '../../src/db/client.ts'

/**
 * Repeats the applications that are there, whatever their programs, `times` times: each time for a new applicant, a second
 * later than the time before. Programs are interleaved as if submitted side by side, and one in eight is OBSOLETE.
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
    set submit_seq = newest.submit_seq + 3, last_submit_time = greatest(last_submit_time, newest.submit_time)
    from (select program_id, max(submit_seq) as submit_seq, max(submit_time) as submit_time from application group by program_id) newest
    where newest.program_id = c.program_id`
}
