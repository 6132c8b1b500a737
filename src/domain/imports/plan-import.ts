// Plans the import of a program: how each of its questions relates to the question bank, and the effects of the choices made for conflicts.
// Pure: file, bank and choices in, plan out. Nothing is renamed without a choice, because a key is a promise (D55).

import { sameSettings, settingChanges, type VersionChange } from '../comparison/version-diff.ts'
import type { KnownQuestion } from '../definitions/definition-questions.ts'
import type { NamedCondition, ProgramDefinition, QuestionDefinition } from '../definitions/program-definition.ts'
import { onlyIn } from '../definitions/version-definition.ts'
import { foldedKeyOf, questionKey } from '../questions/question-key.ts'

/** `reuse` the question of the bank, `copy` the file's question under another name, or `change` the question that programs share. */
export type ImportChoice = { do: 'reuse' } | { do: 'change' } | { do: 'copy'; name: string }

export type ImportChoices = Readonly<Record<string, ImportChoice>>

export interface ImportedQuestion {
  admin_name: string
  question_key: string
  text: string
  kind: QuestionDefinition['kind']
  /** `new` to the bank, the `same` as in it, or in conflict with a question that has its name or key. */
  relation: 'new' | 'same' | 'clash'
  /** For a conflict: the bank's question, or the file's own question with the same key. */
  holder: string | null
  /** Why only a copy is possible, or how its settings differ. */
  reason: 'settings' | 'kind' | 'place' | 'key' | null
  changes: readonly VersionChange[]
  /** The possible choices; none for a question without a conflict. */
  may: readonly ImportChoice['do'][]
  /** An available name for a copy. */
  copy_name: string | null
  /** The choice that was made; null if none has been. */
  choice: ImportChoice | null
  /** Its name after the import. */
  name: string
}

export interface ImportPlan {
  questions: ImportedQuestion[]
  /** Names of questions whose conflict needs a choice. */
  open: string[]
  /** Invalid choices, by question. */
  faults: { question: string; code: string; detail: string }[]
  /** The definition to save once every choice has been made. */
  definition: ProgramDefinition
}

interface Taken {
  known: KnownQuestion
  /** Whether it is a question of the file, as opposed to the bank. */
  imported: boolean
}

/** The bank must contain every question with a name or key that occurs in the file, in the choices, or among the names offered for copies. */
export function planImport(
  definition: ProgramDefinition,
  bank: readonly KnownQuestion[],
  choices: ImportChoices,
): ImportPlan {
  const byName = new Map<string, Taken>()
  const byPlace = new Map<string, Taken>()
  const take = (known: KnownQuestion, imported: boolean): void => {
    byName.set(known.admin_name, { known, imported })
    byPlace.set(placeOf(known), { known, imported })
  }
  // Translations into languages that the file doesn't offer are kept, whatever the choice.
  const offered = new Set(definition.languages)
  for (const known of bank) take({ ...known, settings: onlyIn(known.settings, tag => offered.has(tag)) }, false)
  const renamed = new Map<string, string>()
  const questions: ImportedQuestion[] = []
  const kept: QuestionDefinition[] = []
  const faults: ImportPlan['faults'] = Object.keys(choices)
    .filter(name => !definition.questions.some(({ admin_name }) => admin_name === name))
    .map(question => ({ question, code: 'unknown_question', detail: `The file has no question “${question}”.` }))
  for (const question of parentsFirst(definition.questions)) {
    const { admin_name } = question
    const parent = question.enumerator
    const enumerator = parent === undefined ? null : (renamed.get(parent) ?? parent)
    const related = relate(question, enumerator, byName, byPlace)
    const free = (name: string): boolean =>
      questionKey(name) !== '' && !byName.has(name) && !byPlace.has(placeOf({ admin_name: name, enumerator }))
    const chosen = Object.hasOwn(choices, admin_name) ? choices[admin_name]! : null
    const copy_name = related.relation === 'clash' ? (copyNames(admin_name, definition.slug).find(free) ?? null) : null
    const fault = chosen === null ? undefined : faultOf(chosen, related.may, free)
    if (fault !== undefined) faults.push({ question: admin_name, ...fault })
    const choice = fault === undefined ? chosen : null
    const name = choice?.do === 'copy' ? choice.name : choice?.do === 'reuse' ? related.holder! : admin_name
    if (name !== admin_name) renamed.set(admin_name, name)
    const { enumerator: _, ...rest } = question
    const result: QuestionDefinition = { ...rest, admin_name: name, ...(enumerator === null ? {} : { enumerator }) }
    if (choice?.do === 'copy' || (choice?.do !== 'reuse' && related.relation !== 'same')) kept.push(result)
    // A question with an undecided conflict doesn't take a name or key, so that the others are judged by what is certain.
    if (related.relation === 'new' || choice?.do === 'copy')
      take({ admin_name: name, kind: question.kind, enumerator, settings: settingsIn(result) }, true)
    const { text, kind } = question
    questions.push({
      admin_name,
      question_key: questionKey(admin_name),
      text,
      kind,
      ...related,
      copy_name,
      choice,
      name,
    })
  }
  const open = questions.filter(({ relation, choice }) => relation === 'clash' && choice === null)
  return {
    questions,
    open: open.map(({ admin_name }) => admin_name),
    faults,
    definition: withNames(definition, kept, renamed),
  }
}

