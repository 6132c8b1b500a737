import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  buildKeyMap,
  type KeyMap,
  type KeyNode,
  nullMembers,
  type PublishedVersion,
  unansweredForm,
} from '../../../src/domain/questions/key-map.ts'
import {
  exportedType,
  type QuestionKind,
  questionKinds,
  type VersionQuestion,
} from '../../../src/domain/questions/question.ts'

function question(question_id: number, kind: QuestionKind, enumerator_id: number | null = null, options?: string[]) {
  const settings = { text: 'x', ...(options && { options: options.map(admin_id => ({ admin_id, text: admin_id })) }) }
  const question_key = `key${question_id}`
  return { question_id, question_version_id: 1, admin_name: question_key, question_key, kind, enumerator_id, settings }
}

const version = (program_version_id: number, ...questions: VersionQuestion[]): PublishedVersion => ({
  program_version_id,
  questions,
})

/** A bank in which any enumerator may hold any later question, and versions that each ask some of it, in any order. */
const histories: fc.Arbitrary<PublishedVersion[]> = fc
  .array(fc.record({ kind: fc.constantFrom(...questionKinds, 'ENUMERATOR' as const), parent: fc.nat() }), {
    minLength: 1,
    maxLength: 12,
  })
  .chain(seeds => {
    const bank: VersionQuestion[] = []
    for (const [index, { kind, parent }] of seeds.entries()) {
      const enumerators = bank.filter(one => one.kind === 'ENUMERATOR')
      const above = enumerators[parent % (enumerators.length + 1)]
      bank.push(question(index + 1, kind, above?.question_id ?? null))
    }
    const asked = fc.tuple(fc.subarray(bank), fc.infiniteStream(fc.nat()))
    const options = fc.array(fc.subarray(['a', 'b', 'c', 'd']), { minLength: bank.length, maxLength: bank.length })
    return fc.array(fc.tuple(asked, options), { maxLength: 6 }).map(versions =>
      versions.map(([[chosen, order], ids], index) => {
        // A repeated question comes with its enumerators.
        const withParents = new Set<number>()
        for (const one of chosen) {
          let at: VersionQuestion | undefined = one
          while (at !== undefined) {
            withParents.add(at.question_id)
            const above: number | null = at.enumerator_id
            at = bank.find(other => other.question_id === above)
          }
        }
        const questions = bank
          .filter(one => withParents.has(one.question_id))
          .map(one => ({ one, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => question(one.question_id, one.kind, one.enumerator_id, ids[one.question_id - 1]))
        return version(index + 1, ...questions)
      }),
    )
  })

const flat = (nodes: readonly KeyNode[], parent: number | null = null): { node: KeyNode; parent: number | null }[] =>
  nodes.flatMap(node => [{ node, parent }, ...flat(node.children, node.question_id)])

/** Whether everything in `before` is in `after`, first and in the same order, at every depth. */
function grewFrom(before: KeyMap, after: KeyMap): void {
  for (const [index, node] of before.entries()) {
    const now = after[index]
    expect(now?.question_id).toBe(node.question_id)
    expect(now?.option_ids.slice(0, node.option_ids.length)).toEqual([...node.option_ids])
    grewFrom(node.children, now?.children ?? [])
  }
}

describe('the key map', () => {
  test('"contains every question that has ever been in the program", at every depth (D20), and nothing else (D21)', () => {
    fc.assert(
      fc.property(histories, versions => {
        const ever = new Map(versions.flatMap(v => v.questions).map(one => [one.question_id, one]))
        const exported = [...ever.values()].filter(one => exportedType(one.kind) !== undefined)
        const nodes = flat(buildKeyMap(versions))
        expect(nodes.map(({ node }) => node.question_id).sort()).toEqual(exported.map(one => one.question_id).sort())
        for (const { node, parent } of nodes) {
          const one = ever.get(node.question_id)!
          expect(parent).toBe(one.enumerator_id)
          expect(node.type).toBe(exportedType(one.kind)!)
          expect(node.question_key).toBe(one.question_key)
        }
      }),
    )
  })

  test('"The set of questions in `application` only grows over program versions; removed questions remain"', () => {
    fc.assert(
      fc.property(histories, versions => {
        for (let count = 1; count <= versions.length; count++) {
          grewFrom(buildKeyMap(versions.slice(0, count - 1)), buildKeyMap(versions.slice(0, count)))
        }
      }),
    )
  })

  test('"Any option ID that was ever selectable may appear": option ids are the union, each once', () => {
    fc.assert(
      fc.property(histories, versions => {
        for (const { node } of flat(buildKeyMap(versions))) {
          const ever = versions
            .flatMap(v => v.questions)
            .filter(one => one.question_id === node.question_id)
            .flatMap(one => one.settings.options?.map(option => option.admin_id) ?? [])
          expect([...node.option_ids].sort()).toEqual([...new Set(ever)].sort())
        }
      }),
    )
  })

  test('is a pure function: the same versions give the same map and stay as they were', () => {
    fc.assert(
      fc.property(histories, versions => {
        const before = structuredClone(versions)
        expect(buildKeyMap(versions)).toEqual(buildKeyMap(structuredClone(versions)))
        expect(versions).toEqual(before)
        // Publishing the same questions once more changes nothing.
        expect(buildKeyMap([...versions, ...versions])).toEqual(buildKeyMap(versions))
      }),
    )
  })

  test('"Static text questions do not appear, since they have no answer"', () => {
    expect(buildKeyMap([version(1, question(1, 'STATIC'))])).toEqual([])
  })

  test('a question removed with its enumerator, and one added under it later, are in the same place', () => {
    const map = buildKeyMap([
      version(1, question(1, 'ENUMERATOR'), question(2, 'TEXT', 1)),
      version(2, question(3, 'TEXT')),
      version(3, question(4, 'DATE', 1), question(1, 'ENUMERATOR')),
    ])
    expect(map.map(node => [node.question_id, node.children.map(child => child.question_id)])).toEqual([
      [1, [2, 4]],
      [3, []],
    ])
  })

  test('refuses a version that repeats a question under an enumerator it never had, naming all three', () => {
    expect(() => buildKeyMap([version(9, question(2, 'TEXT', 1))])).toThrow(
      'question 2 is repeated under 1, which version 9 lacks',
    )
  })
})

describe('unanswered forms', () => {
  test('"Unanswered questions carry `null` values (or empty arrays where stated)", and their type', () => {
    for (const kind of questionKinds) {
      const type = exportedType(kind)
      if (type === undefined) continue
      const { question_type, ...fields } = JSON.parse(unansweredForm({ type })) as Record<string, unknown>
      expect(question_type).toBe(type)
      const listed = Object.entries(fields).filter(([, value]) => value !== null)
      expect(listed).toEqual(
        { ENUMERATOR: ['entities'], FILE_UPLOAD: ['file_urls'], MULTI_SELECT: ['selections'], MAP: ['selections'] }[
          type as string
        ]?.map(name => [name, []]) ?? [],
      )
      expect(Object.keys(fields).length).toBeGreaterThan(0)
    }
  })

  test('as members are valid JSON under any key', () => {
    const map = buildKeyMap([version(1, question(1, 'TEXT'), question(2, 'MAP'))])
    const keyed = map.map((node, index) => ({ ...node, question_key: ['__proto__', 'é"\u2028'][index]! }))
    const parsed = JSON.parse(`{${nullMembers(keyed)}}`) as Record<string, unknown>
    expect(Object.keys(parsed)).toEqual(['__proto__', 'é"\u2028'])
    expect(nullMembers([])).toBe('')
  })
})
