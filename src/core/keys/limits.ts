// Limits of one API key: requests per minute, concurrent exports (contract D23). All processes count together if they share a Redis;
// otherwise, and while Redis is unreachable, each process counts separately.
// Failed authentications are not counted here: they have no key (failure-throttle).

import { type KeyQuota, Problem } from '../../base/problem.ts'
import type { CountingRedis } from '../queue/counting-redis.ts'
import { RateCounter } from './rate-counter.ts'

/** The usual maximum duration of an export, used when it is unknown when a place becomes free. */
const exportRetrySeconds = 5

/** The limits of a key; 0 for none. */
interface KeyLimit {
  requestsPerMinute: number
  exportsAtATime: number
}

/** One of a key's places for exports. */
export interface ExportPlace {
  /** Undefined if it was free immediately. Rejects with Problem `rate_limited` if none was free; the place is then already released. */
  granted: Promise<void> | undefined
  /** Releases the place. Safe to call twice. */
  end: () => void
}

/** Holds a few small entries per key that was used, so its size is bounded by the number of keys. */
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

  /** Counts one request of a key, or of an administrator's token, and returns what remains. Rejects with Problem `rate_limited`. */
  async takeRequest(apiKeyId: string, what = 'API key'): Promise<KeyQuota> {
    if (this.#requests === undefined) return quotaOf(this.limit)
    const { left, isOver, seconds } = await this.#requests.count(apiKeyId)
    if (isOver) throw tooManyRequests(this.limit, seconds, what)
    return { ...quotaOf(this.limit), left: { requests: left, seconds } }
  }

  /** Takes one of a key's places for exports. Throws Problem `rate_limited` if none is free. */
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

/** Only the limits that apply. */
const quotaOf = ({ requestsPerMinute, exportsAtATime }: KeyLimit): KeyQuota => ({
  ...(requestsPerMinute > 0 && { requestsPerMinute }),
  ...(exportsAtATime > 0 && { exportsAtATime }),
})

function tooManyRequests(quota: KeyLimit, seconds: number, what: string): Problem {
  return new Problem('rate_limited', {
    detail: `This ${what} can make at most ${quota.requestsPerMinute} requests a minute. Try again in ${seconds} s.`,
    internal: 'requests_per_minute',
    retryAfterSeconds: seconds,
    quota: { ...quotaOf(quota), left: { requests: 0, seconds } },
  })
}

export function tooManyExports(quota: KeyLimit): Problem {
  const max = quota.exportsAtATime
  return new Problem('rate_limited', {
    detail: `This API key can run at most ${max} ${max === 1 ? 'export' : 'exports'} at a time. Try again when an export has finished.`,
    internal: 'exports_at_a_time',
    retryAfterSeconds: exportRetrySeconds,
    quota: { ...quotaOf(quota), left: { exports: 0 } },
  })
}

// Places for concurrent exports. In Redis, a place is a lease that its process renews, so that a killed process loses its places. Each process also
// counts its own, for when Redis is unavailable.

const now = `local time = redis.call('time') local now = time[1] * 1000 + math.floor(time[2] / 1000)`
const hold = `redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2])`
// By Redis's clock, so that the machines' clocks need not agree.
const holdPlace = `${now} ${hold}`
const takePlace = `${now}
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
${hold}
return 1`

interface PlaceCommands {
  takePlace(key: string, lease: string, ms: number, max: number): Promise<0 | 1>
  holdPlace(key: string, lease: string, ms: number): Promise<unknown>
}

/** A place that is held until `end`. Safe to call twice. */
interface Place {
  /** Whether a place was free across all processes; undefined without a Redis that responds. Never rejects. */
  free: Promise<boolean> | undefined
  end: () => void
}

const keyOf = (id: string): string => `tributary:exports:${id}`

export class ExportPlaces {
  readonly #leases = new Map<string, Set<string>>()
  readonly #commands: PlaceCommands | undefined

  constructor(
    private readonly max: number,
    private readonly redis?: CountingRedis,
    private readonly leaseMs = 30_000,
  ) {
    if (redis === undefined) return
    redis.client.defineCommand('takePlace', { numberOfKeys: 1, lua: takePlace })
    redis.client.defineCommand('holdPlace', { numberOfKeys: 1, lua: holdPlace })
    this.#commands = redis.client as unknown as PlaceCommands
    // It may have restarted empty and not know the places taken while it was away.
    redis.client.on('ready', () => this.#renew())
    setInterval(() => this.#renew(), leaseMs / 3).unref()
  }

  /** Undefined if all of the places belong to this process. */
  begin(id: string): Place | undefined {
    const leases = this.#leases.get(id) ?? new Set()
    if (leases.size >= this.max) return undefined
    const lease = crypto.randomUUID()
    this.#leases.set(id, leases.add(lease))
    const end = (): void => {
      leases.delete(lease)
      // If Redis is unreachable, the lease expires.
      if (this.redis?.away === false) this.redis.client.zrem(keyOf(id), lease).catch(() => {})
    }
    if (this.redis?.away !== false) return { free: undefined, end }
    const taken = this.#commands!.takePlace(keyOf(id), lease, this.leaseMs, this.max)
    return { free: taken.then(reported => reported === 1).catch(() => true), end }
  }

  #renew(): void {
    if (this.redis?.away !== false) return
    for (const [id, leases] of this.#leases)
      for (const lease of leases) this.#commands!.holdPlace(keyOf(id), lease, this.leaseMs).catch(() => {})
  }
}
