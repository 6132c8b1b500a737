// The hot path, second half: moves the rows of a page from cursors to a client. Works with cursors and sinks, not with HTTP.
//
// Guarantees: a page is either complete or visibly incomplete. The closing bracket and the token are written once all rows are known to be
// complete; every earlier failure rejects, and the caller resets the connection.
//
// A cursor pins a database connection and its snapshot while it is open. So when a write has waited longer than `releaseAfterMs`, or almost
// any time while other exports wait for a connection, the cursor is closed and its connection released. When the client continues to read,
// a new cursor starts after the last row handed over. The same mechanism handles killed backends, restarts, failovers, and pages that the
// read server (read-server) could not finish, which the primary then does. Nothing is lost or repeated, because the horizon of the walk
// fixed the rows of the page and their order before the first row was read. A client that receives nothing for `stallTimeoutMs` loses its
// page.
//
// Memory: rows are packed into reusable buffers as they arrive (pack-page), and no batch of rows is kept. If the client is slower than
// PostgreSQL, at most one batch waits, with a number of rows that depends on their size (`batchBytes`). After the cursor is released, only
// the buffer being written is held. Tests in tests/core/export compare every byte with a plain renderer.

import { hasWaited, isLostConnection } from '../../../base/passing-errors.ts'
import type { Sql } from '../../../db/client.ts'
import type { PrimaryState } from '../../../db/walks/primary-state.ts'
import type { PageExtent } from '../../../db/walks/walk-ids.ts'
import { isBehindWalk } from '../../../db/walks/walk-start.ts'
import { type Position, readPageRows } from '../../../db/walks/walks.ts'
import { lengthOfPage } from '../servers/read-connections.ts'
import { TurnedToPrimary } from '../servers/read-server.ts'
import { PagePacker, type PageToPack } from './pack-page.ts'
import { shareOfRows } from './page-limits.ts'
import { PageOutlet, type Sink } from './page-outlet.ts'

/** How a page ended. `next` is the start of the next page; undefined if there is none or the page was cut short. */
export interface PageReceipt {
  outcome: 'complete' | 'client_gone' | 'stalled' | 'failed'
  /** For an interrupted page: as many as the client may have received. */
  applications: number
  bytes: number
  /** Position of the last of them, or the start of the page. */
  last: Position | undefined
  next: Position | undefined
}

/** A page that cannot be finished. `receipt` tells how much was handed over before; nothing if its bytes are 0. */
export class PageFailure extends Error {
  constructor(
    readonly receipt: PageReceipt,
    cause: unknown,
  ) {
    super('a page cannot be finished', { cause })
  }
}

export interface PageToWrite extends PageToPack {
  sink: Sink
  /** Creates the token of the page after a position. Called only if at least one more application follows (G7). */
  sealNext: (position: Position, applications: number) => string
  /** What the response headers say about the page. If an erasure since then makes it untrue, the page fails. */
  announced?: PageExtent | undefined
}

/** Cause of a PageFailure: the page is not as announced. */
export class NotAsAnnounced extends Error {}

/**
 * Writes a page. Rejects with a PageFailure if the database fails permanently; the body is then incomplete and must be made to look
 * incomplete.
 */
export async function writePage(toWrite: PageToWrite): Promise<PageReceipt> {
  const { limits, exports } = toWrite
  const outlet = new PageOutlet(toWrite.sink, toWrite.buffers, toWrite.plan.after, toWrite.framing.isDigested)
  const page = new PagePacker(toWrite, outlet)
  const receipt = (outcome: PageReceipt['outcome']): PageReceipt => {
    const { applications, bytes, position: last } = outlet.handed
    return { outcome, applications, bytes, last, next: outcome === 'complete' ? page.next : undefined }
  }
  const read = (sql: Sql, asOn?: PrimaryState) => {
    const firstRows = Math.min(limits.firstBatchRows, shareOfRows(limits, exports.reading))
    return readPageRows(sql, { ...page.remaining(), asOn }, firstRows, page, exports.areDistributed)
  }
  const length = lengthOfPage(toWrite.plan.pageSize)
  let onPrimary = false
  let reopens = 0
  let silences = 0
  for (;;) {
    if (page.applications > 0) exports.reopened++
    const before = page.applications
    let failure: { error: unknown } | undefined
    page.released = false
    try {
      await (onPrimary ? exports.read(length, read) : exports.readAnywhere(length, toWrite.plan.walk.programId, read))
    } catch (error) {
      failure = { error }
    }
    const progressed = page.applications > before
    // The connection is released, so no other export waits for this one.
    if (!page.released) await page.catchUp(0, () => limits.releaseAfterMs)
    if (failure === undefined && !page.released) break
    if (page.released) exports.released++
    if (progressed) reopens = silences = 0
    if (!(await outlet.settle(limits.stallTimeoutMs))) return receipt(outlet.stalled ? 'stalled' : 'client_gone')
    if (failure !== undefined) {
      if (failure.error instanceof TurnedToPrimary) {
        onPrimary = true
        continue
      }
      // A silent connection is retried once; a reset one, which fails immediately, can be retried more often.
      if (hasWaited(failure.error)) silences++
      if (
        !canReopen(failure.error, progressed, outlet.handed.bytes > 0) ||
        silences > 1 ||
        ++reopens > limits.reopensMax
      )
        throw new PageFailure(receipt('failed'), failure.error)
      await Bun.sleep(limits.reopenPauseMs * 2 ** (reopens - 1))
    }
  }
  const { next } = page
  if (toWrite.announced !== undefined && !hasExtent(toWrite.announced, page.applications, next))
    throw new PageFailure(
      receipt('failed'),
      new NotAsAnnounced('an application was erased while its page was being sent'),
    )
  const token = next === undefined ? null : toWrite.sealNext(next, page.applications)
  page.finish(token)
  const whole = await outlet.settle(limits.stallTimeoutMs)
  return receipt(whole ? 'complete' : outlet.stalled ? 'stalled' : 'client_gone')
}

const hasExtent = (announced: PageExtent, applications: number, next: Position | undefined): boolean =>
  announced.applications === applications &&
  announced.next?.submit_time === next?.submit_time &&
  announced.next?.submit_seq === next?.submit_seq

/**
 * Whether another cursor can resume where this one stopped: the connection was lost, a standby cancelled the query (40001), a long page hit
 * the statement timeout (57014) while rows were still arriving, or a database that took over during the page has yet to catch up with the
 * walk. A page that has not `begun` is rejected instead, so that the client can retry.
 */
function canReopen(error: unknown, progressed: boolean, begun: boolean): boolean {
  const code = (error as { code?: unknown } | null)?.code
  if (isBehindWalk(error)) return begun
  return isLostConnection(error) || code === '40001' || (code === '57014' && progressed)
}
