// The arithmetic of the benchmark: medians, ratios within a round, and what they are held against.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { digits, findingsTable, isReached } from '../../scripts/benchmark/figures/findings.ts'
import { median, pairedRatio, percentile, rotated } from '../../scripts/benchmark/figures/statistics.ts'

const numbers = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 })

describe('medians and percentiles', () => {
  test('a median is the middle value, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([1, 10, 2, 4])).toBe(3)
    expect(median([7])).toBe(7)
  })

  test('a percentile is interpolated between neighboring values', () => {
    expect(percentile([10, 20, 30, 40, 50], 25)).toBe(20)
    expect(percentile([0, 100], 99)).toBe(99)
    expect(percentile([3, 1, 2], 0)).toBe(1)
    expect(percentile([3, 1, 2], 100)).toBe(3)
  })

  test('the order of the values makes no difference, and they are not changed', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 0, max: 100 }), (values, percent) => {
        const kept = [...values]
        expect(percentile(values, percent)).toBe(percentile(values.toReversed(), percent))
        expect(values).toEqual(kept)
      }),
    )
  })

  test('a median of nothing is an error and not zero', () => {
    expect(() => median([])).toThrow(Error)
  })
})

describe('ratios', () => {
  test('each round is compared with itself, so a slow round does not distort the ratio', () => {
    // In round 2 everything took ten times as long.
    expect(pairedRatio([4, 40, 4], [2, 20, 2])).toBe(2)
    // Of the medians alone it would be 40 : 2.
    expect(pairedRatio([40, 40, 4], [20, 2, 2])).toBe(2)
  })

  test('different numbers of rounds are refused', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow(/^2 .* 1$/)
  })

  test('rotation puts each item first once', () => {
    expect(rotated(['a', 'b', 'c'], 1)).toEqual(['b', 'c', 'a'])
    expect([0, 1, 2].map(turn => rotated(['a', 'b', 'c'], turn)[0])).toEqual(['a', 'b', 'c'])
    expect(rotated([], 3)).toEqual([])
  })
})

describe('findings', () => {
  const speed = (measured: number, wanted: { atLeast?: number; atMost?: number }) => ({
    what: 'speed',
    measured,
    ...wanted,
  })

  test('a value equal to its target reaches it, as a minimum and as a maximum', () => {
    expect(isReached(speed(0.8, { atLeast: 0.8 }))).toBe(true)
    expect(isReached(speed(0.79, { atLeast: 0.8 }))).toBe(false)
    expect(isReached(speed(1.5, { atMost: 1.5 }))).toBe(true)
    expect(isReached(speed(1.51, { atMost: 1.5 }))).toBe(false)
  })

  test('a figure that could not be computed misses its target', () => {
    expect(isReached(speed(Number.NaN, { atLeast: 0.8 }))).toBe(false)
    expect(isReached(speed(Number.NaN, { atMost: 0.8 }))).toBe(false)
  })

  test('the table has measured value, target and result side by side', () => {
    const memory = { what: 'memory', measured: 150, unit: 'MB', atMost: 120 } as const
    expect(findingsTable([speed(0.8123, { atLeast: 0.8 }), memory]).rows).toEqual([
      ['speed', '0.812 ×', '≥ 0.8 ×', 'yes'],
      ['memory', '150 MB', '≤ 120 MB', 'no'],
    ])
  })

  test('figures have three significant digits and no exponents', () => {
    expect([0.0000123, 0.81249, 15.26, 999.4, 12_345.6, Number.NaN].map(digits)).toEqual([
      '0.0000123',
      '0.812',
      '15.3',
      '999',
      '12,346',
      '–',
    ])
  })
})
