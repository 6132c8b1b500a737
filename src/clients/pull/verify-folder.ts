// Verifies a folder against what pulls and changes have brought into it: each application once, in a file of its id, and none is missing.

import { existsSync } from 'node:fs'
import { HeldIds, idsOf, namesIn, requireApplications } from './formats/folder-contents.ts'
import { folderPath, readRecord } from './formats/folder-format.ts'
import { statePath } from './pull-to-file.ts'
import { CommandError } from './requests/pull-outcome.ts'
import { PullState } from './spool/pull-state.ts'

/** While a folder is followed, a page may be on its way into it: it is looked at again, for this long. */
const patienceMs = 10_000
const pauseMs = 200

/** How many applications it has; rejects with the outcome `mismatch` when they are not those that came. */
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
  if (record?.held === undefined) throw new CommandError('incomplete', `No pull into ${folder} is complete.`)
  const ids = idsOf(namesIn(folder))
  const { count, digest } = HeldIds.of(ids).figure()
  if (count !== record.held.count)
    throw new CommandError('mismatch', `${folder} has ${count} applications, and ${record.held.count} came.`)
  if (digest !== record.held.digest)
    throw new CommandError('mismatch', `${folder} has as many applications as came, but not the same ones.`)
  requireApplications(folder, ids, record.origin.program)
  return count
}

/** Whether a pull is at work on it. */
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
