// Metrics of the service, in addition to those of every process (src/core/metrics).
// Labels must have a bounded number of values, so they never name keys or applicants.

import { Counter, Histogram } from 'prom-client'
import { type ReadOutcome, readOutcomes } from '../../../core/export/servers/read-server.ts'
import { Meter } from '../../../core/metrics/meter.ts'
import { PoolMetrics } from '../../../core/metrics/pool-metrics.ts'
import type { KeyExpiries } from '../../../db/keys/api-key-rows.ts'
import type { RequestCounts, RequestOutcome } from './request-record.ts'

/** Values that are read whenever metrics are requested. */
interface Watched {
  exports: { readonly holding: number; readonly waiting: number; readonly released: number; readonly reopened: number }
  auditLog: { readonly waiting: number }
  fileSpace: { read(): Promise<number> }
}

/** Limits behind a 429, by their code in the log. Failed authentications are logged with the code of the failure instead. */
const limits = ['requests_per_minute', 'exports_at_a_time', 'sign_in_throttled'] as const
/** Why a database cannot continue a walk (G13). */
const walkRefusals = ['behind_walk', 'walk_of_another_history'] as const
const pageOutcomes = ['whole', 'client_gone', 'stalled', 'failed', 'refused'] as const

export class Metrics extends Meter implements RequestCounts {
  readonly pools = new PoolMetrics(this)
  readonly #requests = new Histogram({
    name: 'tributary_request_seconds',
    help: 'Time to the end of the response, by route, status and outcome',
    labelNames: ['route', 'status', 'outcome'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers: this.registers,
  })
  readonly #pages = this.#counter(
    'tributary_pages_total',
    'Export pages by outcome: whole, cut short (client_gone, stalled, failed) or refused',
    'outcome',
  )
  readonly #applications = this.#counter(
    'tributary_exported_applications_total',
    'Applications sent to clients, including interrupted pages',
  )
  readonly #bytes = this.#counter('tributary_exported_bytes_total', 'Bytes of JSON sent to clients before compression')
  readonly #unauthenticated = this.#counter(
    'tributary_unauthenticated_total',
    '401 responses by reason, which clients don’t see',
    'reason',
  )
  readonly #limited = this.#counter('tributary_rate_limited_total', '429 responses by limit', 'limit')
  readonly #unavailable = this.#counter(
    'tributary_unavailable_total',
    '503 responses by reason; the log has the code of a database error',
    'reason',
  )
  readonly #walks = this.#counter(
    'tributary_walks_refused_total',
    'Pages refused because the database lags (behind_walk) or lost changes (walk_of_another_history)',
    'reason',
  )
  readonly #reads = this.#counter(
    'tributary_read_address_cursors_total',
    'Cursors for DATABASE_READ_URL: read there, or why the primary was read instead',
    'outcome',
  )
  readonly #errors = this.#counter(
    'tributary_internal_errors_total',
    'Requests with a 500 response; should always be 0',
  )
  #open = 0

  constructor() {
    super()
    // Series used by alerts start at 0, because Prometheus sees no increase when a series first appears.
    for (const reason of ['plain_http', 'expired']) this.#unauthenticated.inc({ reason }, 0)
    for (const outcome of pageOutcomes) this.#pages.inc({ outcome }, 0)
    for (const limit of [...limits, 'failed_authentications']) this.#limited.inc({ limit }, 0)
    for (const reason of walkRefusals) this.#walks.inc({ reason }, 0)
    for (const outcome of readOutcomes) this.#reads.inc({ outcome }, 0)
    this.gauge('tributary_open_requests', 'Requests in progress, including streams', () => this.#open)
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: this.registers })
  }

  /** Adds the number of API keys that expire soon, left out while it cannot be read. */
  watchKeys(read: () => Promise<KeyExpiries>): void {
    this.lookUp(read, [
      [
        'tributary_api_keys_expiring',
        'Valid API keys that expire within 30 and within 7 days',
        found => [
          [{ within: '30d' }, found.within_30_days],
          [{ within: '7d' }, found.within_7_days],
        ],
        ['within'],
      ],
    ])
  }

  watch({ exports, auditLog, fileSpace }: Watched): void {
    this.lookUp(() => fileSpace.read(), [['tributary_uploaded_bytes', 'Bytes of all uploaded files', bytes => bytes]])
    this.gauge('tributary_exports_reading', 'Exports that hold a database connection', () => exports.holding)
    this.gauge(
      'tributary_exports_waiting',
      'Exports queued for a database connection; short peaks are normal',
      () => exports.waiting,
    )
    this.counter(
      'tributary_cursors_released_total',
      'Connections released because a reader was slow; harmless',
      () => exports.released,
    )
    this.counter(
      'tributary_cursors_reopened_total',
      'Exports continued on another connection in the middle of a page',
      () => exports.reopened,
    )
    this.gauge(
      'tributary_audit_entries_waiting',
      'Audit entries for sent pages that aren’t stored yet',
      () => auditLog.waiting,
    )
  }

  /** Adds whether this process counts limits separately because the shared Redis is unreachable. */
  watchCounts(shared: { readonly away: boolean } | undefined): void {
    this.gauge(
      'tributary_key_limits_apart',
      '1 while Redis is unreachable and each process counts limits separately',
      () => (shared?.away === true ? 1 : 0),
    )
  }

  /** Counts an attempt to open a cursor on the read server. */
  countRead(outcome: ReadOutcome): void {
    this.#reads.inc({ outcome })
  }

  begin(): void {
    this.#open++
  }

  end(request: Parameters<RequestCounts['end']>[0]): void {
    this.#open--
    const { applications = 0, bytes = 0, isPage, outcome, reason, route, seconds, status } = request
    this.#requests.observe({ route, status, outcome }, seconds)
    // A 304 neither sends nor refuses a page.
    if (isPage && status !== 304) this.#pages.inc({ outcome: pageOutcome(status, outcome) })
    if (status === 500) this.#errors.inc()
    if (applications > 0) this.#applications.inc(applications)
    if (bytes > 0) this.#bytes.inc(bytes)
    if (reason !== undefined) this.#countReason(status, reason)
  }

  #countReason(status: number, reason: string): void {
    if (isOneOf(walkRefusals, reason)) this.#walks.inc({ reason })
    if (status === 401) this.#unauthenticated.inc({ reason })
    else if (status === 429) this.#limited.inc({ limit: isOneOf(limits, reason) ? reason : 'failed_authentications' })
    // Database error codes are too many for a label; the log has them.
    else if (status === 503) this.#unavailable.inc({ reason: reason.startsWith('database_') ? 'database' : reason })
  }
}

const pageOutcome = (status: number, outcome: RequestOutcome): (typeof pageOutcomes)[number] => {
  if (status !== 200) return 'refused'
  return outcome === 'complete' ? 'whole' : outcome
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  values.some(known => known === value)
