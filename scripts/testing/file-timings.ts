// How long each test file takes, kept in tests/timings.json: `bun test --shard` shares the files between processes by it.

import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const timingsFile = join(root, 'tests/timings.json')

/** Milliseconds by file, as `bun test --timings` keeps them. */
const readTimings = async (file: string): Promise<Record<string, number>> =>
  ((await Bun.file(file).json()) as { files: Record<string, number> }).files

/** A copy for one process, which writes its own measurements into it. */
export const copyTimings = (to: string): Promise<void> => cp(timingsFile, to)

/** Milliseconds by file, of what the processes with these copies measured. */
export async function measuredTimings(copies: readonly string[]): Promise<Map<string, number>> {
  const before = await readTimings(timingsFile)
  const measured = new Map<string, number>()
  for (const copy of copies)
    for (const [file, ms] of Object.entries(await readTimings(copy))) if (before[file] !== ms) measured.set(file, ms)
  return measured
}

/** Rewrites tests/timings.json: whole milliseconds, files in order, without those that no longer exist. */
export async function saveTimings(measured: ReadonlyMap<string, number>): Promise<void> {
  const all = { ...(await readTimings(timingsFile)), ...Object.fromEntries(measured) }
  const kept = Object.entries(all)
    .filter(([file]) => existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const files = Object.fromEntries(kept.map(([file, ms]) => [file, Math.round(ms)]))
  await writeFile(timingsFile, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)
}
