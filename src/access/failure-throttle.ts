// Counts failed authentications per client address, so that guessing is slow.
// It must not be asked before an authentication has failed: a valid key is never refused for its neighbours' failures.

import type { IPv6 } from 'ipaddr.js'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Address } from '../domain/values/ip-address.ts'

/**
 * Addresses are spread over this many counters, so memory is bounded however many addresses there are.
 * Two that share a counter can only turn each other's 401 into a 429.
 */
const counters = 16_384

export class FailureThrottle {
  readonly #limiter: RateLimiterMemory | undefined
  readonly #seed = BigInt(crypto.getRandomValues(new Uint32Array(1))[0]!)

  /** `failuresPerMinute` 0: nothing is throttled. */
  constructor(private readonly failuresPerMinute: number) {
    if (failuresPerMinute > 0) this.#limiter = new RateLimiterMemory({ points: failuresPerMinute, duration: 60 })
  }

  /** Counts one failure. Seconds after which to try again when it is one too many, else undefined. */
  async countFailure(address: Address | undefined): Promise<number | undefined> {
    if (this.#limiter === undefined) return undefined
    const counter = Bun.hash.wyhash(network(address), this.#seed) % BigInt(counters)
    const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(Number(counter))
    return consumedPoints > this.failuresPerMinute ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : undefined
  }
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, which is what one subscriber is given. */
function network(address: Address | undefined): string {
  if (address === undefined) return 'unparseable'
  if (address.kind() === 'ipv4') return address.toString()
  return (address as IPv6).parts.slice(0, 4).join(':')
}
