// Counts failed authentications, so that guessing is slow.
// Of API keys and tokens, which cannot be guessed, a failure is counted once it has happened: a valid one is never refused for its
// neighbours' failures. Passwords are counted before they are looked at (sign-in-tries).

import type { IPv6 } from 'ipaddr.js'
import type { IpAddress } from '../domain/values/ip-address.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { type CountedWindow, MinuteCounts, minuteMicros, secondsLeft } from './minute-counts.ts'

/**
 * Keys are spread over this many counters, so memory is bounded however many keys there are. Two that share a counter share a limit:
 * which two do is another draw in each process.
 */
const counters = 16_384

/** Counts by a text of any length. */
export class BoundedCounts {
  readonly #counts: MinuteCounts<number>
  readonly #seed = BigInt(crypto.getRandomValues(new Uint32Array(1))[0]!)

  constructor(
    private readonly now: () => Micros,
    windowMicros = minuteMicros,
  ) {
    this.#counts = new MinuteCounts(windowMicros)
  }

  /** Counts one, and gives the window that it is counted in. */
  count(key: string): CountedWindow {
    const counter = Bun.hash.wyhash(key, this.#seed) % BigInt(counters)
    const window = this.#counts.at(Number(counter), this.now())
    window.count++
    return window
  }
}

export class FailureThrottle {
  readonly #failures: BoundedCounts

  constructor(
    /** 0: nothing is throttled. */
    private readonly failuresPerMinute: number,
    private readonly now: () => Micros,
  ) {
    this.#failures = new BoundedCounts(now)
  }

  /** Counts one failure. Seconds after which to try again when it is one too many, else undefined. */
  countFailure(address: IpAddress | undefined): number | undefined {
    if (this.failuresPerMinute === 0) return undefined
    const minute = this.#failures.count(networkOf(address))
    return minute.count > this.failuresPerMinute ? secondsLeft(minute, this.now()) : undefined
  }
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, which is what one subscriber is given. */
export function networkOf(address: IpAddress | undefined): string {
  if (address === undefined) return 'unparseable'
  if (address.kind() === 'ipv4') return address.toString()
  return (address as IPv6).parts.slice(0, 4).join(':')
}
