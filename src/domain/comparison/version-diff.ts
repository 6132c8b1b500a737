// Compares two versions of a program and lists the changes. Questions are matched by admin name, which never changes, so documents can be
// compared like versions.

import type { ProgramDefinition } from '../definitions/program-definition.ts'
import { type DescribableVersion, describeWhole } from '../definitions/version-definition.ts'
import type { QuestionSettings } from '../questions/question.ts'
import { type Fact, inOrder, settingFacts, shown, type Thing, thingsOf, type VersionChange } from './version-facts.ts'

export type { VersionChange, VersionChangeCode } from './version-facts.ts'

const things = ['program', 'screen', 'question'] as const
const marks = ['new', 'removed', 'changed'] as const

/** Something that differs between two versions, in its present form if it still exists. */
export interface VersionDifference extends Omit<Thing, 'facts'> {
  mark: (typeof marks)[number]
  /**
   * The differences, one per line: for lists, only the lines that differ, unless only their order does; for new things, whatever isn't the default.
   */
  facts: { label: string; before: readonly string[]; now: readonly string[] }[]
}

/** In the order of `after`; removed things come last. */
export const compareDefinitions = (before: ProgramDefinition, after: ProgramDefinition): VersionDifference[] =>
  differences(before, after).map(({ pairs, facts, ...thing }) => ({
    ...thing,
    facts: thing.mark === 'new' ? facts.flatMap(factOfNew) : pairs.map(linesThatDiffer),
  }))

/** Every difference between two versions of one program; empty exactly if they ask the same. */
export function diffVersions(before: DescribableVersion, after: DescribableVersion): VersionChange[] {
  return diffDefinitions(describeWhole(before), describeWhole(after))
}

/**
 * Like `diffVersions`, for documents. Questions left to the question bank are compared only in how they are asked; complete documents (see
 * `completeDefinition`) leave none to it.
 */
export function diffDefinitions(before: ProgramDefinition, after: ProgramDefinition): VersionChange[] {
  const rank = ({ of, mark }: Difference): number => things.indexOf(of) * marks.length + marks.indexOf(mark)
  return differences(before, after)
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(changesOfThing)
}

const changesOfThing = (difference: Difference): VersionChange[] =>
  difference.mark === 'changed' ? changesIn(difference.subject, difference.pairs) : [appearance(difference)]

/** Like `diffDefinitions`, for questions only, without the program and its screens. */
export const questionChanges = (before: ProgramDefinition, after: ProgramDefinition): VersionChange[] =>
  differences(before, after)
    .filter(({ of }) => of === 'question')
    .flatMap(changesOfThing)

/** The changes to the settings of one question. */
export const settingChanges = (subject: string, before: QuestionSettings, after: QuestionSettings): VersionChange[] =>
  changesIn(subject, pairsOf(settingFacts(before), settingFacts(after)))

/** Whether two versions of one question ask the same. */
export const sameSettings = (a: QuestionSettings, b: QuestionSettings): boolean =>
  pairsOf(settingFacts(a), settingFacts(b)).length === 0

type Pair = readonly [was: Fact, is: Fact]
interface Difference extends Thing, Pick<VersionDifference, 'mark'> {
  /** Facts that differ. */
  pairs: readonly Pair[]
}

function differences(before: ProgramDefinition, after: ProgramDefinition): Difference[] {
  const [old, now] = [thingsOf(before, after), thingsOf(after, before)]
  return [...new Map([...now, ...old]).keys()].flatMap((key): Difference[] => {
    const [earlier, later] = [old.get(key), now.get(key)]
    if (later === undefined) return [{ ...earlier!, mark: 'removed', pairs: [] }]
    if (earlier === undefined) return [{ ...later, mark: 'new', pairs: [] }]
    const pairs = pairsOf(earlier.facts, later.facts)
    return pairs.length === 0 ? [] : [{ ...later, mark: 'changed', pairs }]
  })
}

/** A question that one version leaves to the bank has fewer facts there. */
function pairsOf(before: readonly Fact[], after: readonly Fact[]): Pair[] {
  const old = new Map(before.map(fact => [fact.label, fact]))
  return after.flatMap((later): Pair[] => {
    const earlier = old.get(later.label)
    return earlier === undefined || same(earlier.value, later.value) ? [] : [[earlier, later]]
  })
}

const changesIn = (subject: string, pairs: readonly Pair[]): VersionChange[] =>
  pairs.flatMap(([earlier, later]) => later.since(earlier)).map(([code, detail]) => ({ code, subject, detail }))

/** The start of a change that adds or removes something without an answer, which therefore isn't in exports. */
export const textToRead = 'Information text'

function appearance({ of, subject, title, kind, mark }: Difference): VersionChange {
  const verb = mark === 'new' ? 'added' : 'removed'
  if (of === 'screen') return { code: `screen_${verb}`, subject, detail: `Screen ${verb}.` }
  const begins = `${kind === 'STATIC' ? textToRead : 'Question'} ${verb}`
  if (mark === 'new') {
    const detail = `${begins}: ${kind === undefined ? 'from the bank' : shown(title)}.`
    return { code: 'question_added', subject, detail }
  }
  return { code: 'question_removed', subject, detail: `${begins}.${kind === 'STATIC' ? '' : ' It stays in exports.'}` }
}

/** For something new, only the facts that differ from the default. */
function factOfNew({ label, value, words }: Fact): VersionDifference['facts'] {
  const obvious = label === 'Text' || words.length === 0 || value === null || value === false
  return obvious ? [] : [{ label, before: [], now: words }]
}

function linesThatDiffer([{ words: before }, { label, words: now }]: Pair): VersionDifference['facts'][number] {
  const [earlier, later] = [new Set(before), new Set(now)]
  const [gone, added] = [before.filter(line => !later.has(line)), now.filter(line => !earlier.has(line))]
  const whole = label.endsWith(inOrder) || gone.length + added.length === 0
  return whole ? { label, before, now } : { label, before: gone, now: added }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || sorted(a) === sorted(b)
}

/** JSON with sorted members: jsonb returns them in its own order. */
function sorted(value: unknown): string {
  return String(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ),
  )
}
