// Gives all tables of a refresh the same snapshot. Excel and Power BI read each table in a separate walk, so a feed's walk starts at the
// snapshot of the key's first walk of that program, unless that is minutes old or the database has since been restored or lost commits in
// a failover. Processes that share a Redis share these starts. While Redis is unreachable, each process has its own, and tables can have
// two different snapshots.

import type { WalkStart } from '../../../db/walks/walk-start.ts'
import type { CountingRedis } from '../../queue/counting-redis.ts'

interface Pin {
  /** A start as stored in Redis, in JSON. */
  text: string
  untilMs: number
}

/** Removes a value, unless another process has replaced it. */
const removeValue = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

export class PinnedStarts {
  readonly #own = new Map<string, Pin>()

  constructor(
    private readonly forMs: number,
    private readonly redis?: CountingRedis,
  ) {}

  /**
   * The start pinned under a name if it still `holds`; otherwise the one that `read` returns, which is then pinned. Rejects if these reject.
   * Replaces values that are not a valid start, such as those of another release.
   */
  async of(
    name: string,
    read: () => Promise<WalkStart>,
    holds: (start: WalkStart) => Promise<boolean>,
  ): Promise<WalkStart> {
    const text = await this.#pinned(name)
    const pinned = startIn(text)
    if (pinned !== undefined && (await holds(pinned))) return pinned
    if (text !== undefined) await this.#unpin(name, text)
    return this.#pin(name, await read())
  }

  async #pinned(name: string): Promise<string | undefined> {
    if (this.redis?.away === false) {
      const kept = await this.redis.client.get(keyOf(name)).catch(() => undefined)
      if (kept !== undefined) return kept ?? undefined
    }
    const pin = this.#own.get(name)
    return pin === undefined || pin.untilMs < performance.now() ? undefined : pin.text
  }

  async #unpin(name: string, text: string): Promise<void> {
    if (this.#own.get(name)?.text === text) this.#own.delete(name)
    if (this.redis?.away === false)
      await this.redis.client.eval(removeValue, 1, keyOf(name), text).catch(() => undefined)
  }

  /** If two requests start concurrently, both use the first start. */
  async #pin(name: string, start: WalkStart): Promise<WalkStart> {
    const text = JSON.stringify(start)
    if (this.redis?.away === false)
      await this.redis.client.set(keyOf(name), text, 'PX', this.forMs, 'NX').catch(() => undefined)
    const first = startIn(await this.#pinned(name))
    if (first !== undefined) return first
    const nowMs = performance.now()
    for (const [other, { untilMs }] of this.#own) if (untilMs < nowMs) this.#own.delete(other)
    this.#own.set(name, { text, untilMs: nowMs + this.forMs })
    return start
  }
}

function startIn(text: string | undefined): WalkStart | undefined {
  if (text === undefined) return undefined
  try {
    const start = JSON.parse(text) as WalkStart
    return Number.isInteger(start.horizon) && Number.isInteger(start.last_change.change) ? start : undefined
  } catch {
    return undefined
  }
}

const keyOf = (name: string): string => `tributary:feed-start:${name}`
