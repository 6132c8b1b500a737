// Changes from one version of a program to another, described for an administrator.
// Compares by admin name, which never changes, so documents compare like versions.

import type { QuestionOption, QuestionSettings } from '../questions/question.ts'
import { type AskedQuestions, askedByName, conditionText } from './condition-text.ts'
import type { NamedCondition, ProgramDefinition, QuestionDefinition, ScreenDefinition } from './program-definition.ts'
import { type DescribableVersion, describeVersion } from './version-definition.ts'

/** One difference. `subject` is an admin name, the name of a screen, or empty for the program itself. */
export interface VersionChange {
  code: VersionChangeCode
  subject: string
  detail: string
}

export type VersionChangeCode =
  | 'display_name_changed'
  | 'statuses_changed'
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
  | 'address_correction_changed'
  | 'optional_changed'
  | 'condition_changed'
  | 'question_moved'
  | 'questions_reordered'
  | 'screen_added'
  | 'screen_removed'
  | 'screens_reordered'
  | 'screen_condition_changed'

/** Every difference between two versions of one program; empty exactly when they ask the same. */
export function diffVersions(before: DescribableVersion, after: DescribableVersion): VersionChange[] {
  return diffDefinitions(describeVersion(before), describeVersion(after))
}

/**
 * As `diffVersions`, of documents. What they leave to the question bank is compared only as asked; complete documents
 * (see `completeDefinition`) leave it nothing.
 */
export function diffDefinitions(before: ProgramDefinition, after: ProgramDefinition): VersionChange[] {
  const names = askedByName([...before.questions, ...after.questions])
  return [
    ...changed('display_name_changed', '', 'Its display name', before.display_name, after.display_name),
    ...changed('statuses_changed', '', 'Its statuses', before.statuses, after.statuses),
    ...screenChanges(before.screens, after.screens, names),
    ...questionChanges(before, after, names),
  ]
}

function screenChanges(
  before: readonly ScreenDefinition[],
  after: readonly ScreenDefinition[],
  names: AskedQuestions,
): VersionChange[] {
  const old = keyedScreens(before)
  const now = keyedScreens(after)
  const [kept, keptNow] = common([...old.keys()], [...now.keys()])
  return [
    ...[...now].filter(([key]) => !old.has(key)).map(([, s]) => change('screen_added', s.name, 'Screen added.')),
    ...[...old].filter(([key]) => !now.has(key)).map(([, s]) => change('screen_removed', s.name, 'Screen removed.')),
    ...(same(kept, keptNow) ? [] : [change('screens_reordered', '', 'Its screens come in another order.')]),
    ...kept.flatMap(key => {
      const [was, is] = [old.get(key)!, now.get(key)!]
      const [order, orderNow] = common(asked(was), asked(is))
      return [
        ...conditionChanges('screen_condition_changed', was.name, 'It is shown', [was, is], names),
        ...(same(order, orderNow)
          ? []
          : [change('questions_reordered', was.name, 'Its questions come in another order.')]),
      ]
    }),
  ]
}

function questionChanges(before: ProgramDefinition, after: ProgramDefinition, names: AskedQuestions): VersionChange[] {
  const old = keyedQuestions(before)
  const now = keyedQuestions(after)
  return [
    ...[...now].filter(([name]) => !old.has(name)).map(([name, { question }]) => addition(name, question)),
    ...[...old].filter(([name]) => !now.has(name)).map(([name, { question }]) => removal(name, question)),
    ...[...now].flatMap(([name, is]) => {
      const was = old.get(name)
      if (was === undefined) return []
      return [
        ...(was.question && is.question ? settingChanges(name, was.question, is.question) : []),
        ...changed('optional_changed', name, 'Optional', was.optional, is.optional),
        ...conditionChanges('condition_changed', name, 'It is asked', [was, is], names),
        ...(was.screen === is.screen
          ? []
          : [change('question_moved', name, `Moved from screen ${was.screenName} to screen ${is.screenName}.`)]),
      ]
    }),
  ]
}

/** How a change begins that adds or removes what has no answer, and so no place in exports. */
export const textToRead = 'Text to read'

function addition(name: string, question: QuestionDefinition | undefined): VersionChange {
  const what = question?.kind === 'STATIC' ? textToRead : 'Question'
  return change(
    'question_added',
    name,
    `${what} added: ${question === undefined ? 'from the bank' : shown(question.text)}.`,
  )
}

const removal = (name: string, question: QuestionDefinition | undefined): VersionChange =>
  question?.kind === 'STATIC'
    ? change('question_removed', name, `${textToRead} removed.`)
    : change('question_removed', name, 'Question removed. It stays in exports.')

/** Whether two versions of one question ask the same. */
export function sameSettings(a: QuestionSettings, b: QuestionSettings): boolean {
  return settingChanges('', a, b).length === 0
}

