// Verifies a folder against its pulls and changes: each application is there once, in the file named by its ID, and none is missing.

import { existsSync } from 'node:fs'
import { HeldIds, idsOf, namesIn, requireApplications } from './formats/folder-contents.ts'
import { folderPath, readRecord } from './formats/folder-format.ts'
import { statePath } from './pull-to-file.ts'
import { CommandError } from './requests/pull-outcome.ts'
import { PullState } from './spool/pull-state.ts'

/** While a folder is followed, a page may just be being written, so the check is repeated for this long. */
const patienceMs = 10_000
const pauseMs = 200

/** Number of its applications; rejects with the outcome `mismatch` if they are not the ones that were pulled. */
export async function verifyFolder(folder: string): Promise<number> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return verifyOnce(folder)
    } catch (error) {
      if (!isFollowed(folder) || performance.now() > until) throw error
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

function verifyOnce(folder: string): number {
  const record = readRecord(folder)
  if (record?.held === undefined) throw new CommandError('incomplete', `${folder} has no completed pull.`)
  const ids = idsOf(namesIn(folder))
  const { count, digest } = HeldIds.of(ids).figure()
  if (count !== record.held.count)
    throw new CommandError('mismatch', `${folder} has ${count} applications, but ${record.held.count} were pulled.`)
  if (digest !== record.held.digest)
    throw new CommandError(
      'mismatch',
      `${folder} has the right number of applications, but not the ones that were pulled.`,
    )
  requireApplications(folder, ids, record.origin.program)
  return count
}

/** Whether a pull is writing to it. */
function isFollowed(folder: string): boolean {
  const path = statePath(folderPath(folder))
  if (!existsSync(path)) return false
  try {
    PullState.open(path).close()
    return false
  } catch (error) {
    if (error instanceof CommandError && error.outcome === 'busy') return true
    throw error
  }
}
