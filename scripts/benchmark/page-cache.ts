// Makes the operating system forget the files of a folder that nobody has open, and tells how far that went.
// It must not know what is in them. What the disk itself, or the host of a virtual machine, remembers is out of its reach.

import { readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChildProcesses } from './child-processes.ts'

export interface Forgotten {
  /** `file` as far as each file could be given up by itself, `all` when the whole page cache of the machine had to be. */
  by: 'file' | 'all'
  bytes: number
  /** Of these, what stayed in memory all the same; undefined where that cannot be told. */
  leftBytes: number | undefined
}

const timeoutMs = 60_000
/** Smaller files are as good as read with the folder they are in. */
const fileBytesMin = 256 * 1024
const leftShareMax = 0.01

/** Writes back what is dirty first. Needs dd; fincore to tell what stayed, and root to give up more than single files. */
export async function forgetFiles(children: ChildProcesses, folder: string): Promise<Forgotten> {
  const files = largeFiles(folder)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  for (const { path } of files) await forgetFile(children, path)
  const leftBytes = await bytesInMemory(children, files)
  if (leftBytes === undefined || leftBytes <= bytes * leftShareMax || process.getuid?.() !== 0)
    return { by: 'file', bytes, leftBytes }
  await children.run(['sync'], { timeoutMs })
  const dropped = await writeFile('/proc/sys/vm/drop_caches', '1\n').then(
    () => true,
    () => false,
  )
  return { by: dropped ? 'all' : 'file', bytes, leftBytes: await bytesInMemory(children, files) }
}

/** Megabytes a second at which a file comes from the disk that was just forgotten, and then from memory. */
export async function readingSpeeds(
  children: ChildProcesses,
  folder: string,
): Promise<{ disk: number; memory: number }> {
  const largest = largeFiles(folder).toSorted((a, b) => b.bytes - a.bytes)[0]
  if (largest === undefined) throw new Error(`there is no file to read in ${folder}`)
  await forgetFile(children, largest.path)
  const read = async (): Promise<number> => {
    const startedAt = performance.now()
    await children.run(['dd', `if=${largest.path}`, 'of=/dev/null', 'bs=1M', 'status=none'], { timeoutMs })
    return largest.bytes / 1e3 / (performance.now() - startedAt)
  }
  return { disk: await read(), memory: await read() }
}

async function forgetFile(children: ChildProcesses, path: string): Promise<void> {
  await children.run(['dd', `of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none'], {
    timeoutMs,
  })
}

async function bytesInMemory(
  children: ChildProcesses,
  files: readonly { path: string }[],
): Promise<number | undefined> {
  if (Bun.which('fincore') === null || files.length === 0) return undefined
  const command = ['fincore', '--bytes', '--noheadings', '--output', 'RES', ...files.map(file => file.path)]
  const output = await children.run(command, { timeoutMs })
  return output
    .trim()
    .split(/\s+/)
    .reduce((sum, size) => sum + Number(size), 0)
}

function largeFiles(folder: string): { path: string; bytes: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    if (!entry.isFile()) return []
    const path = join(entry.parentPath, entry.name)
    const { size } = statSync(path)
    return size < fileBytesMin ? [] : [{ path, bytes: size }]
  })
}
