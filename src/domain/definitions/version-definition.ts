// Converts a stored version to its definition document (the reverse of publishing), and completes a document with questions from the bank.

import type { Translations } from '../fields/translation-schema.ts'
import type { Condition, ProgramDetails, ProgramVersion, Screen } from '../questions/program-version.ts'
import type { QuestionKind, QuestionSettings } from '../questions/question.ts'
import { isOptionId, type KnownQuestion } from './definition-questions.ts'
import type { NamedCondition, ProgramDefinition, QuestionDefinition } from './program-definition.ts'

export interface DescribableVersion extends Pick<ProgramVersion, 'slug' | 'screens' | 'questions'> {
  display_name: string
  statuses: readonly string[]
  details?: ProgramDetails
}

/**
 * The document of a version. It defines every question that the version asks, in the order of the screens. A shared question may have translations
 * that only other programs offer: the document omits them, and `completeDefinition` restores them.
 */
export function describeVersion(version: DescribableVersion): ProgramDefinition {
  const definition = describeWhole(version)
  const offered = new Set(definition.languages)
  return { ...definition, questions: definition.questions.map(question => onlyIn(question, tag => offered.has(tag))) }
}

/** Like `describeVersion`, with all translations of its questions. Versions are compared in this form. */
export function describeWhole(version: DescribableVersion): ProgramDefinition {
  const names = new Map(version.questions.map(q => [q.question_id, q.admin_name]))
  const nameOf = (question_id: number): string => {
    const name = names.get(question_id)
    if (name === undefined)
      throw new Error(`a version of ${version.slug} refers to question ${question_id}, which it lacks`)
    return name
  }
  return {
    slug: version.slug,
    display_name: version.display_name,
    statuses: [...version.statuses],
    ...version.details,
    questions: version.questions.map(({ admin_name, kind, enumerator_id, settings }) => ({
      admin_name,
      kind,
      ...(enumerator_id === null ? {} : { enumerator: nameOf(enumerator_id) }),
      ...documentedSettings(kind, settings),
    })),
    screens: version.screens.map(screen => ({
      ...screenTextsOf(screen),
      ...visibleWhen(screen.visible_when, nameOf),
      questions: screen.questions.map(placement => ({
        question: nameOf(placement.question_id),
        ...(placement.optional ? { optional: true } : {}),
        ...visibleWhen(placement.visible_when, nameOf),
      })),
    })),
  }
}

/** The texts of a screen, without its questions. */
export const screenTextsOf = ({
  name,
  description,
  translations,
}: Pick<Screen, 'name' | 'description' | 'translations'>) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(translations === undefined ? {} : { translations }),
})

/** An empty version, which a program's first version is compared with. */
export const withoutQuestions = <Version extends DescribableVersion>(version: Version): Version => ({
  ...version,
  screens: [],
  questions: [],
})

/** The document of a stored version, for editing: it names the version it is based on. */
export function describeForEditing(
  version: DescribableVersion & Pick<ProgramVersion, 'program_version_id'>,
): ProgramDefinition {
  const { slug, ...rest } = describeVersion(version)
  return { slug, based_on: version.program_version_id, ...rest }
}

/**
 * The same document with every question it asks defined, in the order of the screens. Questions it left to the bank are as in the bank now. The
 * document must have been parsed with this bank.
 */
export function completeDefinition(definition: ProgramDefinition, bank: readonly KnownQuestion[]): ProgramDefinition {
  const defined = new Map(definition.questions.map(question => [question.admin_name, question]))
  const known = new Map(bank.map(question => [question.admin_name, question]))
  const offered = new Set(definition.languages)
  const questions = definition.screens
    .flatMap(screen => screen.questions)
    .map(({ question: name }): QuestionDefinition => {
      const question = defined.get(name)
      const banked = known.get(name)
      if (question !== undefined)
        return banked === undefined ? question : withTranslations(question, banked.settings, offered)
      const { admin_name, kind, enumerator, settings } = banked!
      const parent = enumerator === null ? {} : { enumerator }
      return { admin_name, kind, ...parent, ...documentedSettings(kind, settings) }
    })
  return { ...definition, questions }
}

