import { describe, expect, test } from 'bun:test'
import { KeyLimits } from '../../src/access/limits.ts'
import { quotaHeaders } from '../../src/http/quota-headers.ts'
import { Problem } from '../../src/problem.ts'
import { refusal } from '../support/refusal.ts'

/** What is answered at once, as all is where each process counts for itself. */
function atOnce<T extends object>(answer: T | Promise<T>): T {
  if (answer instanceof Promise) throw new Error('it is not answered at once')
  return answer
}

describe('requests a minute (contract D23)', () => {
  test('as many as allowed, then refused until the minute is over, with the fields that say so', () => {
    let now = 1_000_000
    const limits = new KeyLimits({ requestsPerMinute: 3, exportsAtATime: 0 }, () => now)
    const policy = { 'RateLimit-Policy': '"requests";q=3;w=60' }
    const take = () => quotaHeaders(atOnce(limits.takeRequest('a')))
    expect(take()).toEqual({ ...policy, RateLimit: '"requests";r=2;t=60' })
    now += 20_000_001
    expect(take()).toEqual({ ...policy, RateLimit: '"requests";r=1;t=40' })
    expect(take()).toEqual({ ...policy, RateLimit: '"requests";r=0;t=40' })
    const problem = refusal(() => limits.takeRequest('a'))
    expect(problem.kind).toBe('rate_limited')
    expect(problem.retryAfterSeconds).toBe(40)
    expect(quotaHeaders(problem.quota!)).toEqual({ ...policy, RateLimit: '"requests";r=0;t=40' })
    now += 39_999_998
    expect(refusal(() => limits.takeRequest('a')).retryAfterSeconds).toBe(1)
    now += 1
    expect(take()).toEqual({ ...policy, RateLimit: '"requests";r=2;t=60' })
  })

  test('per key: one that asks too much leaves the others alone', () => {
    const limits = new KeyLimits({ requestsPerMinute: 1, exportsAtATime: 0 }, () => 0)
    atOnce(limits.takeRequest('a'))
    expect(() => limits.takeRequest('a')).toThrow(Problem)
    expect(() => limits.takeRequest('b')).not.toThrow()
  })

  test('a clock that is set back does not lock a key out', () => {
    let now = 10_000_000_000
    const limits = new KeyLimits({ requestsPerMinute: 1, exportsAtATime: 0 }, () => now)
    atOnce(limits.takeRequest('a'))
    now -= 3_600_000_000
    expect(() => limits.takeRequest('a')).not.toThrow()
  })

  test('"0 for none": no limit and no fields', () => {
    const limits = new KeyLimits({ requestsPerMinute: 0, exportsAtATime: 0 }, () => 0)
    for (let i = 0; i < 10_000; i++) expect(quotaHeaders(atOnce(limits.takeRequest('a')))).toEqual({})
  })
})

describe('exports at a time (contract D23)', () => {
  test('as many as allowed; a place that is given back is free again, once', () => {
    const limits = new KeyLimits({ requestsPerMinute: 0, exportsAtATime: 2 }, () => 0)
    const { end, granted } = limits.beginExport('a')
    expect(granted).toBeUndefined()
    limits.beginExport('a')
    const problem = refusal(() => limits.beginExport('a'))
    expect(problem.kind).toBe('rate_limited')
    expect(problem.retryAfterSeconds).toBe(5)
    expect(quotaHeaders(problem.quota!)).toEqual({
      'RateLimit-Policy': '"exports";q=2;qu="concurrent-requests"',
      RateLimit: '"exports";r=0',
    })
    expect(() => limits.beginExport('b')).not.toThrow()
    end()
    end()
    limits.beginExport('a')
    expect(() => limits.beginExport('a')).toThrow(Problem)
  })

  test('both policies are announced together', () => {
    const limits = new KeyLimits({ requestsPerMinute: 600, exportsAtATime: 4 }, () => 0)
    expect(quotaHeaders(atOnce(limits.takeRequest('a')))['RateLimit-Policy']).toBe(
      '"requests";q=600;w=60, "exports";q=4;qu="concurrent-requests"',
    )
  })

  test('"0 for none"', () => {
    const limits = new KeyLimits({ requestsPerMinute: 0, exportsAtATime: 0 }, () => 0)
    for (let i = 0; i < 1000; i++) limits.beginExport('a')
    expect(quotaHeaders(atOnce(limits.takeRequest('a')))).toEqual({})
  })
})
