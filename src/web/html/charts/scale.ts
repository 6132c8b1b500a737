// Chooses the values on a chart's axis.

/** Values from 0 up to a round number that is at least `most`, a count: `[0, 20, 40]`. */
export function ticksUpTo(most: number): number[] {
  const step = roundUp(Math.max(most, 1) / 2)
  return step < 1 ? [0, 1] : [0, step, 2 * step]
}

/** The next number whose first digit is 1, 2 or 5, or one half. */
function roundUp(value: number): number {
  if (value <= 0.5) return 0.5
  const magnitude = 10 ** Math.floor(Math.log10(value))
  const digit = [1, 2, 5, 10].find(digit => digit * magnitude >= value)!
  return Math.max(1, digit * magnitude)
}
