// The hot path, second half: moves the rows of one page from cursors to a client. Knows cursors and sinks; nothing of HTTP.
//
// What it guarantees, and how. A page is complete or it visibly is not: the closing bracket and the token are written when the
// rows are known to be whole, and every failure before that rejects, which the caller turns into a broken connection.
//
// A cursor pins a database connection and the oldest snapshot for as long as it is open. So it is released: when one write has waited
// longer than `releaseAfterMs`, or hardly at all while other exports wait for a connection, the cursor is closed and its connection given
// back. When the client reads on, a new cursor starts after the last row that was handed over. The same re-opening serves a killed
// backend, a restart or a failover of the database, and a page that the read server (read-server) could not finish: the primary does. Nothing is lost or repeated
// by it, because the horizon of the walk fixed which rows belong to the page, and in which order, before the first row was read. A
// client that takes nothing for `stallTimeoutMs` loses its page.
//
// Memory: rows are packed as they come (pack-page), into buffers that are used again; no batch of rows is kept. If the client is
// slower than PostgreSQL, at most one batch waits, whose number of rows follows their size (`batchBytes`). Once the cursor has been
// release, only the buffer that is being written is held. Every byte is compared, in tests/core/export, with a plain renderer.

import { hasWaited, isLostConnection } from '../../../base/passing-errors.ts'
import type { Sql } from '../../../db/client.ts'
import type { PrimaryState } from '../../../db/walks/primary-state.ts'
import { isBehindWalk, type Position, readPageRows } from '../../../db/walks/walks.ts'
import { TurnedToPrimary } from '../servers/read-server.ts'
import { PagePacker, type PageToPack } from './pack-page.ts'
import { shareOfRows } from './page-limits.ts'
import { PageOutlet, type Sink } from './page-outlet.ts'

/** How a page ended. `next` is where the following page starts, or undefined when none follows or the page was cut short. */
export interface PageReceipt {
  outcome: 'complete' | 'client_gone' | 'stalled' | 'failed'
  /** Of a page that was cut short: as many as the client may have got. */
  applications: number
  bytes: number
  /** The place of the last of them, or where the page starts. */
  last: Position | undefined
  next: Position | undefined
}

/** A page that cannot be finished. `cause` says why, `receipt` what had been handed over by then: nothing when its bytes are 0. */
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
  /** Makes the token for the page that starts after a place. Called only when at least one more application follows (G7). */
  sealNext: (position: Position, applications: number) => string
}

/**
 * Writes one page: its applications, framed. Rejects with a PageFailure when the database failed for good; the body is then
 * incomplete and must be made to look so.
 */
export async function writePage(asked: PageToWrite): Promise<PageReceipt> {
  const { limits, exports } = asked
  const outlet = new PageOutlet(asked.sink, asked.buffers, asked.plan.after, asked.framing.isDigested)
  const page = new PagePacker(asked, outlet)
  const receipt = (outcome: PageReceipt['outcome']): PageReceipt => {
    const { applications, bytes, position: last } = outlet.handed
    return { outcome, applications, bytes, last, next: outcome === 'complete' ? page.next : undefined }
  }
  const read = (sql: Sql, asOn?: PrimaryState) => {
    const firstRows = Math.min(limits.firstBatchRows, shareOfRows(limits, exports.reading))
    return readPageRows(sql, { ...page.remaining(), asOn }, firstRows, page, exports.areDistributed)
  }
  let onPrimary = false
  let reopens = 0
  let silences = 0
  for (;;) {
    if (page.applications > 0) exports.reopened++
    const before = page.applications
    let failure: { error: unknown } | undefined
    page.released = false
    try {
      await (onPrimary ? exports.read(read) : exports.readAnywhere(asked.plan.walk.programId, read))
    } catch (error) {
      failure = { error }
    }
    const progressed = page.applications > before
    // The connection has been released, so no other export waits for this.
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
      // After a connection that fell silent, one more try; one that was reset immediately may be tried more often.
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
  const token = next === undefined ? null : asked.sealNext(next, page.applications)
  page.finish(token)
  const whole = await outlet.settle(limits.stallTimeoutMs)
  return receipt(whole ? 'complete' : outlet.stalled ? 'stalled' : 'client_gone')
}

/**
 * Whether another cursor can resume where this one stopped: the connection was lost and not the statement at fault, a standby
 * withdrew the snapshot (40001), a long page met the statement timeout (57014) while rows were still coming, or the database that
 * took over in mid-page has yet to catch up with the walk. A page that is not `begun` is refused instead: the client may do better.
 */
function canReopen(error: unknown, progressed: boolean, begun: boolean): boolean {
  const code = (error as { code?: unknown } | null)?.code
  if (isBehindWalk(error)) return begun
  return isLostConnection(error) || code === '40001' || (code === '57014' && progressed)
}
