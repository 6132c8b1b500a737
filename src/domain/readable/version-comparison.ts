// Two versions of one program next to each other: what each thing was before and is now, in the words of the questions.
// It has a difference exactly where version-diff has a change.

import { type AskedQuestions, askedByName, conditionText } from '../definitions/condition-text.ts'
import type { NamedCondition, ProgramDefinition } from '../definitions/program-definition.ts'
import { asked, keyedQuestions, keyedScreens, type PlacementInVersion, same } from '../definitions/version-diff.ts'
import type { QuestionKind } from '../questions/question.ts'
import { boundsText } from './question-bounds.ts'

/** The program itself, a screen or a question that is not the same in both versions. */
export interface VersionDifference {
  of: 'program' | 'screen' | 'question'
  /** What people read: the text of a question, the heading of a screen; as it is now, if it still is. */
  title: string
  /** The admin name of a question; empty for all else. */
  admin_name: string
  kind: QuestionKind | undefined
  mark: 'new' | 'changed' | 'removed'
  /** What is not the same, a line each; of lists only the lines that differ, unless they differ in order alone; of new things, what is not usual. */
  facts: { label: string; before: readonly string[]; now: readonly string[] }[]
}

/** The properties of one thing. `value` is what is compared: words differ with the texts of other questions. */
interface Thing extends Pick<VersionDifference, 'of' | 'title' | 'admin_name' | 'kind'> {
  facts: { label: string; value: unknown; words: readonly string[] }[]
}

/** In the order in which `after` asks; what is there no more comes last. */
export function compareDefinitions(before: ProgramDefinition, after: ProgramDefinition): VersionDifference[] {
  const [old, now] = [thingsOf(before, after), thingsOf(after, before)]
  return [...new Map([...now, ...old]).keys()].flatMap((key): VersionDifference[] => {
    const [was, is] = [old.get(key), now.get(key)]
    const { facts: _, ...thing } = (is ?? was)!
    if (is === undefined) return [{ ...thing, mark: 'removed', facts: [] }]
    if (was === undefined) return [{ ...thing, mark: 'new', facts: is.facts.flatMap(factOfNew) }]
    const facts = is.facts.flatMap(({ label, value, words }, i) => {
      const earlier = was.facts[i]!
      return same(earlier.value, value) ? [] : [{ label, ...linesThatDiffer(label, earlier.words, words) }]
    })
    return facts.length === 0 ? [] : [{ ...thing, mark: 'changed', facts }]
  })
}

/** Of something new, only what does not go without saying. */
function factOfNew({ label, words }: Thing['facts'][number]): VersionDifference['facts'] {
  const obvious = label === 'Text' || words.length === 0 || words[0] === usual[label]
  return obvious ? [] : [{ label, before: [], now: words }]
}

const usual: Readonly<Record<string, string>> = { Asked: 'always', Shown: 'always', Answering: 'must be answered' }
const inOrder = 'in order'

function linesThatDiffer(label: string, before: readonly string[], now: readonly string[]) {
  const [was, is] = [new Set(before), new Set(now)]
  const [gone, added] = [before.filter(line => !is.has(line)), now.filter(line => !was.has(line))]
  const whole = label.endsWith(inOrder) || gone.length + added.length === 0
  return whole ? { before, now } : { before: gone, now: added }
}

/** All that a version says, thing by thing. Orders are those of what the other version has, too. */
function thingsOf(definition: ProgramDefinition, other: ProgramDefinition): Map<string, Thing> {
  const names = askedByName(definition.questions)
  const screens = keyedScreens(definition.screens)
  const others = keyedScreens(other.screens)
  const kept = [...screens].filter(([key]) => others.has(key))
  const questions = keyedQuestions(definition)
  const program = thing('program', 'The program', [
    ['Name', definition.display_name, [definition.display_name]],
    ['Statuses', definition.statuses, definition.statuses],
    [`Screens ${inOrder}`, kept.map(([key]) => key), kept.map(([, { name }]) => name)],
  ])
  const things = new Map([['', program]])
  for (const [key, screen] of screens) {
    const there = new Set(others.has(key) ? asked(others.get(key)!) : [])
    const order = asked(screen).filter(name => there.has(name))
    const shown = thing('screen', screen.name, [
      ['Shown', screen.visible_when ?? null, [askedWhen(screen.visible_when, names)]],
      [`Questions ${inOrder}`, order, order.map(name => textOf(name, names))],
    ])
    things.set(`screen ${key}`, shown)
    for (const name of asked(screen)) things.set(`question ${name}`, questionThing(name, questions.get(name)!, names))
  }
  return things
}

function questionThing(name: string, placed: PlacementInVersion, names: AskedQuestions): Thing {
  const { question, optional, visible_when, screen, screenName } = placed
  const { text = name, help = '', options = [], correct_addresses = false, kind, enumerator } = question ?? {}
  const bounds = boundsText(question ?? {})
  const { min, max, min_length, max_length, min_count, max_count } = question ?? {}
  const facts = [
    ['Text', text, [text]],
    ['Help', question?.help, help === '' ? [] : [help]],
    [
      'Options',
      options.map(({ admin_id, text }) => [admin_id, text]),
      options.map(({ admin_id, text }) => `${text} (${admin_id})`),
    ],
    ['Answers', [min, max, min_length, max_length, min_count, max_count], bounds === '' ? [] : [bounds]],
    ['Addresses', correct_addresses, correct_addresses ? ['are corrected'] : []],
    ['Answering', optional, [optional ? 'may be left unanswered' : usual.Answering!]],
    ['Asked', visible_when, [askedWhen(visible_when, names)]],
    ['Repeated', enumerator, enumerator === undefined ? [] : [`for each of “${textOf(enumerator, names)}”`]],
    ['Screen', screen, [screenName]],
  ] as const
  return { ...thing('question', text, facts), admin_name: name, kind }
}

type FactRow = readonly [label: string, value: unknown, words: readonly string[]]

const thing = (of: Thing['of'], title: string, facts: readonly FactRow[]): Thing => ({
  of,
  title,
  admin_name: '',
  kind: undefined,
  facts: facts.map(([label, value, words]) => ({ label, value, words })),
})

const textOf = (name: string, names: AskedQuestions): string => names.get(name)?.text ?? name

const askedWhen = (condition: NamedCondition | null | undefined, names: AskedQuestions): string =>
  condition == null ? usual.Asked! : `when ${conditionText(condition, names)}`
