// Open file descriptors of the process and their limit, from Linux.

import { readdirSync, readFileSync } from 'node:fs'

/** Undefined if the system does not report it. */
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
