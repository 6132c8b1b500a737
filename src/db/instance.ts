// Reads and writes the row of facts about this installation, such as the time zone of its stored times, and prepares a database for use.

import { Problem } from '../base/problem.ts'
import { release } from '../base/release.ts'
import { type Db, findValue, inTransaction, openDatabase, readValue, type Sql, type Transaction } from './client.ts'
import { noteHistory } from './database-history.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'

/** The time zone of stored texts; undefined if the database has never been used. */
export async function findInstanceTimeZone(db: Db): Promise<string | undefined> {
  return findValue<string>(db)`select time_zone from instance`
}

/**
 * Changes the instance's time zone if no application was ever stored (D57), and returns whether it changed. For operators only: at start,
 * a process with a different setting would change it for all others.
 */
export async function changeUnusedTimeZone(sql: Sql, timeZone: string): Promise<boolean> {
  if ((await findInstanceTimeZone(sql)) === timeZone || (await hasApplications(sql))) return false
  return inTransaction(sql, async tx => {
    // Submissions and loads read the zone under the program's counter; a follower locks the row of the instance.
    await tx`select from instance for update`
    await tx`lock table submission_counter in exclusive mode`
    if (await hasApplications(tx)) return false
    await tx`update instance set time_zone = ${timeZone}`
    return true
  })
}

/** Whether an application was ever stored here, including erased ones. */
async function hasApplications(db: Db): Promise<boolean> {
  return readValue<boolean>(db)`select coalesce(max(submit_seq), 0) > 0 as stored from submission_counter`
}

/** Migrates to this release's schema. A database that has never been used receives the configured time zone. */
export async function prepareDatabase(sql: Sql, timeZone: string): Promise<void> {
  await migrate(sql, allMigrations)
  if ((await findInstanceTimeZone(sql)) !== undefined) return
  await sql`
    insert into instance (time_zone, oldest_release) values (${timeZone}, ${release.version})
    on conflict do nothing`
}

/**
 * Runs before a process serves: `prepareDatabase` on a connection without a time limit, then the check of the time zone.
 */
export async function prepareAtStart({
  databaseUrl,
  timeZone,
  exportOnly,
}: {
  databaseUrl: string
  timeZone: string
  exportOnly: boolean
}): Promise<void> {
  const sql = openDatabase({ url: databaseUrl, connectionsMax: 1, prepare: false, applicationName: 'tributary-start' })
  try {
    // An export-only process changes nothing.
    if (exportOnly) await requireMigrated(sql, allMigrations)
    else {
      await prepareDatabase(sql, timeZone)
      await noteHistory(sql)
    }
    await requireInstanceTimeZone(sql, timeZone)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Throws if the stored times have another time zone than the configured one. */
export async function requireInstanceTimeZone(db: Db, timeZone: string): Promise<void> {
  const stored = await findInstanceTimeZone(db)
  if (stored === timeZone) return
  throw otherTimeZone(stored, timeZone, await hasApplications(db))
}

/**
 * Like `requireInstanceTimeZone`, and locks the zone until the end of the transaction. For followers only: on a cluster, where every node
 * has the row, two processes that lock it could deadlock.
 */
export async function holdInstanceTimeZone(tx: Transaction, timeZone: string): Promise<void> {
  const stored = await findValue<string>(tx)`select time_zone from instance for share`
  if (stored !== timeZone) throw otherTimeZone(stored, timeZone, true)
}

function otherTimeZone(stored: string | undefined, timeZone: string, isFixed: boolean): Problem {
  const way = isFixed
    ? `The time zone cannot change after the first application, because stored applications are exported as written. Set INSTANCE_TIME_ZONE to ${stored}.`
    : `No application has been stored yet: run scripts/migrate with INSTANCE_TIME_ZONE=${timeZone} to change the zone, or set INSTANCE_TIME_ZONE to ${stored}.`
  return new Problem('conflict', {
    detail: `INSTANCE_TIME_ZONE is ${timeZone}, but the time zone of this database is ${stored}. ${way}`,
    internal: 'other_time_zone',
  })
}
