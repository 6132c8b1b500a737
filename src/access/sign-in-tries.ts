// How many wrong passwords may be tried, and which of them stand in the audit log.
//
// A try is counted before the password is looked at, and taken back when it was right: while a count is spent, a right password is refused
// like a wrong one, so that a refusal tells nothing. Guessing cannot shut the owner of an account out for good (OWASP, "Slow Down
// Online Guessing Attacks with Device Cookies"): a browser in which the person has signed in before, or is signed in, has a count of its
// own, which no other browser uses up. All other browsers share the counts of their address, of the account at their address, and of the
// account (OWASP ASVS 2.2.1: at most 100 an hour). Links to choose a password are not counted.
// Each process counts for itself, in windows of fixed length.

import type { IpAddress } from '../domain/values/ip-address.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'
import { BoundedCounts, networkOf } from './failure-throttle.ts'
import { type CountedWindow, minuteMicros, secondsLeft } from './minute-counts.ts'

const quarterHourMicros = 15 * minuteMicros
const hourMicros = 60 * minuteMicros

/** Wrong passwords for one account: in 15 minutes from one address or one known browser, and in an hour from all other browsers. */
export const wrongPasswordsMax = { ofOneClient: 10, ofAccount: 100 } as const
/** Entries in the audit log: of one address in 15 minutes, and of all addresses in an hour. */
const auditedMax = { ofAddress: 20, ofAll: 1000 }

/** Who tries to show who they are. */
interface Client {
  address: IpAddress | undefined
  /** What tells a browser that this account was signed in with before, or is; undefined for any other. */
  browser?: string | undefined
}

/** One try that is under way. */
export interface SignInTry {
  /** Whose share of the queue for hashing it uses (access/passwords). */
  from: string
  /** It was right, or nothing was decided. */
  takeBack: () => void
  /** It was wrong. Gives what the audit log is to say of it; undefined when it is one more of a run that stands there already. */
  fail: () => AuditedFailure | undefined
}

/** What the audit log says of a failed sign-in: of the first of a run nothing more, of a later one how many there were. */
type AuditedFailure = { failures?: number }

export class SignInTries {
  readonly #ofAddress: BoundedCounts
  readonly #ofClient: BoundedCounts
  readonly #ofAccount: BoundedCounts
  readonly #runs: BoundedCounts
  readonly #auditedOfAddress: BoundedCounts
  readonly #audited: BoundedCounts

  constructor(
    /** Failures a minute from one address; 0 for no limit. */
    private readonly ofAddressMax: number,
    private readonly now: () => Micros,
  ) {
    this.#ofAddress = new BoundedCounts(now)
    this.#ofClient = new BoundedCounts(now, quarterHourMicros)
    this.#ofAccount = new BoundedCounts(now, hourMicros)
    this.#runs = new BoundedCounts(now, quarterHourMicros)
    this.#auditedOfAddress = new BoundedCounts(now, quarterHourMicros)
    this.#audited = new BoundedCounts(now, hourMicros)
  }

  /** Counts a try for an account, named by its folded e-mail. Throws Problem `rate_limited` while a count is spent. */
  begin(account: string, { address, browser }: Client): SignInTry {
    const network = networkOf(address)
    const client = `${browser === undefined ? `address ${network}` : `browser ${browser}`} ${account}`
    const { ofOneClient, ofAccount } = wrongPasswordsMax
    const counted: [CountedWindow, number][] = [[this.#ofClient.count(client), ofOneClient]]
    if (browser === undefined) {
      counted.push([this.#ofAccount.count(account), ofAccount])
      if (this.ofAddressMax > 0) counted.push([this.#ofAddress.count(network), this.ofAddressMax])
    }
    const takeBack = (): void => {
      for (const [window] of counted) window.count--
    }
    const spent = counted.filter(([{ count }, max]) => count > max)
    if (spent.length > 0) {
      takeBack()
      throw tooMany(Math.max(...spent.map(([window]) => secondsLeft(window, this.now()))))
    }
    return {
      from: browser ?? network,
      takeBack,
      fail: () => this.#entryOf(client, network),
    }
  }

  /**
   * Counts that a provider did not vouch for an account: there is nothing to guess, so it counts for its address alone. Gives what the audit
   * log is to say, as of a wrong password. Throws Problem `rate_limited` when it is one too many.
   */
  countRefusal(account: string, address: IpAddress | undefined): AuditedFailure | undefined {
    const network = networkOf(address)
    const minute = this.#ofAddress.count(network)
    if (this.ofAddressMax > 0 && minute.count > this.ofAddressMax) {
      minute.count--
      throw tooMany(secondsLeft(minute, this.now()))
    }
    return this.#entryOf(`provider ${network} ${account}`, network)
  }

  #entryOf(run: string, network: string): AuditedFailure | undefined {
    const { count } = this.#runs.count(run)
    if (count !== 1 && count !== wrongPasswordsMax.ofOneClient) return undefined
    if (this.#auditedOfAddress.count(network).count > auditedMax.ofAddress) return undefined
    if (this.#audited.count('all').count > auditedMax.ofAll) return undefined
    return count === 1 ? {} : { failures: count }
  }
}

const tooMany = (seconds: number): Problem =>
  new Problem('rate_limited', {
    detail: `Too many sign-ins failed. Try again in ${seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}, from a browser in which you have signed in before, or with a link of an administrator to choose a password.`,
    retryAfterSeconds: seconds,
    internal: 'sign_in_throttled',
  })
