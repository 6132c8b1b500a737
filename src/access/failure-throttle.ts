// Counts failed authentications per client address, so that guessing is slow.
// It must not be asked before an authentication has failed: a valid key is never refused for its neighbours' failures.

import type { IPv6 } from 'ipaddr.js'
import type { Address } from '../domain/address.ts'

/**
 * Addresses are spread over this many counters, so memory is bounded however many addresses there are.
 * Two that share a counter can only turn each other's 401 into a 429.
 */
const counters = 16_384
const windowMs = 60_000

export class FailureThrottle {
  /** By counter: failures in its present window, and when that ends. A window begins with its first failure. */
  readonly #failures = new Uint32Array(counters)
  readonly #endsAtMs = new Float64Array(counters)
  readonly #seed = BigInt(crypto.getRandomValues(new Uint32Array(1))[0]!)

  /** `failuresPerMinute` 0: nothing is throttled. */
  constructor(
    private readonly failuresPerMinute: number,
    /** A clock that is never set back, in milliseconds. */
    private readonly clockMs: () => number = () => performance.now(),
  ) {}

  /** Counts one failure. Seconds after which to try again when it is one too many, else undefined. */
  countFailure(address: Address | undefined): number | undefined {
    if (this.failuresPerMinute === 0) return undefined
    const counter = Number(Bun.hash.wyhash(network(address), this.#seed) % BigInt(counters))
    const now = this.clockMs()
    if (now >= this.#endsAtMs[counter]!) {
      this.#endsAtMs[counter] = now + windowMs
      this.#failures[counter] = 0
    }
    this.#failures[counter]!++
    if (this.#failures[counter]! <= this.failuresPerMinute) return undefined
    return Math.ceil((this.#endsAtMs[counter]! - now) / 1000)
  }
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, which is what one subscriber is given. */
function network(address: Address | undefined): string {
  if (address === undefined) return 'unparseable'
  if (address.kind() === 'ipv4') return address.toString()
  return (address as IPv6).parts.slice(0, 4).join(':')
}
