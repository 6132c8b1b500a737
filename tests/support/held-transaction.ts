// A transaction that stays open, for what happens to those that wait for its locks or for its connection.

import type { Sql, Transaction } from '../../src/db/client.ts'
import { citusInstallation } from './citus.ts'
import { endWithTest } from './fixtures.ts'

/** Resolves when the transaction is open and has run `statement`, with a function that ends it; so does the end of the test. */
export async function holdTransaction(
  sql: Sql,
  statement: (tx: Transaction) => PromiseLike<unknown> = async () => {},
): Promise<() => Promise<void>> {
  const ended = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = sql.begin(async tx => {
    await statement(tx)
    held.resolve()
    await ended.promise
  })
  const release = async (): Promise<void> => {
    ended.resolve()
    await holding
  }
  endWithTest(release)
  await Promise.race([held.promise, holding])
  return release
}

/** Number of connections to the database that wait for a lock; only those whose name or statement contains `of`. */
export async function waitingForLocks(sql: Sql, of = ''): Promise<number> {
  // Only Citus knows what is waiting on a worker.
  const elsewhere = sql`or pid in (select citus_pid_for_gpid(waiting_gpid) from citus_lock_waits)`
  const [row] = await sql<{ waiting: number }[]>`
    select count(*) as waiting from pg_stat_activity
    where datname = current_database() and (wait_event_type = 'Lock' ${citusInstallation() === undefined ? sql`` : elsewhere})
    and concat(application_name, ' ', query) like ${`%${of}%`}`
  return row!.waiting
}
