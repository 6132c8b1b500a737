// The benchmark's own SQL: the drain's query, and the copy that the peers read. The service must not depend on it.

import type { Sql } from '../../src/db/client.ts'

export interface BenchProgram {
  program_id: number
  slug: string
  applications: number
  horizon: number
}

/** The program with the most applications. */
export async function readLargestProgram(sql: Sql): Promise<BenchProgram | undefined> {
  const [row] = await sql<BenchProgram[]>`
    select p.program_id, p.slug, c.submit_seq as horizon, count(a.application_id) as applications
    from program p
    join submission_counter c using (program_id)
    left join application a using (program_id)
    group by p.program_id, p.slug, c.submit_seq
    order by applications desc
    limit 1`
  return row
}

/** The bytes that every exporter has to read for a page, in order, without filling in or deciding anything. */
export const drainStatements = ({ program_id, horizon }: BenchProgram, rows: number) => ({
  prepare:
    'prepare page (bigint, bigint, bigint) as ' +
    'select snapshot, annotations from application where program_id = $1 and submit_seq <= $2 ' +
    'order by submit_time, submit_seq limit $3',
  statement: `execute page (${program_id}, ${horizon}, ${rows})`,
})

/** Fresh statistics, a complete visibility map, and nothing left for a vacuum to do in the middle of a round. */
export async function settleTables(sql: Sql): Promise<void> {
  await sql`vacuum (freeze, analyze)`
  await sql`checkpoint`
}

/** A table for the peers: each application as one jsonb value with its position in the export. Returns their number. */
export async function countNaiveCopy(sql: Sql): Promise<number> {
  await sql`create table if not exists bench_naive (position bigint primary key, application jsonb not null)`
  const [row] = await sql<{ count: number }[]>`select count(*) as count from bench_naive`
  return row!.count
}

/** Adds the exported applications of a page that starts after `position`. */
export async function appendNaive(sql: Sql, position: number, page: string): Promise<void> {
  await sql`
    insert into bench_naive (position, application)
    select ${position}::bigint + ordinality, value
    from jsonb_array_elements((${page}::text)::jsonb -> 'payload') with ordinality
    on conflict (position) do nothing`
}

/** Makes a table of texts without an index, and returns stored texts for it. */
export async function createPlainTable(sql: Sql, { program_id }: BenchProgram, texts: number): Promise<string[]> {
  await sql`create table bench_plain (snapshot text not null)`
  await sql`alter table bench_plain alter column snapshot set storage external`
  const rows = await sql<{ snapshot: string }[]>`
    select snapshot
    from application
    where program_id = ${program_id}
    order by submit_seq desc
    limit ${texts}`
  return rows.map(row => row.snapshot)
}

export async function insertPlainly(sql: Sql, snapshot: string): Promise<void> {
  await sql`insert into bench_plain values (${snapshot})`
}

/** Gives so many applications, all over the program, another status than they have. */
export async function changeStatuses(sql: Sql, { program_id }: BenchProgram, changes: number): Promise<void> {
  const { count } = await sql`
    update application
    set
      status = changed.status,
      status_last_modified_time = now(),
      annotations = '"status":"' || changed.status || '","status_last_modified_time":"2026-01-01T00:00:00Z","application_note":null'
    from (
      select submit_seq, case when status = 'Approved' then 'Denied' else 'Approved' end as status
      from application
      where program_id = ${program_id}
      order by random()
      limit ${changes}
    ) changed
    where program_id = ${program_id}
    and application.submit_seq = changed.submit_seq`
  if (count !== changes) throw new Error(`${count} of ${changes} statuses were changed`)
}

/** Writes all applications into a file on the server as binary COPY, and removes them from their table. */
export async function moveApplicationsOut(sql: Sql, path: string): Promise<void> {
  await copyWithFile(sql, 'copy application to %L (format binary)', path)
  await sql`truncate application, application_words cascade`
  await sql`checkpoint`
}

/** Reads them from the server's file back into their table, with its indexes, checks and foreign keys. */
export async function copyApplicationsIn(sql: Sql, path: string): Promise<void> {
  await copyWithFile(sql, 'copy application from %L (format binary)', path)
}

/** A file name cannot be a parameter, so it is passed as a setting. */
async function copyWithFile(sql: Sql, format: string, path: string): Promise<void> {
  await sql.begin(async tx => {
    await tx`select set_config('bench.format', ${format}, true), set_config('bench.path', ${path}, true)`
    await tx`
      do $$ begin
        execute format(current_setting('bench.format'), current_setting('bench.path'));
      end $$`
  })
}
