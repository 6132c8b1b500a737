// What processes cost, read from /proc: processor time and the most memory they held. Linux only.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Milliseconds on a processor since it began, all threads, also those that have ended; in steps of ten. 0 when it has gone. */
export function processorMs(pid: number): number {
  return statMs(read(`/proc/${pid}/stat`))
}

/** The same for the first thread alone, which runs JavaScript, and without steps. */
export function mainThreadMs(pid: number): number {
  const schedule = read(`/proc/${pid}/task/${pid}/schedstat`)
  return schedule === '' ? statMs(read(`/proc/${pid}/task/${pid}/stat`)) : Number(schedule.split(' ')[0]) / 1e6
}

/** User and system time of a `/proc/…/stat` line in milliseconds. The name in brackets may hold anything, brackets too. */
export function statMs(line: string): number {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10
}

/** Processor time of each backend of a postmaster that serves a user, by process id; not of what works in its background. A backend has one thread. */
export function backendsMs(postmaster: number, user: string): Map<number, number> {
  return new Map(backendsOf(postmaster, user).map(pid => [pid, mainThreadMs(pid)]))
}

/** What the backends took in between. What one that has ended meanwhile took cannot be known; it counts as nothing. */
export function backendsMsSince(before: ReadonlyMap<number, number>, postmaster: number, user: string): number {
  let ms = 0
  for (const [pid, now] of backendsMs(postmaster, user)) ms += now - (before.get(pid) ?? 0)
  return ms
}

function backendsOf(postmaster: number, user: string): number[] {
  return childrenOf(postmaster).filter(pid => read(`/proc/${pid}/cmdline`).startsWith(`postgres: ${user} `))
}

function childrenOf(parent: number): number[] {
  return list('/proc')
    .filter(name => /^[0-9]+$/.test(name))
    .map(Number)
    .filter(pid => {
      const stat = read(`/proc/${pid}/stat`)
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    })
}

/** Begins a new count of the most memory a process holds, where the kernel allows it. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {}
}

/** The most memory a process held at once since `resetPeak`, or since it began, in bytes. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM')
}

/** The memory a process holds now, in bytes. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS')
}

function statusBytes(pid: number, field: string): number {
  const match = new RegExp(`^${field}:\\s+([0-9]+) kB$`, 'm').exec(read(`/proc/${pid}/status`))
  return match === null ? Number.NaN : Number(match[1]) * 1024
}

/** Empty when it is not there, or not any more. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