/** A question with only the wanted translations, and its options likewise. */
export function onlyIn<One extends QuestionSettings>(question: One, wanted: (tag: string) => boolean): One {
  const { options } = question
  if (question.translations === undefined && !options?.some(option => option.translations !== undefined))
    return question
  const kept = translationsIn(question, wanted)
  return options === undefined ? kept : { ...kept, options: options.map(option => translationsIn(option, wanted)) }
}

/** An element with only the wanted translations that have a text. */
export function translationsIn<One extends { translations?: Translations }>(
  element: One,
  wanted: (tag: string) => boolean,
): One {
  const { translations, ...rest } = element
  if (translations === undefined) return element
  const kept = Object.entries(translations).filter(([tag, texts]) => wanted(tag) && Object.keys(texts).length > 0)
  return (kept.length === 0 ? rest : { ...rest, translations: Object.fromEntries(kept) }) as One
}

/** A question with the bank's translations into languages that this program doesn't offer, so that no program removes those of another. */
function withTranslations(
  question: QuestionDefinition,
  banked: QuestionSettings,
  offered: ReadonlySet<string>,
): QuestionDefinition {
  const others = onlyIn(banked, tag => !offered.has(tag))
  if (others.translations === undefined && !others.options?.some(option => option.translations !== undefined))
    return question
  const options = new Map(others.options?.map(option => [option.admin_id, option]))
  const merged = mergedTranslations(question, others.translations)
  if (question.options === undefined) return merged
  return {
    ...merged,
    options: question.options.map(option => mergedTranslations(option, options.get(option.admin_id)?.translations)),
  }
}

/** Only for texts that the element has. */
function mergedTranslations<One extends { translations?: Translations }>(element: One, others: Translations = {}): One {
  const kept = Object.entries(others).flatMap(([tag, texts]) => {
    const fitting = Object.entries(texts).filter(([name]) => Object.hasOwn(element, name))
    return fitting.length === 0 ? [] : [[tag, Object.fromEntries(fitting)] as const]
  })
  return kept.length === 0
    ? element
    : { ...element, translations: { ...Object.fromEntries(kept), ...element.translations } }
}

/** Option IDs from before the rule for IDs are marked in documents, but not in stored versions (D32). */
function documentedSettings(
  kind: QuestionKind,
  settings: QuestionSettings,
): Omit<QuestionDefinition, 'admin_name' | 'kind'> {
  if (settings.options === undefined) return settings
  const options = settings.options.map(option =>
    isOptionId(kind, option.admin_id) ? option : { ...option, legacy_id: true },
  )
  return { ...settings, options }
}

function visibleWhen(condition: Condition | null, nameOf: (id: number) => string): { visible_when?: NamedCondition } {
  return condition === null ? {} : { visible_when: namedCondition(condition, nameOf) }
}

/** A condition that names questions by admin name, as in documents. */
export function namedCondition(condition: Condition, nameOf: (id: number) => string): NamedCondition {
  if ('all' in condition) return { all: condition.all.map(inner => namedCondition(inner, nameOf)) }
  if ('any' in condition) return { any: condition.any.map(inner => namedCondition(inner, nameOf)) }
  if ('not' in condition) return { not: namedCondition(condition.not, nameOf) }
  const question = nameOf(condition.question_id)
  if (condition.operator === 'answered') return { question, operator: 'answered' }
  const { field, operator, value } = condition
  return { question, field, operator, value: typeof value === 'object' ? ([...value] as string[] | number[]) : value }
}

/** A condition that names questions by ID, as stored. */
export function storedCondition(condition: NamedCondition, idOf: (name: string) => number): Condition {
  if ('all' in condition) return { all: condition.all.map(inner => storedCondition(inner, idOf)) }
  if ('any' in condition) return { any: condition.any.map(inner => storedCondition(inner, idOf)) }
  if ('not' in condition) return { not: storedCondition(condition.not, idOf) }
  const question_id = idOf(condition.question)
  if (condition.operator === 'answered') return { question_id, operator: 'answered' }
  const { field, operator, value } = condition
  return { question_id, field, operator, value }
}
