// Limits failed authentications, so that guessing is slow.
// API keys and tokens cannot be guessed, so a failure is counted afterwards, and valid ones are never rejected because of failures from the
// same network. Passwords are counted before they are checked (sign-in-tries).

import type { IPv6 } from 'ipaddr.js'
import type { IpAddress } from '../../domain/values/ip-address.ts'
import type { CountingRedis } from '../queue/counting-redis.ts'
import { RateCounter } from './rate-counter.ts'

export class FailureThrottle {
  readonly #failures: RateCounter | undefined

  /** 0: no throttling. */
  constructor(failuresPerMinute: number, redis?: CountingRedis) {
    if (failuresPerMinute === 0) return
    this.#failures = new RateCounter({ name: 'failures', max: failuresPerMinute, seconds: 60, keys: 'any' }, redis)
  }

  /** Counts one failure. Returns the seconds to wait if there were too many, otherwise undefined. */
  async countFailure(address: IpAddress | undefined): Promise<number | undefined> {
    const counted = await this.#failures?.count(networkOf(address))
    return counted?.isOver === true ? counted.seconds : undefined
  }
}

/** What counts as one client: an IPv4 address, or an IPv6 /64, the usual size for a subscriber. */
export function networkOf(address: IpAddress | undefined): string {
  if (address === undefined) return 'unparseable'
  if (address.kind() === 'ipv4') return address.toString()
  return (address as IPv6).parts.slice(0, 4).join(':')
}
