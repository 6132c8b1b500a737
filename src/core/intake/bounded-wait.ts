// Runs a transaction that waits for others only up to a limit, and then fails with a clear error.

import { Problem } from '../../base/problem.ts'
import { limitLockWait } from '../../db/applications/submissions.ts'
import type { Sql, Transaction } from '../../db/client.ts'

/**
 * Runs `work` in a transaction. Throws Problem `unavailable`, with nothing changed, if another transaction blocks it for `lockWaitMs`, if
 * PostgreSQL ends it because of a deadlock, or if a statement takes too long.
 */
export async function withBoundedWait<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return (await sql.begin('isolation level read committed', async tx => {
      // Sent together and executed in order.
      const [, done] = await Promise.all([limitLockWait(tx), work(tx)])
      return done
    })) as T
  } catch (error) {
    if (!isWaitFailure(error)) throw error
    throw new Problem('unavailable', {
      detail: 'This application or program is busy. Nothing was changed; try again in a few seconds.',
      retryAfterSeconds: 1,
      internal: 'lock_wait',
      cause: error,
    })
  }
}

/** lock_not_available, deadlock_detected, serialization_failure, query_canceled. */
function isWaitFailure(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && ['55P03', '40P01', '40001', '57014'].includes(code)
}
