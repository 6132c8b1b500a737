// One page of a walk, from its plan to its receipt: written, noted, and refused where the database is not the walk's.

import type { Steps } from '../../../base/tracing/span.ts'
import { isBehindWalk, isOfOtherQuestions, isOtherHistory, type Position } from '../../../db/walks/walks.ts'
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
  /** Where it starts; undefined for the first page. */
  after: Position | undefined
  /** What the applications of each program version lack, as of the walk. */
  fills: ReadonlyMap<number, VersionFill>
  /** Whether the versions that those are of may be replaced. */
  isFollowed: boolean
  framing: PageFraming
  /** What the audit log says of it besides. */
  sentTo: Omit<SentPage, 'walk' | 'after' | 'receipt'>
}

/** What every page is written with. */
export interface PageServing {
  limits: PageLimits
  /** From whose servers the rows come. Every cursor asks its server whether it has the walk's submissions (G13). */
  exports: Exports
  buffers: PageBuffers
  /** Where the batches of the page are noted, in a trace. */
  steps: Steps | undefined
  /** The log's line of the request. */
  fields: { applications?: number; bytes?: number }
}

export interface Serving extends PageServing {
  pageTokenKeys: readonly Buffer[]
  now: () => Micros
  /** Where it is noted how the page ended, if the client may have got any of it. */
  auditLog: ExportAuditLog
}

/** Writes a page to a sink. Rejects with a Problem or the database's error when the page cannot be finished. */
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

/** A database that lags behind the walk never makes a page short (G13): waiting helps, or the walk is over. */
export function refusal(cause: unknown, resumed: boolean): unknown {
  if (isOtherHistory(cause) && resumed) return walkIsLost(cause)
  if (isOfOtherQuestions(cause) && resumed) return questionsAreLost(cause)
  if (isBehindWalk(cause) || isOtherHistory(cause) || isOfOtherQuestions(cause)) return databaseIsBehind(cause)
  return cause
}
