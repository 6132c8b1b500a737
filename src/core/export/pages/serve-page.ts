// Serves a page of a walk: writes it, records it, and rejects it if the database cannot continue the walk.

import type { Steps } from '../../../base/tracing/span.ts'
import { isBehindWalk, isOfOtherQuestions, isOtherHistory } from '../../../db/walks/walk-start.ts'
import type { Position } from '../../../db/walks/walks.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import { earliest, type Micros } from '../../../domain/values/offset-time.ts'
import type { PageFraming } from '../framings/page-framing.ts'
import { databaseIsBehind, questionsAreLost, sealPageToken, walkIsLost } from '../requests/page-token.ts'
import { nextPage, type Walk } from '../requests/walk.ts'
import type { Exports, PageBuffers } from '../servers/exports.ts'
import type { ExportAuditLog, SentPage } from './export-audit-log.ts'
import type { PageLimits } from './page-limits.ts'
import type { Sink } from './page-outlet.ts'
import { PageFailure, type PageReceipt, writePage } from './write-page.ts'

interface Page {
  walk: Walk
  /** Position after which it starts; undefined for the first page. */
  after: Position | undefined
  /** What applications of each program version lack, as of the walk. */
  fills: ReadonlyMap<number, VersionFill>
  /** Whether those versions can be replaced. */
  isFollowed: boolean
  framing: PageFraming
  /** Further facts for the audit log. */
  sentTo: Omit<SentPage, 'walk' | 'after' | 'receipt'>
}

/** Dependencies of writing a page. */
export interface PageServing {
  limits: PageLimits
  /** Provides the servers of the rows. Every cursor checks that its server has the walk's submissions (G13). */
  exports: Exports
  buffers: PageBuffers
  /** Spans of the page's batches. */
  steps: Steps | undefined
  /** Fields of the request's log line. */
  fields: { applications?: number; bytes?: number }
}

export interface Serving extends PageServing {
  pageTokenKeys: readonly Buffer[]
  now: () => Micros
  /** Records how the page ended, if the client may have received any of it. */
  auditLog: ExportAuditLog
}

/** Writes a page to a sink. Rejects with a Problem or the database's error if the page cannot be finished. */
export async function servePage(page: Page, serving: Serving, sink: Sink): Promise<PageReceipt['outcome']> {
  const { walk, after, fills, isFollowed, framing } = page
  const seal = (place: Position, applications: number): string =>
    sealPageToken(nextPage(walk, place, applications, serving.now()), serving.pageTokenKeys)
  try {
    const { questionsAsOf, ...scope } = walk
    const isReplaceable = isFollowed && questionsAsOf !== earliest
    const plan = { walk: isReplaceable ? walk : scope, after, pageSize: walk.pageSize }
    const { limits, exports, buffers, steps } = serving
    const receipt = await writePage({
      plan,
      fills,
      framing,
      limits,
      exports,
      buffers,
      sink,
      steps,
      sealNext: seal,
    })
    note(page, serving, receipt)
    return receipt.outcome
  } catch (error) {
    if (!(error instanceof PageFailure)) throw error
    if (error.receipt.bytes > 0) note(page, serving, error.receipt)
    throw refusal(error.cause, after !== undefined)
  }
}

function note({ walk, after, sentTo }: Page, { fields, steps, auditLog }: Serving, receipt: PageReceipt): void {
  fields.applications = receipt.applications
  fields.bytes = receipt.bytes
  steps?.end(receipt.applications, receipt.outcome === 'failed')
  void auditLog.note({ ...sentTo, walk, after, receipt })
}

/** Problem for a database that lags behind the walk (G13): the client can retry, or the walk is lost. */
export function refusal(cause: unknown, resumed: boolean): unknown {
  if (isOtherHistory(cause) && resumed) return walkIsLost(cause)
  if (isOfOtherQuestions(cause) && resumed) return questionsAreLost(cause)
  if (isBehindWalk(cause) || isOtherHistory(cause) || isOfOtherQuestions(cause)) return databaseIsBehind(cause)
  return cause
}
