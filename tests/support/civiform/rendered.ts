// What the follower makes of one stored document, without any database: for cases that are about answers alone.

import { programFamilies } from '../../../src/civiform/catalogue/program-families.ts'
import type { LiveApplicant, SourceApplication } from '../../../src/civiform/db/source-applications.ts'
import type { SourceProgram, SourceQuestion } from '../../../src/civiform/db/source-catalogue.ts'
import type { CatalogueQuestion } from '../../../src/civiform/definitions/catalogue-version.ts'
import { planAnswers } from '../../../src/civiform/rendering/answer-plan.ts'
import { renderApplication } from '../../../src/civiform/rendering/render-application.ts'
import type { ExportProfile } from '../../../src/domain/questions/key-map.ts'
import { buildKeyMap, unansweredForm } from '../../../src/domain/questions/key-map.ts'
import type { VersionQuestion } from '../../../src/domain/questions/question.ts'
import type { SimulatedQuestion } from './simulated-civiform.ts'

export interface RenderCase {
  questions: readonly SimulatedQuestion[]
  /** Stored at `applicant`. */
  answers?: unknown
  /** The whole stored text, instead. */
  document?: string
  row?: Partial<SourceApplication>
  live?: Partial<LiveApplicant>
  timeZone?: string
}

export interface Rendered {
  // biome-ignore lint/suspicious/noExplicitAny: an export, to look into
  application: any
  /** The same as sent. */
  text: string
  reports: string[]
  findings: { kind: string; detail: string }[]
}

export const emptyLive: LiveApplicant = {
  first_name: null,
  middle_name: null,
  last_name: null,
  suffix: null,
  email_address: null,
  country_code: null,
  phone_number: null,
  date_of_birth: null,
  object: null,
}

export const emptyRow: SourceApplication = {
  id: 7,
  row_version: 1,
  joined_version: '',
  program_id: 1,
  applicant_id: 90,
  original_applicant_id: null,
  stage: 'active',
  create_time: 1_700_000_000_000_000,
  submit_time: 1_700_000_060_000_000,
  preferred_locale: 'en-US',
  submitter_email: null,
  status: null,
  status_last_modified_time: null,
  note: null,
  ti_organization: null,
  document: '{}',
  live: null,
}

/** Rows of `programs` and `questions` for one version that asks these. */
export function sourceRows(questions: readonly SimulatedQuestion[]): {
  program: SourceProgram
  questions: SourceQuestion[]
} {
  const rows: SourceQuestion[] = []
  const blocks: unknown[] = []
  const place = (among: readonly SimulatedQuestion[], block: number | null): void => {
    for (const { name, type, options, withdrawn, tags, repeated } of among) {
      const id = 500 + rows.length
      rows.push({
        id,
        name,
        question_type: type,
        question_options: options?.map(([optionId, adminName], i) => ({
          id: optionId,
          adminName,
          displayOrder: 9 - i,
          displayInAnswerOptions: withdrawn?.includes(optionId) !== true,
        })),
        question_text: { translations: { en_US: name } },
        question_help_text: null,
        question_tags: [...(tags ?? [])],
      })
      const own = blocks.length + 1
      blocks.push({ id: own, name: 'S', repeaterId: block, questionDefinitions: [{ id, optional: true }] })
      place(repeated ?? [], own)
    }
  }
  place(questions, null)
  return {
    program: {
      id: 1,
      name: 'Rent Relief 2',
      slug: 'rent-relief-2',
      program_type: 'default',
      localized_name: null,
      block_definitions: blocks,
      stages: ['active'],
      published_at: 0,
      row_version: '1',
      uses_scoring: false,
    },
    questions: rows,
  }
}

export function rendered(given: RenderCase, profile: ExportProfile = 'contract'): Rendered {
  const { program, questions } = sourceRows(given.questions)
  const { families, findings } = programFamilies([program], questions, new Set())
  const catalogued = families[0]!.versions[0]!.questions
  const shape = buildKeyMap([{ program_version_id: 1, questions: stored(catalogued, null) }])
  const reports: string[] = []
  const row: SourceApplication = {
    ...emptyRow,
    document: given.document ?? JSON.stringify({ applicant: given.answers ?? {} }),
    live: profile === 'origin' ? { ...emptyLive, ...given.live } : null,
    ...given.row,
  }
  const programName = profile === 'contract' ? 'rent-relief-2' : 'Rent Relief 2'
  const plan = { programName, questions: planAnswers(shape, catalogued, unansweredForm) }
  const rendering = { profile, timeZone: given.timeZone ?? 'UTC', civiformBaseUrl: 'https://forms.example.test' }
  const { snapshot, annotations } = renderApplication(row, plan, rendering, detail => reports.push(detail))
  // The markers are removed, as empty fills would.
  const text = `${snapshot.replace(/\u0001[0-9]+\u0002/g, '')}},${annotations}}`
  return { application: JSON.parse(text), text, reports, findings }
}

function stored(questions: readonly CatalogueQuestion[], enumerator_id: number | null): VersionQuestion[] {
  return questions.flatMap(question => [
    {
      question_id: question.id,
      question_version_id: question.id,
      admin_name: question.name,
      question_key: question.key,
      kind: question.kind,
      enumerator_id,
      settings: {
        text: question.text,
        ...(question.kind === 'TEXT' && question.type !== 'TEXT' ? { origin_type: question.type } : {}),
      },
    },
    ...stored(question.children, question.id),
  ])
}
