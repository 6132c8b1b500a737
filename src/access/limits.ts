// How much one API key may ask for: requests a minute, exports at a time (contract D23). Counted by all processes together where they
// share a Redis (access/shared-counts); otherwise, and while that is away, each process allows its share.
// Failed authentications are not counted here: they have no key (failure-throttle).

import type { Micros } from '../domain/values/offset-time.ts'
import { type KeyQuota, Problem } from '../problem.ts'
import { MinuteCounts, secondsLeft } from './minute-counts.ts'
import type { SharedCounts, WholeQuota } from './shared-counts.ts'

/** How long an export usually takes at most; when a place will be free is not known. */
const exportRetrySeconds = 5

/** One of a key's places for exports. */
interface ExportPlace {
  /** Undefined when it was there at once. Rejects with Problem `rate_limited` when there was none after all; it is given back then. */
  granted: Promise<void> | undefined
  /** Gives it back; calling that twice is harmless. */
  end: () => void
}

/** A request for a page: counted, and then, if it comes to that, the export that it is. */
export interface PageTurn {
  /** As of `takeRequest`. */
  quota: KeyQuota | Promise<KeyQuota>
  /** As `beginExport`. */
  begin: () => ExportPlace
  /** When it came to nothing. */
  giveUp: () => void
}

/** Holds a few small entries per key that is in use, so its size is bounded by the number of keys. */
export class KeyLimits {
  /** What this process was asked for, counted even while Redis counts for all: it may be gone with the next request. */
  readonly #requests = new MinuteCounts<string>()
  readonly #exports = new Map<string, number>()
  /** Keys that have used up the minute of all processes, and until when: they are refused without being counted. */
  readonly #spent = new Map<string, Micros>()

  /** `share` is what this process allows by itself; 0 for no limit. */
  constructor(
    private readonly share: WholeQuota,
    private readonly now: () => Micros,
    private readonly shared?: SharedCounts,
  ) {}

  /**
   * Counts one request of a key, or of an administrator's token, and returns what is left: at once, unless Redis is asked. Throws
   * Problem `rate_limited`, or rejects with it, when it is one too many.
   */
  takeRequest(apiKeyId: string, what = 'API key'): KeyQuota | Promise<KeyQuota> {
    if (this.share.requestsPerMinute === 0) return quotaOf(this.share)
    const { shared } = this
    if (shared === undefined || shared.away) return this.#takeOfShare(apiKeyId, what)
    return this.#takeOfWhole(shared, { apiKeyId, what }).quota
  }

  /** Takes one of a key's places for exports. Throws Problem `rate_limited` when none is free. */
  beginExport(apiKeyId: string): ExportPlace {
    const { shared } = this
    const lease = shared && crypto.randomUUID()
    return this.#begin(apiKeyId, lease, () => shared!.takePlace(apiKeyId, lease!))
  }

  /** As `takeRequest`, for a page that `takesPlace` if it comes to that: Redis is then asked for both at once. */
  takePage(apiKeyId: string, takesPlace: boolean): PageTurn {
    const { share, shared } = this
    const isLimited = share.requestsPerMinute > 0 && share.exportsAtATime > 0
    if (!takesPlace || !isLimited || shared === undefined || shared.away)
      return {
        quota: this.takeRequest(apiKeyId),
        begin: () => this.beginExport(apiKeyId),
        giveUp: () => {},
      }
    const lease = crypto.randomUUID()
    const { quota, placed } = this.#takeOfWhole(shared, { apiKeyId, what: 'API key', lease })
    let begun = false
    return {
      quota,
      begin: () => {
        const place = this.#begin(apiKeyId, lease, () => placed)
        begun = true
        return place
      },
      giveUp: () => {
        if (!begun) shared.freePlace(apiKeyId, lease)
      },
    }
  }

  /** How many exports a key may have at a time here: all of them while Redis counts, and else the share; 0 for no limit. */
  get exportsAtATime(): number {
    const { share, shared } = this
    return (shared === undefined || shared.away ? share : shared.quota).exportsAtATime
  }

