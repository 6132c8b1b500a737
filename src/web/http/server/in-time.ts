// The time that each request has up to the first byte of its answer (contract G14): when it is over, the request gets an answer, no
// matter what it still waits for.

import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import { preferredWaitSeconds } from '../headers/preference.ts'

/** How long a body may take to arrive: enough for the longest over a slow line, and not for one sent byte by byte. */
export const bodyArrivalMs = 60_000

interface Arrival {
  beganMs: number
  /** Undefined while it runs. */
  endedMs?: number
}
const arrivals = new WeakMap<Request, Arrival>()

/** Reads a body. In the meantime the budget of its request does not run: its client takes that time, and has a deadline of its own for it. */
export async function whileArriving<T>(request: Request, read: () => Promise<T>): Promise<T> {
  const arrival: Arrival = { beganMs: performance.now() }
  arrivals.set(request, arrival)
  try {
    return await read()
  } finally {
    arrival.endedMs = performance.now()
  }
}

/** How long the body of a request has been on its way, up to now. */
function arrivingMs(request: Request): number {
  const { beganMs, endedMs } = arrivals.get(request) ?? { beganMs: 0, endedMs: 0 }
  return (endedMs ?? performance.now()) - beganMs
}

/** What a request asks its answer to wait for, where it may (`Prefer: wait`). */
export const askedWaitMs = ({ method, url, headers }: Request): number =>
  method === 'GET' && /\/changes(?:\?|$)/.test(url) ? preferredWaitSeconds(headers.get('prefer')) * 1000 : 0

/**
 * The answer to a request, or a Problem (unavailable) when none comes within `budgetMs`, without what its body has taken to arrive up
 * to now. A later answer is thrown away; a stream is cancelled, so that its writer finds the client gone.
 */
export async function inTime(request: Request, answered: Promise<Response>, budgetMs: number): Promise<Response> {
  const beganMs = performance.now()
  for (let leftMs = budgetMs; leftMs > 0; leftMs = budgetMs + arrivingMs(request) - (performance.now() - beganMs))
    if (await settledWithin(leftMs, answered)) return answered
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
