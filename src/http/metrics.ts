// What the service counts about itself, for Prometheus. One registry a process, handed to all that count.
// No label may name a key, an applicant or anything else without bound.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { KeyExpiries } from '../db/api-key-rows.ts'
import type { RequestCounts } from './request-record.ts'

/** Requests are counted by the pattern of their route, their status and how they ended. */
export class Metrics implements RequestCounts {
  readonly #registry = new Registry()
  readonly #requests: Histogram
  readonly #applications: Counter
  readonly #bytes: Counter
  #open = 0

  constructor() {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Histogram({
      name: 'tributary_request_seconds',
      help: 'Time from the start of a request to the end of its response, streams included',
      labelNames: ['route', 'status', 'outcome'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300],
      registers,
    })
    this.#applications = new Counter({
      name: 'tributary_exported_applications_total',
      help: 'Applications handed to clients',
      registers,
    })
    this.#bytes = new Counter({
      name: 'tributary_exported_bytes_total',
      help: 'Bytes of JSON handed to clients',
      registers,
    })
    const open = (): number => this.#open
    new Gauge({
      name: 'tributary_open_requests',
      help: 'Requests under way, streams included',
      registers,
      collect() {
        this.set(open())
      },
    })
  }

  /** Has the expiry of API keys looked up whenever metrics are read. What cannot be looked up is left out. */
  watchKeys(read: () => Promise<KeyExpiries>): void {
    const registers = [this.#registry]
    // Labels only so that a value can be left out: an unlabelled gauge always has one.
    new Gauge({
      name: 'tributary_api_keys_expiring',
      help: 'API keys in force that expire within the time of the label',
      labelNames: ['within'],
      registers,
      async collect() {
        this.reset()
        const found = await read().catch(() => undefined)
        if (found === undefined) return
        this.set({ within: '30d' }, found.within_30_days)
        this.set({ within: '7d' }, found.within_7_days)
      },
    })
  }

  begin(): void {
    this.#open++
  }

  end(request: Parameters<RequestCounts['end']>[0]): void {
    this.#open--
    const { applications = 0, bytes = 0, outcome, route, seconds, status } = request
    this.#requests.observe({ route, status, outcome }, seconds)
    if (applications > 0) this.#applications.inc(applications)
    if (bytes > 0) this.#bytes.inc(bytes)
  }

  /** The text Prometheus reads, and its content type. */
  async exposition(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }
}
