// Writes the audit entry of each page that the service sent: which key read what, up to where, from which address. None is lost silently,
// and none contains an answer.
//
// No response waits for its entry, since the client has the applications by then. An entry that cannot be written is logged in
// full, kept, and retried; until it is written its key gets no further page. Nor does a key begin a page while as many as it may
// have at a time are under way or have no stored line yet. So the audit log lacks at most that many of a key, also where a statement hangs.
//
// A key has one statement under way at a time, and what comes in the meantime is written with the next one. The lines of a key wait for one
// another in the database anyway (`api_key_day`); side by side they would do so on all its connections, and every look-up of a key with them.

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

/** Most unwritten entries of one key without a limit on concurrent exports: a further page waits for them. */
export const linesOfUnlimitedMax = 16
const retryMs = 5000
/** Retry interval of an entry during shutdown. */
const lastRetryMs = 200

const unnoted = 'an export could not be noted in the audit log'

/** A page that was sent, whole or in part. */
export interface SentPage {
  apiKeyId: string
  address: string
  requestId: string
  programSlug: string
  walk: Walk
  /** In which the page was sent. */
  format: string
  questions: SentQuestions
  /** Where it starts; undefined for the first page. */
  after: Position | undefined
  /** When the client asked for it. */
  beganAt: Micros
  receipt: PageReceipt
}

interface Line {
  apiKeyId: string
  event: AuditEvent
  failed: boolean
}

/** Of one key: the statement under way, and the one after it, if entries wait for it. */
interface Writing {
  now: Promise<void>
  next: Promise<void> | undefined
}

interface ExportAuditLogSettings {
  /** Adds lines to the audit log, all or none. */
  append: (events: readonly AuditEvent[]) => Promise<void>
  log: Log
  now: () => Micros
  /** Whether a key waits for its lines. When not, a line that cannot be written is only logged. */
  required: boolean
  /** How many pages a key may have at a time, those whose line is not stored yet among them; 0 where that is not limited. */
  pagesMax: () => number
  retryMs?: number
  /** How long a page waits for the lines of its key. */
  settleMs?: number
}

export class ExportAuditLog {
  readonly #lines = new Set<Line>()
  readonly #writing = new Map<string, Writing>()
  /** Pages under way, by key. */
  readonly #pages = new Map<string, number>()
  #retry: Timer | undefined

  /** How many lines are not written yet. */
  get waiting(): number {
    return this.#lines.size
  }

  constructor(private readonly settings: ExportAuditLogSettings) {}

  /** Writes the line of a page. Never rejects. */
  async note(page: SentPage): Promise<void> {
    this.#lines.add({ apiKeyId: page.apiKeyId, event: eventOf(page, this.settings.now()), failed: false })
    // After the turn in which the end of the page is sent, which is to wait for nothing.
    await new Promise(resolve => setImmediate(resolve))
    await this.#write(page.apiKeyId)
  }

  /**
   * Takes the place of a page as soon as the key may begin one: immediately, unless one of its entries could not be written, which is then
   * tried again first, or as many as it may have are not stored. The page is under way until the place is released, and its entry is to
   * be noted before that. Throws Problem `unavailable` when the lines are not stored in time, and what `take` throws.
   */
  async beginPage<P extends { end: () => void }>(apiKeyId: string, take: () => P): Promise<P> {
    await this.settle(apiKeyId)
    // Nothing may come between the last look and the taking.
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

  /** Resolves when nothing holds up a further page of the key; throws as `beginPage` does. For what is on record before it is sent. */
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
    // A key whose pages under way are too many by themselves is refused for that, and does not wait.
    return lines.length > 0 && pages < most && pages + lines.length >= most
  }

  #count(apiKeyId: string, more: 1 | -1): void {
    const pages = (this.#pages.get(apiKeyId) ?? 0) + more
    if (pages > 0) this.#pages.set(apiKeyId, pages)
    else this.#pages.delete(apiKeyId)
  }

  /**
   * For the end of the process, when no more pages are sent: resolves when every line is written, and those that fail are tried
   * again; or when the time is over, and then the log has each that is missing.
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

  /** Resolves when each line that the key has now was tried. */
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
        // Logged once, in full, in case the process ends before the line is written.
        if (!line.failed) log.error({ audit_event: line.event, err: error }, unnoted)
        line.failed = true
        if (!required) this.#lines.delete(line)
      }
      if (required) this.#retryLater()
    }
  }

  /** For keys that do not ask for another page, which would try again by itself. */
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
      // The line itself may be written later.
      ended_at: formatMicros(now),
    },
  )
}
