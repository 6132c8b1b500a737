// The audit entry for an application that a client read by its id. It is recorded as a page of one application, so that
// the disclosure report (db/audit/disclosures) finds it among the pages.

import type { AuditEvent } from '../db/audit/audit.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import type { SentQuestions } from './sent-questions.ts'

interface DisclosedReading {
  apiKeyId: string
  address: string
  requestId: string
  programSlug: string
  application: { application_id: number; submit_time: Micros; submit_seq: number }
  questions: SentQuestions
  at: Micros
}

export function disclosedReading(reading: DisclosedReading): AuditEvent {
  const { apiKeyId, address, requestId, programSlug, application, questions, at } = reading
  const { application_id, submit_time, submit_seq } = application
  return {
    actor: `key:${apiKeyId}`,
    action: 'applications_exported',
    subject: programSlug,
    address,
    detail: {
      request_id: requestId,
      application_id,
      filters: { page_size: 1 },
      ...questions,
      format: 'json',
      applications: 1,
      after_micros: submit_time,
      after_seq: submit_seq - 1,
      last_micros: submit_time,
      last_seq: submit_seq,
      outcome: 'complete',
      began_at: formatMicros(at),
    },
  }
}
