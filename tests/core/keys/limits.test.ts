import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { Problem } from '../../../src/base/problem.ts'
import { KeyLimits } from '../../../src/core/keys/limits.ts'
import { quotaHeaders } from '../../../src/web/http/headers/quota-headers.ts'
import { refusal, rejection } from '../../support/refusal.ts'

afterEach(() => setSystemTime())

describe('requests a minute (contract D23)', () => {
  test('are allowed up to the limit, then refused until the minute ends, with the rate limit headers', async () => {
    let nowMs = 1_000_000
    const at = (ms: number): void => {
      nowMs = ms
      setSystemTime(nowMs)
    }
    at(nowMs)
    const limits = new KeyLimits({ requestsPerMinute: 3, exportsAtATime: 0 })
    const policy = { 'RateLimit-Policy': '"requests";q=3;w=60' }
    const take = async () => quotaHeaders(await limits.takeRequest('a'))
    expect(await take()).toEqual({ ...policy, RateLimit: '"requests";r=2;t=60' })
    at(nowMs + 20_001)
    expect(await take()).toEqual({ ...policy, RateLimit: '"requests";r=1;t=40' })
    expect(await take()).toEqual({ ...policy, RateLimit: '"requests";r=0;t=40' })
    const problem = await rejection(limits.takeRequest('a'))
    expect(problem.kind).toBe('rate_limited')
    expect(problem.retryAfterSeconds).toBe(40)
    expect(quotaHeaders(problem.quota!)).toEqual({ ...policy, RateLimit: '"requests";r=0;t=40' })
    // Another key has a minute of its own.
    expect(await limits.takeRequest('b')).toMatchObject({ left: { requests: 2, seconds: 60 } })
    at(nowMs + 39_998)
    expect((await rejection(limits.takeRequest('a'))).retryAfterSeconds).toBe(1)
    at(nowMs + 1)
    expect(await take()).toEqual({ ...policy, RateLimit: '"requests";r=2;t=60' })
  })
})

describe('exports at a time (contract D23)', () => {
  test('are allowed up to the limit, and a place that is returned is free again once', () => {
    const limits = new KeyLimits({ requestsPerMinute: 0, exportsAtATime: 2 })
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

  test('"0 for none": no limit and no headers', async () => {
    const limits = new KeyLimits({ requestsPerMinute: 0, exportsAtATime: 0 })
    for (let i = 0; i < 10_000; i++) {
      limits.beginExport('a')
      expect(quotaHeaders(await limits.takeRequest('a'))).toEqual({})
    }
  })
})
