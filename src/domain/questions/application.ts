// Renders the application object: its immutable part as stored text, its changeable part, and the complete object.

import { formatOffsetTime, type Micros } from '../values/offset-time.ts'
import { type Answers, type EntityEnd, markedEntityEnd, renderMembers } from './answers.ts'
import type { KeyNode } from './key-map.ts'

/** Who submitted. Intermediaries carry both email and organization. Source: spec, `submitter_type`. */
export type Submitter =
  | { submitter_type: 'APPLICANT' }
  | { submitter_type: 'TRUSTED_INTERMEDIARY'; ti_email: string; ti_organization: string }

/** Everything about an application that is fixed at submission. */
export interface Submission {
  applicant_id: number
  application_id: number
  create_time: Micros
  submit_time: Micros
  language: string
  program_name: string
  program_version_id: number
  submitter: Submitter
  answers: Answers
}

/** Everything about an application that administrators may change later (D22). */
export interface Annotations {
  status: string | null
  status_last_modified_time: Micros | null
  application_note: string | null
}

export type RevisionState = 'CURRENT' | 'OBSOLETE'

/**
 * The immutable part as the export's own JSON text, without the two closing braces and with a marker at the end of each entity (see `markerStart`).
 * `shape` is the key map of only the version it was submitted to. The times come first because they are known last: the rest is rendered before the
 * program's counter is locked.
 */
export function renderSnapshot(submission: Submission, shape: readonly KeyNode[], timeZone: string): string {
  return renderImmutable(submission, shape, timeZone, markedEntityEnd)
}

/** The beginning of every snapshot, up to a comma: the only part that depends on the time zone. Its length is the same for all times. */
export function renderTimes(s: Pick<Submission, 'create_time' | 'submit_time'>, timeZone: string): string {
  const [create, submit] = [formatOffsetTime(s.create_time, timeZone), formatOffsetTime(s.submit_time, timeZone)]
  return `{"create_time":"${create}","submit_time":"${submit}"`
}

/** The rest of a snapshot after its times, which can be rendered before the submission time is known. */
export function renderAfterTimes(
  s: Omit<Submission, 'create_time' | 'submit_time'>,
  shape: readonly KeyNode[],
): string {
  return renderDetails(s, shape, markedEntityEnd)
}

/** Like `renderSnapshot`, with a choice of the text at the end of each entity. */
export function renderImmutable(
  s: Submission,
  shape: readonly KeyNode[],
  timeZone: string,
  entityEnd: EntityEnd,
): string {
  return renderTimes(s, timeZone) + renderDetails(s, shape, entityEnd)
}

function renderDetails(
  s: Omit<Submission, 'create_time' | 'submit_time'>,
  shape: readonly KeyNode[],
  entityEnd: EntityEnd,
): string {
  const intermediary = s.submitter.submitter_type === 'TRUSTED_INTERMEDIARY' ? s.submitter : undefined
  return (
    `,"applicant_id":${s.applicant_id},"application_id":${s.application_id},"language":${JSON.stringify(s.language)},` +
    `"program_name":${JSON.stringify(s.program_name)},"program_version_id":${s.program_version_id},` +
    `"submitter_type":"${s.submitter.submitter_type}","ti_email":${JSON.stringify(intermediary?.ti_email ?? null)},` +
    `"ti_organization":${JSON.stringify(intermediary?.ti_organization ?? null)},` +
    `"application":{${renderMembers(shape, s.answers, entityEnd)}`
  )
}

/**
 * The changeable part as JSON text: `"status":…,"status_last_modified_time":…,"application_note":…`, without braces or
 * outer commas. Rendered when it changes, never when it is read.
 */
export function renderAnnotations(a: Annotations, timeZone: string): string {
  const time = a.status_last_modified_time === null ? null : formatOffsetTime(a.status_last_modified_time, timeZone)
  return `"status":${JSON.stringify(a.status)},"status_last_modified_time":${JSON.stringify(time)},"application_note":${JSON.stringify(a.application_note)}`
}
