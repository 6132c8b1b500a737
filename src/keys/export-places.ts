// Places for exports under way at a time. In Redis a place is a lease that its process renews, so that a process that was killed gives
// its places back; each process keeps count of its own besides, for when Redis is away.

import type { CountingRedis } from '../queue/counting-redis.ts'

const now = `local time = redis.call('time') local now = time[1] * 1000 + math.floor(time[2] / 1000)`
const hold = `redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2])`
// By the clock of Redis, so that those of the machines need not agree.
const holdPlace = `${now} ${hold}`
const takePlace = `${now}
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
${hold}
return 1`

interface PlaceCommands {
  takePlace(key: string, lease: string, ms: number, max: number): Promise<0 | 1>
  holdPlace(key: string, lease: string, ms: number): Promise<unknown>
}

/** A place that is held until `end`; calling that twice is harmless. */
interface Place {
  /** Whether there was one among all processes; undefined where there is nothing to ask. It never rejects. */
  free: Promise<boolean> | undefined
  end: () => void
}

const keyOf = (id: string): string => `tributary:exports:${id}`

export class ExportPlaces {
  readonly #leases = new Map<string, Set<string>>()
  readonly #commands: PlaceCommands | undefined

  constructor(
    private readonly max: number,
    private readonly redis?: CountingRedis,
    private readonly leaseMs = 30_000,
  ) {
    if (redis === undefined) return
    redis.client.defineCommand('takePlace', { numberOfKeys: 1, lua: takePlace })
    redis.client.defineCommand('holdPlace', { numberOfKeys: 1, lua: holdPlace })
    this.#commands = redis.client as unknown as PlaceCommands
    // It may have started empty, and does not know of places that were taken while it was away.
    redis.client.on('ready', () => this.#renew())
    setInterval(() => this.#renew(), leaseMs / 3).unref()
  }

  /** Undefined when this process alone holds all of them. */
  begin(id: string): Place | undefined {
    const leases = this.#leases.get(id) ?? new Set()
    if (leases.size >= this.max) return undefined
    const lease = crypto.randomUUID()
    this.#leases.set(id, leases.add(lease))
    const end = (): void => {
      if (!leases.delete(lease)) return
      if (leases.size === 0) this.#leases.delete(id)
      // Where Redis cannot be told, the lease runs out.
      if (this.redis?.away === false) this.redis.client.zrem(keyOf(id), lease).catch(() => {})
    }
    if (this.redis?.away !== false) return { free: undefined, end }
    const taken = this.#commands!.takePlace(keyOf(id), lease, this.leaseMs, this.max)
    return { free: taken.then(told => told === 1).catch(() => true), end }
  }

  #renew(): void {
    if (this.redis?.away !== false) return
    for (const [id, leases] of this.#leases)
      for (const lease of leases) this.#commands!.holdPlace(keyOf(id), lease, this.leaseMs).catch(() => {})
  }
}
