// Waits for a moment in which the machine has nothing else to do, and counts how often there was none.
// A figure from a busy machine says little, and the reader is to be told.

import { readFileSync } from 'node:fs'

const lookMs = 80
const quietShare = 0.9
/** Longest wait for one measurement, and for all of a run together: a machine that is never quiet must not stop it. */
const waitMsMax = 3000
const allWaitsMsMax = 10 * 60_000

export class QuietMachine {
  measurements = 0
  disturbed = 0
  #waitedMs = 0

  /** Resolves when the processors have been idle for a moment, or when there was no such moment. */
  async wait(): Promise<void> {
    this.measurements++
    const startedAt = performance.now()
    let quiet = false
    do {
      const before = processorTimes(readFileSync('/proc/stat', 'utf8'))
      await Bun.sleep(lookMs)
      quiet = idleShare(before, processorTimes(readFileSync('/proc/stat', 'utf8'))) >= quietShare
    } while (!quiet && performance.now() - startedAt < waitMsMax && this.#waitedMs < allWaitsMsMax)
    this.#waitedMs += performance.now() - startedAt
    if (!quiet) this.disturbed++
  }
}

interface ProcessorTimes {
  idle: number
  all: number
}

/** The first line of /proc/stat: hundredths of a second of all processors together since the machine started. */
export function processorTimes(stat: string): ProcessorTimes {
  const [user, nice, system, idle, ioWait, irq, softIrq, steal] = stat.split('\n')[0]!.split(/ +/).slice(1).map(Number)
  const busy = user! + nice! + system! + irq! + softIrq! + (steal ?? 0)
  return { idle: idle! + ioWait!, all: busy + idle! + ioWait! }
}

/** The part of the time between two looks in which processors had nothing to do; 1 when no time has passed. */
export function idleShare(before: ProcessorTimes, after: ProcessorTimes): number {
  return after.all === before.all ? 1 : (after.idle - before.idle) / (after.all - before.all)
}
