// Decides how often to retry and how long to wait: longer each time, with jitter, and for as long as the service asks.

import { GaveUp, messageOf, NotNow } from './client-errors.ts'

export interface RetryOptions {
  /** Maximum number of consecutive failed retries before the client gives up; 8 by default. */
  retriesMax?: number
  /** The first wait in milliseconds, which doubles each time; 1000 by default. */
  waitMs?: number
  /** The maximum wait, unless the service requests a longer one; 60 seconds by default. */
  waitMsMax?: number
  /** Called before each wait. */
  onRetry?: (retry: { attempt: number; waitMs: number; reason: string }) => void
}

/** The longest wait that the service may request. */
const askedWaitMsMax = 15 * 60_000

export class Attempts {
  private failed = 0
  private errors = 0
  private readonly options: RetryOptions
  private readonly signal: AbortSignal | undefined

  constructor(options: RetryOptions, signal: AbortSignal | undefined) {
    this.options = options
    this.signal = signal
  }

  /** Resets the count of failures after progress. */
  progressed(): void {
    this.failed = this.errors = 0
  }

  /** Waits after a temporary failure; throws GaveUp after too many, and the signal's reason if it is aborted. */
  async wait(failure: unknown): Promise<void> {
    const { retriesMax = 8, waitMs: first = 1000, waitMsMax = 60_000, onRetry } = this.options
    this.failed++
    if (failure instanceof NotNow && failure.status === 500) this.errors++
    const gaveUp = (): GaveUp => new GaveUp(this.failed, failure, this.errors === this.failed)
    if (this.failed > retriesMax) throw gaveUp()
    const requestedMs = failure instanceof NotNow ? failure.waitMs : undefined
    const ownMs = Math.min(waitMsMax, first * 2 ** (this.failed - 1)) * (0.5 + Math.random() / 2)
    if (requestedMs !== undefined && requestedMs > askedWaitMsMax) throw gaveUp()
    // A little more than the service requests, so that not all rejected clients return in the same moment.
    const waitMs = requestedMs === undefined ? ownMs : requestedMs + Math.min(ownMs, 1000)
    onRetry?.({ attempt: this.failed, waitMs, reason: messageOf(failure) })
    await pause(waitMs, this.signal)
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', give)
      resolve()
    }, ms)
    if (signal?.aborted) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
}

/** `Retry-After` in milliseconds: seconds, or a date. */
export function askedWait(field: string | null, nowMs: number): number | undefined {
  if (field === null) return undefined
  if (/^\d{1,9}$/.test(field.trim())) return Number(field) * 1000
  const at = Date.parse(field)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
