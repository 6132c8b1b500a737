// Limits wrong passwords, and decides which of them the audit log records.
//
// A try is counted before the password is checked, and uncounted if the password is correct. Once a limit is reached, a correct password
// is rejected like a wrong one, so a rejection reveals nothing. Guessing cannot lock owners out of their accounts (OWASP, "Slow Down
// Online Guessing Attacks with Device Cookies"): a browser in which the person has signed in before, or is signed in, has its own count,
// which no other browser uses up. All other browsers share the counts of their address, of the account at their address, and of the
// account (OWASP ASVS 2.2.1: at most 100 an hour). Using a link to choose a password is not counted.
// All processes that share a Redis count together, in windows of fixed length.

import { Problem } from '../../base/problem.ts'
import type { IpAddress } from '../../domain/values/ip-address.ts'
import { networkOf } from '../keys/failure-throttle.ts'
import { type Counted, RateCounter } from '../keys/rate-counter.ts'
import type { CountingRedis } from '../queue/counting-redis.ts'
import type { PasswordClient } from './password-queue.ts'

const quarterHour = 15 * 60
const hour = 60 * 60

/** Maximum wrong passwords for one account: in 15 minutes from one address or known browser, and in an hour from all other browsers. */
export const wrongPasswordsMax = { ofOneClient: 10, ofAccount: 100 } as const
/** Maximum entries in the audit log: for one address in 15 minutes, and for all addresses in an hour. */
const auditedMax = { ofAddress: 20, ofAll: 1000 }

/** Who tries to authenticate. */
interface Client {
  address: IpAddress | undefined
  /** Identifies a browser in which this account has signed in; undefined for any other. */
  browser?: string | undefined
}

/** An attempt in progress. */
export interface SignInTry {
  /** Identifies the client in the queue for hashing. */
  from: PasswordClient
  /** It was correct, or nothing was decided. */
  takeBack: () => Promise<void>
  /** It was wrong. Returns the details for the audit log; undefined if it continues a series that is already recorded. */
  fail: () => Promise<AuditedFailure | undefined>
}

/** Details of a failed sign-in for the audit log: none for the first of a series, the number of failures for a later one. */
type AuditedFailure = { failures?: number }

export class SignInTries {
  /** Undefined without a limit. */
  readonly #ofAddress: RateCounter | undefined
  readonly #ofClient: RateCounter
  readonly #ofAccount: RateCounter
  readonly #runs: RateCounter
  readonly #auditedOfAddress: RateCounter
  readonly #audited: RateCounter

  /** Failures per minute from one address; 0 for no limit. */
  constructor(ofAddressMax: number, redis?: CountingRedis) {
    const counter = (name: string, max: number, seconds: number): RateCounter =>
      new RateCounter({ name: `sign-in-${name}`, max, seconds, keys: 'any' }, redis)
    if (ofAddressMax > 0) this.#ofAddress = counter('address', ofAddressMax, 60)
    this.#ofClient = counter('client', wrongPasswordsMax.ofOneClient, quarterHour)
    this.#ofAccount = counter('account', wrongPasswordsMax.ofAccount, hour)
    this.#runs = counter('runs', wrongPasswordsMax.ofOneClient, quarterHour)
    this.#auditedOfAddress = counter('audited-address', auditedMax.ofAddress, quarterHour)
    this.#audited = counter('audited', auditedMax.ofAll, hour)
  }

  /** Counts an attempt for an account, named by its folded email address. Rejects with Problem `rate_limited` once a limit is reached. */
  async begin(account: string, { address, browser }: Client): Promise<SignInTry> {
    const network = networkOf(address)
    const client = `${browser === undefined ? `address ${network}` : `browser ${browser}`} ${account}`
    const counters: [RateCounter, string][] = [[this.#ofClient, client]]
    if (browser === undefined) {
      counters.push([this.#ofAccount, account])
      if (this.#ofAddress !== undefined) counters.push([this.#ofAddress, network])
    }
    const takeBack = async (): Promise<void> => {
      await Promise.all(counters.map(([counter, key]) => counter.takeBack(key)))
    }
    const counted = await Promise.all(counters.map(([counter, key]) => counter.count(key)))
    const spent = counted.filter(({ isOver }) => isOver)
    if (spent.length > 0) {
      await takeBack()
      throw tooMany(spent)
    }
    return {
      from: { name: browser ?? network, isKnown: browser !== undefined },
      takeBack,
      fail: () => this.#entryOf(client, network),
    }
  }

  /**
   * Counts that a provider did not vouch for an account. Nothing can be guessed that way, so it only counts for the address. Returns the details for
   * the audit log, as for a wrong password. Rejects with Problem `rate_limited` if there were too many.
   */
  async countRefusal(account: string, address: IpAddress | undefined): Promise<AuditedFailure | undefined> {
    const network = networkOf(address)
    const counted = await this.#ofAddress?.count(network)
    if (counted?.isOver === true) throw tooMany([counted])
    return this.#entryOf(`provider ${network} ${account}`, network)
  }

  async #entryOf(run: string, network: string): Promise<AuditedFailure | undefined> {
    const { count } = await this.#runs.count(run)
    if (count !== 1 && count !== wrongPasswordsMax.ofOneClient) return undefined
    if ((await this.#auditedOfAddress.count(network)).isOver) return undefined
    if ((await this.#audited.count('all')).isOver) return undefined
    return count === 1 ? {} : { failures: count }
  }
}

function tooMany(spent: readonly Counted[]): Problem {
  const seconds = Math.max(...spent.map(counted => counted.seconds))
  return new Problem('rate_limited', {
    detail: `Too many failed sign-ins. Try again in ${seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}, use a browser in which you have signed in before, or ask an administrator for a link to choose a new password.`,
    retryAfterSeconds: seconds,
    internal: 'sign_in_throttled',
  })
}
