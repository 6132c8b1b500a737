// Checks that the service still has what was pulled before. A file is extended by submission time, which alone wouldn't reveal that a
// failover or restore has lost applications already in the file.

import type { TributaryClient } from '@tributary/client'
import { RequestRefused } from '@tributary/client/tools'
import { CommandError } from '../requests/pull-outcome.ts'

/** `cursor`: the last change of the previous pull. An older service without a change feed is trusted. */
export async function requireSameHistory(
  client: TributaryClient,
  program: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (cursor === undefined) return
  try {
    await client.changes(program, cursor, { pageSize: 1, signal }).next()
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.isAboutTheKey) throw error
    if (!error.codes.includes('cursor_of_another_history')) return
    throw new CommandError(
      'failed',
      'The service was restored to a point before the last pull, and no longer has some of the applications in the output. Pull everything again, without --since-last and with --restart.',
      { cause: error },
    )
  }
}
