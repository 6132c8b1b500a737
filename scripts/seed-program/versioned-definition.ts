// The notation of the demo programs: each question is listed once, with the versions that ask it.

import type {
  NamedCondition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from '../../src/domain/definitions/program-definition.ts'
import { programTexts } from '../../src/domain/languages/program-texts.ts'
import { demoTranslations } from './demo-translations.ts'

/** A question with its place on a screen. Versions start at 1; without `since` and `until`, all of them ask it. */
export interface VersionedQuestion extends QuestionDefinition {
  since?: number
  until?: number
  optional?: boolean
  visible_when?: NamedCondition
  /** IDs of options that versions after this one no longer offer. */
  retired_options?: { after: number; admin_ids: readonly string[] }
}

export interface VersionedProgram {
  slug: string
  display_name: string
  description: string
  confirmation: string
  statuses: string[]
  /** Colors and public names of statuses. */
  status_details: ProgramDefinition['status_details']
  versions: number
  screens: readonly { name: string; questions: readonly VersionedQuestion[] }[]
}

/** The definition of each version, in order. */
export function definitionsOf(program: VersionedProgram): ProgramDefinition[] {
  return Array.from({ length: program.versions }, (_, i) => definitionOf(program, i + 1))
}

function definitionOf(program: VersionedProgram, version: number): ProgramDefinition {
  const { slug, display_name, description, confirmation, statuses, status_details = [] } = program
  const questions: QuestionDefinition[] = []
  const screens = program.screens.map(({ name, questions: all }): ScreenDefinition => {
    const asked = all.filter(({ since = 1, until = program.versions }) => since <= version && version <= until)
    const placements = asked.map(({ since, until, optional, visible_when, retired_options, ...question }) => {
      const retired = retired_options !== undefined && version > retired_options.after ? retired_options.admin_ids : []
      const options = question.options?.filter(option => !retired.includes(option.admin_id))
      questions.push({ ...question, ...(options === undefined ? {} : { options }) })
      return {
        question: question.admin_name,
        ...(optional === undefined ? {} : { optional }),
        ...(visible_when === undefined ? {} : { visible_when }),
      }
    })
    return { name, questions: placements }
  })
  return inEveryLanguage({
    slug,
    display_name,
    languages: ['es', 'ar'],
    description,
    confirmation,
    statuses,
    status_details,
    questions,
    screens,
  })
}

/** With the translations of each text that has some; names of benefits have none. */
function inEveryLanguage(definition: ProgramDefinition): ProgramDefinition {
  const copy = structuredClone(definition)
  for (const { element, field, text } of programTexts(copy)) {
    const [es, ar] = demoTranslations[text] ?? []
    if (es === undefined || ar === undefined) continue
    const { translations = {} } = element
    element.translations = { es: { ...translations.es, [field]: es }, ar: { ...translations.ar, [field]: ar } }
  }
  return copy
}

/** `{ rent: 'I rent' }` → options in that order. */
export function options(texts: Readonly<Record<string, string>>): { admin_id: string; text: string }[] {
  return Object.entries(texts).map(([admin_id, text]) => ({ admin_id, text }))
}
