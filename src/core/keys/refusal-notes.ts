// Stores why requests got a 401, so that administrators can look it up by request ID. Entries are written in batches in the background; under
// a flood, the rest goes to the log only.

import type { Log } from '../../base/log.ts'
import type { Db } from '../../db/client.ts'
import { deleteOldRefusals, insertRefusals, type Refusal } from '../../db/keys/refusal-rows.ts'

/** Maximum number of waiting notes, and the interval of writing them. */
const waitingMax = 500
const writeEveryMs = 500
const keptMicros = 30 * 86_400 * 1_000_000
const keptMax = 100_000

export class RefusalNotes {
  #waiting: Refusal[] = []
  #writing = false
  #writes = 0

  constructor(
    private readonly db: Db,
    private readonly log: Log,
  ) {}

  note(refusal: Refusal): void {
    if (this.#waiting.length >= waitingMax) return
    this.#waiting.push(refusal)
    if (this.#writing) return
    this.#writing = true
    setTimeout(() => void this.#write(), writeEveryMs).unref()
  }

  async #write(): Promise<void> {
    const refusals = this.#waiting
    this.#waiting = []
    this.#writing = false
    try {
      await insertRefusals(this.db, refusals)
      if (this.#writes++ % 1000 === 0) await deleteOldRefusals(this.db, refusals[0]!.happened_at - keptMicros, keptMax)
    } catch (error) {
      this.log.warn({ err: error, refusals: refusals.length }, 'the reasons of 401 responses could not be stored')
    }
  }
}
