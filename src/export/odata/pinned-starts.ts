// One snapshot for all tables of a refresh. Excel and Power BI read each table by a walk of its own, one after another; so a walk of a feed
// begins where the key's first walk of that program did, unless that is minutes ago. Processes that share a Redis share these starts.
// While Redis is away each process has its own, and tables are then of two snapshots at worst.

import type { WalkStart } from '../../db/walks/walks.ts'
import type { CountingRedis } from '../../queue/counting-redis.ts'

interface Pin {
  start: WalkStart
  untilMs: number
}

export class PinnedStarts {
  readonly #own = new Map<string, Pin>()

  constructor(
    private readonly forMs: number,
    private readonly redis?: CountingRedis,
  ) {}

  /** The start that is pinned under a name; else the one that `read` finds, which is pinned then. Rejects as `read` does. */
  async of(name: string, read: () => Promise<WalkStart>): Promise<WalkStart> {
    return (await this.#pinned(name)) ?? this.#pin(name, await read())
  }

  async #pinned(name: string): Promise<WalkStart | undefined> {
    if (this.redis?.away === false) {
      const kept = await this.redis.client.get(keyOf(name)).catch(() => undefined)
      if (kept !== undefined) return kept === null ? undefined : (JSON.parse(kept) as WalkStart)
    }
    const pin = this.#own.get(name)
    return pin === undefined || pin.untilMs < performance.now() ? undefined : pin.start
  }

  /** Of two that begin at once, the first is the one for both. */
  async #pin(name: string, start: WalkStart): Promise<WalkStart> {
    if (this.redis?.away === false) {
      const kept = JSON.stringify(start)
      await this.redis.client.set(keyOf(name), kept, 'PX', this.forMs, 'NX').catch(() => undefined)
    }
    const first = await this.#pinned(name)
    if (first !== undefined) return first
    const nowMs = performance.now()
    for (const [other, { untilMs }] of this.#own) if (untilMs < nowMs) this.#own.delete(other)
    this.#own.set(name, { start, untilMs: nowMs + this.forMs })
    return start
  }
}

const keyOf = (name: string): string => `tributary:feed-start:${name}`
