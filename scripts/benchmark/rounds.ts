// The same few measurements, round by round, beginning with another one each round: what every section does. Before each it waits for a
// moment in which the machine has nothing else to do, and counts how often there was none.

import { cpus } from 'node:os'
import type { BenchContext } from './bench-context.ts'
import { rotated } from './statistics.ts'

/** Takes each measurement once to warm up, unless that is said, and then once a round. What was measured, by name. */
export async function inRounds<Name extends string, T>(
  { machine, options, say }: BenchContext,
  measurements: Readonly<Record<Name, () => Promise<T>>>,
  { warmUps = 1, max = Number.POSITIVE_INFINITY }: { warmUps?: number; max?: number } = {},
): Promise<Readonly<Record<Name, readonly T[]>>> {
  const names = Object.keys(measurements) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as T[]])) as Record<Name, T[]>
  const rounds = Math.min(options.rounds, max)
  for (let round = 1 - warmUps; round <= rounds; round++) {
    say(round < 1 ? 'Warming up …' : `Round ${round} of ${rounds} …`)
    for (const name of rotated(names, round)) {
      await machine.wait()
      const value = await measurements[name]()
      if (round > 0) taken[name].push(value)
    }
  }
  return taken
}

const lookMs = 80
const quietShare = 0.9
/** A machine that is never quiet must not stop it. */
const waitMsMax = 3000

export class QuietMachine {
  measurements = 0
  disturbed = 0

  /** Resolves when the processors have been idle for a moment, or when there was no such moment. */
  async wait(): Promise<void> {
    this.measurements++
    const startedAt = performance.now()
    let quiet = false
    do {
      const [before, lookedAt] = [idleMs(), performance.now()]
      await Bun.sleep(lookMs)
      quiet = idleMs() - before >= quietShare * cpus().length * (performance.now() - lookedAt)
    } while (!quiet && performance.now() - startedAt < waitMsMax)
    if (!quiet) this.disturbed++
  }
}

/** Of all processors together, since the machine started. */
const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0)
