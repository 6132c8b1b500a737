// What the supervisor of several service processes tells of them.

import { Counter, Gauge } from 'prom-client'
import { Meter } from './meter.ts'

export class SupervisorMetrics extends Meter {
  constructor(supervisor: { readonly running: number; readonly restarts: number }) {
    super()
    const { registers } = this
    new Gauge({
      name: 'tributary_processes',
      help: 'Processes of the service that take requests, where it is several (PROCESSES)',
      registers,
      collect() {
        this.set(supervisor.running)
      },
    })
    new Counter({
      name: 'tributary_process_restarts_total',
      help: 'Processes of the service that ended unasked and were started again',
      registers,
      collect() {
        this.reset()
        this.inc(supervisor.restarts)
      },
    })
  }
}
