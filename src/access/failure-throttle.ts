// Counts failed authentications per client address, so that guessing is slow.
// It must not be asked before an authentication has failed: a valid key is never refused for its neighbours' failures.

import type { IPv6 } from 'ipaddr.js'
import type { IpAddress } from '../domain/values/ip-address.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { MinuteCounts, secondsLeft } from './minute-counts.ts'

/**
 * Addresses are spread over this many counters, so memory is bounded however many addresses there are.
 * Two that share a counter can only turn each other's 401 into a 429.
 */
const counters = 16_384

export class FailureThrottle {
  readonly #failures = new MinuteCounts<number>()
  readonly #seed = BigInt(crypto.getRandomValues(new Uint32Array(1))[0]!)

  constructor(
    /** 0: nothing is throttled. */
    private readonly failuresPerMinute: number,
    private readonly now: () => Micros,
  ) {}

  /** Counts one failure. Seconds after which to try again when it is one too many, else undefined. */
  countFailure(address: IpAddress | undefined): number | undefined {
    if (this.failuresPerMinute === 0) return undefined
    const now = this.now()
    const counter = Bun.hash.wyhash(network(address), this.#seed) % BigInt(counters)
    const minute = this.#failures.at(Number(counter), now)
    minute.count++
    return minute.count > this.failuresPerMinute ? secondsLeft(minute, now) : undefined
  }
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, which is what one subscriber is given. */
function network(address: IpAddress | undefined): string {
  if (address === undefined) return 'unparseable'
  if (address.kind() === 'ipv4') return address.toString()
  return (address as IPv6).parts.slice(0, 4).join(':')
}
