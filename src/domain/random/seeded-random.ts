// A reproducible random number generator: the same seed always gives the same numbers.
// Never use it for secrets or IDs.

/** The next number, at least 0 and below 1. */
export type Rng = () => number

/** Mulberry32: 32 bits of state and one or two multiplications per number, good enough for sample data. */
export function seededRandom(seed: number): Rng {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** An integer from `min` to `max`, inclusive. */
export function integerFrom(next: Rng, min: number, max: number): number {
  return min + Math.floor(next() * (max - min + 1))
}

/** An element of a list that is not empty. */
export function pick<T>(next: Rng, list: readonly T[]): T {
  return list[Math.floor(next() * list.length)]!
}

/** `count` elements of a list, in its order, each at most once. */
export function pickSome<T>(next: Rng, list: readonly T[], count: number): T[] {
  const picked: T[] = []
  let wanted = Math.min(count, list.length)
  for (let i = 0; wanted > 0; i++) {
    if (next() * (list.length - i) >= wanted) continue
    picked.push(list[i]!)
    wanted--
  }
  return picked
}
