// Limits the time to the first byte of every response (contract G14): when it runs out, the client gets a 503, whatever the request is
// waiting for.

import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import { preferredWaitSeconds } from '../headers/preference.ts'

/** How long a body may take to arrive: enough for the largest over a slow line, too little for one sent byte by byte. */
export const bodyArrivalMs = 60_000

interface Arrival {
  beganMs: number
  /** Undefined while the body is arriving. */
  endedMs?: number
}
const arrivals = new WeakMap<Request, Arrival>()

/** Reads a body without using up the time limit of its request: the client is responsible for that time, which has its own limit. */
export async function whileArriving<T>(request: Request, read: () => Promise<T>): Promise<T> {
  const arrival: Arrival = { beganMs: performance.now() }
  arrivals.set(request, arrival)
  try {
    return await read()
  } finally {
    arrival.endedMs = performance.now()
  }
}

/** How long the body of a request has taken to arrive so far, in ms. */
function arrivingMs(request: Request): number {
  const { beganMs, endedMs } = arrivals.get(request) ?? { beganMs: 0, endedMs: 0 }
  return (endedMs ?? performance.now()) - beganMs
}

/** Wait requested with `Prefer: wait`, in ms; 0 at addresses that do not support it. */
export const askedWaitMs = ({ method, url, headers }: Request): number =>
  method === 'GET' && /\/changes(?:\?|$)/.test(url) ? preferredWaitSeconds(headers.get('prefer')) * 1000 : 0

/**
 * The response to a request. Throws Problem `unavailable` if it takes longer than `budgetMs`, not counting the arrival of the body. A late
 * response is discarded, and its stream is cancelled so that the writer finds the client gone.
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
    detail: 'The request timed out. A change that it requested may still take effect. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'response_timeout',
  })
}
