// Metrics of database pools: connections in use, and how long statements wait for one.

import { Gauge, Histogram } from 'prom-client'
import type { Sql } from '../../db/client.ts'
import type { Meter } from './meter.ts'

export class PoolMetrics {
  readonly #pools = new Map<string, Sql>()
  readonly #waits: Histogram

  constructor({ registers }: Meter) {
    const pools = this.#pools
    this.#waits = new Histogram({
      name: 'tributary_pool_wait_seconds',
      help: 'Time statements waited for a connection, by pool',
      labelNames: ['pool'],
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 20],
      registers,
    })
    new Gauge({
      name: 'tributary_pool_connections',
      help: 'Database connections by pool and state',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, sql] of pools) {
          const figures = sql.pool()
          this.set({ pool, state: 'used' }, figures.used)
          this.set({ pool, state: 'idle' }, figures.idle)
        }
      },
    })
    new Gauge({
      name: 'tributary_pool_connections_max',
      help: 'Maximum database connections by pool',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { options }] of pools) this.set({ pool }, options.max)
      },
    })
    new Gauge({
      name: 'tributary_pool_waiting',
      help: 'Statements queued for a connection, by pool',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, sql] of pools) this.set({ pool }, sql.pool().waiting)
      },
    })
  }

  /** Opens a pool and measures it: `open` receives a callback for each wait, in milliseconds. */
  watch(name: string, open: (onWait: (ms: number) => void) => Sql): Sql {
    const waits = this.#waits.labels(name)
    const sql = open(ms => waits.observe(ms / 1000))
    this.#pools.set(name, sql)
    return sql
  }
}
