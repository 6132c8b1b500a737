// The one row of facts about this installation: the zone its stored times are written in. And making a database ready for use.

import { Problem } from '../problem.ts'
import { release } from '../release.ts'
import { type Db, findValue, openDatabase, type Sql, type Transaction } from './client.ts'
import { noteHistory } from './database-history.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'

/** The zone stored texts are rendered in, or undefined in a database that was never used. */
export async function findInstanceTimeZone(db: Db): Promise<string | undefined> {
  return findValue<string>(db)`select time_zone from instance`
}

/** Records the zone. Only for a database without applications, or within the transaction that re-renders them all. */
export async function setInstanceTimeZone(db: Db, timeZone: string): Promise<void> {
  await db`
    insert into instance (time_zone, oldest_release) values (${timeZone}, ${release.version})
    on conflict (only_row) do update set time_zone = excluded.time_zone`
}

/** Migrates to this release's schema; a database that was never used takes the configured zone. */
export async function prepareDatabase(sql: Sql, timeZone: string): Promise<void> {
  await migrate(sql, allMigrations)
  if ((await findInstanceTimeZone(sql)) !== undefined) return
  await sql`
    insert into instance (time_zone, oldest_release) values (${timeZone}, ${release.version})
    on conflict do nothing`
}

/**
 * What a process does before it serves: `prepareDatabase`, on a connection that may take its time, and the check of the zone.
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
    // What only exports changes nothing.
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

/** Throws when stored times are written in another zone than the configured one. */
export async function requireInstanceTimeZone(db: Db, timeZone: string): Promise<void> {
  refuseOtherTimeZone(await findInstanceTimeZone(db), timeZone)
}

/** As `requireInstanceTimeZone`, and keeps the zone from being changed to the end of the transaction. */
export async function holdInstanceTimeZone(tx: Transaction, timeZone: string): Promise<void> {
  const [row] = await tx<{ time_zone: string }[]>`select time_zone from instance for share`
  refuseOtherTimeZone(row?.time_zone, timeZone)
}

function refuseOtherTimeZone(stored: string | undefined, timeZone: string): void {
  if (stored !== timeZone) {
    throw new Problem('conflict', {
      detail: `INSTANCE_TIME_ZONE is ${timeZone}, but this database holds times written in ${stored}. Set it back, or run scripts/rerender-times to write them again.`,
    })
  }
}
