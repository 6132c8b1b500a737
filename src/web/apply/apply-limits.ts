// Limits requests from one address to the applicants' pages, and submissions to one program. All processes that share a Redis count
// together.

import { Problem } from '../../base/problem.ts'
import { networkOf } from '../../core/keys/failure-throttle.ts'
import { type Counted, RateCounter } from '../../core/keys/rate-counter.ts'
import type { CountingRedis } from '../../core/queue/counting-redis.ts'
import type { IpAddress } from '../../domain/values/ip-address.ts'

/** Generous, because the computers of a library share an address: forms per minute, first saves per hour, wrong codes per quarter of an hour. */
export const applyFormsMax = 300
export const applyStartsMax = 200
export const wrongCodesMax = 20
/** Files per hour. */
export const applyUploadsMax = 300
/** Submissions to one program per minute. */
export const applySubmissionsMax = 1200
/** Concurrent forms with files, from one address and in this process. Each may take minutes to arrive. */
export const uploadsPerAddressMax = 6
const uploadsAtATimeMax = 32

const windows = {
  forms: { max: applyFormsMax, seconds: 60 },
  starts: { max: applyStartsMax, seconds: 3600 },
  codes: { max: wrongCodesMax, seconds: 900 },
  uploads: { max: applyUploadsMax, seconds: 3600 },
  submissions: { max: applySubmissionsMax, seconds: 60 },
}

export class ApplyLimits {
  readonly #counters = new Map<string, RateCounter>()
  /** Number of forms with files that are arriving, by address. */
  readonly #arriving = new Map<string, number>()

  constructor(redis?: CountingRedis) {
    for (const [name, window] of Object.entries(windows))
      this.#counters.set(name, new RateCounter({ name: `apply-${name}`, ...window, keys: 'any' }, redis))
  }

  #of = (name: keyof typeof windows): RateCounter => this.#counters.get(name)!

  /** Throws Problem `rate_limited` if there are too many from this address. */
  count = async (what: 'forms' | 'starts' | 'uploads', address: IpAddress | undefined) =>
    refuse(await this.#of(what).count(networkOf(address)))

  /** Lets a form with files arrive unless too many others are arriving. Returns a function to call once it has arrived. */
  beginUpload(address: IpAddress | undefined): () => void {
    const network = networkOf(address)
    const others = this.#arriving.get(network) ?? 0
    const all = this.#arriving.values().reduce((sum, value) => sum + value, 0)
    if (others >= uploadsPerAddressMax) refuse({ isOver: true, seconds: 10 })
    if (all >= uploadsAtATimeMax)
      throw new Problem('unavailable', {
        detail: 'Too many files are being uploaded. Try again in a minute.',
        retryAfterSeconds: 60,
        internal: 'uploads_at_a_time',
      })
    this.#arriving.set(network, others + 1)
    return () => {
      const left = this.#arriving.get(network)! - 1
      if (left === 0) this.#arriving.delete(network)
      else this.#arriving.set(network, left)
    }
  }

  countSubmission = async (programId: number) => refuse(await this.#of('submissions').count(String(programId)))

  /** Counts a code before it is looked up, and returns whether there were too many; the count is undone for the right code. */
  countCode = (address: IpAddress | undefined): Promise<Counted> => this.#of('codes').count(networkOf(address))

  takeBackCode = (address: IpAddress | undefined): Promise<void> => this.#of('codes').takeBack(networkOf(address))
}

function refuse({ isOver, seconds }: Pick<Counted, 'isOver' | 'seconds'>): void {
  if (isOver)
    throw new Problem('rate_limited', {
      detail: 'Too many requests came from this address. Try again later.',
      retryAfterSeconds: seconds,
      internal: 'apply_throttled',
    })
}
