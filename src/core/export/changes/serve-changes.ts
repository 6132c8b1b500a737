// Sends a page of the change feed with applications, using the code for pages of walks: its rows are the changes. Its audit entry is stored
// before anything is sent.

import { noFilters } from '../../../db/walks/walk-filters.ts'
import type { WalkStart } from '../../../db/walks/walk-start.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import type { WalkQuestions } from '../framings/page-framing.ts'
import type { Sink } from '../pages/page-outlet.ts'
import { type PageServing, refusal } from '../pages/serve-page.ts'
import { PageFailure, type PageReceipt, writePage } from '../pages/write-page.ts'
import { type ChangesPage, isWithApplication } from './change-feed.ts'
import { type ChangesFormat, framingOfChanges } from './feed-framings.ts'

/** A page of the feed, and what is needed to render its applications. */
export interface ChangesToServe {
  programId: number
  page: ChangesPage
  /** The program's state when the page was read. Its applications are those of a walk that starts there. */
  start: WalkStart
  questions: WalkQuestions & { fills: ReadonlyMap<number, VersionFill>; isFollowed: boolean }
  format: ChangesFormat
}

/** Version of a row without an application, which lacks nothing. Versions start at 1. */
const noFill = { end: Buffer.alloc(0), entity: new Map() }

/** Writes a page to a sink. Rejects with a Problem or the database's error if the page cannot be finished. */
export async function serveChanges(
  { programId, page, start, questions, format }: ChangesToServe,
  { fields, ...serving }: PageServing,
  sink: Sink,
): Promise<PageReceipt['outcome']> {
  const listed = page.payload.map(change => (isWithApplication(change) ? change.application_id : null))
  const questionsAsOf = questions.isFollowed ? (start.last_published_at ?? undefined) : undefined
  const walk = {
    programId,
    horizon: start.horizon,
    lastChange: start.last_change.mark,
    filters: noFilters,
    questionsAsOf,
    listed,
  }
  const noteEnd = (receipt: PageReceipt): void => {
    const handed = listed.slice(0, receipt.last?.submit_seq ?? 0)
    fields.applications = new Set(handed.filter(id => id !== null)).size
    fields.bytes = receipt.bytes
    serving.steps?.end(receipt.applications, receipt.outcome === 'failed')
  }
  try {
    const receipt = await writePage({
      ...serving,
      plan: { walk, after: undefined, pageSize: listed.length },
      fills: new Map([...questions.fills, [0, noFill]]),
      framing: framingOfChanges(format, page, questions),
      sink,
      sealNext: () => {
        throw new Error('a page of the change feed had more rows than changes')
      },
    })
    noteEnd(receipt)
    return receipt.outcome
  } catch (error) {
    if (!(error instanceof PageFailure)) throw error
    noteEnd(error.receipt)
    throw refusal(error.cause, false)
  }
}
