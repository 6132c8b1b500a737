// The audit log's line on a page of the change feed that has its applications. It is written before they are sent, as that of a page of
// a walk, with the applications that are on it: db/audit/disclosures finds it by the places between which they lie, and by this list.

import type { AuditEvent } from '../db/audit/audit.ts'
import type { ApplicationSpan } from '../db/walks/change-rows.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import type { SentQuestions } from './sent-questions.ts'

interface DisclosedChanges {
  apiKeyId: string
  address: string
  requestId: string
  programSlug: string
  /** How many changes the page has, and up to which it goes. */
  changes: number
  pageSize: number
  lastChange: number
  applicationIds: readonly number[]
  span: ApplicationSpan
  format: string
  questions: SentQuestions
  at: Micros
}

export function disclosedChanges(disclosed: DisclosedChanges): AuditEvent {
  const { apiKeyId, address, requestId, programSlug, changes, pageSize, lastChange, applicationIds, at } = disclosed
  const { first_time, last_time, last_seq } = disclosed.span
  return {
    actor: `key:${apiKeyId}`,
    action: 'applications_exported',
    subject: programSlug,
    address,
    detail: {
      request_id: requestId,
      changes,
      last_change: lastChange,
      filters: { page_size: pageSize },
      ...disclosed.questions,
      format: disclosed.format,
      applications: applicationIds.length,
      application_ids: applicationIds,
      after_micros: first_time,
      after_seq: 0,
      last_micros: last_time,
      last_seq,
      outcome: 'complete',
      began_at: formatMicros(at),
    },
  }
}
