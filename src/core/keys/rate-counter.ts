// Counts events within a window of fixed length that starts with the first event: in Redis for all processes that share it, or in this process
// if there is no Redis or it is unreachable.

import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { CountingRedis } from '../queue/counting-redis.ts'

interface Window {
  /** Distinguishes the counter in Redis. */
  name: string
  max: number
  seconds: number
  /** `few`: the names are limited in number, like API keys. `any`: strangers choose the names, so memory must be bounded, and Redis gets hashes. */
  keys: 'few' | 'any'
}

export interface Counted {
  /** Including this one. */
  count: number
  left: number
  isOver: boolean
  /** Until the window ends: at least 1, at most its length. */
  seconds: number
}

export class RateCounter {
  readonly #own: RateLimiterMemory
  readonly #limiter: RateLimiterAbstract

  constructor(
    private readonly window: Window,
    private readonly redis?: CountingRedis,
  ) {
    const { name, max, seconds, keys } = window
    const options = { keyPrefix: `tributary:${name}`, points: max, duration: seconds }
    this.#own = keys === 'few' ? new RateLimiterMemory(options) : new BoundedLimiter(options)
    this.#limiter =
      redis === undefined
        ? this.#own
        : new RateLimiterRedis({
            ...options,
            storeClient: redis.client,
            rejectIfRedisNotReady: true,
            insuranceLimiter: this.#own,
          })
  }

  /** Never waits longer than Redis may take (core/queue/counting-redis). */
  async count(text: string): Promise<Counted> {
    const key = this.#keyOf(text)
    const [consumed, isOver] = await this.#limiter.consume(key).then(
      consumed => [consumed, false] as const,
      error => {
        if (error instanceof RateLimiterRes) return [error, true] as const
        throw error
      },
    )
    // Redis may be gone at the next one.
    if (this.redis?.away === false) void this.#own.penalty(key)
    const { consumedPoints, remainingPoints, msBeforeNext } = consumed
    // A clock that jumped back would make the rest of the window too long.
    const seconds = Math.min(this.window.seconds, Math.max(1, Math.ceil(msBeforeNext / 1000)))
    return { count: consumedPoints, left: remainingPoints, isOver, seconds }
  }

  /** Undoes one `count`. */
  async takeBack(text: string): Promise<void> {
    const key = this.#keyOf(text)
    await this.#limiter.reward(key)
    if (this.redis?.away === false) void this.#own.reward(key)
  }

  #keyOf(text: string): string {
    const isPlain = this.window.keys === 'few' || this.redis === undefined
    return isPlain ? text : new Bun.CryptoHasher('sha256').update(text).digest('base64url')
  }
}

/** Names are spread over this many counters. Two that share a counter share a limit; which two do is random in each process. */
const counters = 16_384n
const seed = BigInt(crypto.getRandomValues(new Uint32Array(1))[0]!)

class BoundedLimiter extends RateLimiterMemory {
  override getKey(key: string): string {
    return String(Bun.hash.wyhash(key, seed) % counters)
  }
}
