// The per-program concurrency limit: a blocked program never takes all connections of intake.

import { Problem } from '../../base/problem.ts'

interface ConcurrencyLimits {
  /** Requests of one program that run concurrently. */
  atATime: number
  /** Requests of one program that wait for their turn; one more is refused immediately. */
  waitingMax: number
  /** How long one of them waits before it is refused. */
  waitMs: number
}

const waitingMax = 200
const waitMs = 5_000

/**
 * Limits in a process whose intake has so many connections. Of one program, submissions take at most half of them, because they
 * wait for one another; saving takes at most a quarter, because it may wait for a submission of the same applicant. From four
 * connections on, a program that is blocked thus always leaves some to the others.
 */
export const submissionConcurrency = (connections: number): ConcurrencyLimits => limits(connections / 2)
export const saveConcurrency = (connections: number): ConcurrencyLimits => limits(connections / 4)

const limits = (atATime: number): ConcurrencyLimits => ({
  atATime: Math.max(1, Math.floor(atATime)),
  waitingMax,
  waitMs,
})

/** What is going on in one program. */
interface Line {
  under: number
  waiting: Set<() => void>
}

export class ProgramConcurrency {
  readonly #lines = new Map<number, Line>()

  constructor(private readonly limits: ConcurrencyLimits) {}

  /**
   * Does `work` when it is this request's turn in its program, first come, first served. Throws Problem `unavailable` when too
   * many wait already or the turn does not come within `waitMs`; nothing was begun then.
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

  /** Hands the turn on, so that a request that comes now does not overtake those that wait. */
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
    detail: 'Too many requests to this program are waiting. Nothing was changed; try again in a few seconds.',
    retryAfterSeconds: 3,
    internal: 'program_busy',
  })
