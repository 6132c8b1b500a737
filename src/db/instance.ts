// The one row of facts about this installation: the zone its stored times are written in.

import type { Db } from './client.ts'

/** The zone stored texts are rendered in, or undefined in a database that was never used. */
export async function findInstanceTimeZone(db: Db): Promise<string | undefined> {
  const [row] = await db<{ time_zone: string }[]>`select time_zone from instance`
  return row?.time_zone
}

/** Records the zone. Only for a database without applications, or within the transaction that re-renders them all. */
export async function setInstanceTimeZone(db: Db, timeZone: string): Promise<void> {
  await db`
    insert into instance (time_zone) values (${timeZone})
    on conflict (only_row) do update set time_zone = excluded.time_zone`
}
