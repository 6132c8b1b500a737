// Counts what happens within a window of time, a minute unless given, for each of several keys. A window begins with the first thing
// counted in it.

import type { Micros } from '../domain/values/offset-time.ts'

export const minuteMicros = 60_000_000

export interface CountedWindow {
  startedAt: Micros
  endsAt: Micros
  count: number
}

/** Holds one small entry per key that was ever counted: the keys must be few. */
export class MinuteCounts<Key> {
  readonly #windows = new Map<Key, CountedWindow>()

  constructor(private readonly windowMicros = minuteMicros) {}

  /** The window of a key that is under way, or a new one in which nothing was counted yet. */
  at(key: Key, now: Micros): CountedWindow {
    const window = this.#windows.get(key)
    // A clock that was set back leaves windows of the future here.
    if (window !== undefined && now >= window.startedAt && now < window.endsAt) return window
    const fresh = { startedAt: now, endsAt: now + this.windowMicros, count: 0 }
    this.#windows.set(key, fresh)
    return fresh
  }
}

/** Until the window is over; at least 1 while it is under way. */
export const secondsLeft = ({ endsAt }: CountedWindow, now: Micros): number => Math.ceil((endsAt - now) / 1_000_000)
