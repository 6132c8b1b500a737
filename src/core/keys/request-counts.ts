// Counts the requests of each key by day and outcome. A request only adds to a number in memory; the numbers are written together in the
// background, so a killed process loses the counts of its last seconds.

import type { Log } from '../../base/log.ts'
import type { Db } from '../../db/client.ts'
import { addKeyRequests, deleteKeyRequestsBefore } from '../../db/keys/key-request-days.ts'
import { lastDays } from '../../domain/values/calendar-days.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

const writeEveryMs = 5000
/** Number of days shown, including today. */
export const requestDays = 30

interface Counted {
  api_key_id: string
  outcome: string
  requests: number
}

export class KeyRequestCounts {
  /** By key and outcome, since `#since`. Bounded by the number of keys, because only requests of known keys are counted. */
  #counts = new Map<string, Counted>()
  #since: Micros = 0
  #timer: Timer | undefined
  #prunedOn = ''

  constructor(
    private readonly db: Db,
    private readonly log: Log,
    private readonly settings: { timeZone: string; now: () => Micros },
  ) {}

  /** `outcome`: `complete`, `interrupted`, the status of an error, or the reason for a 401. Returns immediately. */
  count(api_key_id: string, outcome: string): void {
    const by = `${outcome} ${api_key_id}`
    const counted = this.#counts.get(by)
    if (counted !== undefined) counted.requests++
    else this.#counts.set(by, { api_key_id, outcome, requests: 1 })
    if (this.#timer !== undefined) return
    this.#since = this.settings.now()
    this.#timer = setTimeout(() => void this.finish(), writeEveryMs)
    this.#timer.unref()
  }

  /** Writes the counts. Never rejects. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#counts.size === 0) return
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    const kept = lastDays(this.#since, this.settings.timeZone, requestDays)
    const [first, day] = [kept[0]!, kept.at(-1)!]
    try {
      await addKeyRequests(
        this.db,
        counts.map(counted => ({ ...counted, day })),
      )
      if (this.#prunedOn === day) return
      await deleteKeyRequestsBefore(this.db, first)
      this.#prunedOn = day
    } catch (error) {
      this.log.warn({ err: error, keys: counts.length }, 'requests by API key could not be counted')
    }
  }
}
