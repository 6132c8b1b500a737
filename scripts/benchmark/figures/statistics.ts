// Statistics over a few rounds of noisy measurements. Pure.

/** The middle value, or the mean of the two in the middle. Throws if there are none, because no measurement is not zero. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** The value that `percent` of the values lie at or below, interpolated between neighbours. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('a percentile needs at least one value')
  const sorted = values.toSorted((a, b) => a - b)
  const at = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(at)]!
  const above = sorted[Math.ceil(at)]!
  return below + (above - below) * (at - Math.floor(at))
}

/**
 * The median of `above[i] / below[i]`. Both were measured in the same round, moments apart, so other load on the machine affects both; a ratio of two
 * medians would compare different moments.
 */
export function pairedRatio(above: readonly number[], below: readonly number[]): number {
  if (above.length !== below.length) throw new Error(`${above.length} values cannot be paired with ${below.length}`)
  return median(above.map((value, i) => value / below[i]!))
}

/** One figure from each sample. */
export const column = <Key extends string>(samples: readonly Record<Key, number>[], key: Key): number[] =>
  samples.map(sample => sample[key])

/** The list, rotated: with `turn` increasing each round, no entry always comes first. */
export function rotated<T>(list: readonly T[], turn: number): T[] {
  const from = list.length === 0 ? 0 : turn % list.length
  return [...list.slice(from), ...list.slice(0, from)]
}
