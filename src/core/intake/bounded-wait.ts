// A transaction that waits for others only so long, and then says so instead of failing.

import { Problem } from '../../base/problem.ts'
import { limitLockWait } from '../../db/applications/submissions.ts'
import type { Sql, Transaction } from '../../db/client.ts'

/**
 * Runs `work` in a transaction. Throws Problem `unavailable` when another one stood in its way for `lockWaitMs`, when
 * PostgreSQL ended it as one of two that waited for each other, or when a statement took too long; nothing has happened then.
 */
export async function withBoundedWait<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return (await sql.begin('isolation level read committed', async tx => {
      // Sent together, and done one after the other.
      const [, done] = await Promise.all([limitLockWait(tx), work(tx)])
      return done
    })) as T
  } catch (error) {
    if (!isWaitFailure(error)) throw error
    throw new Problem('unavailable', {
      detail: 'This application or program is busy. Nothing was changed; try again.',
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
