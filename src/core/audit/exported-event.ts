// The audit entry `applications_exported`: of a page of a walk, of a page of the change feed, and of one application, by which
// db/audit/disclosures finds everything that a client was sent.

import type { AuditEvent } from '../../db/audit/audit.ts'
import type { ApplicationSpan } from '../../db/walks/change-rows.ts'
import type { Position } from '../../db/walks/walks.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { SentQuestions } from './sent-questions.ts'

/** Who was sent what, in which format, and when they asked for it. */
interface Sending {
  apiKeyId: string
  address: string
  requestId: string
  programSlug: string
  format: string
  questions: SentQuestions
  beganAt: Micros
}

interface Sent {
  applications: number
  /** They lie after this place, up to the other: by time, and by number where times are the same. So the pages that held one are found. */
  after: Position
  last: Position
  outcome: string
}

/** `more` is what only one kind of sending has. */
export function exportedEvent(sending: Sending, sent: Sent, more: Readonly<Record<string, unknown>>): AuditEvent {
  const { apiKeyId, address, requestId, programSlug, format, questions, beganAt } = sending
  return {
    actor: `key:${apiKeyId}`,
    action: 'applications_exported',
    subject: programSlug,
    address,
    detail: {
      request_id: requestId,
      ...more,
      ...questions,
      format,
      applications: sent.applications,
      after_micros: sent.after.submit_time,
      after_seq: sent.after.submit_seq,
      last_micros: sent.last.submit_time,
      last_seq: sent.last.submit_seq,
      outcome: sent.outcome,
      began_at: formatMicros(beganAt),
    },
  }
}

/** An application that a client read by its id: a page of one. */
export function disclosedReading(
  sending: Omit<Sending, 'format'>,
  { application_id, submit_time, submit_seq }: Position & { application_id: number },
): AuditEvent {
  const after = { submit_time, submit_seq: submit_seq - 1 }
  const sent = { applications: 1, after, last: { submit_time, submit_seq }, outcome: 'complete' }
  return exportedEvent({ ...sending, format: 'json' }, sent, { application_id, filters: { page_size: 1 } })
}

interface ChangesOnPage {
  /** How many changes the page has, and up to which it goes. */
  changes: number
  pageSize: number
  lastChange: number
  applicationIds: readonly number[]
  span: ApplicationSpan
}

/** A page of the change feed with its applications, which are listed: not all between these places are on it. Written before it is sent. */
export function disclosedChanges(
  sending: Sending,
  { changes, pageSize, lastChange, applicationIds, span: { first_time, last_time, last_seq } }: ChangesOnPage,
): AuditEvent {
  const sent = {
    applications: applicationIds.length,
    after: { submit_time: first_time, submit_seq: 0 },
    last: { submit_time: last_time, submit_seq: last_seq },
    outcome: 'complete',
  }
  return exportedEvent(sending, sent, {
    changes,
    last_change: lastChange,
    filters: { page_size: pageSize },
    application_ids: applicationIds,
  })
}
