// Whether the service still has what was pulled before. A file is added to by the time of submission, which alone would not show that a
// failover or a restore has lost applications that are in it.

import type { TributaryClient } from '@tributary/client'
import { RequestRefused } from '@tributary/client/tools'
import { CommandError } from '../requests/pull-outcome.ts'

/** `cursor`: the change that the last pull came to. An older service, which has no changes to ask for, is believed. */
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
      'The service was set back since the last pull, to before what was pulled then: the output has applications that it no longer has. Pull everything again: without --since-last, and with --restart.',
      { cause: error },
    )
  }
}
