// The same few measurements, round by round, beginning with another one each round: what every section does.

import type { BenchContext } from './bench-context.ts'
import { rotated } from './statistics.ts'

/** What was measured in each round, by the name of the measurement. */
type Rounds<Name extends string, T> = Readonly<Record<Name, readonly T[]>>

/** Takes each measurement once to warm up, which counts for nothing, and then once a round. */
export async function inRounds<Name extends string, T>(
  { machine, options }: Pick<BenchContext, 'machine' | 'options'>,
  measurements: Readonly<Record<Name, () => Promise<T>>>,
): Promise<Rounds<Name, T>> {
  const names = Object.keys(measurements) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as T[]])) as Record<Name, T[]>
  for (let round = 0; round <= options.rounds; round++) {
    for (const name of rotated(names, round)) {
      await machine.wait()
      const value = await measurements[name]()
      if (round > 0) taken[name].push(value)
    }
  }
  return taken
}
