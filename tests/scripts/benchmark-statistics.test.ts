// The arithmetic of the benchmark: medians, ratios within a round, and what they are held against.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  atLeast,
  atMost,
  digits,
  figure,
  findingsTable,
  isReached,
  renderTable,
} from '../../scripts/benchmark/findings.ts'
import { mean, median, pairedRatio, percentile, rotated } from '../../scripts/benchmark/statistics.ts'

const numbers = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 })

describe('medians and percentiles', () => {
  test('the middle one, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([1, 10, 2, 4])).toBe(3)
    expect(median([7])).toBe(7)
  })

  test('a percentile lies between neighbours as far as it is between their places', () => {
    expect(percentile([10, 20, 30, 40, 50], 25)).toBe(20)
    expect(percentile([0, 100], 99)).toBe(99)
    expect(percentile([3, 1, 2], 0)).toBe(1)
    expect(percentile([3, 1, 2], 100)).toBe(3)
  })

  test('the order of the values does not matter, and they are left as they were', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 0, max: 100 }), (values, percent) => {
        const kept = [...values]
        expect(percentile(values, percent)).toBe(percentile(values.toReversed(), percent))
        expect(values).toEqual(kept)
      }),
    )
  })

  test('nothing measured is an error, never zero', () => {
    expect(() => median([])).toThrow('no values')
    expect(() => mean([])).toThrow('no values')
  })
})

describe('ratios', () => {
  test('each round is compared with itself: a machine slow in one round spoils no ratio', () => {
    // In round 2 everything took ten times as long.
    expect(pairedRatio([4, 40, 4], [2, 20, 2])).toBe(2)
    // Of the medians alone it would be 40 : 2.
    expect(pairedRatio([40, 40, 4], [20, 2, 2])).toBe(2)
  })

  test('rounds that do not match are refused', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow('cannot be paired')
  })

  test('turns bring everybody to the front once', () => {
    expect(rotated(['a', 'b', 'c'], 1)).toEqual(['b', 'c', 'a'])
    expect([0, 1, 2].map(turn => rotated(['a', 'b', 'c'], turn)[0])).toEqual(['a', 'b', 'c'])
    expect(rotated([], 3)).toEqual([])
  })
})

describe('findings', () => {
  test('the line itself counts as reached, on either side', () => {
    expect(isReached(atLeast(0.8, 'speed', 0.8))).toBe(true)
    expect(isReached(atLeast(0.8, 'speed', 0.79))).toBe(false)
    expect(isReached(atMost(1.5, 'speed', 1.5))).toBe(true)
    expect(isReached(atMost(1.5, 'speed', 1.51))).toBe(false)
  })

  test('what could not be computed is not reached', () => {
    expect(isReached(atLeast(0.8, 'speed', Number.NaN))).toBe(false)
    expect(isReached(atMost(0.8, 'speed', Number.NaN))).toBe(false)
  })

  test('measured, wanted and reached stand side by side', () => {
    const { rows } = findingsTable([atLeast(0.8, 'speed', 0.8123), atMost(120, 'memory', 150, 'MB')])
    expect(rows).toEqual([
      ['speed', '0.812 ×', '≥ 0.8 ×', 'yes'],
      ['memory', '150 MB', '≤ 120 MB', 'no'],
    ])
  })

  test('three digits, no exponents, no false precision', () => {
    expect([0.0000123, 0.81249, 15.26, 999.4, 12_345.6, Number.NaN].map(digits)).toEqual([
      '0.0000123',
      '0.812',
      '15.3',
      '999',
      '12,346',
      '–',
    ])
    expect(figure(118.2, 'MB')).toBe('118 MB')
  })

  test('a table has columns as wide as they are on a screen', () => {
    const text = renderTable({
      title: 'Largest',
      head: ['', 'ms'],
      rows: [
        ['a — b', '1'],
        ['né', '1,000'],
      ],
    })
    expect(text.split('\n')).toEqual(['Largest', '          ms', '─────  ─────', 'a — b      1', 'né     1,000'])
  })
})
