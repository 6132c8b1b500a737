// Writes an audit entry for each page sent: which key read what, how far, and from which address. No entry is lost silently, and none
// contains applicants' answers.
//
// No response waits for its entry, since the client already has the applications. An entry that cannot be written is logged in full and
// retried; until it is written, its key gets no further page. A key cannot start a page while its maximum number of pages are in progress or
// not recorded yet, so the audit log never lacks more than that number of entries for a key, even if a statement hangs.
//
// Each key has one statement at a time; entries that arrive meanwhile are written by the next one. The entries of a key wait for one another
// in the database anyway (`api_key_day`); concurrent statements would occupy all connections and block every key look-up.

import type { Log } from '../../../base/log.ts'
import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import type { AuditEvent } from '../../../db/audit/audit.ts'
import type { Position } from '../../../db/walks/walks.ts'
import { earliest, formatMicros, type Micros } from '../../../domain/values/offset-time.ts'
import { exportedEvent } from '../../audit/exported-event.ts'
import type { SentQuestions } from '../../audit/sent-questions.ts'
import { reportedFilters, type Walk } from '../requests/walk.ts'
import type { PageReceipt } from './write-page.ts'

/** Maximum unwritten entries of a key without a limit on concurrent exports. Further pages wait for them. */
export const linesOfUnlimitedMax = 16
const retryMs = 5000
/** Retry interval of an entry during shutdown. */
const lastRetryMs = 200

const unnoted = 'an export could not be recorded in the audit log'

/** A page that was sent completely or partly. */
export interface SentPage {
  apiKeyId: string
  address: string
  requestId: string
  programSlug: string
  walk: Walk
  /** Format of the page. */
  format: string
  questions: SentQuestions
  /** Position after which the page starts; undefined for the first page. */
  after: Position | undefined
  /** When the client requested it. */
  beganAt: Micros
  receipt: PageReceipt
}

interface Line {
  apiKeyId: string
  event: AuditEvent
  failed: boolean
}

/** The running statement of a key, and the next one if entries are waiting. */
interface Writing {
  now: Promise<void>
  next: Promise<void> | undefined
}

interface ExportAuditLogSettings {
  /** Adds entries to the audit log, all or none. */
  append: (events: readonly AuditEvent[]) => Promise<void>
  log: Log
  now: () => Micros
  /** Whether a key waits for its entries. If not, an entry that cannot be written is only logged. */
  required: boolean
  /** Maximum concurrent pages of a key, including those not recorded yet; 0 for no limit. */
  pagesMax: () => number
  retryMs?: number
  /** How long a page waits for the entries of its key. */
  settleMs?: number
}

export class ExportAuditLog {
  readonly #lines = new Set<Line>()
  readonly #writing = new Map<string, Writing>()
  /** Pages in progress, by key. */
  readonly #pages = new Map<string, number>()
  #retry: Timer | undefined

  /** Number of unwritten entries. */
  get waiting(): number {
    return this.#lines.size
  }

  constructor(private readonly settings: ExportAuditLogSettings) {}

  /** Writes the entry of a page. Never rejects. */
  async note(page: SentPage): Promise<void> {
    this.#lines.add({ apiKeyId: page.apiKeyId, event: eventOf(page, this.settings.now()), failed: false })
    // Starts in a later turn, so that the end of the page is sent without waiting.
    await new Promise(resolve => setImmediate(resolve))
    await this.#write(page.apiKeyId)
  }

