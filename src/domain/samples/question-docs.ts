// The questions of a program's export as the docs describe them. Pure.

import { askedById, conditionText } from '../definitions/condition-text.ts'
import { moreMayBeAdded } from '../fields/field-schema.ts'
import { inLanguage, localizedSettings } from '../languages/localized.ts'
import { answerFields, typeLabel } from '../questions/answer-schema.ts'
import type { KeyMap, KeyNode } from '../questions/key-map.ts'
import type { VersionQuestion } from '../questions/question.ts'
import { boundsText } from '../readable/question-bounds.ts'
import type { ExampleVersion } from './docs-example.ts'
import { questionTextMax, shortened } from './documented-part.ts'
import { type OptionDocs, optionDocs, type TranslatedRun, withRun } from './option-docs.ts'
import type { QuestionHistory } from './question-history.ts'

/** What docs need of a version to describe its questions. */
type DescribedVersion = Pick<ExampleVersion, 'program_version_id' | 'questions' | 'screens'>

/** An exported question. */
export interface QuestionDocs {
  question_key: string
  /** The exported type; in a followed program, possibly one that this release does not know. */
  question_type: string
  /** The location of its question object in an application. */
  path: string
  /** Number of enumerators that contain it. */
  depth: number
  admin_name: string
  /** Its current or last text; a long one is cut. */
  text: string
  /** Whether this version asks it. */
  asked: boolean
  /** The name of its screen; null if no screen asks it any more. */
  screen: string | null
  /** Whether an applicant may leave it unanswered. */
  optional: boolean
  /** The question is asked if all of these are true, as texts for applicants; empty if it always is. A long one is cut. */
  asked_when: readonly string[]
  /** The limits of its answers, such as `at most 20 characters`; empty without limits. */
  bounds: string
  /** Number of the first version that asked it. */
  first_version: number
  /** Number of the last version that asked it; null while it is asked. */
  last_version: number | null
  history: QuestionHistory
  fields: readonly FieldDocs[]
  /** Every option ID that was ever selectable, in order of first publication; a long text is cut. */
  options: readonly OptionDocs[]
}

/** A question without its history. */
type DescribedQuestion = Omit<QuestionDocs, 'history'>

/** An answer field. */
export interface FieldDocs {
  path: string
  /** Such as `string or null`. */
  type: string
  /** Its format and meaning. */
  about: string
}

/**
 * The questions of a key map in its order, each as in the last version that asked it; `earlier` is sorted oldest first; `tags` as for `versionDocs`.
 */
export function questionDocs(
  keyMap: KeyMap,
  version: DescribedVersion,
  earlier: readonly Pick<DescribedVersion, 'questions' | 'program_version_id'>[],
  tags: readonly string[] = [],
): DescribedQuestion[] {
  const idOf = sharedIds(keyMap)
  const askedNow = new Map(version.questions.map(question => [idOf(question), question]))
  const askedLast = new Map<number, VersionQuestion>()
  const askedIn = new Map<number, number>()
  const firstVersions = new Map<number, number>()
  const options = new Map<string, TranslatedRun[]>()
  for (const [at, { questions, program_version_id }] of [...earlier, version].entries()) {
    const number = at + 1
    for (const question of questions) {
      const question_id = idOf(question)
      const before = askedIn.get(question_id)
      askedIn.set(question_id, number)
      askedLast.set(question_id, question)
      if (!firstVersions.has(question_id)) firstVersions.set(question_id, number)
      for (const option of question.settings.options ?? []) {
        const name = `${question_id} ${option.admin_id}`
        options.set(name, withRun(options.get(name) ?? [], option, { number, program_version_id, before, tags }))
      }
    }
  }
  const asking = askedById(
    version.questions.map(question => ({ ...question, settings: localizedSettings(question.settings, tags) })),
  )
  const placements = new Map(
    version.screens.flatMap(screen =>
      screen.questions.map(placement => [idOf(placement), { screen, placement }] as const),
    ),
  )
  const describe = (node: KeyNode, prefix: string, depth: number): DescribedQuestion[] => {
    const { question_id, question_key, type, unknown_type = type } = node
    const path = `${prefix}.${question_key}`
    const { admin_name, settings } = askedLast.get(question_id)!
    const placed = placements.get(question_id)
    const conditions = [placed?.screen.visible_when, placed?.placement.visible_when].filter(item => item != null)
    const selectable = new Set(askedNow.get(question_id)?.settings.options?.map(option => option.admin_id))
    return [
      {
        question_key,
        question_type: unknown_type,
        path,
        depth,
        admin_name,
        text: shortened(inLanguage(settings, tags).text, questionTextMax),
        asked: askedNow.has(question_id),
        screen: placed === undefined ? null : inLanguage(placed.screen, tags).name,
        optional: placed?.placement.optional ?? false,
        asked_when: conditions.map(condition => shortened(conditionText(condition, asking), questionTextMax)),
        bounds: boundsText(settings),
        first_version: firstVersions.get(question_id)!,
        last_version: askedNow.has(question_id) ? null : askedIn.get(question_id)!,
        fields: fieldPaths(node, path),
        options: node.option_ids.map(id => optionDocs(id, options.get(`${question_id} ${id}`)!, selectable)),
      },
      ...node.children.flatMap(child => describe(child, `${path}.entities[<index>]`, depth + 1)),
    ]
  }
  return keyMap.flatMap(node => describe(node, 'application', 0))
}

/** The question ID used in the docs: if questions of a followed program share a key, that of the first. */
export function sharedIds(keyMap: KeyMap): (question: { question_id: number }) => number {
  const ids = new Map(
    allNodes(keyMap).flatMap(node =>
      (node.also ?? []).map(({ question_id }) => [question_id, node.question_id] as const),
    ),
  )
  return ({ question_id }) => ids.get(question_id) ?? question_id
}

export const allNodes = (keyMap: KeyMap): KeyNode[] => keyMap.flatMap(node => [node, ...allNodes(node.children)])

/** Source: spec, "The application object" 5. */
function fieldPaths(node: KeyNode, path: string): FieldDocs[] {
  const fields = Object.entries(answerFields(node, { definitionsAt: '#/$defs/' })).map(([name, schema]) => ({
    path: `${path}.${name}`,
    type: typeLabel(schema),
    // The values are listed with the question.
    about: String(schema.description ?? '')
      .replace(moreMayBeAdded, '')
      .trim(),
  }))
  if (node.type !== 'ENUMERATOR') return fields
  const about = 'The name the applicant gave the entity; not necessarily unique.'
  return [...fields, { path: `${path}.entities[<index>].entity_name`, type: 'string', about }]
}