const placeOf = ({ admin_name, enumerator }: Pick<KnownQuestion, 'admin_name' | 'enumerator'>): string =>
  JSON.stringify([enumerator, foldedKeyOf(admin_name)])

type Related = Pick<ImportedQuestion, 'relation' | 'holder' | 'reason' | 'changes' | 'may'>

function relate(
  question: QuestionDefinition,
  enumerator: string | null,
  byName: ReadonlyMap<string, Taken>,
  byPlace: ReadonlyMap<string, Taken>,
): Related {
  const { admin_name, kind } = question
  const named = byName.get(admin_name)
  const clash = (
    { known }: Taken,
    reason: Related['reason'],
    may: Related['may'],
    changes: Related['changes'] = [],
  ): Related => ({ relation: 'clash', holder: known.admin_name, reason, changes, may })
  if (named !== undefined) {
    if (named.known.kind !== kind) return clash(named, 'kind', ['copy'])
    if (named.known.enumerator !== enumerator) return clash(named, 'place', ['copy'])
    const settings = settingsIn(question)
    if (sameSettings(named.known.settings, settings))
      return { relation: 'same', holder: admin_name, reason: null, changes: [], may: [] }
    const changes = settingChanges(admin_name, named.known.settings, settings)
    return clash(named, 'settings', ['reuse', 'copy', 'change'], changes)
  }
  const alike = byPlace.get(placeOf({ admin_name, enumerator }))
  if (alike === undefined) return { relation: 'new', holder: null, reason: null, changes: [], may: [] }
  // Two questions of one file are never merged.
  return clash(alike, 'key', alike.known.kind === kind && !alike.imported ? ['reuse', 'copy'] : ['copy'])
}

function faultOf(
  choice: ImportChoice,
  may: readonly ImportChoice['do'][],
  free: (name: string) => boolean,
): { code: string; detail: string } | undefined {
  // Any question may be imported under another name, even without a conflict.
  if (choice.do !== 'copy')
    return may.includes(choice.do)
      ? undefined
      : { code: 'choice_not_possible', detail: `Must be ${[...new Set([...may, 'copy'])].join(' or ')}.` }
  return free(choice.name)
    ? undefined
    : { code: 'name_taken', detail: `The name “${choice.name}” or its key is taken. Choose another name.` }
}

/** `housing aid` for `housing-aid-2`: keys contain only letters, so digits don't distinguish them. */
const slugWords = (slug: string): string =>
  slug
    .split('-')
    .filter(word => /[a-z]/.test(word))
    .join(' ')

/** Possible names for a copy, the best first. Digits don't change the key, so words are added. */
export const copyNames = (admin_name: string, slug: string): string[] =>
  [slugWords(slug), 'imported', `imported ${slugWords(slug)}`].map(words => `${admin_name} ${words}`.slice(0, 200))

function settingsIn({ admin_name, kind, enumerator, ...settings }: QuestionDefinition): KnownQuestion['settings'] {
  if (settings.options === undefined) return settings
  return { ...settings, options: settings.options.map(({ legacy_id, ...option }) => option) }
}

/** Enumerators before the questions repeated under them, otherwise in the given order; cycles come last. */
function parentsFirst(questions: readonly QuestionDefinition[]): QuestionDefinition[] {
  const names = new Set(questions.map(({ admin_name }) => admin_name))
  const done = new Set<string>()
  const sorted: QuestionDefinition[] = []
  let waiting = [...questions]
  for (let placed = true; placed && waiting.length > 0; ) {
    const later = waiting.filter(question => {
      const ready =
        question.enumerator === undefined || done.has(question.enumerator) || !names.has(question.enumerator)
      if (ready) {
        done.add(question.admin_name)
        sorted.push(question)
      }
      return !ready
    })
    placed = later.length < waiting.length
    waiting = later
  }
  return [...sorted, ...waiting]
}

function withNames(
  definition: ProgramDefinition,
  questions: QuestionDefinition[],
  renamed: ReadonlyMap<string, string>,
): ProgramDefinition {
  const nameOf = (name: string): string => renamed.get(name) ?? name
  const shown = (condition: NamedCondition): NamedCondition => {
    if ('all' in condition) return { all: condition.all.map(shown) }
    if ('any' in condition) return { any: condition.any.map(shown) }
    if ('not' in condition) return { not: shown(condition.not) }
    return { ...condition, question: nameOf(condition.question) }
  }
  const withCondition = <Holder extends { visible_when?: NamedCondition | null }>(holder: Holder): Holder =>
    holder.visible_when == null ? holder : { ...holder, visible_when: shown(holder.visible_when) }
  return {
    ...definition,
    questions,
    screens: definition.screens.map(screen => ({
      ...withCondition(screen),
      questions: screen.questions.map(placement => ({
        ...withCondition(placement),
        question: nameOf(placement.question),
      })),
    })),
  }
}
