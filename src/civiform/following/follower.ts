// The follower: rounds that copy what is new in CiviForm's database, apply what changed, and compare the next part of everything else.
// Between rounds, everything it remembers is in this service's database or can be read again.

import { Problem } from '../../base/problem.ts'
import { readNow } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { reportAhead } from '../applications/ahead-of-clock.ts'
import { SubmittedApplications } from '../applications/copy-submitted.ts'
import { settleWaiting } from '../applications/settle-waiting.ts'
import { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { settleRollback } from '../changes/after-rollback.ts'
import { applyChanges } from '../changes/apply-changes.ts'
import { FollowedDeletions } from '../changes/follow-deletions.ts'
import { FollowedEvents } from '../changes/follow-events.ts'
import { followOrganizations } from '../changes/follow-organizations.ts'
import { giveUpReusedVersions } from '../changes/reused-versions.ts'
import { scanNext } from '../changes/scan-changes.ts'
import { type FollowState, findFollowState, moveFollowState } from '../db/follow-state.ts'
import {
  absentTables,
  missingNames,
  readIdentity,
  readLayout,
  readStand,
  type SourceLayout,
  type SourceStand,
} from '../db/source.ts'
import { readFirstEvent } from '../db/source-marks.ts'
import { readWriters } from '../db/source-watermark.ts'
import { followKeys } from '../keys/follow-keys.ts'
import { allowanceAt } from '../source/clock-allowance.ts'
import {
  type FollowDeps,
  type FollowReading,
  isUntried,
  newestEvolution,
  whyMissing,
} from '../source/followed-source.ts'
import { historyOf, whyCut } from '../source/known-history.ts'
import { renderingName } from '../source/profile.ts'
import { Watermarks } from '../source/watermark.ts'
import { beginOrRefuse } from './begin-following.ts'

/** The outcome of one round. */
export interface Round {
  /** The time up to which everything submitted is here; undefined while unknown. */
  watermark: Micros | undefined
  stored: number
  changed: number
  /** Whether more is waiting to be copied, so that the next round should follow immediately. */
  more: boolean
  /** What delays the watermark in CiviForm's database; undefined if nothing does for long. */
  heldBy: string | undefined
}

/** Copying steps per round: a first copy takes long, and the checks of each round must not wait for its end. */
const stepsMax = 5

export class Follower {
  readonly #submitted: SubmittedApplications
  #catalogue: FollowedCatalogue
  #events = new FollowedEvents()
  #deletions = new FollowedDeletions()
  #layout: SourceLayout | undefined
  #watermarks: Watermarks | undefined
  #reached = false
  /** How often commits had been lost there when the remembered state was read. */
  #rollbacks = 0

  constructor(
    private readonly deps: FollowDeps,
    /** Called during the first copy, after each part: the number copied, and up to which submission time. */
    private readonly onProgress: (stored: number, upTo: Micros | null) => void = () => {},
  ) {
    this.#catalogue = new FollowedCatalogue(deps)
    this.#submitted = new SubmittedApplications(() => this.#catalogue)
  }

  /** Rejects with the error of one of the two databases; the next round continues. Throws Problem `conflict` if no retry can help. */
  async round(signal?: AbortSignal): Promise<Round> {
    try {
      return await this.#round(signal)
    } catch (error) {
      // An upgrade may have changed tables, and a failover everything else.
      this.#layout = undefined
      this.#watermarks = undefined
      throw error
    }
  }

  async #round(signal: AbortSignal | undefined): Promise<Round> {
    const { sql, source, options } = this.deps
    const stand = await readStand(source).catch(error => this.#refuse(error))
    if (stand.inRecovery) throw standby(this.#reached)
    const layout = await this.#currentLayout(stand)
    this.#reached = true
    const state = (await findFollowState(sql))!
    // Another server may have taken over the address without a failed statement.
    refuseOther(state, await readIdentity(source))
    const why = whyCut(state, stand)
    // Another process may have settled it while this one had lost the lock.
    if (why !== undefined || state.rollbacks !== this.#rollbacks) this.#forget()
    this.#rollbacks = state.rollbacks + (why === undefined ? 0 : 1)
    const reading: FollowReading = {
      ...this.deps,
      reading: { layout, zone: options.databaseZone, live: options.profile === 'origin' },
      wasRolledBack: why !== undefined || state.rollbacks > 0,
    }
    await this.#catalogue.refresh(reading.reading, () => giveUpReusedVersions(reading))
    await followKeys(reading)
    const renamed = await followOrganizations(reading, this.#catalogue)
    if (why !== undefined) await settleRollback(reading, this.#catalogue, state, stand, why)
    this.#watermarks ??= await Watermarks.open(source, await readWriters(source))
    const watermark = await this.#watermarks.read(await this.#allowance())
    const { stored, more } =
      watermark === undefined ? { stored: 0, more: false } : await this.#copy(reading, watermark, signal)
    await reportAhead(reading, state)
    const { first_copied_at } = (await findFollowState(sql))!
    let changed = renamed.length
    if (first_copied_at !== null && !signal?.aborted) {
      changed += (await this.#events.apply(reading, this.#catalogue, this.#watermarks.settled)).length
      changed += (await this.#deletions.apply(reading)).length
      changed += (await scanNext(reading, this.#catalogue, this.#submitted, signal)).length
    }
    const { held } = this.#watermarks
    const heldBy = held?.by
    await moveFollowState(sql, {
      reached_at: await readNow(sql),
      last_error: heldBy ?? null,
      held_since: held?.since ?? null,
      ...historyOf(stand),
    })
    return { watermark: more ? undefined : watermark, stored, changed, more, heldBy }
  }

  /** How far clocks may lag, in milliseconds. It decreases again automatically. */
  async #allowance(): Promise<number> {
    const { sql, options, log } = this.deps
    const state = (await findFollowState(sql))!
    const { slack_ms, slack_widened_at } = allowanceAt(state, options.slackMs, await readNow(sql))
    if (slack_ms !== state.slack_ms || slack_widened_at !== state.slack_widened_at) {
      await moveFollowState(sql, { slack_ms, slack_widened_at })
      log.info({ slack_ms, slack_ms_before: state.slack_ms }, 'the clock allowance for CiviForm is back to its setting')
    }
    return slack_ms
  }

  async #copy(
    reading: FollowReading,
    watermark: Micros,
    signal: AbortSignal | undefined,
  ): Promise<{ stored: number; more: boolean }> {
    const { sql } = reading
    const { watermark: used } = (await findFollowState(sql))!
    let stored = 0
    for (let step = 0; step < stepsMax && !signal?.aborted; step++) {
      const copied = await this.#submitted.copyNext(reading, watermark)
      stored += copied.stored
      await applyChanges(reading, this.#catalogue, copied.known)
      const state = (await findFollowState(sql))!
      if (state.first_copied_at === null) this.onProgress(stored, state.position_time)
      if (!copied.complete) continue
      if (state.first_copied_at === null) await moveFollowState(sql, { first_copied_at: await readNow(sql) })
      else stored += await this.#submitted.checkWatermark(reading, watermark, used ?? watermark)
      await settleWaiting(reading, watermark)
      return { stored, more: false }
    }
    return { stored, more: true }
  }

  /** Reads the layout again after an upgrade of CiviForm, and compares the database with the one followed so far. */
  async #currentLayout(stand: SourceStand): Promise<SourceLayout> {
    if (this.#layout?.evolution === stand.evolution) return this.#layout
    // Identified by the evolution applied before the columns were read: an upgrade in between is then detected, and they are read again.
    const layout = { ...(await readLayout(this.deps.source)), evolution: stand.evolution }
    this.#require(layout)
    if (isUntried(layout))
      this.deps.log.warn(
        { evolution: layout.evolution, newest_tried: newestEvolution },
        'this release of CiviForm is newer than any tested',
      )
    await this.#begin(stand)
    this.#layout = layout
    return layout
  }

  /** Throws if it cannot be followed now: temporarily, while tables are being restored; otherwise until an operator has fixed it. */
  #require(layout: SourceLayout): void {
    const absent = absentTables(layout)
    if (this.#reached && absent.length > 0 && !isUntried(layout))
      throw new Problem('unavailable', {
        detail: `CiviForm's database has no ${absent.join(', ')}. Retrying until it has been fully restored.`,
      })
    refuseLayout(layout)
  }

  /** A table that every CiviForm has is missing: the other missing ones are more informative than the error. */
  async #refuse(error: unknown): Promise<never> {
    if ((error as { code?: unknown }).code === '42P01') this.#require(await readLayout(this.deps.source))
    throw error
  }

  async #begin(stand: SourceStand): Promise<void> {
    const { evolution } = stand
    const { sql, source, options } = this.deps
    const identity = await readIdentity(source)
    const rendering = renderingName(options)
    const known = await findFollowState(sql)
    if (known === undefined) {
      const event_after = await readFirstEvent(source)
      await beginOrRefuse(sql, { identity, rendering, slack_ms: options.slackMs })
      await moveFollowState(sql, { event_after, evolution, ...historyOf(stand) })
      return
    }
    refuseOther(known, identity)
    // An upgrade may add columns with more information about applications copied without them.
    if (known.rendering !== rendering || known.evolution !== evolution)
      await moveFollowState(sql, { rendering, evolution, scan_whole: true, scan_after: 0 })
  }

  /** Drops the remembered state of a database that has lost commits since. */
  #forget(): void {
    this.#catalogue = new FollowedCatalogue(this.deps)
    this.#watermarks = undefined
    this.#events = new FollowedEvents()
    this.#deletions = new FollowedDeletions()
  }
}

/** At the start, this is a wrong setting; later, a former primary may be about to become the primary again. */
function standby(wasFollowed: boolean): Problem {
  const detail =
    'CIVIFORM_DATABASE_URL points to a standby. Use the address of the primary, because only the primary shows submissions in progress.'
  return new Problem(wasFollowed ? 'unavailable' : 'conflict', { detail, internal: 'standby' })
}

function refuseOther({ identity: followed }: FollowState, identity: string): void {
  if (followed === identity) return
  throw new Problem('conflict', {
    detail:
      `This installation follows the database ${followed}, but CIVIFORM_DATABASE_URL points to ${identity}. ` +
      'If CiviForm has moved to another server, run: scripts/civiform moved',
    internal: 'other_database',
  })
}

/** Throws Problem `conflict` naming every table and column that is missing or may not be read. */
export function refuseLayout(layout: SourceLayout): void {
  const missing = missingNames(layout)
  const { notGranted } = layout
  if (missing.length === 0 && notGranted.length === 0) return
  const reported = [
    ...(missing.length === 0 ? [] : [`it has no ${missing.join(', ')}: ${whyMissing(layout)}`]),
    ...(notGranted.length === 0 ? [] : [`the role has no SELECT privilege on ${notGranted.join(', ')}`]),
  ]
  throw new Problem('conflict', {
    detail: `CiviForm's database cannot be followed: ${reported.join('; ')}.`,
    internal: missing.length > 0 ? 'missing' : 'not_granted',
  })
}
