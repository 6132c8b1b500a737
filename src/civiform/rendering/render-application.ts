// Renders one CiviForm application in its stored form: the exact text that is exported, in two parts.

import type { Annotations } from '../../domain/questions/application.ts'
import { isJsonObject, type Json, parseJson } from '../../domain/values/json-text.ts'
import { canonicalLanguageTag } from '../../domain/values/language-tag.ts'
import { formatOffsetTime, type Micros } from '../../domain/values/offset-time.ts'
import type { SourceApplication } from '../db/source-applications.ts'
import type { Rendering } from '../source/profile.ts'
import type { PlannedQuestion } from './answer-plan.ts'
import { renderAnswers } from './render-answers.ts'
import { member } from './stored-scalars.ts'

/** Everything needed to render a version's applications. */
export interface VersionPlan {
  /** The exported `program_name`. */
  programName: string
  questions: readonly PlannedQuestion[]
}

export interface RenderedApplication extends Annotations {
  /** As exported: the applicant before accounts were merged, if CiviForm remembers it. */
  applicant_id: number
  language: string
  snapshot: string
  annotations: string
}

/** Deepest nesting of a stored document. */
const depthMax = 200

/** Never fails: unreadable data counts as unanswered and is reported. */
export function renderApplication(
  row: SourceApplication,
  plan: VersionPlan,
  rendering: Rendering,
  report: (detail: string) => void,
): RenderedApplication {
  const { profile } = rendering
  const applicant_id = row.original_applicant_id ?? row.applicant_id ?? 0
  if (row.applicant_id === null) report('has no applicant; it is exported with the ID 0')
  const language = row.preferred_locale ? (canonicalLanguageTag(row.preferred_locale) ?? 'und') : 'en-US'
  const status = row.status || null
  const application_note = row.note || null
  const byIntermediary = row.submitter_email !== null
  const organization = byIntermediary || profile === 'origin' ? row.ti_organization || null : null
  const time = (instant: Micros | null): string => JSON.stringify(writeTime(instant, rendering))
  const answers = renderAnswers(
    plan.questions,
    readAnswers(row.document, report),
    row.live === null ? undefined : readAnswers(row.live.object, () => {}),
    { ...rendering, live: row.live, report },
  )
  return {
    applicant_id,
    language,
    status,
    status_last_modified_time: row.status_last_modified_time,
    application_note,
    snapshot:
      `{"create_time":${time(row.create_time)},"submit_time":${time(row.submit_time)},` +
      `"applicant_id":${applicant_id},"application_id":${row.id},"language":${JSON.stringify(language)},` +
      `"program_name":${JSON.stringify(plan.programName)},"program_version_id":${row.program_id},` +
      `"submitter_type":"${byIntermediary ? 'TRUSTED_INTERMEDIARY' : 'APPLICANT'}",` +
      `"ti_email":${JSON.stringify(row.submitter_email || null)},"ti_organization":${JSON.stringify(organization)},` +
      `"application":{${answers}`,
    annotations:
      `"status":${JSON.stringify(status)},"status_last_modified_time":${time(row.status_last_modified_time)},` +
      `"application_note":${JSON.stringify(application_note)}`,
  }
}

/** The object with an applicant's answers; undefined for an invalid document. */
function readAnswers(document: string | null, report: (detail: string) => void): Json | undefined {
  if (document === null) return undefined
  const parsed = parseJson(document, { depthMax, lastOfDuplicates: true })
  if ('json' in parsed && isJsonObject(parsed.json)) return member(parsed.json, 'applicant')
  report('has unreadable answers; it is exported as unanswered')
  return undefined
}

/** Java's format in one profile; whole seconds and a numeric offset in the other. */
function writeTime(instant: Micros | null, { profile, timeZone }: Rendering): string | null {
  if (instant === null) return null
  const whole = formatOffsetTime(instant, timeZone)
  if (profile === 'contract') return whole
  const micros = ((instant % 1_000_000) + 1_000_000) % 1_000_000
  const fraction = micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`
  const offset = whole.slice(19)
  return `${whole.slice(0, 19)}${fraction}${offset === '+00:00' ? 'Z' : offset}`
}
