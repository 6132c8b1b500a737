// The example response in the docs, rendered by the exporter from sample answers.
// Generated from the version only, without a clock or real applicants.

import type { Answers, noEntityEnd } from '../questions/answers.ts'
import { renderAnnotations, renderImmutable, type Submission } from '../questions/application.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../questions/key-map.ts'
import type { Screen } from '../questions/program-version.ts'
import { planFill } from '../questions/version-fill.ts'
import type { Micros } from '../values/offset-time.ts'
import { sampleAnswers } from './sample-answers.ts'

export interface ExampleVersion extends PublishedVersion {
  slug: string
  /** The exported name, if it is not the slug. */
  program_name?: string
  statuses: readonly string[]
  screens: readonly Screen[]
}

/** 2026-01-15 18:04:05 UTC, when the sample applicant began. */
const beganAt: Micros = 1_768_500_245_000_000
const minute = 60_000_000
/** Looks like a page token but is none. */
const exampleToken = '4mKq0Zt7uXcVb2Rw9LsYd1NhJ8fGaEoP5iQx3TzUkMvBnC6yHrW'

/**
 * A page of two applications to one version, as JSON text: the first with every question answered, two entities in every enumerator; the second with
 * none answered. `keyMap` must cover the version; its other questions are shown unanswered, as in exports. Byte for byte what
 * `core/export/framings/splice` makes of the same rows (tested in tests/domain/samples/docs-example).
 */
export function examplePage(version: ExampleVersion, keyMap: KeyMap, timeZone: string): string {
  const applications = [
    exampleApplication(version, keyMap, timeZone, exampleSubmissions(version)[0], {
      status: version.statuses[0] ?? null,
      application_note: 'Called on Monday; documents are complete.',
      decidedAfterMinutes: version.statuses.length === 0 ? null : 4321,
      current: true,
    }),
    exampleApplication(version, keyMap, timeZone, exampleSubmissions(version)[1], {
      status: null,
      application_note: null,
      decidedAfterMinutes: null,
      current: false,
    }),
  ]
  return `{"payload":[${applications.join(',')}],"nextPageToken":${JSON.stringify(exampleToken)}}`
}

/** The two sample submissions: a complete one by an intermediary, and one without answers by the applicant. */
export function exampleSubmissions(version: ExampleVersion): [Submission, Submission] {
  const common = { program_name: version.program_name ?? version.slug, program_version_id: version.program_version_id }
  const nothing: Answers = new Map()
  return [
    {
      ...common,
      applicant_id: 1001,
      application_id: 5001,
      language: 'es-US',
      answers: sampleAnswers(version),
      create_time: beganAt,
      submit_time: beganAt + 27 * minute,
      submitter: {
        submitter_type: 'TRUSTED_INTERMEDIARY',
        ti_email: 'helper@community.example.org',
        ti_organization: 'Community Helpers (sample)',
      },
    },
    {
      ...common,
      applicant_id: 1002,
      application_id: 5002,
      language: 'en-US',
      answers: nothing,
      create_time: beganAt + 40 * minute,
      submit_time: beganAt + 41 * minute,
      submitter: { submitter_type: 'APPLICANT' },
    },
  ]
}

/** Approximate number of characters of the answers in a short example. */
const shortAnswersMax = 2500

export interface ShortExample {
  /** A page, as JSON text. */
  page: string
  /** Question keys missing from its application because of the size limit. */
  left_out: number
}

/** The first application of an example page alone, with as many of its questions as are quick to read. */
export function shortExample(page: string): ShortExample {
  const { payload } = JSON.parse(page) as { payload: { application: Record<string, unknown> }[] }
  const [{ application, ...rest }] = payload as [(typeof payload)[number]]
  let room = shortAnswersMax
  const shown = Object.entries(application).filter(([key, question]) => {
    const size = key.length + JSON.stringify(question).length
    if (size > room) return false
    room -= size
    return true
  })
  // fromEntries defines own properties, so a key such as __proto__ needs no special care.
  const short = { ...rest, application: Object.fromEntries(shown) }
  return {
    page: JSON.stringify({ payload: [short], nextPageToken: null }),
    left_out: Object.keys(application).length - shown.length,
  }
}

interface Judgement {
  status: string | null
  application_note: string | null
  /** Minutes from the submission to the status; null without a status. */
  decidedAfterMinutes: number | null
  current: boolean
}

function exampleApplication(
  version: ExampleVersion,
  keyMap: KeyMap,
  timeZone: string,
  submission: Submission,
  judgement: Judgement,
): string {
  const shape = buildKeyMap([version])
  const fill = planFill(keyMap, shape)
  const { status, application_note, decidedAfterMinutes, current } = judgement
  const annotations = {
    status,
    application_note,
    status_last_modified_time:
      decidedAfterMinutes === null ? null : submission.submit_time + decidedAfterMinutes * minute,
  }
  // Each marker in the stored text is replaced by the text that its entity lacks.
  const entityEnd: typeof noEntityEnd = enumerator => String(fill.entity.get(enumerator.question_id) ?? '')
  return (
    renderImmutable(submission, shape, timeZone, entityEnd) +
    String(fill.end) +
    renderAnnotations(annotations, timeZone) +
    `,"revision_state":"${current ? 'CURRENT' : 'OBSOLETE'}"}`
  )
}