const bounds = [
  ['min', 'At least'],
  ['max', 'At most'],
  ['min_length', 'Characters, at least'],
  ['max_length', 'Characters, at most'],
  ['min_count', 'How many, at least'],
  ['max_count', 'How many, at most'],
] as const

/** What changed in the settings of one question. */
export function settingChanges(name: string, before: QuestionSettings, after: QuestionSettings): VersionChange[] {
  return [
    ...changed('text_changed', name, 'Its text', before.text, after.text),
    ...changed('help_changed', name, 'Its help', before.help, after.help),
    ...bounds.flatMap(([bound, words]) => changed('bounds_changed', name, words, before[bound], after[bound])),
    ...changed(
      'address_correction_changed',
      name,
      'Address correction',
      before.correct_addresses ?? false,
      after.correct_addresses ?? false,
    ),
    ...optionChanges(name, before.options ?? [], after.options ?? []),
  ]
}

/** How an option is said to be added, by which other readers of changes know it. */
export const optionAdded = (name: string, id: string, text: string): VersionChange =>
  change('option_added', name, `Option “${text}” (${id}) added.`)

function optionChanges(name: string, before: readonly QuestionOption[], after: readonly QuestionOption[]) {
  const old = new Map(before.map(option => [option.admin_id, option.text]))
  const now = new Map(after.map(option => [option.admin_id, option.text]))
  const [kept, keptNow] = common([...old.keys()], [...now.keys()])
  return [
    ...[...now].filter(([id]) => !old.has(id)).map(([id, text]) => optionAdded(name, id, text)),
    ...[...old]
      .filter(([id]) => !now.has(id))
      .map(([id, text]) => change('option_removed', name, `Option “${text}” (${id}) removed. It stays in exports.`)),
    ...kept.flatMap(id => changed('option_text_changed', name, `Text of option ${id}`, old.get(id), now.get(id))),
    ...(same(kept, keptNow) ? [] : [change('options_reordered', name, 'Its options come in another order.')]),
  ]
}

/** Screens may share a name: the first "Household" of one version is compared with the first of the other. */
export function keyedScreens(screens: readonly ScreenDefinition[]): Map<string, ScreenDefinition> {
  const seen = new Map<string, number>()
  return new Map(
    screens.map(screen => {
      const nth = (seen.get(screen.name) ?? 0) + 1
      seen.set(screen.name, nth)
      return [`${nth} ${screen.name}`, screen]
    }),
  )
}

export interface PlacementInVersion {
  /** Undefined for one that is left to the bank. */
  question: QuestionDefinition | undefined
  optional: boolean
  visible_when: NamedCondition | null
  screen: string
  screenName: string
}

export function keyedQuestions(definition: ProgramDefinition): Map<string, PlacementInVersion> {
  const defined = new Map(definition.questions.map(question => [question.admin_name, question]))
  const all = new Map<string, PlacementInVersion>()
  for (const [screen, { name: screenName, questions }] of keyedScreens(definition.screens)) {
    for (const { question, optional = false, visible_when = null } of questions) {
      all.set(question, { question: defined.get(question), optional, visible_when, screen, screenName })
    }
  }
  return all
}

export function asked(screen: ScreenDefinition): string[] {
  return screen.questions.map(({ question }) => question)
}

/** What two lists share, in the order of each. */
function common(before: readonly string[], after: readonly string[]): [string[], string[]] {
  const [old, now] = [new Set(before), new Set(after)]
  return [before.filter(one => now.has(one)), after.filter(one => old.has(one))]
}

function conditionChanges(
  code: VersionChangeCode,
  subject: string,
  words: string,
  [was, is]: readonly { visible_when?: NamedCondition | null }[],
  names: AskedQuestions,
): VersionChange[] {
  const [before, after] = [was?.visible_when ?? null, is?.visible_when ?? null]
  if (same(before, after)) return []
  const when = (condition: NamedCondition | null): string =>
    condition === null ? 'always' : `when ${conditionText(condition, names)}`
  return [change(code, subject, `${words} ${when(after)} (was: ${when(before)}).`)]
}

function changed(code: VersionChangeCode, subject: string, words: string, before: Settable, after: Settable) {
  if (same(before, after)) return []
  return [change(code, subject, `${words}: ${shown(after)} (was: ${shown(before)}).`)]
}

type Settable = string | number | boolean | readonly string[] | undefined

function shown(value: Settable): string {
  if (typeof value === 'string') return `“${value}”`
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && value.length > 0) return value.map(shown).join(', ')
  return typeof value === 'number' ? String(value) : 'none'
}

function change(code: VersionChangeCode, subject: string, detail: string): VersionChange {
  return { code, subject, detail }
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || sorted(a) === sorted(b)
}

/** JSON with the members of objects in one order: jsonb gives them back in an order of its own. */
function sorted(value: unknown): string {
  return String(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ),
  )
}
