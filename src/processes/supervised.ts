// The part of a service process that has a supervisor: tells it when it listens, answers what it asks, and ends when it says so,
// or when it has gone: a process that would not be started again must not stay.

import type { ToldMetric } from '../metrics/process-sums.ts'
import type { Readiness, ToProcess, ToSupervisor } from './process-messages.ts'

interface Told {
  readiness: () => Promise<Readiness>
  metrics: () => Promise<readonly ToldMetric[]>
  drain: (why: string) => void
}

const tell = (message: ToSupervisor): void => {
  if (process.connected) process.send!(message)
}

export class SupervisorLink {
  #told: Told | undefined

  /** From the start of the process on. Until it listens it has nothing to finish, and ends at once. */
  constructor() {
    process.on('message', (message: ToProcess) => void this.#hear(message))
    process.on('disconnect', () => this.#drain('the supervisor is gone'))
    // A terminal that closes signals every process; what to do about it is for the supervisor to decide.
    process.on('SIGHUP', () => {})
  }

  /** Tells that requests are taken. */
  listening(at: { port: number; url: string }, told: Told): void {
    this.#told = told
    tell({ says: 'listening', ...at })
  }

  /** Leaves what was counted with the supervisor, so that its sums do not fall. */
  takeLeave(metrics: readonly ToldMetric[]): Promise<void> {
    if (!process.connected) return Promise.resolve()
    const message: ToSupervisor = { says: 'ending', metrics }
    return new Promise(resolve => process.send!(message, undefined, undefined, () => resolve()))
  }

  async #hear(message: ToProcess): Promise<void> {
    if ('order' in message) this.#drain('the supervisor says so')
    else if (this.#told === undefined) return
    else if (message.question === 'readiness') tell({ answer: message.number, readiness: await this.#told.readiness() })
    else if (message.question === 'metrics') tell({ answer: message.number, metrics: await this.#told.metrics() })
  }

  #drain(why: string): void {
    if (this.#told === undefined) process.exit(0)
    this.#told.drain(why)
  }
}
