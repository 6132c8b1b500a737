// How much one API key may ask for: requests a minute, exports at a time (contract D23). Counted by all processes together where they
// share a Redis; otherwise, and while that is away, by each process for itself.
// Failed authentications are not counted here: they have no key (failure-throttle).

import { type KeyQuota, Problem } from '../problem.ts'
import type { CountingRedis } from '../queue/counting-redis.ts'
import { ExportPlaces } from './export-places.ts'
import { RateCounter } from './rate-counter.ts'

/** How long an export usually takes at most; when a place will be free is not known. */
const exportRetrySeconds = 5

/** What a key is allowed; 0 for no limit. */
interface KeyLimit {
  requestsPerMinute: number
  exportsAtATime: number
}

/** One of a key's places for exports. */
export interface ExportPlace {
  /** Undefined when it was there at once. Rejects with Problem `rate_limited` when there was none after all; it is given back then. */
  granted: Promise<void> | undefined
  /** Gives it back; calling that twice is harmless. */
  end: () => void
}

/** Holds a few small entries per key that is in use, so its size is bounded by the number of keys. */
export class KeyLimits {
  readonly #requests: RateCounter | undefined
  readonly #exports: ExportPlaces | undefined

  /** A lease on a place in Redis lasts `leaseMs` beyond the end of its process. */
  constructor(
    private readonly limit: KeyLimit,
    redis?: CountingRedis,
    leaseMs?: number,
  ) {
    const { requestsPerMinute: max, exportsAtATime } = limit
    if (max > 0) this.#requests = new RateCounter({ name: 'requests', max, seconds: 60, keys: 'few' }, redis)
    if (exportsAtATime > 0) this.#exports = new ExportPlaces(exportsAtATime, redis, leaseMs)
  }

  /** Counts one request of a key, or of an administrator's token, and gives what is left. Rejects with Problem `rate_limited`. */
  async takeRequest(apiKeyId: string, what = 'API key'): Promise<KeyQuota> {
    if (this.#requests === undefined) return quotaOf(this.limit)
    const { left, isOver, seconds } = await this.#requests.count(apiKeyId)
    if (isOver) throw tooManyRequests(this.limit, seconds, what)
    return { ...quotaOf(this.limit), left: { requests: left, seconds } }
  }

  /** Takes one of a key's places for exports. Throws Problem `rate_limited` when none is free. */
  beginExport(apiKeyId: string): ExportPlace {
    if (this.#exports === undefined) return { granted: undefined, end: () => {} }
    const place = this.#exports.begin(apiKeyId)
    if (place === undefined) throw tooManyExports(this.limit)
    const { free, end } = place
    const granted = free?.then(isFree => {
      if (isFree) return
      end()
      throw tooManyExports(this.limit)
    })
    return { granted, end }
  }
}

/** What is limited at all. */
const quotaOf = ({ requestsPerMinute, exportsAtATime }: KeyLimit): KeyQuota => ({
  ...(requestsPerMinute > 0 && { requestsPerMinute }),
  ...(exportsAtATime > 0 && { exportsAtATime }),
})

function tooManyRequests(quota: KeyLimit, seconds: number, what: string): Problem {
  return new Problem('rate_limited', {
    detail: `This ${what} may make ${quota.requestsPerMinute} requests a minute. Try again in ${seconds} s.`,
    internal: 'requests_per_minute',
    retryAfterSeconds: seconds,
    quota: { ...quotaOf(quota), left: { requests: 0, seconds } },
  })
}

function tooManyExports(quota: KeyLimit): Problem {
  const max = quota.exportsAtATime
  return new Problem('rate_limited', {
    detail: `This API key may have ${max} ${max === 1 ? 'export' : 'exports'} under way at a time. Try again when one has ended.`,
    internal: 'exports_at_a_time',
    retryAfterSeconds: exportRetrySeconds,
    quota: { ...quotaOf(quota), left: { exports: 0 } },
  })
}
