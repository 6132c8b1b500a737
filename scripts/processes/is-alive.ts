// Checks whether a process is running, and how much memory it uses.

import { readFileSync } from 'node:fs'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether it runs this script: another process may have the PID of one that was killed. */
export function runsScript(pid: number, script: string): boolean {
  try {
    return isAlive(pid) && commandOf(pid).includes(script)
  } catch {
    // It ended in between.
    return false
  }
}

/** The arguments it was started with. */
function commandOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  return Bun.spawnSync(['ps', '-o', 'args=', '-p', String(pid)]).stdout.toString()
}

/**
 * Bytes of memory at its peak (`VmHWM`) or now (`VmRSS`). Linux only; NaN elsewhere and for a process that has ended. The `maxRSS` of a child, which
 * any system has, starts with its parent's memory.
 */
export function memoryOf(pid: number, which: 'VmHWM' | 'VmRSS'): number {
  try {
    return (
      Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    )
  } catch {
    return Number.NaN
  }
}

/** Milliseconds of CPU time so far, in steps of ten. Linux only. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The same of a process and all that it started, those that have ended included. None of these may start others. Linux only. */
export function cpuMsWithChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ')
  const ended = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return [pid, ...children.map(Number)].reduce(
    (sum, each) => sum + (isAlive(each) ? cpuMsOf(each) : 0),
    (Number(ended[13]) + Number(ended[14])) * 10,
  )
}
