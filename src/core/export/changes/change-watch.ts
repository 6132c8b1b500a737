// Waits for a program to change (`Prefer: wait`), without holding a database connection.
// One periodic query checks all programs that requests wait for. Unlike NOTIFY, it works through a pooler and on every server.

import type { Sql } from '../../../db/client.ts'
import { readChangeNumbers } from '../../../db/walks/change-rows.ts'

/** Interval of the query while requests wait. */
const everyMs = 250
/** Maximum number of waiting requests in a process; further ones get their response immediately. */
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

  /** Whether another request can wait. */
  get hasRoom(): boolean {
    return !this.#closed && this.#waiters.size < waitersMax
  }

  /** Resolves with true when the program has a newer change, and with false after `ms`, when the client disconnects, or at shutdown. */
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

  /** Releases every waiting request at shutdown. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiters) waiter.end(false)
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    while (this.#waiters.size > 0) {
      const programs = [...new Set([...this.#waiters].map(waiter => waiter.programId))]
      // The read that follows reports an unreachable database to the waiting requests.
      const numbers = await readChangeNumbers(this.db, programs).catch(() => new Map<number, number>())
      for (const waiter of this.#waiters) if ((numbers.get(waiter.programId) ?? 0) > waiter.change) waiter.end(true)
      if (this.#waiters.size > 0) await Bun.sleep(everyMs)
    }
    this.#looking = false
  }
}
