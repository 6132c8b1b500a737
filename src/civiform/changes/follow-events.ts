// Copies status and note changes by CiviForm's administrators from its events, as soon as they are visible.
//
// An event's ID is drawn before the event becomes visible, so any number of events with lower IDs may appear later. Each query therefore
// starts after the events that were visible when all transactions of that time had ended, and compares rows it reads again by version.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { findFollowState, moveFollowState } from '../db/follow-state.ts'
import { type FoundChange, readKeptMarksOf } from '../db/followed-changes.ts'
import { readEventsAfter, readMarksById } from '../db/source-marks.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { applyChanges } from './apply-changes.ts'
import { differing } from './scan-changes.ts'

/** Maximum number of remembered checks; beyond that, every second one is dropped. */
const looksMax = 256

export class FollowedEvents {
  #looks: { at: Micros; newest: number }[] = []

  /** `settled`: every transaction that had begun before it has ended; undefined if that is unknown. */
  async apply(deps: FollowReading, catalogue: FollowedCatalogue, settled: Micros | undefined): Promise<FoundChange[]> {
    const { sql, source } = deps
    const { event_after } = (await findFollowState(sql))!
    const { newest, at, application_ids } = await readEventsAfter(source, event_after)
    const seen = await applyChanges(deps, catalogue, await readChanged(deps, application_ids))
    const over = this.#looks.findLastIndex(look => settled !== undefined && look.at < settled)
    const closed = this.#looks[over]?.newest
    this.#looks.splice(0, over + 1)
    if (newest > (this.#looks.at(-1)?.newest ?? event_after)) this.#looks.push({ at, newest })
    if (this.#looks.length > looksMax) this.#looks = this.#looks.filter((_, i) => i % 2 === 1)
    if (closed !== undefined && closed > event_after) await moveFollowState(sql, { event_after: closed })
    return seen
  }
}

async function readChanged({ sql, source }: FollowReading, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const marks = await readMarksById(source, ids)
  return differing(marks, await readKeptMarksOf(sql, ids))
}
