// What API keys ask for, counted in Redis for every process on every machine. It decides nothing: access/limits does.
//
// A count costs one round trip, which the caller lets run beside its own work. While Redis is away, slow or refuses, `away` is true, and
// nothing waits for it: each process goes by its share until a trial count succeeds. A place for an export is held by a lease that its
// process renews, so that a process that was killed gives its places back.

import type { Log } from '../log.ts'
import { openRedisLine, type RedisLine } from '../queue/redis-line.ts'
import { settledWithin } from '../settled-within.ts'

/** How long an answer may take. A page waits for it only when its first rows are ready sooner. */
const answerMs = 250
const tryAgainMs = 1000

// By the clock of Redis, so that those of the machines need not agree.
const leases = `
local function now()
  local time = redis.call('time')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function hold(key, lease, ms)
  redis.call('zadd', key, now() + ms, lease)
  redis.call('pexpire', key, ms)
end
local function take(key, lease, ms, most)
  redis.call('zremrangebyscore', key, '-inf', now())
  if redis.call('zcard', key) >= tonumber(most) then return 0 end
  hold(key, lease, ms)
  return 1
end
`
/** A minute begins with the first request in it. A page takes its place in the same round trip. */
const countRequest = script(`${leases}
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], 60000) end
local placed = 0
if ARGV[1] ~= '' and count <= tonumber(ARGV[4]) then placed = take(KEYS[2], ARGV[1], ARGV[2], ARGV[3]) end
return {count, redis.call('pttl', KEYS[1]), placed}`)
const takePlace = script(`${leases} return take(KEYS[1], unpack(ARGV))`)
const renewPlace = script(`${leases} return hold(KEYS[1], unpack(ARGV))`)

interface Script {
  lua: string
  hash: string
}

function script(lua: string): Script {
  return { lua, hash: new Bun.CryptoHasher('sha1').update(lua).digest('hex') }
}

// Both of one key in one slot of a cluster.
const requestsKey = (id: string): string => `tributary:requests:{${id}}`
const exportsKey = (id: string): string => `tributary:exports:{${id}}`

/** What all processes together allow a key; 0 for no limit. */
export interface WholeQuota {
  requestsPerMinute: number
  exportsAtATime: number
}

export class SharedCounts {
  /** While true, nothing is asked: every process goes by its share. */
  away = true
  #told = false
  #redis: RedisLine | undefined
  #opening = false
  #closed = false
  /** The leases held here, and whose they are. */
  readonly #held = new Map<string, string>()
  readonly #timers: Timer[]

  constructor(
    private readonly redisUrl: string,
    readonly quota: WholeQuota,
    private readonly log: Log,
    private readonly leaseMs = 30_000,
  ) {
    this.#timers = [setInterval(() => void this.#tryAgain(), tryAgainMs), setInterval(() => this.#renew(), leaseMs / 3)]
    for (const timer of this.#timers) timer.unref()
    void this.#tryAgain()
  }

  /**
   * Requests of this minute with this one, until when it lasts, and, where a `lease` is asked for, whether there was a place for it
   * (see `takePlace`). Undefined when Redis does not tell.
   */
  async countRequest(id: string, lease = ''): Promise<{ count: number; seconds: number; placed: boolean } | undefined> {
    if (lease !== '') this.#held.set(lease, id)
    const { exportsAtATime, requestsPerMinute } = this.quota
    const sent = [lease, this.leaseMs, exportsAtATime, requestsPerMinute]
    const told = await this.#ask(countRequest, [requestsKey(id), exportsKey(id)], sent)
    if (told === undefined) return undefined
    const [count, leftMs, placed] = told as [number, number, 0 | 1]
    if (placed === 0) this.#held.delete(lease)
    return { count, seconds: Math.max(1, Math.ceil(leftMs / 1000)), placed: placed === 1 }
  }

  /** Whether there was a place. Undefined when Redis does not tell. Unless it is false, the lease is held until `freePlace`. */
  async takePlace(id: string, lease: string): Promise<boolean | undefined> {
    this.#held.set(lease, id)
    if (this.away) return undefined
    const taken = await this.#ask(takePlace, [exportsKey(id)], [lease, this.leaseMs, this.quota.exportsAtATime])
    if (taken === 0) this.#held.delete(lease)
    return taken === undefined ? undefined : taken === 1
  }

  freePlace(id: string, lease: string): void {
    // Where Redis cannot be told, the lease runs out.
    if (this.#held.delete(lease) && !this.away) this.#redis!.send('ZREM', [exportsKey(id), lease]).catch(() => {})
  }

  close(): void {
    this.#closed = true
    this.away = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#redis?.close()
  }

  async #ask(one: Script, keys: readonly string[], sent: readonly (string | number)[]): Promise<unknown> {
    const answer = this.#run(one, keys, sent)
    try {
      if (await settledWithin(answerMs, answer)) return await answer
      // What leads to it may be gone without a word.
      this.#redis?.close()
      this.#lose(new Error(`no answer within ${answerMs} ms`))
    } catch (error) {
      this.#lose(error)
    }
    return undefined
  }

  async #run({ lua, hash }: Script, keys: readonly string[], sent: readonly (string | number)[]): Promise<unknown> {
    const redis = this.#redis!
    const rest = [keys.length, ...keys, ...sent]
    try {
      return await redis.send('EVALSHA', [hash, ...rest])
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error
      return redis.send('EVAL', [lua, ...rest])
    }
  }

  #lose(error: unknown): void {
    if (this.#closed) return
    this.away = true
    if (this.#told) return
    this.#told = true
    this.log.warn({ err: error }, 'Redis is away: each process counts the limits of keys by its share')
  }

  /** A trial count, for no key. Leases that are held here are taken again, since Redis may have started empty. */
  async #tryAgain(): Promise<void> {
    if (!this.away || this.#opening || this.#closed) return
    this.#opening = true
    try {
      if (this.#redis?.connected !== true) {
        this.#redis = await openRedisLine(this.redisUrl, () => this.#lose(new Error('the connection was lost')))
        if (this.#closed) return this.#redis.close()
      }
      if ((await this.countRequest('trial')) === undefined) return
      this.#renew()
      this.away = false
      if (this.#told) this.log.info('Redis is back: the limits of keys are counted for all processes together')
      this.#told = false
    } catch (error) {
      this.#lose(error)
    } finally {
      this.#opening = false
    }
  }

  #renew(): void {
    if (this.#redis?.connected !== true) return
    for (const [lease, id] of this.#held) this.#run(renewPlace, [exportsKey(id)], [lease, this.leaseMs]).catch(() => {})
  }
}
