// The time that each request has up to the first byte of its answer (contract G14): when it is over, the request is answered, no
// matter what it still waits for.

import { Problem } from '../problem.ts'
import { settledWithin } from '../settled-within.ts'
import { preferredWaitSeconds } from './preference.ts'

/** How long a body may take to arrive: enough for the longest over a slow line, and not for one sent byte by byte. */
export const bodyArrivalMs = 60_000

/** What a request may take beyond its budget, because its client takes that time. */
export const arrivalMs = ({ method }: Request): number => (method === 'GET' || method === 'HEAD' ? 0 : bodyArrivalMs)

/** What a request asks its answer to wait for, where it may (`Prefer: wait`). */
export const askedWaitMs = ({ method, url, headers }: Request): number =>
  method === 'GET' && /\/changes(?:\?|$)/.test(url) ? preferredWaitSeconds(headers.get('prefer')) * 1000 : 0

/**
 * The answer, or a Problem (unavailable) when there is none within `budgetMs`. A later answer is thrown away; a stream is cancelled, so
 * that its writer finds the client gone.
 */
export async function inTime(answered: Promise<Response>, budgetMs: number): Promise<Response> {
  if (await settledWithin(budgetMs, answered)) return answered
  answered.then(
    late => late.body?.cancel(),
    () => {},
  )
  throw new Problem('unavailable', {
    detail:
      'This took longer than a request may. What it asked to be changed, if anything, may still be changed. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'response_timeout',
  })
}
