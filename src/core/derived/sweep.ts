// Finds what is missing, stale or stuck among derived data, and asks for it. Safe to run at any time and by several concurrently.

import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { type DerivedThing, giveUpRuns, hasFailed, readOverdue } from '../../db/derived/derived-status.ts'
import { readDocumentedVersionIds, readMissingDerived } from '../../db/derived/missing-derived.ts'
import { enqueue } from '../queue/enqueue.ts'
import type { Job } from '../queue/jobs.ts'
import { docsCodeVersion } from './program-docs.ts'
import { keyMapCodeVersion } from './program-key-map.ts'

/** After how long on record as queued or running a job counts as lost. */
const overdueMs = 5 * 60_000
/** Runs that may begin without ending before a derivation is given up: as often as the queue tries a job that fails. */
const unendedRunsMax = 5

/**
 * Asks for everything that is missing, was made by an earlier release, or has been queued or running for too long. Returns what was
 * asked for. What fails every time is marked failed in the end; it is asked for again by a later release, or by an operator.
 */
export async function sweepDerived(sql: Sql, options: { overdueMs: number } = { overdueMs }): Promise<DerivedThing[]> {
  return inTransaction(sql, async tx => {
    await giveUpRuns(tx, options.overdueMs, unendedRunsMax)
    const missing = await readMissingDerived(tx, codeVersions)
    const overdue = await readOverdue(tx, options.overdueMs)
    const things = [...missing, ...overdue]
    await enqueue(tx, things.map(jobOf))
    return things
  })
}

/** Who asks for a derivation by hand, for the audit log. */
interface Asking {
  actor: string
  address?: string | undefined
}

/** Asks for the docs of a program, or of all programs, to be made again, and returns the versions they are of. */
export async function regenerateDocs(sql: Sql, programId: number | undefined, by: Asking): Promise<number[]> {
  return inTransaction(sql, async tx => {
    const versions = await readDocumentedVersionIds(tx, programId)
    await enqueue(tx, versions.map(docsJob))
    await appendAuditEvent(tx, {
      actor: by.actor,
      action: 'docs_regeneration_asked',
      subject: programId === undefined ? 'all programs' : `program ${programId}`,
      address: by.address,
      detail: { program_versions: versions.length },
    })
    return versions
  })
}

/** Asks again for something that failed for good. False when it has not failed: then it is under way, or done. */
export async function retryDerived(sql: Sql, thing: DerivedThing, by: Asking): Promise<boolean> {
  return inTransaction(sql, async tx => {
    if (!(await hasFailed(tx, thing))) return false
    await enqueue(tx, [jobOf(thing)])
    await appendAuditEvent(tx, {
      actor: by.actor,
      action: 'job_retried',
      subject: thing.job_name,
      address: by.address,
      detail: { program_version_id: thing.program_version_id },
    })
    return true
  })
}

/** What this release makes, for reading how far it is. */
export const codeVersions = { keyMap: keyMapCodeVersion, docsExample: docsCodeVersion }

const docsJob = (program_version_id: number): Job => ({
  name: 'refresh-docs-example',
  payload: { program_version_id },
})

const jobOf = ({ job_name, program_version_id }: DerivedThing): Job => ({
  name: job_name as Job['name'],
  payload: { program_version_id },
})
