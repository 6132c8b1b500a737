// Changes from one version of a program to another, described for an administrator.
// Compares by admin name, which never changes, so documents compare like versions.

import type { QuestionOption, QuestionSettings } from '../questions/question.ts'
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
  return [
    ...changed('display_name_changed', '', 'Its display name', before.display_name, after.display_name),
    ...changed('statuses_changed', '', 'Its statuses', before.statuses, after.statuses),
    ...screenChanges(before.screens, after.screens),
    ...questionChanges(before, after),
  ]
}

function screenChanges(before: readonly ScreenDefinition[], after: readonly ScreenDefinition[]): VersionChange[] {
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
        ...conditionChanges('screen_condition_changed', was.name, 'It is shown', was.visible_when, is.visible_when),
        ...(same(order, orderNow)
          ? []
          : [change('questions_reordered', was.name, 'Its questions come in another order.')]),
      ]
    }),
  ]
}

function questionChanges(before: ProgramDefinition, after: ProgramDefinition): VersionChange[] {
  const old = keyedQuestions(before)
  const now = keyedQuestions(after)
  return [
    ...[...now.keys()]
      .filter(name => !old.has(name))
      .map(name =>
        change('question_added', name, `Question added: ${now.get(name)!.question?.kind ?? 'from the bank'}.`),
      ),
    ...[...old.keys()]
      .filter(name => !now.has(name))
      .map(name => change('question_removed', name, 'Question removed. It stays in exports.')),
    ...[...now].flatMap(([name, is]) => {
      const was = old.get(name)
      if (was === undefined) return []
      return [
        ...(was.question && is.question ? settingChanges(name, was.question, is.question) : []),
        ...changed('optional_changed', name, 'Optional', was.optional, is.optional),
        ...conditionChanges('condition_changed', name, 'It is asked', was.visible_when, is.visible_when),
        ...(was.screen === is.screen
          ? []
          : [change('question_moved', name, `Moved from screen ${was.screenName} to screen ${is.screenName}.`)]),
      ]
    }),
  ]
}

/** Whether two versions of one question ask the same. */
export function sameSettings(a: QuestionSettings, b: QuestionSettings): boolean {
  return settingChanges('', a, b).length === 0
}

/** What changed in the settings of one question. */
export function settingChanges(name: string, before: QuestionSettings, after: QuestionSettings): VersionChange[] {
  const bounds = ['min', 'max', 'min_length', 'max_length', 'min_count', 'max_count'] as const
  return [
    ...changed('text_changed', name, 'Its text', before.text, after.text),
    ...changed('help_changed', name, 'Its help', before.help, after.help),
    ...bounds.flatMap(bound => changed('bounds_changed', name, bound, before[bound], after[bound])),
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

function optionChanges(name: string, before: readonly QuestionOption[], after: readonly QuestionOption[]) {
  const old = new Map(before.map(option => [option.admin_id, option.text]))
  const now = new Map(after.map(option => [option.admin_id, option.text]))
  const [kept, keptNow] = common([...old.keys()], [...now.keys()])
  return [
    ...[...now.keys()].filter(id => !old.has(id)).map(id => change('option_added', name, `Option ${id} added.`)),
    ...[...old.keys()]
      .filter(id => !now.has(id))
      .map(id => change('option_removed', name, `Option ${id} removed. It stays in exports.`)),
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
  before: NamedCondition | null | undefined,
  after: NamedCondition | null | undefined,
): VersionChange[] {
  if (same(before ?? null, after ?? null)) return []
  const when = (condition: NamedCondition | null | undefined): string =>
    condition == null ? 'always' : `when ${sorted(condition)}`
  return [change(code, subject, `${words} ${when(after)} (was: ${when(before)}).`)]
}

function changed(code: VersionChangeCode, subject: string, words: string, before: unknown, after: unknown) {
  if (same(before, after)) return []
  const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
  return [change(code, subject, `${words}: ${show(after)} (was: ${show(before)}).`)]
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
