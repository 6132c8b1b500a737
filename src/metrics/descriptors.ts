// How many descriptors a process has open and may have, as Linux tells it.

import { readdirSync, readFileSync } from 'node:fs'

/** Undefined where the system does not tell. */
export function openDescriptors(): { open: number; max: number } | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (soft === undefined) return undefined
    // One is open for the reading itself.
    return { open: readdirSync('/proc/self/fd').length - 1, max: Number(soft) }
  } catch {
    return undefined
  }
}
