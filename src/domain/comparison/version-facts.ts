// The facts of a program, its screens and its questions: how each is shown, and how a change to it is reported.
// A new fact is an entry here; comparisons and lists of changes are derived from it.

import { type AskedQuestions, askedByName, conditionText } from '../definitions/condition-text.ts'
import type { NamedCondition, ProgramDefinition, ScreenDefinition } from '../definitions/program-definition.ts'
import { defaultLanguageOf } from '../languages/localized.ts'
import type { QuestionKind, QuestionSettings } from '../questions/question.ts'
import { boundsText } from '../readable/question-bounds.ts'
import { languageName, translatedTexts } from './translated-texts.ts'

/** One difference. `subject` is an admin name, the name of a screen, or empty for the program itself. */
export interface VersionChange {
  code: VersionChangeCode
  subject: string
  detail: string
}

export type VersionChangeCode =
  | 'display_name_changed'
  | 'statuses_changed'
  | 'public_statuses_changed'
  | 'status_colors_changed'
  | 'description_changed'
  | 'confirmation_changed'
  | 'languages_changed'
  | 'default_language_changed'
  | 'translation_changed'
  | 'screen_description_changed'
  | 'question_added'
  | 'question_removed'
  | 'option_added'
  | 'option_removed'
  | 'option_returned'
  | 'option_reused'
  | 'option_text_changed'
  | 'options_reordered'
  | 'text_changed'
  | 'help_changed'
  | 'bounds_changed'
  | 'file_types_changed'
  | 'address_correction_changed'
  | 'optional_changed'
  | 'condition_changed'
  | 'question_moved'
  | 'questions_reordered'
  | 'screen_added'
  | 'screen_removed'
  | 'screens_reordered'
  | 'screen_condition_changed'

/** A change without its subject. */
export type Said = readonly [code: VersionChangeCode, detail: string]

export interface Fact<Value = unknown> {
  label: string
  /** The compared value. The text for people can differ without it, because it contains texts of other questions. */
  value: Value
  /** The text for people, one line each. */
  words: readonly string[]
  /** The changes from `was`, which has a different value. */
  since(was: Fact<Value>): readonly Said[]
}

/** The program itself, a screen or a question. */
export interface Thing {
  of: 'program' | 'screen' | 'question'
  /** As in VersionChange. */
  subject: string
  /** The title for people: the text of a question or the heading of a screen. */
  title: string
  /** Kind of the question; undefined if the question is left to the bank. */
  kind?: QuestionKind
  facts: readonly Fact[]
}

/** Items with the same key in two versions are the same item. Orders only count items that the `other` version has, too. */
export function thingsOf(definition: ProgramDefinition, other: ProgramDefinition): Map<string, Thing> {
  const names = askedByName([...other.questions, ...definition.questions])
  const textOf = (name: string): string => names.get(name)?.text ?? name
  const defined = new Map(definition.questions.map(question => [question.admin_name, question]))
  const [screens, others] = [keyedScreens(definition.screens), keyedScreens(other.screens)]
  const kept = [...screens].filter(([key]) => others.has(key))
  const program = [
    setting('Name', 'display_name_changed', 'Display name', definition.display_name),
    setting('Statuses', 'statuses_changed', 'Statuses', definition.statuses),
    ordering('Screens', 'screens_reordered', new Map(kept.map(([key, { name }]) => [key, name]))),
    ...detailFacts(definition),
  ]
  const things = new Map<string, Thing>([['', { of: 'program', subject: '', title: 'The program', facts: program }]])
  for (const [key, screen] of screens) {
    const there = new Set(others.get(key)?.questions.map(({ question }) => question))
    const asked = screen.questions.map(({ question }) => question).filter(name => there.has(name))
    const facts = [
      condition('Shown', 'screen_condition_changed', 'It is shown', screen.visible_when, names),
      ordering('Questions', 'questions_reordered', new Map(asked.map(name => [name, textOf(name)]))),
      setting('Description', 'screen_description_changed', 'Description', screen.description),
      translations(screen, {}),
    ]
    things.set(`screen ${key}`, { of: 'screen', subject: screen.name, title: screen.name, facts })
    for (const { question: name, optional = false, visible_when } of screen.questions) {
      const question = defined.get(name)
      const { text = name, kind, enumerator } = question ?? {}
      const answering = optional ? 'may be left unanswered' : 'must be answered'
      const repeated = enumerator === undefined ? [] : [`for each entry in “${textOf(enumerator)}”`]
      const facts = [
        ...(question === undefined ? [] : settingFacts(question)),
        setting('Answering', 'optional_changed', 'Optional', optional, [answering]),
        condition('Asked', 'condition_changed', 'It is asked', visible_when, names),
        // Never changes.
        fact('Repeated', enumerator, repeated, () => []),
        fact('Screen', key, [screen.name], was => [
          ['question_moved', `Moved from screen ${was.words[0]} to screen ${screen.name}.`],
        ]),
      ]
      things.set(`question ${name}`, { of: 'question', subject: name, title: text, kind, facts })
    }
  }
  return things
}

/** The program's texts apart from its name, and their languages. */
function detailFacts(definition: ProgramDefinition): Fact[] {
  const { description, confirmation, languages = [], status_details: statuses = [] } = definition
  const names = statuses.flatMap(({ status, public_name }) =>
    public_name === undefined ? [] : [`${status}: ${public_name}`],
  )
  const colors = statuses.flatMap(({ status, color }) => (color === undefined ? [] : [`${status}: ${color}`]))
  return [
    setting('Default language', 'default_language_changed', 'Default language', languageName(defaultLanguageOf(definition))),
    setting('Languages', 'languages_changed', 'Other languages', languages.map(languageName)),
    setting('Description', 'description_changed', 'Description', description),
    setting('Confirmation', 'confirmation_changed', 'Confirmation', confirmation),
    setting('Public statuses', 'public_statuses_changed', 'Public status names', names),
    setting('Status colors', 'status_colors_changed', 'Status colors', colors),
    translations(definition, { statuses }),
  ] // biome-ignore format: a fact a line
}

