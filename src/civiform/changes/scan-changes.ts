// Finding what changed: at once by CiviForm's events of status and note, and everything else by comparing row versions, round by round
// over all applications. Once a day each is read whole, for what no row version tells: names of organizations, and whatever else
// is joined to it.

import { findFollowState, moveFollowState, noteFindings } from '../../db/civiform/follow-state.ts'
import { readKeptMarks, readKeptMarksOf, type SeenChange } from '../../db/civiform/followed-changes.ts'
import { readEvolution } from '../../db/civiform/source.ts'
import {
  readEventsAfter,
  readMarksAfter,
  readMarksById,
  type SourceMark,
} from '../../db/civiform/source-applications.ts'
import { readNow } from '../../db/client.ts'
import type { SubmittedApplications } from '../applications/copy-submitted.ts'
import { isGivenAgain } from '../applications/given-again.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import type { Reading } from '../followed-source.ts'
import { applyChanges, removeDeleted } from './apply-changes.ts'

/** Events that are read again: their ids are drawn before they can be seen. */
const eventsAgain = 200
/** A round that reads rows whole has fewer of them. */
const wholeRowsMax = 200
/** More missing than this, and more than half of a round: that looks like another database, and waits for an operator. */
const deletedMax = 100

/** What CiviForm's administrators did to applications since the last time. */
export async function applyEvents(deps: Reading, catalogue: FollowedCatalogue): Promise<SeenChange[]> {
  const { event_after } = (await findFollowState(deps.sql))!
  const { newest, application_ids } = await readEventsAfter(deps.source, Math.max(0, event_after - eventsAgain))
  const changed = await readChanged(deps, application_ids)
  const seen = await applyChanges(deps, catalogue, changed)
  if (newest > event_after) await moveFollowState(deps.sql, { event_after: newest })
  return seen
}

async function readChanged({ sql, source }: Reading, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const marks = await readMarksById(source, ids)
  return differing(marks, await readKeptMarksOf(sql, ids))
}

/** Ids of those kept whose row is another than it was. */
function differing(
  marks: readonly Omit<SourceMark, 'submit_time'>[],
  kept: readonly { id: number; row_version: number }[],
): number[] {
  const now = new Map(marks.map(mark => [mark.id, mark.row_version]))
  return kept.filter(one => now.has(one.id) && now.get(one.id) !== one.row_version).map(one => one.id)
}

/** Compares the next applications by id, and begins again after the last. */
export async function scanNext(
  deps: Reading,
  catalogue: FollowedCatalogue,
  submitted: SubmittedApplications,
): Promise<SeenChange[]> {
  const { sql, source, options, reading } = deps
  const state = (await findFollowState(sql))!
  const rowsMax = state.scan_whole ? Math.min(wholeRowsMax, options.scanRows) : options.scanRows
  const marks = await readMarksAfter(source, state.scan_after, rowsMax, options.databaseZone)
  const ended = marks.length < rowsMax
  const to = ended ? Number.MAX_SAFE_INTEGER : marks.at(-1)!.id
  const kept = await readKeptMarks(sql, state.scan_after, to)
  const there = new Set(marks.map(mark => mark.id))
  const here = new Map(kept.map(one => [one.id, one]))
  const changed = state.scan_whole ? kept.map(one => one.id).filter(id => there.has(id)) : differing(marks, kept)
  const seen = await applyChanges(deps, catalogue, changed)
  const missing = kept.filter(one => !there.has(one.id)).map(one => one.id)
  if (missing.length > 0 && (await readEvolution(source)) === reading.layout.evolution)
    seen.push(...(await removeMissing(deps, missing, kept.length)))
  const late = marks
    .filter(({ id, submit_time }) => {
      const one = here.get(id)
      const isMissing = one === undefined || isGivenAgain(one, submit_time)
      return isMissing && (submit_time ?? 0) < (state.watermark ?? 0)
    })
    .map(mark => mark.id)
  await submitted.takeLate(deps, late)
  await moveFollowState(sql, ended ? await endOfScan(deps) : { scan_after: to })
  return seen

  async function endOfScan({ options: { wholeScanMs } }: Reading) {
    const now = await readNow(sql)
    const whole_scan_ended_at = state.scan_whole ? now : state.whole_scan_ended_at
    return {
      scan_after: 0,
      scan_begun_at: now,
      scan_ended_at: now,
      whole_scan_ended_at,
      scan_whole: now - (whole_scan_ended_at ?? state.first_copied_at ?? now) > wholeScanMs * 1000,
    }
  }
}

/** Asked for again by id first: an upgrade that rewrites the table shows it empty to those who looked before. */
export async function removeMissing(deps: Reading, missing: readonly number[], ofKept: number): Promise<SeenChange[]> {
  const still = new Set((await readMarksById(deps.source, missing)).map(mark => mark.id))
  const gone = missing.filter(id => !still.has(id))
  if (gone.length > deletedMax && gone.length > ofKept / 2 && !(await mayDelete(deps))) {
    const detail = `${gone.length} of ${ofKept} applications are gone there; they are kept until an operator says that they were deleted`
    await noteFindings(deps.sql, [{ kind: 'many_deleted', subject: 'applications', detail }])
    deps.log.error(
      { missing: gone.length, of: ofKept },
      'CiviForm has lost more than half of these applications; nothing was removed',
    )
    return []
  }
  return removeDeleted(deps, gone)
}

async function mayDelete({ sql }: Reading): Promise<boolean> {
  const until = (await findFollowState(sql))!.deletions_accepted_until
  return until !== null && until > (await readNow(sql))
}
