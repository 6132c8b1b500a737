// How much one address may do on the applicants' pages, and one program may take in. All processes that share a Redis count together.

import { Problem } from '../../base/problem.ts'
import { networkOf } from '../../core/keys/failure-throttle.ts'
import { type Counted, RateCounter } from '../../core/keys/rate-counter.ts'
import type { CountingRedis } from '../../core/queue/counting-redis.ts'
import type { IpAddress } from '../../domain/values/ip-address.ts'

/** Generous, for a library's computers share an address: forms sent a minute, first saves an hour, wrong codes in a quarter of an hour. */
export const applyFormsMax = 300
export const applyStartsMax = 200
export const wrongCodesMax = 20
/** Submissions to one program a minute. */
export const applySubmissionsMax = 1200

export class ApplyLimits {
  readonly #forms: RateCounter
  readonly #starts: RateCounter
  readonly #codes: RateCounter
  readonly #submissions: RateCounter

  constructor(redis?: CountingRedis) {
    const counter = (name: string, max: number, seconds: number) =>
      new RateCounter({ name: `apply-${name}`, max, seconds, keys: 'any' }, redis)
    this.#forms = counter('forms', applyFormsMax, 60)
    this.#starts = counter('starts', applyStartsMax, 3600)
    this.#codes = counter('codes', wrongCodesMax, 900)
    this.#submissions = counter('submissions', applySubmissionsMax, 60)
  }

  countForm = async (address: IpAddress | undefined) => refuse(await this.#forms.count(networkOf(address)))

  countStart = async (address: IpAddress | undefined) => refuse(await this.#starts.count(networkOf(address)))

  countSubmission = async (programId: number) => refuse(await this.#submissions.count(String(programId)))

  /** Counts a code before it is looked up, and says whether it is one too many; the right one is taken back. */
  countCode = (address: IpAddress | undefined): Promise<Counted> => this.#codes.count(networkOf(address))

  takeBackCode = (address: IpAddress | undefined): Promise<void> => this.#codes.takeBack(networkOf(address))
}

function refuse({ isOver, seconds }: Counted): void {
  if (isOver)
    throw new Problem('rate_limited', {
      detail: 'Too many requests came from this address. Try again later.',
      retryAfterSeconds: seconds,
      internal: 'apply_throttled',
    })
}
