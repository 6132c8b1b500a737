// Creates the audit entry `applications_exported` for a page of a walk, a page of the change feed, or a single application, from which
// db/audit/disclosures finds everything a client was sent.

import type { AuditEvent } from '../../db/audit/audit.ts'
import type { ApplicationSpan } from '../../db/walks/change-rows.ts'
import type { Position } from '../../db/walks/walks.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { SentQuestions } from './sent-questions.ts'

/** The recipient, the format and the time of the request. */
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
  /** The range of the applications: after one position, up to the other, by time and then by number. Used to find the pages of an application. */
  after: Position
  last: Position
  outcome: string
}

/** `more`: facts that only one kind of response has. */
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

/** A single application that a client read by its ID. */
export function disclosedReading(
  sending: Omit<Sending, 'format'>,
  { application_id, submit_time, submit_seq }: Position & { application_id: number },
): AuditEvent {
  const after = { submit_time, submit_seq: submit_seq - 1 }
  const sent = { applications: 1, after, last: { submit_time, submit_seq }, outcome: 'complete' }
  return exportedEvent({ ...sending, format: 'json' }, sent, { application_id, filters: { page_size: 1 } })
}

interface ChangesOnPage {
  /** Number of changes on the page, and the last one. */
  changes: number
  pageSize: number
  lastChange: number
  applicationIds: readonly number[]
  span: ApplicationSpan
}

/** A page of the change feed, which lists its applications because it does not contain the whole range. Written before it is sent. */
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
