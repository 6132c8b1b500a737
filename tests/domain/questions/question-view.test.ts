import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { visibleVersions } from '../../../src/domain/definitions/visible-version.ts'
import type { KeyNode } from '../../../src/domain/questions/key-map.ts'
import { buildKeyMap, type KeyMap } from '../../../src/domain/questions/key-map.ts'
import { visiblePart, visibleShape } from '../../../src/domain/questions/question-view.ts'
import { publishedVersions } from '../../support/arbitraries.ts'

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

describe('a hidden question', () => {
  test('hides all that hangs under it, at any depth', () => {
    const deepest = [node(4, 'deepest')]
    const inner = [node(3, 'inner', { type: 'ENUMERATOR', children: deepest }), node(5, 'alongside')]
    const keyMap: KeyMap = [node(1, 'seen'), node(2, 'outer', { type: 'ENUMERATOR', children: inner })]
    const hiding = (...ids: number[]) => keysOf(visiblePart(keyMap, { hidden: new Set(ids), chosen: undefined }))
    expect(hiding(2)).toEqual([['seen', []]])
    expect(hiding(3)).toEqual([
      ['seen', []],
      ['outer', [['alongside', []]]],
    ])
    // Also when what hangs under it was chosen.
    expect(keysOf(visiblePart(keyMap, { hidden: new Set([2]), chosen: [1, 4] }))).toEqual([['seen', []]])
    expect(visiblePart(keyMap, { hidden: new Set([2]), chosen: [4] })).toEqual([])
  })

  test('hides the key that it shares with another question, in each version: which of them was answered cannot be seen', () => {
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

  test('is missing in docs exactly where it is missing in exports, for programs that grow and shrink', () => {
    const hiding = publishedVersions.chain(versions =>
      fc.record({
        versions: fc.constant(versions),
        hidden: fc.subarray([...new Set(versions.flatMap(({ questions }) => questions.map(one => one.question_id)))]),
      }),
    )
    fc.assert(
      fc.property(hiding, ({ versions, hidden: ids }) => {
        const hidden = new Set(ids)
        const seen = visiblePart(buildKeyMap(versions), { hidden, chosen: undefined })
        const documented = visibleVersions(
          versions.map(version => ({ ...version, screens: [] })),
          hidden,
        )
        expect(buildKeyMap(documented)).toEqual(seen)
        for (const [i, version] of versions.entries())
          expect(keysOf(buildKeyMap([documented[i]!]))).toEqual(keysOf(visibleShape(buildKeyMap([version]), seen)))
      }),
      { numRuns: 500 },
    )
  })
})
