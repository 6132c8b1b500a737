// A soak's own SQL: locks and backups that no other program needs, and checks that the database is idle again.

import type { Sql } from '../../../src/db/client.ts'

/** Every page and submission waits meanwhile, and occupies a connection. */
export async function lockApplications(sql: Sql, forMs: number): Promise<void> {
  await sql.begin(async tx => {
    await tx`lock table application in access exclusive mode`
    await Bun.sleep(forMs)
  })
}

export async function countUnderived(sql: Sql): Promise<number> {
  const [row] = await sql<{ missing: number }[]>`
    select count(*) as missing from program_version v
    where v.state <> 'DRAFT' and not exists (select from program_key_map m where m.program_version_id = v.program_version_id)`
  return row!.missing
}

/** Connections of any role, and transactions of service and worker that were left open. */
export async function countConnections(sql: Sql): Promise<{ open: number; left: number }> {
  const [row] = await sql<{ open: number; left: number }[]>`
    select
      count(*) as open,
      count(*) filter (where application_name like 'tributary%' and state like 'idle in transaction%') as left
    from pg_stat_activity
    where datname is not null`
  return row!
}

/** For copying the data folder, until `endBackup` on the same connection. */
export async function startBackup(sql: Sql): Promise<void> {
  await sql`select pg_backup_start('soak', true)`
}

/** The label that belongs in the copy. */
export async function endBackup(sql: Sql): Promise<string> {
  const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
  return row!.labelfile
}

/** The name by which a primary knows its standby. */
export const standbyName = 'standby'

/** From now on, no commit is acknowledged before the standby has it. */
export async function followSynchronously(sql: Sql): Promise<void> {
  await sql`alter system set synchronous_standby_names = 'standby'`
  await sql`select pg_reload_conf()`
}

/** Whether the standby has everything committed so far, and commits wait for it. */
export async function hasAll(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ has_all: boolean }[]>`
    select bool_or(sync_state = 'sync' and replay_lsn >= pg_current_wal_flush_lsn()) as has_all
    from pg_stat_replication
    where application_name = ${standbyName}`
  return row!.has_all === true
}

export async function promote(sql: Sql): Promise<void> {
  await sql`select pg_promote()`
}

/** Status and note of each application after each change of either, in order. */
export interface AnnotationRow {
  application_id: number
  status: string | null
  application_note: string | null
}

export async function readAnnotationHistory(sql: Sql, programId: number): Promise<AnnotationRow[]> {
  return sql<AnnotationRow[]>`
    select application_id, status, application_note
    from application_annotation
    where program_id = ${programId}
    order by application_id, annotation_id`
}
