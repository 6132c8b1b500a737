// Applications by the million, made by the database itself, and the statements that tell what became of them.

import type { Sql, Transaction } from '../../src/db/client.ts'

/** What is put for an applicant's and an application's id into the text that all applications are copies of. */
export const placeholders = { applicant: 888_888_888_888, application: 999_999_999_999 }

/** Programs with one version that asks nothing. Returns their ids. */
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
 * Gives each of these programs, which have none, so many applications of new applicants, in the order in which they would come if people
 * submitted to all programs at the same time, one a second. All are copies of one text but for the ids in it.
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

/**
 * Runs `work` in a transaction in which `application` has no keys, foreign keys and indexes, and makes them again: much the quicker way
 * to fill it with millions. Everything is checked when it is made again.
 */
export async function withoutKeys(sql: Sql, work: (tx: Transaction) => Promise<void>): Promise<void> {
  await sql.begin(async tx => {
    await tx`select set_config('maintenance_work_mem', '512MB', true)`
    const keys = await tx<{ drop: string; make: string }[]>`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
      from pg_constraint
      where contype in ('p', 'u', 'f') and (conrelid = 'application'::regclass or (contype = 'f' and confrelid = 'application'::regclass))
      order by contype = 'f' desc`
    const indexes = await tx<{ drop: string; make: string }[]>`
      select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
      from pg_index i
      where indrelid = 'application'::regclass and not exists (select from pg_constraint where conindid = i.indexrelid)`
    const parts = [...keys, ...indexes]
    for (const { drop } of parts) await execute(tx, drop)
    await work(tx)
    for (const { make } of parts.reverse()) await execute(tx, make)
  })
}

/** A statement that the catalogue gave as text. */
async function execute(tx: Transaction, statement: string): Promise<void> {
  await tx`select set_config('bench.statement', ${statement}, true)`
  await tx`do $$ begin execute current_setting('bench.statement'); end $$`
}

/** Runs `work` while the server does not wait for the disk. What it wrote is there before this resolves. */
export async function withoutWaitingForDisk(sql: Sql, work: () => Promise<void>): Promise<void> {
  await sql`alter system set fsync = off`
  await sql`select pg_reload_conf()`
  await work()
  await sql`alter system reset fsync`
  await sql`select pg_reload_conf()`
  await sql`checkpoint`
}

/** Ids that applications have, from all programs. */
export async function someApplicationIds(sql: Sql, count: number): Promise<number[]> {
  const rows = await sql<{ application_id: number }[]>`
    select page * 512 + n as application_id
    from loaded_ids
    cross join generate_series(0, 511) as n
    where get_bit(ids, n) = 1
    order by random()
    limit ${count}`
  return rows.map(row => row.application_id)
}

/** Ids of a program's applications from a place on, in the order of a walk. */
export async function applicationIdsFrom(sql: Sql, programId: number, submitSeq: number, count: number) {
  return sql<{ application_id: number; applicant_id: number }[]>`
    select application_id, applicant_id
    from application
    where program_id = ${programId} and submit_seq >= ${submitSeq}
    order by submit_seq
    limit ${count}`
}

/** Bytes on the disk of the applications, and of each index of theirs, wherever these lie. */
export async function applicationSizes(sql: Sql): Promise<{ name: string; bytes: number }[]> {
  return sql<{ name: string; bytes: number }[]>`
    select 'rows' as name, pg_table_size('application') + coalesce(sum(pg_table_size(relid)), 0)::bigint as bytes
    from pg_partition_tree('application')
    where isleaf
    union all
    select relname, pg_relation_size(indexrelid) + coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree(indexrelid) where isleaf), 0)::bigint
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where indrelid = 'application'::regclass
    order by bytes desc`
}

/** The table that a program's applications lie in. */
export async function tableOf(sql: Sql, programId: number): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select tableoid::regclass::text as name from application where program_id = ${programId} limit 1`
  return row!.name
}

/** How often each table of applications was read through an index, and from end to end. Of what this connection did, all is counted. */
export async function readScans(one: Sql): Promise<Map<string, { index: number; whole: number }>> {
  await one`select pg_stat_force_next_flush()`
  await one`select pg_stat_clear_snapshot()`
  const rows = await one<{ name: string; index: number; whole: number }[]>`
    select relname as name, coalesce(idx_scan, 0) as index, seq_scan as whole
    from pg_stat_user_tables
    where relname ~ '^application(_[0-9]+)?$'`
  return new Map(rows.map(({ name, ...scans }) => [name, scans]))
}

/** A vacuum that goes through every index, however little is to be taken out. */
export async function vacuumTable(sql: Sql, table: string): Promise<void> {
  await sql`vacuum (index_cleanup on) ${sql(table)}`
}
