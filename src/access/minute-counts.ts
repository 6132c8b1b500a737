// Counts what happens within a minute, for each of several keys. A minute begins with the first thing counted in it.

import type { Micros } from '../domain/values/offset-time.ts'

const minuteMicros = 60_000_000

interface Minute {
  startedAt: Micros
  count: number
}

/** Holds one small entry per key that was ever counted: the keys must be few. */
export class MinuteCounts<Key> {
  readonly #minutes = new Map<Key, Minute>()

  /** The minute of a key that is under way, or a new one in which nothing was counted yet. */
  at(key: Key, now: Micros): Minute {
    const minute = this.#minutes.get(key)
    // A clock that was set back leaves minutes of the future here.
    if (minute !== undefined && now >= minute.startedAt && now < minute.startedAt + minuteMicros) return minute
    const fresh = { startedAt: now, count: 0 }
    this.#minutes.set(key, fresh)
    return fresh
  }
}

/** Until the minute is over; at least 1 while it is under way. */
export const secondsLeft = ({ startedAt }: Minute, now: Micros): number =>
  Math.ceil((startedAt + minuteMicros - now) / 1_000_000)
