import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { visibleVersions } from '../../../src/domain/definitions/visible-version.ts'
import type { KeyNode } from '../../../src/domain/questions/key-map.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../../src/domain/questions/key-map.ts'
import type { Condition, Screen } from '../../../src/domain/questions/program-version.ts'
import {
  isWhole,
  type QuestionView,
  viewName,
  visiblePart,
  visibleShape,
} from '../../../src/domain/questions/question-view.ts'
import { anyView, idsOf, publishedVersions } from '../../support/arbitraries.ts'

const keysOf = (nodes: readonly KeyNode[]): unknown[] =>
  nodes.map(({ question_key, children }) => [question_key, keysOf(children)])

const node = (question_id: number, question_key: string, more: Partial<KeyNode> = {}): KeyNode => ({
  question_id,
  question_key,
  type: 'TEXT',
  option_ids: [],
  children: [],
  ...more,
})

const pathsOf = (nodes: KeyMap, within: number[] = []): number[][] =>
  nodes.flatMap(({ question_id, children }) => {
    const path = [...within, question_id]
    return [path, ...pathsOf(children, path)]
  })

describe('a view', () => {
  test('has the chosen questions with the enumerators around them and the questions in them, without hidden ones', () => {
    const viewed = publishedVersions
      .map(buildKeyMap)
      .chain(keyMap => fc.tuple(fc.constant(keyMap), anyView(idsOf(keyMap))))
    fc.assert(
      fc.property(viewed, ([keyMap, { hidden, chosen }]) => {
        const open = pathsOf(keyMap).filter(path => !path.some(id => hidden.has(id)))
        const wanted = open.filter(path => chosen === undefined || chosen.includes(path.at(-1)!))
        const seen = open.filter(path =>
          wanted.some(item => item.includes(path.at(-1)!) || path.includes(item.at(-1)!)),
        )
        expect(pathsOf(visiblePart(keyMap, { hidden, chosen }))).toEqual(seen)
      }),
      { numRuns: 500 },
    )
  })

  test('has the same name as another view exactly when both show the same questions, and is complete when it shows all', () => {
    const ids = [1, 2, 12, 21]
    const sorted = ({ hidden }: QuestionView) => [...hidden].sort((a, b) => a - b)
    fc.assert(
      fc.property(anyView(ids), anyView(ids), (one, other) => {
        const same = Bun.deepEquals([sorted(one), one.chosen], [sorted(other), other.chosen], true)
        expect(viewName(one) === viewName(other)).toBe(same)
        expect(isWhole(one)).toBe(one.hidden.size === 0 && one.chosen === undefined)
      }),
      { numRuns: 1000 },
    )
  })
})

const idsIn = (condition: Condition): number[] =>
  [...JSON.stringify(condition).matchAll(/"question_id":([0-9]+)/g)].map(([, id]) => Number(id))

/** On a screen of which each question looks at the first and the last; then one without any. */
function screened<Version extends PublishedVersion>(version: Version) {
  const ids = version.questions.map(({ question_id }) => question_id)
  const answered = [ids[0] ?? 0, ids.at(-1) ?? 0].map(
    (question_id): Condition => ({ question_id, operator: 'answered' }),
  )
  const questions = ids.map((question_id, i) => {
    const visible_when: Condition = i % 2 === 0 ? { not: { all: answered } } : answered[0]!
    return { question_id, optional: true, visible_when: i % 3 === 0 ? null : visible_when }
  })
  const screen = { name: 'All', visible_when: { any: answered }, questions }
  const screens: Screen[] = [screen, { name: 'None', visible_when: null, questions: [] }]
  return { ...version, screens }
}

describe('a hidden question', () => {
  test('hides a key that it shares with another question in every version, so nobody can see which was answered', () => {
    const also = [{ question_id: 2, type: 'TEXT' as const }]
    const keyMap = [node(1, 'shared', { also }), node(3, 'other')]
    for (const hidden of [1, 2]) {
      const seen = visiblePart(keyMap, { hidden: new Set([hidden]), chosen: undefined })
      expect(keysOf(seen)).toEqual([['other', []]])
      // A version's own shape knows but one of them.
      for (const asked of [1, 2])
        expect(visibleShape([node(asked, 'shared'), node(3, 'other')], seen)).toEqual([node(3, 'other')])
    }
  })

  test('is missing in docs exactly where it is missing in exports, while programs gain and lose questions', () => {
    const hiding = publishedVersions.chain(versions =>
      fc.record({
        versions: fc.constant(versions),
        hidden: fc.subarray([
          ...new Set(versions.flatMap(({ questions }) => questions.map(question => question.question_id))),
        ]),
      }),
    )
    fc.assert(
      fc.property(hiding, ({ versions, hidden: ids }) => {
        const hidden = new Set(ids)
        const seen = visiblePart(buildKeyMap(versions), { hidden, chosen: undefined })
        const documented = visibleVersions(versions.map(screened), hidden)
        expect(buildKeyMap(documented)).toEqual(seen)
        for (const [i, version] of versions.entries()) {
          const left = new Set(documented[i]!.questions.map(question => question.question_id))
          const whole = screened(version)
          const kept = (condition: Condition | null): Condition | null =>
            condition !== null && idsIn(condition).every(id => id === 0 || left.has(id)) ? condition : null
          expect(documented[i]!.screens).toEqual(
            whole.screens
              .filter(
                ({ questions }) => questions.length === 0 || questions.some(question => left.has(question.question_id)),
              )
              .map(screen => ({
                ...screen,
                visible_when: kept(screen.visible_when),
                questions: screen.questions
                  .filter(question => left.has(question.question_id))
                  .map(question => ({ ...question, visible_when: kept(question.visible_when) })),
              })),
          )
        }
        for (const [i, version] of versions.entries())
          expect(keysOf(buildKeyMap([documented[i]!]))).toEqual(keysOf(visibleShape(buildKeyMap([version]), seen)))
      }),
      { numRuns: 500 },
    )
  })
})
