// Finds what is missing, stale or stuck among derived data, and asks for it. Safe to run at any time and by several at once.

import { inTransaction, type Sql } from '../db/client.ts'
import { type DerivedThing, giveUpRuns, readOverdue } from '../db/derived-status.ts'
import { readDocumentedVersionIds, readMissingDerived } from '../db/missing-derived.ts'
import { enqueue } from '../queue/enqueue.ts'
import type { Job } from '../queue/jobs.ts'
import { docsCodeVersion } from './docs-code-version.ts'
import { keyMapCodeVersion } from './program-key-map.ts'

/** How long something may be on record as queued or running before its job is taken for lost. */
const overdueMs = 5 * 60_000
/** Runs that may begin and never end, before the thing is given up: as many as the queue tries one that fails. */
const unendedRunsMax = 5

/**
 * Asks for everything that is missing, made by another release, or has not moved for too long. Returns what was asked for. What
 * cannot be done is failed in the end, and asked for again when another release may be able to, or an operator says so.
 */
export async function sweepDerived(sql: Sql, options: { overdueMs: number } = { overdueMs }): Promise<DerivedThing[]> {
  return inTransaction(sql, async tx => {
    await giveUpRuns(tx, options.overdueMs, unendedRunsMax)
    const missing = await readMissingDerived(tx, { keyMap: keyMapCodeVersion, docsExample: docsCodeVersion })
    const overdue = await readOverdue(tx, options.overdueMs)
    const things = [...missing, ...overdue]
    await enqueue(tx, things.map(jobOf))
    return things
  })
}

/** Asks for the docs of a program, or of all programs, to be made again, and returns their versions. */
export async function regenerateDocs(sql: Sql, programId: number | undefined): Promise<number[]> {
  return inTransaction(sql, async tx => {
    const versions = await readDocumentedVersionIds(tx, programId)
    await enqueue(tx, versions.map(docsJob))
    return versions
  })
}

const docsJob = (program_version_id: number): Job => ({
  name: 'refresh-docs-example',
  payload: { program_version_id },
})

const jobOf = ({ job_name, program_version_id }: DerivedThing): Job => ({
  name: job_name as Job['name'],
  payload: { program_version_id },
})
