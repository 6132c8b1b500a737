// Repeats a few measurements round by round, starting each round with a different one. Every section uses it.

import type { BenchContext } from './bench-context.ts'
import { rotated } from './figures/statistics.ts'

/** Runs each measurement `warmUps` times to warm up, and then once per round. Returns the samples by name. */
export async function inRounds<Name extends string, T>(
  { options, say }: BenchContext,
  measurements: Readonly<Record<Name, () => Promise<T>>>,
  warmUps = 1,
): Promise<Readonly<Record<Name, readonly T[]>>> {
  const names = Object.keys(measurements) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as T[]])) as Record<Name, T[]>
  const { rounds } = options
  for (let round = 1 - warmUps; round <= rounds; round++) {
    say(round < 1 ? 'Warming up …' : `Round ${round} of ${rounds} …`)
    for (const name of rotated(names, round)) {
      const value = await measurements[name]()
      if (round > 0) taken[name].push(value)
    }
  }
  return taken
}
