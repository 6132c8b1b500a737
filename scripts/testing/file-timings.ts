// How long each test file takes, kept in tests/timings.json: `bun test --shard` uses them to divide the files between processes.

import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const timingsFile = join(root, 'tests/timings.json')

/** Milliseconds by file, in the format of `bun test --timings`. */
type Timings = Readonly<Record<string, number>>

const readTimings = async (file: string): Promise<Timings> =>
  ((await Bun.file(file).json()) as { files: Timings }).files

/** The known timings of these files. A new file gets the median, because Bun would assume the mean, which few files reach. */
export async function estimatedTimings(files: readonly string[]): Promise<Timings> {
  const known = await readTimings(timingsFile)
  const times = files.flatMap(file => known[file] ?? []).sort((a, b) => a - b)
  const median = times[times.length >> 1] ?? 1000
  return Object.fromEntries(files.map(file => [file, known[file] ?? median]))
}

/** Writes them for one process, which replaces them with its own measurements. */
export const writeTimings = (to: string, files: Timings): Promise<void> =>
  writeFile(to, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)

/** Milliseconds by file, as measured by the processes with these copies of the estimates. */
export async function measuredTimings(copies: readonly string[], estimates: Timings): Promise<Map<string, number>> {
  const measured = new Map<string, number>()
  for (const copy of copies)
    for (const [file, ms] of Object.entries(await readTimings(copy))) if (estimates[file] !== ms) measured.set(file, ms)
  return measured
}

/** Rewrites tests/timings.json: whole milliseconds, files in order, without those that no longer exist. */
export async function saveTimings(measured: ReadonlyMap<string, number>): Promise<void> {
  const all = { ...(await readTimings(timingsFile)), ...Object.fromEntries(measured) }
  const kept = Object.entries(all)
    .filter(([file]) => existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  await writeTimings(timingsFile, Object.fromEntries(kept.map(([file, ms]) => [file, Math.round(ms)])))
}
