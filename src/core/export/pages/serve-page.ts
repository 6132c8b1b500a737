// Serves a page of a walk: writes it, records it, and rejects it if the database cannot continue the walk.

import { Problem } from '../../../base/problem.ts'
import type { Steps } from '../../../base/tracing/span.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { type PageExtent, readPageExtent } from '../../../db/walks/walk-ids.ts'
import { isBehindWalk, isOfOtherQuestions, isOtherHistory } from '../../../db/walks/walk-start.ts'
import type { Position } from '../../../db/walks/walks.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import { earliest, type Micros } from '../../../domain/values/offset-time.ts'
import type { PageFraming } from '../framings/page-framing.ts'
import { databaseIsBehind, questionsAreLost, sealPageToken, walkIsLost } from '../requests/page-token.ts'
import { nextPage, type Walk } from '../requests/walk.ts'
import type { Exports, PageBuffers } from '../servers/exports.ts'
import { lengthOfPage } from '../servers/read-connections.ts'
import type { ExportAuditLog, SentPage } from './export-audit-log.ts'
import type { PageLimits } from './page-limits.ts'
import type { Sink } from './page-outlet.ts'
import { NotAsAnnounced, PageFailure, type PageReceipt, writePage } from './write-page.ts'

interface Page {
  walk: Walk
  /** Position after which it starts; undefined for the first page. */
  after: Position | undefined
  /** The forms that applications of each program version lack, as of the walk. */
  fills: ReadonlyMap<number, VersionFill>
  /** Whether those versions can be replaced. */
  isFollowed: boolean
  framing: PageFraming
  /** Called before the first byte, if the framing has its pages announced. What it throws becomes the response. */
  announce?: ((page: AnnouncedPage) => void) | undefined
  /** Further facts for the audit log. */
  sentTo: Omit<SentPage, 'walk' | 'after' | 'receipt'>
}

/** Facts about a page that its response headers announce. */
export interface AnnouncedPage {
  applications: number
  /** Null on the last page. */
  nextPageToken: string | null
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
    const announced = framing.isAnnounced ? await announceExtent(page, serving, seal) : undefined
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
      announced,
      sealNext: seal,
    })
    note(page, serving, receipt)
    return receipt.outcome
  } catch (error) {
    if (!(error instanceof PageFailure)) throw refusal(error, after !== undefined)
    if (error.receipt.bytes > 0) note(page, serving, error.receipt)
    throw refusal(error.cause, after !== undefined)
  }
}

/** Reads the extent of a page from the primary, and announces it. */
async function announceExtent(
  { walk, after, announce }: Page,
  { exports }: Serving,
  seal: (place: Position, applications: number) => string,
): Promise<PageExtent> {
  const { pageSize } = walk
  const extent = await exports.read(lengthOfPage(pageSize), sql =>
    readThroughLoss(() => readPageExtent(sql, { ...walk, after, pageSize })),
  )
  const { applications, next } = extent
  announce?.({ applications, nextPageToken: next === undefined ? null : seal(next, applications) })
  return extent
}

function note({ walk, after, sentTo }: Page, { fields, steps, auditLog }: Serving, receipt: PageReceipt): void {
  fields.applications = receipt.applications
  fields.bytes = receipt.bytes
  steps?.end(receipt.applications, receipt.outcome === 'failed')
  void auditLog.note({ ...sentTo, walk, after, receipt })
}

/** Problem for a database that lags behind the walk (G13): the client can retry, or the walk is lost. */
export function refusal(cause: unknown, resumed: boolean): unknown {
  if (cause instanceof NotAsAnnounced) return changedMeanwhile(cause)
  if (isOtherHistory(cause) && resumed) return walkIsLost(cause)
  if (isOfOtherQuestions(cause) && resumed) return questionsAreLost(cause)
  if (isBehindWalk(cause) || isOtherHistory(cause) || isOfOtherQuestions(cause)) return databaseIsBehind(cause)
  return cause
}

const changedMeanwhile = (cause: unknown): Problem =>
  new Problem('unavailable', {
    detail: 'An application was erased while this page was being prepared. Send the request again.',
    retryAfterSeconds: 1,
    internal: 'page_not_as_announced',
    cause,
  })
