import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { FailureThrottle } from '../../../src/core/keys/failure-throttle.ts'
import { parseAddress } from '../../../src/domain/values/ip-address.ts'

const failures = (throttle: FailureThrottle, addresses: readonly string[]): Promise<(number | undefined)[]> =>
  Promise.all(addresses.map(address => throttle.countFailure(parseAddress(address))))

const throttling = (failuresPerMinute: number): FailureThrottle => new FailureThrottle(failuresPerMinute)
afterEach(() => setSystemTime())

describe('"Failed authentications are throttled per address" (contract section 3)', () => {
  test('allows the configured number, then returns the seconds left of the minute', async () => {
    const [first, second, third] = await failures(throttling(2), ['192.0.2.1', '192.0.2.1', '192.0.2.1'])
    expect([first, second]).toEqual([undefined, undefined])
    expect(third).toBe(60)
  })

  test('starts the count again a minute after the first failure', async () => {
    const throttle = throttling(1)
    const begin = 1_000_000
    setSystemTime(begin)
    await failures(throttle, ['192.0.2.1'])
    setSystemTime(begin + 59_999)
    expect(await failures(throttle, ['192.0.2.1'])).toEqual([1])
    setSystemTime(begin + 60_000)
    expect(await failures(throttle, ['192.0.2.1', '192.0.2.1'])).toEqual([undefined, 60])
  })

  test('counts each address separately', async () => {
    const throttle = throttling(1)
    await failures(throttle, ['192.0.2.1', '192.0.2.1'])
    // Two addresses may share a counter, by a chance of 1 in 16384 each; that ten in a row do is not chance.
    const others = await failures(
      throttle,
      Array.from({ length: 10 }, (_, i) => `198.51.100.${i}`),
    )
    expect(others).toContain(undefined)
  })

  test('counts each IPv6 /64 as one client', async () => {
    const throttle = throttling(1)
    const [first, second] = await failures(throttle, ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'])
    expect(first).toBeUndefined()
    expect(second).toBeGreaterThan(0)
    const others = await failures(
      throttle,
      Array.from({ length: 10 }, (_, i) => `2001:db8:0:${i + 2}::1`),
    )
    expect(others).toContain(undefined)
  })

  test('counts unknown addresses together', async () => {
    const throttle = throttling(1)
    expect(await throttle.countFailure(undefined)).toBeUndefined()
    expect(await throttle.countFailure(undefined)).toBeGreaterThan(0)
  })

  test('memory is bounded: a flood from 200,000 networks is refused rather than remembered', async () => {
    const throttle = throttling(1)
    let refused = 0
    for (let i = 0; i < 200_000; i++) {
      const address = parseAddress(`2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`)
      if ((await throttle.countFailure(address)) !== undefined) refused++
    }
    // Only as many first failures as there are counters were let through as such.
    expect(200_000 - refused).toBeLessThanOrEqual(16_384)
  })

  test('throttles nothing if set to 0', async () => {
    const throttle = throttling(0)
    expect(await failures(throttle, new Array(1000).fill('192.0.2.1'))).not.toContainEqual(expect.any(Number))
  })
})
