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
      help: 'How long a statement or transaction waited for a database connection of its pool',
      labelNames: ['pool'],
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 20],
      registers,
    })
    new Gauge({
      name: 'tributary_pool_connections',
      help: 'Database connections of a pool, in use or idle',
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
      help: 'Database connections that a pool may have at most',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { options }] of pools) this.set({ pool }, options.max)
      },
    })
    new Gauge({
      name: 'tributary_pool_waiting',
      help: 'Statements and transactions that wait for a database connection of a pool just now',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, sql] of pools) this.set({ pool }, sql.pool().waiting)
      },
    })
  }

  /** Opens a pool and measures it: `open` gets the callback for each wait, in milliseconds. */
  watch(name: string, open: (onWait: (ms: number) => void) => Sql): Sql {
    const waits = this.#waits.labels(name)
    const sql = open(ms => waits.observe(ms / 1000))
    this.#pools.set(name, sql)
    return sql
  }
}