/** Facts of a question that are the same on every screen. */
export function settingFacts(question: QuestionSettings): Fact[] {
  const { text, help, options = [], correct_addresses: corrects = false } = question
  const offered = options.map(({ admin_id, text }) => [admin_id, text] as const)
  const limits = bounds.map(([bound]) => question[bound])
  const { file_types: types } = question
  const limitsText = boundsText(question)
  return [
    setting('Text', 'text_changed', 'Text', text),
    setting('Help', 'help_changed', 'Help text', help),
    fact('Options', offered, offered.map(([id, text]) => `${text} (${id})`), was => optionChanges(was.value, offered)),
    fact('Answers', limits, limitsText === '' ? [] : [limitsText], was =>
      bounds.flatMap(([, name], i) => changed('bounds_changed', name, was.value[i], limits[i])),
    ),
    setting('File types', 'file_types_changed', 'File types', types),
    setting('Addresses', 'address_correction_changed', 'Address correction', corrects, corrects ? ['are corrected'] : []),
    translations(question, { options }),
  ] // biome-ignore format: a fact a line
}

const bounds = [
  ['min', 'Minimum'],
  ['max', 'Maximum'],
  ['min_length', 'Minimum length'],
  ['max_length', 'Maximum length'],
  ['min_count', 'Minimum number'],
  ['max_count', 'Maximum number'],
  ['max_megabytes', 'Maximum megabytes'],
] as const

function fact<V>(label: string, value: V, words: Fact['words'], since: (was: Fact<V>) => readonly Said[]): Fact<V> {
  return { label, value, words, since }
}

function setting(label: string, code: VersionChangeCode, name: string, value: Settable, words = linesOf(value)) {
  return fact(label, value, words, was => changed(code, name, was.value, value))
}

/** The translations of an element and its parts, as one fact. */
function translations(...translated: Parameters<typeof translatedTexts>): Fact {
  const texts = translatedTexts(...translated)
  const words = [...texts].map(([name, text]) => `${name}: ${text}`)
  return fact('Translations', [...texts], words, was => {
    const old = new Map(was.value)
    return [...new Map([...texts, ...old]).keys()].flatMap(name =>
      changed('translation_changed', name, old.get(name), texts.get(name)),
    )
  })
}

/** The label of a list ends like this if its lines only make sense together. */
export const inOrder = 'in order'

function ordering(label: string, code: VersionChangeCode, names: ReadonlyMap<string, string>): Fact {
  return fact(`${label} ${inOrder}`, [...names.keys()], [...names.values()], () => [reordered(code, label)])
}

const reordered = (code: VersionChangeCode, label: string): Said => [
  code,
  `Its ${label.toLowerCase()} are in a different order.`,
]

function condition(
  label: string,
  code: VersionChangeCode,
  name: string,
  value: NamedCondition | null = null,
  names: AskedQuestions,
): Fact {
  const when = value === null ? 'always' : `when ${conditionText(value, names)}`
  return fact(label, value, [when], was => [[code, `${name} ${when} (was: ${was.words[0]}).`]])
}

type Offered = readonly (readonly [id: string, text: string])[]

function optionChanges(before: Offered, after: Offered): Said[] {
  const [old, now] = [new Map(before), new Map(after)]
  const [kept, keptNow] = [before.filter(([id]) => now.has(id)), after.filter(([id]) => old.has(id))]
  return [
    ...after.filter(([id]) => !old.has(id)).map(([id, text]): Said => ['option_added', optionAdded(id, text)]),
    ...before
      .filter(([id]) => !now.has(id))
      .map(([id, text]): Said => ['option_removed', `Option “${text}” (${id}) removed. It stays in exports.`]),
    ...kept.flatMap(([id, text]) => changed('option_text_changed', `Text of option ${id}`, text, now.get(id))),
    ...(kept.every(([id], i) => id === keptNow[i]![0]) ? [] : [reordered('options_reordered', 'Options')]),
  ]
}

/** The wording of an added option, by which readers of changes recognize it. */
export const optionAdded = (id: string, text: string): string => `Option “${text}” (${id}) added.`

/** Screens may share a name: the first "Household" of one version is compared with the first of the other. */
function keyedScreens(screens: readonly ScreenDefinition[]): Map<string, ScreenDefinition> {
  const seen = new Map<string, number>()
  return new Map(
    screens.map(screen => {
      const nth = (seen.get(screen.name) ?? 0) + 1
      seen.set(screen.name, nth)
      return [`${nth} ${screen.name}`, screen]
    }),
  )
}

type Settable = string | number | boolean | readonly string[] | undefined

const linesOf = (value: Settable): string[] => [value ?? ''].flat().map(String).filter(Boolean)

function changed(code: VersionChangeCode, name: string, was: Settable, is: Settable): Said[] {
  return was === is ? [] : [[code, `${name}: ${shown(is)} (was: ${shown(was)}).`]]
}

export function shown(value: Settable): string {
  if (typeof value === 'string') return `“${value}”`
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && value.length > 0) return value.map(shown).join(', ')
  return typeof value === 'number' ? String(value) : 'none'
}
