// Applies changes to applications after they were copied: to status, note, answers, applicant and lifecycle stage, and removal. Each is
// recorded with the time at which it was seen.

import { holdChanges, insertAnnotationState, updateAnnotations } from '../../db/applications/annotations.ts'
import { inTransaction, type Transaction } from '../../db/client.ts'
import { readPresentTime } from '../../db/database-clock.ts'
import { holdInstanceTimeZone } from '../../db/instance.ts'
import { isReusedId } from '../applications/reused-ids.ts'
import { storeApplications } from '../applications/store-applications.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { type FollowState, lockFollowState, noteFindings } from '../db/follow-state.ts'
import { upsertFollowedApplicants } from '../db/followed-applications.ts'
import {
  deleteFollowed,
  type FoundChange,
  type KeptApplication,
  lockKept,
  noteChanges,
  updateFollowed,
  updateMark,
} from '../db/followed-changes.ts'
import { readApplicationsById, type SourceApplication } from '../db/source-applications.ts'
import type { Finding } from '../definitions/catalogue-version.ts'
import { type RenderedApplication, renderApplication } from '../rendering/render-application.ts'
import type { FollowReading } from '../source/followed-source.ts'

/** Applications per transaction. */
const usualRows = 200

/** Reads these applications again, and updates the stored ones to match CiviForm. Missing ones are kept; see `removeDeleted`. */
export async function applyChanges(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  ids: readonly number[],
): Promise<FoundChange[]> {
  const { batchRows = usualRows } = deps.options
  const seen: FoundChange[] = []
  for (let at = 0; at < ids.length; at += batchRows) {
    const rows = await readApplicationsById(deps.source, deps.reading, ids.slice(at, at + batchRows))
    seen.push(...(await applyRows(deps, catalogue, rows)))
  }
  return seen
}

async function applyRows(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  rows: readonly SourceApplication[],
): Promise<FoundChange[]> {
  if (rows.length === 0) return []
  const { sql, options } = deps
  const plans = await catalogue.plansOf(
    rows.map(row => row.program_id),
    deps.reading,
  )
  const findings: Finding[] = []
  const changes: FoundChange[] = []
  const returned: SourceApplication[] = []
  const state = await inTransaction(sql, async tx => {
    const locked = await lockFollowState(tx)
    await holdInstanceTimeZone(tx, options.timeZone)
    for (const program_id of new Set([...plans.values()].map(plan => plan.program_id).sort((a, b) => a - b)))
      await holdChanges(tx, program_id)
    const kept = new Map(
      (
        await lockKept(
          tx,
          rows.map(row => row.id),
        )
      ).map(application => [application.application_id, application]),
    )
    for (const row of rows) {
      const before = kept.get(row.id)
      const plan = plans.get(row.program_id)
      const report = (detail: string): void =>
        void findings.push({ kind: 'application', subject: String(row.id), detail })
      if (before === undefined || plan === undefined) continue
      // Another application with the same ID: it is copied as a new one, which replaces this one.
      if (isReusedId(before, row.submit_time)) continue
      if (before.program_version_id !== row.program_id)
        report(`moved from program version ${before.program_version_id} to ${row.program_id}; the copy was not moved`)
      if (before.submitted_at !== null && before.submitted_at !== row.submit_time)
        report('has a new submission time; it keeps its place in the order')
      if (before.superseded && row.stage === 'active') {
        returned.push(row)
        continue
      }
      const after = renderApplication(row, plan, options, report)
      changes.push(...(await applyContent(tx, row, before, after)), ...(await applyAnnotations(tx, before, after)))
      const { row_version, joined_version, applicant_id, stage, submit_time: submitted_at } = row
      const mark = { row_version, joined_version, applicant_id, stage, submitted_at }
      if (!isMarked(before, mark)) await updateMark(tx, { application_id: row.id, ...mark })
    }
    await noteChanges(tx, changes)
    await noteFindings(tx, findings)
    return locked
  })
  await takeBack(deps, catalogue, returned, state)
  return changes
}

/** Most rows that are read in full are unchanged, so nothing is written for them. */
const isMarked = (before: KeptApplication, mark: Omit<Parameters<typeof updateMark>[1], 'application_id'>): boolean =>
  before.row_version === mark.row_version &&
  before.joined_version === mark.joined_version &&
  before.live_applicant_id === mark.applicant_id &&
  before.stage === mark.stage &&
  before.submitted_at === mark.submitted_at

/**
 * The applications that superseded these no longer exist. A walk that had one of these as OBSOLETE must not see it CURRENT again, so each is removed
 * and stored again as the newest.
 */
async function takeBack(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  rows: readonly SourceApplication[],
  { position_time: time, position_id: id }: FollowState,
): Promise<void> {
  if (rows.length === 0) return
  await storeApplications(deps, catalogue, rows, { from: { time, id }, move: {}, outOfOrder: 'returned' })
}

async function applyContent(
  tx: Transaction,
  row: SourceApplication,
  before: KeptApplication,
  after: RenderedApplication,
): Promise<FoundChange[]> {
  const { program_id, application_id } = before
  if (before.snapshot === after.snapshot && before.applicant_id === after.applicant_id) return []
  const isOther = before.applicant_id !== after.applicant_id
  if (isOther) await upsertFollowedApplicants(tx, new Map([[after.applicant_id, after.language]]))
  const create_time = row.create_time ?? before.create_time
  await updateFollowed(tx, before, { applicant_id: after.applicant_id, create_time, snapshot: after.snapshot })
  return [{ program_id, application_id, what: isOther ? 'applicant' : 'answers' }]
}

async function applyAnnotations(
  tx: Transaction,
  before: KeptApplication,
  after: RenderedApplication,
): Promise<FoundChange[]> {
  const { program_id, application_id } = before
  const { status, status_last_modified_time, application_note } = after
  const hasStatus = before.status !== status || before.status_last_modified_time !== status_last_modified_time
  const hasNote = before.application_note !== application_note
  if (hasStatus || hasNote || before.annotations !== after.annotations)
    await updateAnnotations(tx, before, { status, status_last_modified_time, application_note }, after.annotations)
  if (!hasStatus && !hasNote) return []
  const changed_at = (hasStatus ? status_last_modified_time : null) ?? (await readPresentTime(tx))
  await insertAnnotationState(
    tx,
    before,
    { changed_at, changed_by: 'civiform', status, application_note },
    {
      status: hasStatus,
      note: hasNote,
    },
  )
  return [
    ...(hasStatus ? [{ program_id, application_id, what: 'status' as const }] : []),
    ...(hasNote ? [{ program_id, application_id, what: 'note' as const }] : []),
  ]
}

/** Removes applications that CiviForm no longer has. */
export async function removeDeleted({ sql }: FollowReading, ids: readonly number[]): Promise<FoundChange[]> {
  if (ids.length === 0) return []
  return inTransaction(sql, async tx => {
    await lockFollowState(tx)
    const removed = await deleteFollowed(tx, ids)
    await noteChanges(tx, removed)
    return removed
  })
}
