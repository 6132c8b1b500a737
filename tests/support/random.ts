// Random numbers of the run's seed, so that a run that failed can be repeated: TRIBUTARY_TEST_SEED, which scripts/test prints.

/** Seed of this run, 1 to 2^31 − 1. */
export const seed = Number(process.env.TRIBUTARY_TEST_SEED ?? 1 + Math.floor(Math.random() * (2 ** 31 - 1)))

/**
 * Numbers from 0 up to 1, like Math.random, from the run's seed and `name` (mulberry32): a file gets the same ones whatever other files ran before
 * it.
 */
export function seededRandom(name: string): () => number {
  let state = Number(Bun.hash(`${seed} ${name}`) & 0xffff_ffffn)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
