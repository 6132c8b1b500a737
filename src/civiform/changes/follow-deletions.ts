// Applies the deletions that newer CiviForm releases record in two tables, in the next round, regardless of how many, without confirmation
// by an operator. The comparison finds all other missing applications.

import { type FoundChange, readKeptOfApplicants } from '../db/followed-changes.ts'
import { readDeletedAccounts, readDeletedApplications } from '../db/source-deletions.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { removeGone } from './scan-changes.ts'

/** Number of records that are read again, because their IDs are allocated before they become visible. */
const recordsAgain = 1000

export class FollowedDeletions {
  /** The newest record read from each table, and the records that may still be read again. Starts empty at each start. */
  readonly #applications = { newest: 0, read: new Set<number>() }
  readonly #accounts = { newest: 0, read: new Set<number>() }

  /** Nothing if this release has no such tables, or they may not be read. */
  async apply(deps: FollowReading): Promise<FoundChange[]> {
    const { sql, source, reading } = deps
    const may = (column: string): boolean => reading.layout.readable.has(column)
    const gone: number[] = []
    if (may('application_deletion_record.id') && may('application_deletion_record.application_id')) {
      const { newest } = this.#applications
      for (const record of this.#unread(
        this.#applications,
        await readDeletedApplications(source, newest - recordsAgain),
      ))
        gone.push(record.application_id)
    }
    if (may('account_deletion_record.id') && may('account_deletion_record.applicant_ids')) {
      const { newest } = this.#accounts
      const records = this.#unread(this.#accounts, await readDeletedAccounts(source, newest - recordsAgain))
      if (records.length > 0)
        gone.push(
          ...(await readKeptOfApplicants(
            sql,
            records.flatMap(record => record.applicant_ids),
          )),
        )
    }
    return gone.length === 0 ? [] : removeGone(deps, gone)
  }

  #unread<T extends { id: number }>(of: { newest: number; read: Set<number> }, records: readonly T[]): T[] {
    const unread = records.filter(({ id }) => !of.read.has(id))
    for (const { id } of unread) {
      of.read.add(id)
      of.newest = Math.max(of.newest, id)
    }
    for (const id of of.read) if (id <= of.newest - recordsAgain) of.read.delete(id)
    return unread
  }
}
