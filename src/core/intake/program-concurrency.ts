// Limits concurrent requests per program, so that a blocked program never occupies all intake connections.

import { Problem } from '../../base/problem.ts'

interface ConcurrencyLimits {
  /** Maximum concurrent requests of a program. */
  atATime: number
  /** Maximum waiting requests of a program; further ones are rejected immediately. */
  waitingMax: number
  /** How long a request waits before it is rejected. */
  waitMs: number
}

const waitingMax = 200
const waitMs = 5_000

/**
 * Limits for a process with this many intake connections. Submissions to a program use at most half of them, because they wait for one
 * another; saving uses at most a quarter, because it can wait for a submission of the same applicant. With four or more connections, a
 * blocked program therefore always leaves some to others.
 */
export const submissionConcurrency = (connections: number): ConcurrencyLimits => limits(connections / 2)
export const saveConcurrency = (connections: number): ConcurrencyLimits => limits(connections / 4)

const limits = (atATime: number): ConcurrencyLimits => ({
  atATime: Math.max(1, Math.floor(atATime)),
  waitingMax,
  waitMs,
})

/** Running and waiting requests of a program. */
interface Line {
  under: number
  waiting: Set<() => void>
}

export class ProgramConcurrency {
  readonly #lines = new Map<number, Line>()

  constructor(private readonly limits: ConcurrencyLimits) {}

  /**
   * Runs `work` when it is this request's turn in its program, first come, first served. Throws Problem `unavailable`, without starting, if
   * too many requests are waiting or the turn does not come within `waitMs`.
   */
  async run<T>(programId: number, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(programId) ?? { under: 0, waiting: new Set() }
    this.#lines.set(programId, line)
    if (line.under < this.limits.atATime) line.under++
    else await this.#turn(line)
    try {
      return await work()
    } finally {
      this.#next(programId, line)
    }
  }

  async #turn(line: Line): Promise<void> {
    if (line.waiting.size >= this.limits.waitingMax) throw tooBusy()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    line.waiting.add(resolve)
    const timer = setTimeout(() => {
      line.waiting.delete(resolve)
      reject(tooBusy())
    }, this.limits.waitMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Passes the turn to the next waiting request, so that a new request cannot overtake it. */
  #next(programId: number, line: Line): void {
    const [first] = line.waiting
    if (first !== undefined) {
      line.waiting.delete(first)
      first()
    } else if (--line.under === 0) this.#lines.delete(programId)
  }
}

const tooBusy = (): Problem =>
  new Problem('unavailable', {
    detail: 'This program is receiving too many requests. Nothing was changed; try again in a few seconds.',
    retryAfterSeconds: 3,
    internal: 'program_busy',
  })
