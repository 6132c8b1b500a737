// Waits for a program to change (`Prefer: wait`), without holding a database connection.
// One periodic statement checks all programs that requests wait for. Unlike NOTIFY, this works through a pooler and on every server.

import type { Sql } from '../../../db/client.ts'
import { readChangeNumbers } from '../../../db/walks/change-rows.ts'

/** Interval of the query while requests wait. */
const everyMs = 250
/** Most waiting requests of one process; one more gets its response immediately. */
const waitersMax = 1000

interface Waiter {
  programId: number
  change: number
  end(changed: boolean): void
}

export class ChangeWatch {
  readonly #waiters = new Set<Waiter>()
  #looking = false
  #closed = false

  constructor(private readonly db: Sql) {}

  get waiting(): number {
    return this.#waiters.size
  }

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return !this.#closed && this.#waiters.size < waitersMax
  }

  /** Resolves when the program has come past a change, with true; with false when `ms` are over, the client has gone, or the process ends. */
  passed(programId: number, change: number, ms: number, client: AbortSignal): Promise<boolean> {
    if (!this.hasRoom || client.aborted) return Promise.resolve(false)
    return new Promise(resolve => {
      const leave = (): void => waiter.end(false)
      const timer = setTimeout(leave, ms)
      const waiter: Waiter = {
        programId,
        change,
        end: changed => {
          this.#waiters.delete(waiter)
          clearTimeout(timer)
          resolve(changed)
        },
      }
      client.addEventListener('abort', leave)
      this.#waiters.add(waiter)
      void this.#look()
    })
  }

  /** At shutdown: answers every waiting request. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiters) waiter.end(false)
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    while (this.#waiters.size > 0) {
      const programs = [...new Set([...this.#waiters].map(waiter => waiter.programId))]
      // An unreachable database has no changes; the read that follows reports the failure to the waiting requests.
      const numbers = await readChangeNumbers(this.db, programs).catch(() => new Map<number, number>())
      for (const waiter of this.#waiters) if ((numbers.get(waiter.programId) ?? 0) > waiter.change) waiter.end(true)
      if (this.#waiters.size > 0) await Bun.sleep(everyMs)
    }
    this.#looking = false
  }
}
