// Adds applications to the order of their program: numbers them as they are copied, and lets each supersede the earlier ones that
// CiviForm calls obsolete.
//
// An application that CiviForm calls obsolete stays CURRENT until its successor is here. The successor may have been submitted after the
// watermark and follow later, or not exist because accounts were merged (settle-waiting). So a walk always shows CiviForm as it was at
// one moment.

import { inTransaction } from '../../db/client.ts'
import { holdInstanceTimeZone } from '../../db/instance.ts'
import type { SubmissionCounter } from '../../db/loads/bulk-loads.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { type FollowState, lockFollowState, moveFollowState, noteFindings } from '../db/follow-state.ts'
import {
  advanceCounters,
  type FollowedApplication,
  insertFollowed,
  lockCounters,
  noSubmitTime,
  readCurrentApplications,
  readKnown,
  supersedeFollowed,
  upsertFollowedApplicants,
} from '../db/followed-applications.ts'
import { deleteFollowed, noteChanges } from '../db/followed-changes.ts'
import type { SourceApplication, SourcePosition } from '../db/source-applications.ts'
import { readStages } from '../db/source-marks.ts'
import type { Finding } from '../definitions/catalogue-version.ts'
import { renderApplication } from '../rendering/render-application.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { isSettling } from '../source/known-history.ts'
import { isToCopy } from './reused-ids.ts'

export interface StoreOptions {
  /** The follower's position. If another process has continued from there meanwhile, that is detected and nothing is stored. */
  from: SourcePosition
  /** The parts of the state that change with them. */
  move: Partial<FollowState>
  /**
   * Why they are placed after all existing walks instead of in their order: they appeared before a used watermark, or were superseded here and do not
   * exist there, so that they take their own positions again.
   */
  outOfOrder?: 'late' | 'returned'
}

export interface StoredApplications {
  stored: number
  /** IDs that were here before, so that only their content can be new. */
  known: number[]
}

/** Another process has followed meanwhile and continues. */
export class FollowedElsewhere extends Error {}

/** Stores these applications, in the order of submission, all or none. */
export async function storeApplications(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  rows: readonly SourceApplication[],
  { from, move, outOfOrder }: StoreOptions,
): Promise<StoredApplications> {
  const { sql, options } = deps
  const known = await readKnown(
    sql,
    rows.map(row => row.id),
  )
  const isNew = ({ id, submit_time }: SourceApplication): boolean => {
    const item = known.get(id)
    return outOfOrder === 'returned' || isToCopy(item, submit_time)
  }
  const findings: Finding[] = []
  const arriving = await render(deps, catalogue, rows.filter(isNew), findings)
  const replaced = arriving.map(application => application.application_id).filter(id => known.get(id)?.kept)
  const current = await readSuperseded(deps, arriving)
  await inTransaction(sql, async tx => {
    const state = await lockFollowState(tx)
    if (state.position_id !== from.id || state.position_time !== from.time)
      throw new FollowedElsewhere('another process is following')
    await holdInstanceTimeZone(tx, options.timeZone)
    if (replaced.length > 0) {
      await noteChanges(tx, await deleteFollowed(tx, replaced))
    }
    const counters = await lockCounters(tx, [...new Set(arriving.map(application => application.program_id))])
    if (outOfOrder !== undefined) placeLast(arriving, counters)
    const superseded = number(arriving, counters, current)
    await upsertFollowedApplicants(
      tx,
      new Map(arriving.map(application => [application.applicant_id, application.language])),
    )
    await supersedeFollowed(tx, superseded)
    await insertFollowed(tx, arriving)
    await advanceCounters(tx, newestOf(arriving, counters))
    if (outOfOrder !== undefined)
      await noteChanges(
        tx,
        arriving.map(application => ({ ...application, what: outOfOrder })),
      )
    await noteFindings(tx, findings)
    await moveFollowState(tx, { ...move, ...(outOfOrder === 'returned' ? {} : restoreSeen(state, replaced)) })
  })
  return { stored: arriving.length, known: rows.filter(row => !isNew(row)).map(row => row.id) }
}

/** IDs of stored applications now belong to others: a restore that nothing else has revealed. */
const restoreSeen = (state: FollowState, replaced: readonly number[]): Partial<FollowState> =>
  replaced.length === 0 || isSettling(state)
    ? {}
    : { rollback_evidence: `application ${replaced[0]} has a later submission time than before` }

