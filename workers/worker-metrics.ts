// The worker's metrics, in addition to those of every process (src/core/metrics).

import { Counter, Gauge, Histogram } from 'prom-client'
import { Meter } from '../src/core/metrics/meter.ts'
import { PoolMetrics } from '../src/core/metrics/pool-metrics.ts'

/** Periodic tasks of a worker. */
const taskNames = ['relay', 'webhooks', 'sweep', 'retention', 'files', 'audit_seal'] as const
export type MaintenanceTask = (typeof taskNames)[number]

export class WorkerMetrics extends Meter {
  readonly pools = new PoolMetrics(this)
  readonly #jobs: Histogram
  readonly #tasks: Gauge
  readonly #attempts: Counter

  /** `startedAt` in milliseconds since 1970. */
  constructor(startedAt: number) {
    super()
    this.#jobs = new Histogram({
      name: 'tributary_job_seconds',
      help: 'Job duration by job and outcome',
      labelNames: ['job', 'outcome'],
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
      registers: this.registers,
    })
    this.#tasks = new Gauge({
      name: 'tributary_maintenance_timestamp_seconds',
      help: 'Last completion of each maintenance task; initially the worker’s start',
      labelNames: ['task'],
      registers: this.registers,
    })
    this.#attempts = new Counter({
      name: 'tributary_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome',
      labelNames: ['outcome'],
      registers: this.registers,
    })
    // Set at the start, so that a task that never succeeds is visible.
    for (const task of taskNames) this.#tasks.set({ task }, startedAt / 1000)
  }

  job(job: string, outcome: 'done' | 'failed' | 'nothing', seconds: number): void {
    this.#jobs.observe({ job, outcome }, seconds)
  }

  attempted(outcome: string): void {
    this.#attempts.inc({ outcome })
  }

  /** `now` in milliseconds since 1970. */
  through(task: MaintenanceTask, now: number): void {
    this.#tasks.set({ task }, now / 1000)
  }
}
