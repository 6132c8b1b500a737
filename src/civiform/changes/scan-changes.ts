// Finds changes without an event by comparing row versions, of applications and of the rows shown with them, round by round. Once a day,
// and after an upgrade or restore, every application is read in full to find what row versions don't reveal.

import { readNow } from '../../db/client.ts'
import type { SubmittedApplications } from '../applications/copy-submitted.ts'
import { isReusedId } from '../applications/reused-ids.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { dropFindingsBefore, findFollowState, moveFollowState, noteFindings } from '../db/follow-state.ts'
import { type FoundChange, readKeptMarks } from '../db/followed-changes.ts'
import { readEvolution } from '../db/source.ts'
import { readMarksAfter, readMarksById, readUnknownStages } from '../db/source-marks.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { applyChanges, removeDeleted } from './apply-changes.ts'

/** Rows read in full at a time; a round reads as many of these batches as it has time for. */
const wholeRowsMax = 200
/** How long a round reads rows in full: about as long as the pause between rounds, so that it is idle half of the time. */
const wholeReadMs = 2000
/** If more are missing than this, and more than half of a round, it looks like another database, and waits for an operator. */
const deletedMax = 100

interface ComparedMark {
  id: number
  row_version: number
  joined_version?: string | null
}

/** IDs of stored applications whose row has changed, or something shown with it, if that is known of both. */
export function differing(marks: readonly ComparedMark[], kept: readonly ComparedMark[]): number[] {
  const now = new Map(marks.map(mark => [mark.id, mark]))
  const isOther = ({ id, row_version, joined_version }: ComparedMark): boolean => {
    const mark = now.get(id)
    if (mark === undefined) return false
    if (mark.row_version !== row_version) return true
    const areKnown = typeof joined_version === 'string' && typeof mark.joined_version === 'string'
    return areKnown && joined_version !== mark.joined_version
  }
  return kept.filter(isOther).map(comparedMark => comparedMark.id)
}

/** Compares the next applications by ID, and starts again after the last. If all are read in full, for as long as a round allows. */
export async function scanNext(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  submitted: SubmittedApplications,
  signal?: AbortSignal,
): Promise<FoundChange[]> {
  const seen: FoundChange[] = []
  const until = performance.now() + wholeReadMs
  for (;;) {
    const step = await scanStep(deps, catalogue, submitted)
    seen.push(...step.seen)
    if (!step.wholeGoesOn || performance.now() > until || signal?.aborted) return seen
  }
}

async function scanStep(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  submitted: SubmittedApplications,
): Promise<{ seen: FoundChange[]; wholeGoesOn: boolean }> {
  const { sql, source, options, reading } = deps
  const state = (await findFollowState(sql))!
  const rowsMax = state.scan_whole ? Math.min(wholeRowsMax, options.scanRows) : options.scanRows
  const marks = await readMarksAfter(source, reading, state.scan_after, rowsMax)
  const ended = marks.length < rowsMax
  const to = ended ? Number.MAX_SAFE_INTEGER : marks.at(-1)!.id
  const kept = await readKeptMarks(sql, state.scan_after, to)
  const there = new Set(marks.map(mark => mark.id))
  const here = new Map(kept.map(item => [item.id, item]))
  const changed = state.scan_whole ? kept.map(item => item.id).filter(id => there.has(id)) : differing(marks, kept)
  const seen = await applyChanges(deps, catalogue, changed)
  const missing = kept.filter(item => !there.has(item.id)).map(item => item.id)
  if (missing.length > 0 && (await readEvolution(source)) === reading.layout.evolution)
    seen.push(...(await removeMissing(deps, missing, kept.length)))
  const late = marks
    .filter(({ id, submit_time }) => {
      const item = here.get(id)
      const isMissing = item === undefined || isReusedId(item, submit_time)
      return isMissing && (submit_time ?? 0) < (state.watermark ?? 0)
    })
    .map(mark => mark.id)
  await submitted.takeLate(deps, late, state.watermark ?? 0)
  await moveFollowState(sql, ended ? await endOfScan(deps) : { scan_after: to })
  return { seen, wholeGoesOn: state.scan_whole && !ended }

  async function endOfScan({ options: { wholeScanMs } }: FollowReading) {
    const now = await readNow(sql)
    const whole_scan_ended_at = state.scan_whole ? now : state.whole_scan_ended_at
    // Findings that were not made again are removed: those about answers after a full read, those about missing applications in any case.
    const looked = state.scan_whole ? ['application', 'many_deleted', 'application_stage'] : ['many_deleted']
    if (state.scan_whole) await noteFindings(sql, (await readUnknownStages(source)).map(strangeStage))
    await dropFindingsBefore(sql, looked, state.scan_begun_at ?? 0)
    return {
      scan_after: 0,
      scan_begun_at: now,
      scan_ended_at: now,
      whole_scan_ended_at,
      scan_whole: now - (whole_scan_ended_at ?? state.first_copied_at ?? now) > wholeScanMs * 1000,
    }
  }
}

const strangeStage = ({ stage, applications }: { stage: string; applications: number }) => ({
  kind: 'application_stage',
  subject: stage,
  detail: `is an unknown lifecycle stage of an application; ${applications} in it are left out`,
})

/** Read again by ID first: during an upgrade that rewrites the table, earlier snapshots see it empty. */
export async function removeMissing(
  deps: FollowReading,
  missing: readonly number[],
  ofKept: number,
): Promise<FoundChange[]> {
  const gone = await readGone(deps, missing)
  if (gone.length > deletedMax && gone.length > ofKept / 2 && !(await mayDelete(deps))) {
    const detail = `${gone.length} of ${ofKept} applications are missing in CiviForm; they are kept until an operator confirms the deletion`
    await noteFindings(deps.sql, [{ kind: 'many_deleted', subject: 'applications', detail }])
    deps.log.error(
      { missing: gone.length, of: ofKept },
      'CiviForm has lost more than half of these applications; nothing was removed',
    )
    return []
  }
  return removeDeleted(deps, gone)
}

/** Removes those of these that do not exist and that CiviForm itself has recorded as deleted. */
export const removeGone = async (deps: FollowReading, ids: readonly number[]): Promise<FoundChange[]> =>
  removeDeleted(deps, await readGone(deps, ids))

async function readGone({ source }: FollowReading, ids: readonly number[]): Promise<number[]> {
  const still = new Set((await readMarksById(source, ids)).map(mark => mark.id))
  return ids.filter(id => !still.has(id))
}

async function mayDelete({ sql }: FollowReading): Promise<boolean> {
  const until = (await findFollowState(sql))!.deletions_accepted_until
  return until !== null && until > (await readNow(sql))
}
