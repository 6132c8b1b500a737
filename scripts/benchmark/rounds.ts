// The same few measurements, round by round, beginning with another one each round: what nearly every section does.

import type { BenchContext } from './bench-context.ts'
import { rotated } from './statistics.ts'

/** What was measured in each round, by the name of the measurement. */
type Rounds<Name extends string, T> = Readonly<Record<Name, readonly T[]>>

interface Taking {
  /** Rounds that count for nothing; one unless given. */
  warmUps?: number
  /** Rounds that count, at most. */
  max?: number
}

/**
 * Takes each measurement once to warm up, and then once a round. When the benchmark is interrupted, what whole rounds have measured
 * is returned; without one, it throws.
 */
export async function inRounds<Name extends string, T>(
  { machine, options, interruption, say }: Pick<BenchContext, 'machine' | 'options' | 'interruption' | 'say'>,
  measurements: Readonly<Record<Name, () => Promise<T>>>,
  { warmUps = 1, max = Number.POSITIVE_INFINITY }: Taking = {},
): Promise<Rounds<Name, T>> {
  const names = Object.keys(measurements) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as T[]])) as Record<Name, T[]>
  const rounds = Math.min(options.rounds, max)
  let whole = 0
  try {
    for (let round = 1 - warmUps; round <= rounds; round++) {
      say(round < 1 ? 'Warming up …' : `Round ${round} of ${rounds} …`)
      for (const name of rotated(names, round)) {
        interruption.throwIfAborted()
        await machine.wait()
        const value = await measurements[name]()
        if (round > 0) taken[name].push(value)
      }
      whole = Math.max(0, round)
    }
  } catch (error) {
    if (!interruption.aborted || whole === 0) throw error
    for (const name of names) taken[name].length = whole
  }
  return taken
}

/** Measures one thing after the other. When the benchmark is interrupted, what is measured by then is returned; with nothing, it throws. */
export async function inTurn<Thing, T>(
  { interruption }: Pick<BenchContext, 'interruption'>,
  things: readonly Thing[],
  measure: (thing: Thing) => Promise<T>,
): Promise<T[]> {
  const taken: T[] = []
  try {
    for (const thing of things) taken.push(await measure(thing))
  } catch (error) {
    if (!interruption.aborted || taken.length === 0) throw error
  }
  return taken
}

/** The milliseconds that something takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
