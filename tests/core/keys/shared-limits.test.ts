// Limits where several processes share a Redis: what all of them together allow, and what each does while it is away.

import { describe, expect, spyOn, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { Problem } from '../../../src/base/problem.ts'
import { KeyLimits } from '../../../src/core/keys/limits.ts'
import { SignInTries, wrongPasswordsMax } from '../../../src/core/people/sign-in-tries.ts'
import { CountingRedis } from '../../../src/core/queue/counting-redis.ts'
import { parseAddress } from '../../../src/domain/values/ip-address.ts'
import { endWithTest, openedIf } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { useRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

const whole = { requestsPerMinute: 10, exportsAtATime: 4 }

const isThere = needs('redis')
const redis = await openedIf(isThere, useRedis)

describe.skipIf(!isThere)('limits of a key that several processes count in one Redis (contract D23)', () => {
  let keys = 0
  const aKey = (): string => `key-${++keys}`

  /** One process of several, as far as its limits go. */
  async function aProcess(leaseMs?: number) {
    const log: { msg: string }[] = []
    const write = (line: string): void => void log.push(JSON.parse(line))
    const counts = new CountingRedis(redis.url, createLog('info', { write }))
    endWithTest(() => counts.close())
    await until('Redis to be reached', () => !counts.away)
    return { counts, log, limits: new KeyLimits(whole, counts, leaseMs) }
  }

  /** How often its Redis is asked to count from now on: by scripts. */
  function countsAskedOf({ client }: CountingRedis): () => number {
    const sent = spyOn(client, 'sendCommand')
    endWithTest(() => sent.mockRestore())
    return () => sent.mock.calls.filter(([{ name }]) => name.startsWith('eval')).length
  }

  /** Whether a request or an export is let in; any failure but a refusal is one of the test. */
  async function isIn(take: () => unknown): Promise<boolean> {
    try {
      await take()
      return true
    } catch (error) {
      if (error instanceof Problem && error.kind === 'rate_limited') return false
      throw error
    }
  }

  test('limits apply to the sum of two processes, and the headers of either say what is left', async () => {
    const [item, other] = [await aProcess(), await aProcess()]
    const key = aKey()
    for (let left = 9; left >= 0; left--) {
      const quota = await (left % 3 === 0 ? item : other).limits.takeRequest(key)
      expect(quota).toMatchObject({ requestsPerMinute: 10, left: { requests: left } })
    }
    for (const { limits } of [item, other, item]) {
      const refused = (async () => limits.takeRequest(key))()
      await expect(refused).rejects.toMatchObject({ kind: 'rate_limited', quota: { left: { requests: 0 } } })
    }
    expect(await isIn(() => other.limits.takeRequest(aKey()))).toBe(true)
  })

  test('concurrent exports are counted together, and a returned place is free for both', async () => {
    // No lease ends by itself.
    const [item, other] = [await aProcess(600_000), await aProcess(600_000)]
    const key = aKey()
    const places = [item, other, item, item].map(({ limits }) => limits.beginExport(key))
    for (const { granted } of places) await granted
    for (const { limits } of [item, other]) expect(await isIn(() => limits.beginExport(key).granted)).toBe(false)
    places[2]!.end()
    places[2]!.end()
    await until('the place to be free', () => isIn(() => other.limits.beginExport(key).granted))
    expect(await isIn(() => item.limits.beginExport(key).granted)).toBe(false)
  })

  test('the places of a killed process become free when their leases expire, and those of running processes do not', async () => {
    const [dead, living] = [await aProcess(2000), await aProcess(2000)]
    const key = aKey()
    await dead.limits.beginExport(key).granted
    await dead.limits.beginExport(key).granted
    await living.limits.beginExport(key).granted
    await living.limits.beginExport(key).granted
    expect(await isIn(() => living.limits.beginExport(key).granted)).toBe(false)
    // What holds leases and renews them is gone, without a word to Redis.
    dead.counts.close()
    const freed: boolean[] = []
    await until('two places to be free', async () => {
      if (await isIn(() => living.limits.beginExport(key).granted)) freed.push(true)
      return freed.length === 2
    })
    const another = await aProcess()
    expect(await isIn(() => another.limits.beginExport(key).granted)).toBe(false)
  })

  test('when Redis is killed, each process counts separately and logs it once, and they count together again when it is back', async () => {
    const [item, other] = [await aProcess(), await aProcess()]
    const key = aKey()
    for (let i = 0; i < 3; i++) await item.limits.takeRequest(key)
    const held = item.limits.beginExport(key)
    await held.granted
    const tries = new SignInTries(0, item.counts)
    for (let i = 0; i < 20; i++) await (await tries.begin(key, { address: undefined })).takeBack()
    await redis.takeAway()
    await until('both to notice', () => item.counts.away && other.counts.away)
    // Passwords that were right count as little as before.
    await tries.begin(key, { address: undefined })
    // Of what it counted with Redis, each remembers its own.
    const asked = countsAskedOf(item.counts)
    for (let left = 6; left >= 0; left--)
      expect(await item.limits.takeRequest(key)).toMatchObject({ requestsPerMinute: 10, left: { requests: left } })
    expect(await isIn(() => item.limits.takeRequest(key))).toBe(false)
    expect(asked()).toBe(0)
    expect(await other.limits.takeRequest(key)).toMatchObject({ left: { requests: 9 } })
    const more = [1, 2, 3].map(() => item.limits.beginExport(key))
    for (const { granted } of more) expect(granted).toBeUndefined()
    expect(() => item.limits.beginExport(key)).toThrow(Problem)
    for (const { end } of more.slice(1)) end()

    await redis.bringBack()
    await until('both to be back', () => !item.counts.away && !other.counts.away)
    const fresh = aKey()
    const taken = Array.from({ length: 30 }, (_, i) =>
      isIn(() => (i % 2 === 0 ? item : other).limits.takeRequest(fresh)),
    )
    expect((await Promise.all(taken)).filter(Boolean)).toHaveLength(10)
    // The two places that are still held are held in the new Redis, too.
    await other.limits.beginExport(key).granted
    await other.limits.beginExport(key).granted
    expect(await isIn(() => other.limits.beginExport(key).granted)).toBe(false)
    held.end()
    more[0]!.end()
    // It is logged the second time, too.
    await redis.takeAway()
    await until('both to notice again', () => item.counts.away && other.counts.away)
    await redis.bringBack()
    await until('both to be back again', () => !item.counts.away && !other.counts.away)
    for (const { log } of [item, other]) {
      const [away, back, ...again] = log.map(({ msg }) => msg)
      expect(again).toEqual([away!, back!])
      expect(away).not.toBe(back)
    }
  })

  test('a Redis that does not respond delays no request: each process counts separately, and later requests skip it', async () => {
    const { counts, limits } = await aProcess()
    const key = aKey()
    redis.pause()
    endWithTest(() => redis.goOn())
    // It has not answered by then, and does not until it continues.
    expect(await limits.takeRequest(key)).toMatchObject({ left: { requests: 9 } })
    await until('it to be away', () => counts.away)
    const asked = countsAskedOf(counts)
    for (let left = 8; left >= 0; left--)
      expect(await limits.takeRequest(key)).toMatchObject({ left: { requests: left } })
    expect(asked()).toBe(0)
    redis.goOn()
    await until('it to be back', () => !counts.away)
    expect(await limits.takeRequest(key)).toMatchObject({ requestsPerMinute: 10 })
    expect(asked()).toBeGreaterThan(0)
  })

  test('if Redis disappears between the two counts, a process admits only what it allows itself', async () => {
    const { counts, limits } = await aProcess()
    const key = aKey()
    await limits.takeRequest(key)
    redis.pause()
    endWithTest(() => redis.goOn())
    expect(counts.away).toBe(false)
    const places = Array.from({ length: 4 }, () => limits.beginExport(key))
    expect(() => limits.beginExport(key)).toThrow(Problem)
    expect(await Promise.all(places.map(place => isIn(() => place.granted)))).toEqual([true, true, true, true])
    expect(() => limits.beginExport(key)).toThrow(Problem)
    for (const place of places) place.end()
    limits.beginExport(key).end()
  })

  test('wrong passwords for an account are counted over all processes, and right ones are not counted', async () => {
    const [item, other] = [await aProcess(), await aProcess()]
    const [here, there] = [item, other].map(({ counts }) => new SignInTries(0, counts))
    const account = `${crypto.randomUUID()}@example.gov`
    const client = { address: parseAddress('192.0.2.1') }
    const attempt = async (tries: SignInTries): Promise<void> =>
      void (await (await tries.begin(account, client)).fail())
    for (let i = 0; i < 20; i++) await (await there!.begin(account, client)).takeBack()
    for (let i = 0; i < wrongPasswordsMax.ofOneClient; i++) await attempt(i % 2 === 0 ? here! : there!)
    for (const tries of [here!, there!]) await expect(attempt(tries)).rejects.toMatchObject({ kind: 'rate_limited' })
    const names: string[] = await item.counts.client.keys('tributary:sign-in-*')
    expect(names.length).toBeGreaterThan(0)
    expect(names.join()).not.toContain('example.gov')
  })

  test('limits are also counted in a Redis cluster', async () => {
    const cluster = await useRedis({ cluster: true })
    const counts = new CountingRedis(`${cluster.url},${cluster.url}`, createLog('fatal'))
    endWithTest(() => counts.close())
    await until('the cluster to be reached', () => !counts.away)
    const limits = new KeyLimits(whole, counts)
    expect(await limits.takeRequest('a')).toMatchObject({ left: { requests: 9 } })
    const { granted, end } = limits.beginExport('a')
    await granted
    end()
  })
})
