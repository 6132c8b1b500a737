// Metrics of the self-walks.

import { Counter, Gauge } from 'prom-client'
import type { Meter } from '../src/metrics/meter.ts'
import type { SelfWalkReport } from './self-walk.ts'
import { promises } from './walk-promises.ts'

export class SelfWalkMetrics {
  readonly #walks: Counter
  readonly #errors: Counter
  readonly #applications: Counter
  readonly #last: Gauge

  /** `startedAt` in milliseconds since 1970; undefined where the service does not walk itself, and then nothing has a value. */
  constructor({ registers }: Meter, startedAt: number | undefined) {
    this.#walks = new Counter({
      name: 'tributary_self_walks_total',
      help: 'Walks that the service made of itself: every promise was kept, one was broken, or the walk could not be made',
      labelNames: ['outcome'],
      registers,
    })
    this.#errors = new Counter({
      name: 'tributary_self_walk_faults_total',
      help: 'What the self-walks found to be broken, by promise',
      labelNames: ['promise'],
      registers,
    })
    this.#applications = new Counter({
      name: 'tributary_self_walk_applications_total',
      help: 'Applications that the self-walks held against the database',
      registers,
    })
    // A label only so that there can be no value.
    this.#last = new Gauge({
      name: 'tributary_self_walk_timestamp_seconds',
      help: 'When the last self-walk was made to its end, in seconds since 1970; the start of the process until then',
      labelNames: ['none'],
      registers,
    })
    if (startedAt === undefined) return
    // From the start on: Prometheus sees no increase in what was not there before.
    for (const outcome of ['kept', 'broken', 'failed']) this.#walks.inc({ outcome }, 0)
    for (const promise of promises) this.#errors.inc({ promise }, 0)
    this.#last.set(startedAt / 1000)
  }

  /** `now` in milliseconds since 1970. */
  walked({ applications, errors }: SelfWalkReport, now: number): void {
    this.#walks.inc({ outcome: errors.length === 0 ? 'kept' : 'broken' })
    this.#applications.inc(applications)
    for (const { promise } of errors) this.#errors.inc({ promise })
    this.#last.set(now / 1000)
  }

  failed(): void {
    this.#walks.inc({ outcome: 'failed' })
  }
}
