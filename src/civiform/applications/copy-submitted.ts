// Copies the next applications in submission order, up to the watermark. The first copy of all applications and the later windows of a
// few seconds are the same step. Each step is one transaction, so the copy can stop at any moment and continue there.

import { readNow } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { findFollowState, moveFollowState } from '../db/follow-state.ts'
import { noSubmitTime, readKnown } from '../db/followed-applications.ts'
import {
  readApplicationsById,
  readSubmittedAfter,
  type SourceApplication,
  type SourcePosition,
} from '../db/source-applications.ts'
import { readSubmittedBetween } from '../db/source-marks.ts'
import { widenedFor } from '../source/clock-allowance.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { isToCopy } from './reused-ids.ts'
import { storeApplications } from './store-applications.ts'

/** Approximate bytes of answers read at a time, and bounds for the number of rows. */
const chunkBytes = 6 * 1024 * 1024
const rowsMin = 50
const rowsMax = 2000

/** How far before the watermark to look for missed applications. */
const checkedMicros = 600_000_000

export class SubmittedApplications {
  #rows = 500

  constructor(private readonly catalogue: () => FollowedCatalogue) {}

  /**
   * Copies the next applications submitted before the watermark. `complete` if none are left. `known` are those that were already here: given a time
   * after they had none.
   */
  async copyNext(
    deps: FollowReading,
    watermark: Micros,
  ): Promise<{ stored: number; complete: boolean; known: number[] }> {
    const state = (await findFollowState(deps.sql))!
    const from: SourcePosition = { time: state.position_time, id: state.position_id }
    const batchRows = Math.min(this.#rows, deps.options.batchRows ?? rowsMax)
    const rows = await readSubmittedAfter(deps.source, deps.reading, from, watermark, batchRows)
    const ended = rows.length < batchRows
    const last = rows.at(-1)
    // Applications without a time come first, then those that have one.
    const complete = ended && from.time !== null
    const position =
      ended && from.time === null
        ? { position_time: noSubmitTime, position_id: 0 }
        : last === undefined
          ? {}
          : { position_time: last.submit_time, position_id: last.id }
    const move = { ...position, ...(complete ? { watermark } : {}) }
    if (rows.length === 0 && complete && state.watermark === watermark) return { stored: 0, complete, known: [] }
    const stored = await storeApplications(deps, this.catalogue(), rows, { from, move })
    this.#adapt(rows)
    return { ...stored, complete }
  }

  /** A page can have many rows with small documents, few with large ones. */
  #adapt(rows: readonly SourceApplication[]): void {
    if (rows.length < 20) return
    const bytes = rows.reduce((sum, row) => sum + (row.document?.length ?? 0), 0) / rows.length
    this.#rows = Math.round(Math.min(rowsMax, Math.max(rowsMin, chunkBytes / Math.max(bytes, 1))))
  }

  /**
   * The check that is always on: everything submitted before a used watermark must be here. A missing application shows that a clock lags more than
   * was allowed for; it is copied all the same. `used` is the watermark of the previous round. Returns their number.
   */
  async checkWatermark(deps: FollowReading, watermark: Micros, used: Micros): Promise<number> {
    const { databaseZone } = deps.options
    const rows = await readSubmittedBetween(deps.source, databaseZone, watermark - checkedMicros, watermark)
    const ids = rows.map(row => row.id)
    const known = await readKnown(deps.sql, ids)
    const missing = rows.filter(({ id, submit_time }) => isToCopy(known.get(id), submit_time))
    return this.takeLate(
      deps,
      missing.map(row => row.id),
      used,
    )
  }

  /**
   * Copies applications that should have been here, unless they are here or were erased here; and those that had been deleted there and exist again.
   * `used` is the watermark before which they should have been seen. Returns their number.
   */
  async takeLate(deps: FollowReading, ids: readonly number[], used: Micros): Promise<number> {
    if (ids.length === 0) return 0
    const rows = await readApplicationsById(deps.source, deps.reading, ids)
    rows.sort((a, b) => (a.submit_time ?? noSubmitTime) - (b.submit_time ?? noSubmitTime) || a.id - b.id)
    const known = await readKnown(deps.sql, ids)
    const back = rows.filter(row => known.get(row.id)?.deleted_there)
    const missing = rows.filter(row => !known.get(row.id)?.deleted_there)
    return (await this.#takeBack(deps, back)) + (await this.#takeMissing(deps, missing, used))
  }

  async #takeBack(deps: FollowReading, rows: readonly SourceApplication[]): Promise<number> {
    if (rows.length === 0) return 0
    const state = (await findFollowState(deps.sql))!
    const from = { time: state.position_time, id: state.position_id }
    await storeApplications(deps, this.catalogue(), rows, { from, move: {}, outOfOrder: 'returned' })
    return rows.length
  }

  async #takeMissing(deps: FollowReading, rows: readonly SourceApplication[], used: Micros): Promise<number> {
    if (rows.length === 0) return 0
    const state = (await findFollowState(deps.sql))!
    const from = { time: state.position_time, id: state.position_id }
    const { stored } = await storeApplications(deps, this.catalogue(), rows, { from, move: {}, outOfOrder: 'late' })
    if (stored === 0) return 0
    const lateness = rows.map(row => (used - (row.submit_time ?? noSubmitTime)) / 1000)
    const slack_ms = widenedFor(
      state.slack_ms,
      lateness.map(ms => Math.max(0, ms)),
    )
    if (slack_ms === undefined) {
      deps.log.warn(
        { applications: stored, behind_ms: Math.min(...lateness) },
        'old applications appeared in CiviForm, imported or restored; they are placed at the end of the order',
      )
      return stored
    }
    const late_applications = state.late_applications + stored
    await moveFollowState(deps.sql, { late_applications, slack_ms, slack_widened_at: await readNow(deps.sql) })
    deps.log.error(
      { applications: stored, slack_ms, slack_ms_before: state.slack_ms },
      'applications appeared below a used watermark: the clock of a CiviForm server lags by more than the allowance',
    )
    return stored
  }
}
