// Very many applications, made by the database itself.

import type { Sql, Transaction } from '../../src/db/client.ts'

/** Placeholders for an applicant's and an application's ID in the text that all applications are copies of. */
const placeholders = { applicant: 888_888_888_888, application: 999_999_999_999 }

/** Creates programs with one version without questions. Returns their IDs. */
export async function makeBarePrograms(sql: Sql, prefix: string, programs: number): Promise<number[]> {
  const made = await sql<{ program_id: number }[]>`
    with made as (
      insert into program (slug, display_name)
      select ${prefix} || '-' || n, 'One of many'
      from generate_series(1, ${programs}) as n
      returning program_id
    ),
    counted as (
      insert into submission_counter (program_id)
      select program_id from made
      on conflict (program_id) do nothing
    )
    select program_id from made`
  const ids = made.map(row => row.program_id)
  await sql`
    insert into program_version (program_id, state, screens, display_name, statuses, created_by, published_at, published_by)
    select program_id, 'ACTIVE', '[]', 'One of many', '{}', 'bench', now(), 'bench'
    from unnest(${ids}::bigint[]) as made (program_id)`
  return ids
}

/**
 * Gives each of these programs, which have none, this many applications of new applicants, in the order in which they would arrive if people
 * submitted to all programs at the same time, one per second. All are copies of one text except for the IDs in it.
 */
export async function addApplications(
  tx: Transaction,
  programIds: readonly number[],
  each: number,
  snapshot: string,
): Promise<void> {
  const [programs, all] = [programIds.length, programIds.length * each]
  const [person] = await tx<{ first: number }[]>`
    with made as (
      insert into applicant (language) select 'en-US' from generate_series(1, ${all}) returning applicant_id
    )
    select min(applicant_id) as first from made`
  const [application] = await tx<{ first: number }[]>`
    select nextval('application_application_id_seq') as first`
  await tx`select setval('application_application_id_seq', ${application!.first + all - 1}::bigint)`
  await tx`
    insert into application (
      program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, snapshot, annotations)
    select
      v.program_id, ${application!.first}::bigint + n, ${person!.first}::bigint + n, v.program_version_id, at, at, n / ${programs} + 1,
      replace(replace(${snapshot}::text,
        ${String(placeholders.applicant)}, (${person!.first}::bigint + n)::text),
        ${String(placeholders.application)}, (${application!.first}::bigint + n)::text),
      '"status":null,"status_last_modified_time":null,"application_note":null'
    from generate_series(0, ${all - 1}::bigint) as n
    join (
      select program_id, program_version_id, row_number() over (order by program_id) - 1 as place
      from program_version
      where program_id = any(${programIds as number[]}::bigint[])
    ) v on v.place = n % ${programs}
    cross join lateral (select timestamptz '2020-01-01' + n / ${programs} * interval '1 second' as at) submitted`
  await tx`
    update submission_counter
    set submit_seq = ${each}, submissions = ${each}, last_submit_time = now()
    where program_id = any(${programIds as number[]}::bigint[])`
  await tx`
    insert into loaded_ids (page, ids)
    select id / 512, bit_or(set_bit(0::bit(512), (id % 512)::integer, 1))
    from generate_series(${application!.first}::bigint, ${application!.first + all - 1}::bigint) as id
    group by id / 512
    on conflict (page) do update set ids = loaded_ids.ids | excluded.ids`
}
