// Values on the axis of a chart.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ticksUpTo } from '../../../src/web/html/charts/scale.ts'

test('an axis ends at a round number that fits', () => {
  for (const [most, ticks] of [
    [0, [0, 1]],
    [1, [0, 1]],
    [2, [0, 1, 2]],
    [3, [0, 2, 4]],
    [40, [0, 20, 40]],
    [41, [0, 50, 100]],
  ] as const)
    expect(ticksUpTo(most)).toEqual([...ticks])
})

test('no bar is higher than its axis, and the highest is at least a fifth of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), most => {
      const top = ticksUpTo(most).at(-1)!
      expect(top).toBeGreaterThanOrEqual(most)
      expect(most).toBeGreaterThanOrEqual(top / 5)
    }),
  )
})