  #begin(apiKeyId: string, lease: string | undefined, take: () => Promise<boolean | undefined>): ExportPlace {
    const { share, shared } = this
    if (share.exportsAtATime === 0) return { granted: undefined, end: () => {} }
    const together = shared !== undefined && !shared.away
    const quota = together ? shared.quota : share
    const running = this.#exports.get(apiKeyId) ?? 0
    if (running >= quota.exportsAtATime) throw tooManyExports(quota)
    this.#exports.set(apiKeyId, running + 1)
    let held = true
    const end = (): void => {
      if (!held) return
      held = false
      const left = this.#exports.get(apiKeyId)! - 1
      if (left > 0) this.#exports.set(apiKeyId, left)
      else this.#exports.delete(apiKeyId)
      if (lease !== undefined) shared!.freePlace(apiKeyId, lease)
    }
    if (lease === undefined) return { granted: undefined, end }
    // Taken by share, it is told to Redis all the same, which counts it when it is back.
    const taken = take()
    if (!together) return { granted: undefined, end }
    const granted = taken.then(free => {
      if (free === true || (free === undefined && running < share.exportsAtATime)) return
      end()
      throw tooManyExports(free === undefined ? share : shared.quota)
    })
    return { granted, end }
  }

  #takeOfShare(apiKeyId: string, what: string): KeyQuota {
    const now = this.now()
    const minute = this.#requests.at(apiKeyId, now)
    const seconds = secondsLeft(minute, now)
    if (minute.count >= this.share.requestsPerMinute) throw tooManyRequests(this.share, seconds, what)
    minute.count++
    return { ...quotaOf(this.share), left: { requests: this.share.requestsPerMinute - minute.count, seconds } }
  }

  /** Throws as `takeRequest` does. Whether there was a place for `lease`, if it was asked for, never rejects. */
  #takeOfWhole(
    shared: SharedCounts,
    { apiKeyId, what, lease }: { apiKeyId: string; what: string; lease?: string },
  ): { quota: Promise<KeyQuota>; placed: Promise<boolean | undefined> } {
    const { quota: whole } = shared
    const now = this.now()
    const secondsSpent = ((this.#spent.get(apiKeyId) ?? now) - now) / 1_000_000
    // A clock that was set back leaves minutes of the future here.
    if (secondsSpent > 0 && secondsSpent <= 60) throw tooManyRequests(whole, Math.ceil(secondsSpent), what)
    const counting = shared.countRequest(apiKeyId, lease)
    const quota = counting.then(told => {
      if (told === undefined) return this.#takeOfShare(apiKeyId, what)
      const { count, seconds } = told
      if (count > whole.requestsPerMinute) {
        this.#spent.set(apiKeyId, now + seconds * 1_000_000)
        throw tooManyRequests(whole, seconds, what)
      }
      this.#requests.at(apiKeyId, now).count++
      return { ...quotaOf(whole), left: { requests: whole.requestsPerMinute - count, seconds } }
    })
    return { quota, placed: counting.then(told => told?.placed) }
  }
}

/** What is limited at all. */
const quotaOf = ({ requestsPerMinute, exportsAtATime }: WholeQuota): KeyQuota => ({
  ...(requestsPerMinute > 0 && { requestsPerMinute }),
  ...(exportsAtATime > 0 && { exportsAtATime }),
})

function tooManyRequests(quota: WholeQuota, seconds: number, what: string): Problem {
  return new Problem('rate_limited', {
    detail: `This ${what} may make ${quota.requestsPerMinute} requests a minute. Try again in ${seconds} s.`,
    internal: 'requests_per_minute',
    retryAfterSeconds: seconds,
    quota: { ...quotaOf(quota), left: { requests: 0, seconds } },
  })
}

function tooManyExports(quota: WholeQuota): Problem {
  const max = quota.exportsAtATime
  return new Problem('rate_limited', {
    detail: `This API key may have ${max} ${max === 1 ? 'export' : 'exports'} under way at a time. Try again when one has ended.`,
    internal: 'exports_at_a_time',
    retryAfterSeconds: exportRetrySeconds,
    quota: { ...quotaOf(quota), left: { exports: 0 } },
  })
}
