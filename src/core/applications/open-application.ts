// Opens an application's answers for a person. The audit log records it before any answer is shown.

import { notFound } from '../../base/problem.ts'
import {
  findStoredApplication,
  readStoredApplications,
  type StoredApplication,
} from '../../db/applications/application-details.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql } from '../../db/client.ts'

/** Why answers are read: to show the application, to compare it with a later one, or to return it as exported. */
export type OpenReading = 'shown' | 'compared' | 'as_exported' | 'downloaded'

export interface ReadingPerson {
  program_id: number
  /** `admin:<email>`. */
  actor: string
  address: string | undefined
}

/**
 * The stored texts of these applications of a program, in this order. Each is recorded as an event `application_read` in the transaction that reads
 * it, committed before this resolves: if the audit log cannot be written, nothing is read. Throws `not_found` if one of them does not exist.
 */
export async function openApplications(
  sql: Sql,
  { program_id, actor, address }: ReadingPerson,
  readings: readonly { applicationId: number; reading: OpenReading }[],
): Promise<StoredApplication[]> {
  return inTransaction(sql, async tx => {
    const opened: StoredApplication[] = []
    for (const { applicationId, reading } of readings) {
      const found =
        (await findStoredApplication(tx, program_id, applicationId)) ??
        notFound(`There is no application ${applicationId} in this program.`)
      await appendAuditEvent(tx, {
        actor,
        action: 'application_read',
        subject: String(applicationId),
        address,
        detail: { program_id, reading },
      })
      opened.push(found)
    }
    return opened
  })
}

/** Why several are read together: to name the applicants in a list, or to export them as a file. */
export type ManyRead = 'applications_listed' | 'applications_downloaded'

/**
 * The stored texts of those of these applications that exist, in this order; `asOf` as for `readStoredApplications`. One event lists all of them and
 * the kinds of search criteria, but not the search terms, which may be someone's name. Committed before this resolves.
 */
export async function openMany(
  sql: Sql,
  { program_id, actor, address }: ReadingPerson,
  applicationIds: readonly number[],
  { action, slug, filters }: { action: ManyRead; slug: string; filters: readonly string[] },
  asOf?: number,
): Promise<StoredApplication[]> {
  if (applicationIds.length === 0) return []
  return inTransaction(sql, async tx => {
    const opened = await readStoredApplications(tx, program_id, applicationIds, asOf)
    await appendAuditEvent(tx, {
      actor,
      action,
      subject: slug,
      address,
      detail: { program_id, applications: opened.map(({ application_id }) => application_id), filters },
    })
    return opened
  })
}
