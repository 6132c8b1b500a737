// Lets only one process migrate a database at a time. The others retry in short transactions instead of waiting for the lock, because a waiting
// statement holds a snapshot, which a concurrent index build waits for, so neither would end.

import { type DatabaseSession, inSession, inTransaction, readValue, type Sql, type Transaction } from './client.ts'

/** An arbitrary fixed number. The process that migrates this database holds this advisory lock. */
const lockId = 7_319_042_551

const askAgainMs = 100

/** Runs `work` in a transaction that holds the lock. Safe through a pooler: lock and settings end with the transaction. */
export async function withLockInTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (;;) {
    const ran = await inTransaction(sql, async tx => {
      const isHeld = await readValue<boolean>(tx)`select pg_try_advisory_xact_lock(${lockId}::bigint)`
      return isHeld ? { result: await work(tx) } : undefined
    })
    if (ran !== undefined) return ran.result
    await Bun.sleep(askAgainMs)
  }
}

/**
 * Runs `work` outside a transaction, on one connection whose session holds the lock and has no statement timeout. If the process dies,
 * PostgreSQL keeps the lock until the statement has ended. Not through a pooler, which would give each statement another session.
 */
export async function withLockInSession<T>(sql: Sql, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  return inSession(sql, async session => {
    while (!(await readValue<boolean>(session)`select pg_try_advisory_lock(${lockId}::bigint)`))
      await Bun.sleep(askAgainMs)
    try {
      await session`select set_config('statement_timeout', '0', false)`
      return await work(session)
    } finally {
      // A lost connection has lost both. Null is the value that the connection started with.
      const unlock = session`select pg_advisory_unlock(${lockId}::bigint), set_config('statement_timeout', null, false)`
      await unlock.catch(() => {})
    }
  })
}
