// Sets or removes an application's status and note.

import { invalidRequest, Problem, type ProblemItem } from '../../base/problem.ts'
import {
  type AnnotationState,
  holdChanges,
  insertAnnotationState,
  lockAnnotations,
  newestAnnotationId,
  readProgramStatuses,
  updateAnnotations,
} from '../../db/applications/annotations.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql } from '../../db/client.ts'
import { requireInstanceTimeZone } from '../../db/instance.ts'
import { refuseFollowed } from '../../db/origin.ts'
import { type Annotations, renderAnnotations } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

export interface AnnotationChange {
  program_id: number
  application_id: number
  /** One of the program's statuses, or null for none; undefined leaves it unchanged. */
  status?: string | null | undefined
  /** Any text of at most `noteLengthMax`, or null for none; undefined leaves it unchanged. */
  note?: string | null | undefined
  /** The newest state of both that was displayed when this was decided (0 before the first); undefined if none was. */
  seen?: number | undefined
  /** `admin:<name>`, `operator:<system user>` or `key:<id>`. */
  actor: string
  /** Address of the request, if known. */
  address?: string | undefined
  now: Micros
  /** The instance's time zone. */
  timeZone: string
}

/** Maximum length of a note in UTF-16 units. */
export const noteLengthMax = 10_000

/**
 * Changes status and note of an application in one transaction, with their history, the rendered text and the audit log; an export sees all of it or
 * nothing (D22), and so does the change feed. Concurrent changes are serialized. `status_last_modified_time` becomes `now` when a status is set, even
 * to the same value (D30), or removed, and is unchanged when only the note changes. A change that sets no status and changes nothing is not recorded.
 * Returns the current values. Throws `invalid_request` with `/status` and `/note`, `not_found`, or `conflict` if they have changed since `seen`.
 */
export async function annotate(sql: Sql, change: AnnotationChange): Promise<Annotations> {
  return sql.begin('isolation level read committed', async tx => {
    // The zone is fixed once an application exists.
    await requireInstanceTimeZone(tx, change.timeZone)
    await refuseFollowed(tx, 'The status and note are set')
    const statuses = await readProgramStatuses(tx, change.program_id)
    if (statuses !== undefined) refuseErrors(errorsOf(change, statuses))
    const { program_id, application_id } = change
    await holdChanges(tx, program_id)
    const before = statuses && (await lockAnnotations(tx, program_id, application_id))
    if (before === undefined) {
      throw new Problem('not_found', { detail: `There is no application ${application_id} in this program.` })
    }
    if (change.seen !== undefined && (await newestAnnotationId(tx, program_id, application_id)) !== change.seen) {
      throw new Problem('conflict', {
        detail: `Someone else changed the status or note of application ${application_id}, so nothing was saved.`,
        internal: 'seen_is_old',
      })
    }
    const setsStatus = typeof change.status === 'string' || (change.status === null && before.status !== null)
    const setsNote = change.note !== undefined && change.note !== before.application_note
    if (!setsStatus && !setsNote) return before
    const after = changed(before, change, setsStatus)
    const state: AnnotationState = {
      changed_at: change.now,
      changed_by: change.actor,
      status: after.status,
      application_note: after.application_note,
    }
    await updateAnnotations(tx, change, after, renderAnnotations(after, change.timeZone))
    await insertAnnotationState(tx, change, state, { status: setsStatus, note: setsNote })
    await appendAuditEvent(tx, {
      actor: change.actor,
      action: 'application_annotated',
      subject: String(application_id),
      address: change.address,
      // The note may contain an applicant's words and is not repeated.
      detail: {
        program_id,
        status: after.status,
        status_changed: after.status !== before.status,
        note_changed: after.application_note !== before.application_note,
      },
    })
    return after
  })
}

function changed(before: Annotations, change: AnnotationChange, setsStatus: boolean): Annotations {
  return {
    status: change.status === undefined ? before.status : change.status,
    status_last_modified_time: setsStatus ? change.now : before.status_last_modified_time,
    application_note: change.note === undefined ? before.application_note : change.note,
  }
}

function errorsOf({ status, note }: AnnotationChange, statuses: readonly string[]): ProblemItem[] {
  const errors: ProblemItem[] = []
  if (status !== undefined && status !== null && !statuses.includes(status)) {
    const known = statuses.length === 0 ? 'which has none' : statuses.map(status => JSON.stringify(status)).join(', ')
    const detail = `Must be empty or one of the program’s statuses: ${known}.`
    errors.push({ path: '/status', code: 'unknown_status', detail })
  }
  if (note !== undefined && note !== null) {
    if (note.length > noteLengthMax) {
      const detail = `Must be at most ${noteLengthMax.toLocaleString('en-US')} characters long. It has ${note.length.toLocaleString('en-US')}.`
      errors.push({ path: '/note', code: 'too_long', detail })
    }
    if (!note.isWellFormed() || note.includes('\0')) {
      const detail = 'Must be valid Unicode text without null characters (U+0000).'
      errors.push({ path: '/note', code: 'unstorable_text', detail })
    }
  }
  return errors
}

function refuseErrors(errors: readonly ProblemItem[]): void {
  if (errors.length > 0) throw invalidRequest('The application was not changed.', errors)
}
