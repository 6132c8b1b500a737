// What a soak asks the database of its own, and does to it: to see that everything is at rest, which no other program asks.

import type { Sql } from '../../src/db/client.ts'

/** Every page and every submission waits in the meantime, and takes a connection with it. */
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