  /**
   * Takes the place of a page as soon as the key may start one: immediately, unless an entry could not be written and must be retried first,
   * or the maximum number of entries is not stored yet. The page is in progress until the place is released; record its entry before that.
   * Throws Problem `unavailable` if the entries are not stored in time, and whatever `take` throws.
   */
  async beginPage<P extends { end: () => void }>(apiKeyId: string, take: () => P): Promise<P> {
    await this.settle(apiKeyId)
    // Nothing may run between the last check and taking the place.
    while (this.#isHeldUp(apiKeyId)) await this.settle(apiKeyId)
    const place = take()
    this.#count(apiKeyId, 1)
    let under = true
    const end = (): void => {
      if (under) this.#count(apiKeyId, -1)
      under = false
      place.end()
    }
    return { ...place, end }
  }

  /** Resolves when the key can start another page; throws like `beginPage`. For responses recorded before they are sent. */
  async settle(apiKeyId: string): Promise<void> {
    const { settleMs = 5000 } = this.settings
    const endMs = performance.now() + settleMs
    while (this.#isHeldUp(apiKeyId)) {
      const written = await settledWithin(endMs - performance.now(), this.#write(apiKeyId))
      if (written && !this.#linesOf(apiKeyId).some(line => line.failed) && performance.now() < endMs) continue
      throw new Problem('unavailable', {
        detail: 'Exports of this key cannot be recorded in the audit log at the moment. Try again in a few seconds.',
        retryAfterSeconds: 5,
        internal: 'audit_unwritten',
      })
    }
  }

  #isHeldUp(apiKeyId: string): boolean {
    const { required, pagesMax } = this.settings
    if (this.#lines.size === 0 || !required) return false
    const lines = this.#linesOf(apiKeyId)
    if (lines.some(line => line.failed)) return true
    const most = pagesMax()
    if (most === 0) return lines.length >= linesOfUnlimitedMax
    const pages = this.#pages.get(apiKeyId) ?? 0
    // A key with too many pages in progress is rejected for that and does not wait.
    return lines.length > 0 && pages < most && pages + lines.length >= most
  }

  #count(apiKeyId: string, more: 1 | -1): void {
    const pages = (this.#pages.get(apiKeyId) ?? 0) + more
    if (pages > 0) this.#pages.set(apiKeyId, pages)
    else this.#pages.delete(apiKeyId)
  }

  /**
   * For shutdown, when no more pages are sent: resolves when every entry is written, retrying failed ones; or when the time is over, with each
   * missing entry in the log.
   */
  async finish(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs
    while (this.#lines.size > 0) {
      const writing = [...new Set([...this.#lines].map(line => line.apiKeyId))].map(apiKeyId => this.#write(apiKeyId))
      if (!(await settledWithin(endMs - performance.now(), Promise.all(writing)))) break
      if (this.#lines.size === 0) return
      if (performance.now() + lastRetryMs > endMs) break
      await Bun.sleep(lastRetryMs)
    }
    for (const { event, failed } of this.#lines) if (!failed) this.settings.log.error({ audit_event: event }, unnoted)
  }

  #linesOf(apiKeyId: string): Line[] {
    return [...this.#lines].filter(line => line.apiKeyId === apiKeyId)
  }

  /** Resolves when each current entry of the key has been tried. */
  #write(apiKeyId: string): Promise<void> {
    const writing = this.#writing.get(apiKeyId)
    if (writing === undefined) return this.#begin(apiKeyId)
    writing.next ??= writing.now.then(() => this.#begin(apiKeyId))
    return writing.next
  }

  #begin(apiKeyId: string): Promise<void> {
    const writing: Writing = { now: this.#tryToWrite(this.#linesOf(apiKeyId)), next: undefined }
    this.#writing.set(apiKeyId, writing)
    writing.now = writing.now.then(() => {
      if (writing.next === undefined) this.#writing.delete(apiKeyId)
    })
    return writing.now
  }

  async #tryToWrite(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return
    try {
      await this.settings.append(lines.map(line => line.event))
      for (const line of lines) {
        line.failed = false
        this.#lines.delete(line)
      }
    } catch (error) {
      const { log, required } = this.settings
      for (const line of lines) {
        // Logged once, in full, in case the process ends before the entry is written.
        if (!line.failed) log.error({ audit_event: line.event, err: error }, unnoted)
        line.failed = true
        if (!required) this.#lines.delete(line)
      }
      if (required) this.#retryLater()
    }
  }

  /** Retries for keys that do not request another page, which would retry too. */
  #retryLater(): void {
    if (this.#retry !== undefined) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      for (const line of this.#lines) if (line.failed) void this.#write(line.apiKeyId)
    }, this.settings.retryMs ?? retryMs)
    this.#retry.unref()
  }
}

function eventOf({ walk, after, receipt, ...page }: SentPage, now: Micros): AuditEvent {
  const begin = { submit_time: earliest, submit_seq: 0 }
  const { applications, outcome, last, next } = receipt
  return exportedEvent(
    page,
    { applications, after: after ?? begin, last: last ?? begin, outcome },
    {
      walk: walk.walkId,
      horizon: walk.horizon,
      filters: reportedFilters(walk),
      applications_before: walk.applications,
      last_page: outcome === 'complete' && next === undefined,
      // The entry may still be written later.
      ended_at: formatMicros(now),
    },
  )
}
