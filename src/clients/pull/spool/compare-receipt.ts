// Compares what arrived with the service's receipt, once, after the last page.

import type { TributaryClient, WalkReceipt } from '@tributary/client'
import { ForeignAnswer, GaveUp, messageOf, RequestRefused } from '@tributary/client/tools'
import { IdDigest, type IdReceipt } from '../requests/id-digest.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PullContext } from '../requests/pull-request.ts'
import type { PullState } from './pull-state.ts'

/**
 * Throws if they differ. `ours` is that of the IDs in `state`. Resolves with false if the service gives no receipt: every page was complete, so the
 * result is not discarded for that.
 */
export async function compareReceipt(
  ours: IdReceipt,
  walkToken: string | undefined,
  program: string,
  client: TributaryClient,
  state: PullState,
  { signal, say }: PullContext,
): Promise<boolean> {
  const theirs = walkToken === undefined ? undefined : await receiptOf(client, program, walkToken, { signal, say })
  if (theirs === undefined) return false
  const erased = new Set(theirs.erased_application_ids)
  const { count, digest } = erased.size === 0 ? ours : withoutErased(state, erased)
  if (count === theirs.applications && digest === theirs.sha256) return true
  const difference =
    count === theirs.applications ? 'and as many arrived, but not the same ones' : `and ${count} of them arrived`
  throw new CommandError(
    'mismatch',
    `The service's receipt for this walk states ${theirs.applications} applications, ${difference}. Add --restart to start over.`,
  )
}

/** Undefined without a receipt: from an older service, if too much was erased for one, or if the service does not finish one. */
async function receiptOf(
  client: TributaryClient,
  program: string,
  walkToken: string,
  { signal, say }: Pick<PullContext, 'signal' | 'say'>,
): Promise<WalkReceipt | undefined> {
  try {
    return await client.receipt(program, walkToken, signal)
  } catch (error) {
    const isRefused = error instanceof RequestRefused && !error.isAboutTheKey
    if (!isRefused && !(error instanceof GaveUp) && !(error instanceof ForeignAnswer)) throw error
    say(`The service provided no receipt for this walk. ${messageOf(error)}`)
    return undefined
  }
}

/** Applications erased since the walk began may have been pulled before, and the service does not count them. */
function withoutErased(state: PullState, erased: ReadonlySet<number>): IdReceipt {
  const digest = new IdDigest()
  for (const ids of state.pulledIds()) digest.add(ids.filter(id => !erased.has(id)))
  return digest.receipt()
}
