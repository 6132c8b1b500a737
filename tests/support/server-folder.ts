// Where PostgreSQL servers of tests keep their data: in memory if there is room, because a clone of the template writes 700 files.

import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
/** More than three processes of the long suite write at once. A container's in-memory file system usually has 64 MB. */
const roomBytes = 4 * 2 ** 30

/** A folder that the account that runs PostgreSQL for root can access. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join((await freeMemoryBytes()) >= roomBytes ? inMemory : tmpdir(), 'tributary-test-'))
  await chmod(folder, 0o755)
  return folder
}

/** The file system may be larger than the remaining memory. */
async function freeMemoryBytes(): Promise<number> {
  const free = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  const memory = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  return Math.min(free, 1024 * Number(/^MemAvailable: +(\d+) kB/m.exec(memory)?.[1] ?? 0))
}
