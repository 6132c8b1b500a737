// The database's clock, used by all processes for times that are stored or compared with stored times (D46). So a process with a wrong clock
// causes no harm.

import type { Micros } from '../domain/values/offset-time.ts'
import { type Db, readValue } from './client.ts'

/** What the database's clock says at this moment. */
export const readPresentTime = (db: Db): Promise<Micros> => readValue<Micros>(db)`select clock_timestamp() as now`

const askEveryMs = 10_000

/**
 * Tells the database's time without asking each time: by what it said last and how long ago that was, which the system's steady clock
 * knows. Asked again every ten seconds, because two clocks drift apart, and because a failover replaces the database's.
 */
export class DatabaseClock {
  /** What the database's clock says when the steady clock is at zero, in microseconds. */
  #zero: number
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(db: Db, zero: number, everyMs: number) {
    this.#zero = zero
    this.#timer = setInterval(() => void this.#ask(db).catch(() => {}), everyMs)
    this.#timer.unref()
  }

  /** Rejects while the database cannot be asked. */
  static async open(db: Db, everyMs = askEveryMs): Promise<DatabaseClock> {
    const { earliest, latest } = await askForZero(db)
    return new DatabaseClock(db, (earliest + latest) / 2, everyMs)
  }

  readonly now = (): Micros => Math.floor(this.#zero + performance.now() * 1000)

  stop(): void {
    clearInterval(this.#timer)
  }

  /** An answer is as old as its way here was long, so it corrects only what it proves to be wrong. While none comes, time goes on. */
  async #ask(db: Db): Promise<void> {
    const { earliest, latest } = await askForZero(db)
    this.#zero = Math.min(Math.max(this.#zero, earliest), latest)
  }
}

async function askForZero(db: Db): Promise<{ earliest: number; latest: number }> {
  const askedMs = performance.now()
  const said = await readPresentTime(db)
  return { earliest: said - performance.now() * 1000, latest: said - askedMs * 1000 }
}
