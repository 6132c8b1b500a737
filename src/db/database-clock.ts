// The database's clock, used by all processes for times that are stored or compared with stored times (D46). So a process with a wrong clock
// causes no harm.

import type { Micros } from '../domain/values/offset-time.ts'
import { type Db, readValue } from './client.ts'

/** The current time of the database's clock. */
export const readPresentTime = (db: Db): Promise<Micros> => readValue<Micros>(db)`select clock_timestamp() as now`

const askEveryMs = 10_000

/**
 * Knows the database's time without a query for each call: it adds the time elapsed on the system's steady clock to the last response. It queries
 * again every ten seconds, because clocks drift apart and a failover changes the database's clock.
 */
export class DatabaseClock {
  /** The database's time when the steady clock is zero, in microseconds. */
  #zero: number
  readonly #timer: ReturnType<typeof setInterval>

  private constructor(db: Db, zero: number, everyMs: number) {
    this.#zero = zero
    this.#timer = setInterval(() => void this.#ask(db).catch(() => {}), everyMs)
    this.#timer.unref()
  }

  /** Rejects while the database cannot be reached. */
  static async open(db: Db, everyMs = askEveryMs): Promise<DatabaseClock> {
    const { earliest, latest } = await askForZero(db)
    return new DatabaseClock(db, (earliest + latest) / 2, everyMs)
  }

  readonly now = (): Micros => Math.floor(this.#zero + performance.now() * 1000)

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The response may have been delayed, so it only corrects what it proves wrong. Without a response, the time continues. */
  async #ask(db: Db): Promise<void> {
    const { earliest, latest } = await askForZero(db)
    this.#zero = Math.min(Math.max(this.#zero, earliest), latest)
  }
}

async function askForZero(db: Db): Promise<{ earliest: number; latest: number }> {
  const askedMs = performance.now()
  const time = await readPresentTime(db)
  return { earliest: time - performance.now() * 1000, latest: time - askedMs * 1000 }
}