interface ArrivingApplication extends FollowedApplication {
  language: string
}

async function render(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  rows: readonly SourceApplication[],
  findings: Finding[],
): Promise<ArrivingApplication[]> {
  const plans = await catalogue.plansOf(
    rows.map(row => row.program_id),
    deps.reading,
  )
  return rows.flatMap(row => {
    const plan = plans.get(row.program_id)
    const report = (detail: string): void =>
      void findings.push({ kind: 'application', subject: String(row.id), detail })
    if (plan === undefined) {
      report(`belongs to program version ${row.program_id}, which does not exist; it is left out`)
      return []
    }
    const submit_time = row.submit_time ?? noSubmitTime
    return [
      {
        ...renderApplication(row, plan, deps.options, report),
        program_id: plan.program_id,
        application_id: row.id,
        program_version_id: row.program_id,
        create_time: row.create_time ?? submit_time,
        submit_time,
        submit_seq: 0,
        superseded_seq: null,
        row_version: row.row_version,
        joined_version: row.joined_version,
        live_applicant_id: row.applicant_id,
        stage: row.stage,
        submitted_at: row.submit_time,
      },
    ]
  })
}

/** Applications here that the new ones supersede, by applicant and program: obsolete in CiviForm by now. */
async function readSuperseded(
  { sql, source }: FollowReading,
  arriving: readonly FollowedApplication[],
): Promise<Map<string, { program_id: number; application_id: number }[]>> {
  const applicants = [...new Set(arriving.map(application => application.live_applicant_id).filter(id => id !== null))]
  const programs = [...new Set(arriving.map(application => application.program_id))]
  const current = await readCurrentApplications(sql, programs, applicants)
  const stages = await readStages(
    source,
    current.map(row => row.application_id),
  )
  const obsolete = new Set(stages.filter(stage => stage.stage === 'obsolete').map(stage => stage.id))
  return Map.groupBy(
    current.filter(row => obsolete.has(row.application_id)),
    row => placeOf(row.program_id, row.applicant_id),
  )
}

const placeOf = (programId: number, applicantId: number): string => `${programId} ${applicantId}`

/**
 * Applications out of order are numbered after all existing walks, at the current time: so a client that continues from its last Snapshot-Time
 * receives them, too, and numbers and times have the same order.
 */
function placeLast(arriving: readonly FollowedApplication[], counters: ReadonlyMap<number, SubmissionCounter>): void {
  const last = new Map([...counters].map(([program_id, counter]) => [program_id, counter.last_submit_time]))
  for (const application of arriving) {
    application.submit_time = Math.max(application.submit_time, last.get(application.program_id)! + 1)
    last.set(application.program_id, application.submit_time)
  }
}

/** Numbers the new applications, and returns which existing ones each of them supersedes. */
function number(
  arriving: readonly FollowedApplication[],
  counters: ReadonlyMap<number, SubmissionCounter>,
  current: Map<string, { program_id: number; application_id: number }[]>,
): { program_id: number; application_id: number; superseded_seq: number }[] {
  const superseded: { program_id: number; application_id: number; superseded_seq: number }[] = []
  const before = new Map<string, FollowedApplication[]>()
  for (const application of arriving) {
    const { program_id, live_applicant_id } = application
    const submit_seq = ++counters.get(program_id)!.submit_seq
    application.submit_seq = submit_seq
    if (live_applicant_id === null) continue
    const place = placeOf(program_id, live_applicant_id)
    for (const { application_id } of current.get(place) ?? [])
      superseded.push({ program_id, application_id, superseded_seq: submit_seq })
    current.delete(place)
    for (const earlier of before.get(place) ?? []) earlier.superseded_seq = submit_seq
    before.set(place, application.stage === 'obsolete' ? [application] : [])
  }
  return superseded
}

function newestOf(arriving: readonly FollowedApplication[], counters: ReadonlyMap<number, SubmissionCounter>) {
  return [...Map.groupBy(arriving, application => application.program_id)].map(([program_id, own]) => ({
    program_id,
    submit_seq: counters.get(program_id)!.submit_seq,
    submissions: own.length,
    last_submit_time: own.reduce(
      (latest, application) => Math.max(latest, application.submit_time),
      own[0]!.submit_time,
    ),
  }))
}
