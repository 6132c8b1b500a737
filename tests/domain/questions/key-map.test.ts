import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isList } from '../../../src/domain/fields/question-type.ts'
import { markedEntityEnd } from '../../../src/domain/questions/answers.ts'
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
import { type OutlinedText, outlineEntity, outlineSnapshot } from '../../../src/domain/questions/text-outline.ts'
import { planFill } from '../../../src/domain/questions/version-fill.ts'
import { publishedVersions } from '../../support/arbitraries.ts'
import { options } from '../../support/program-version.ts'

function question(question_id: number, kind: QuestionKind, enumerator_id: number | null = null, options?: string[]) {
  const settings = { text: 'x', ...(options && { options: options.map(admin_id => ({ admin_id, text: admin_id })) }) }
  const question_key = `key${question_id}`
  return { question_id, question_version_id: 1, admin_name: question_key, question_key, kind, enumerator_id, settings }
}

const version = (program_version_id: number, ...questions: VersionQuestion[]): PublishedVersion => ({
  program_version_id,
  questions,
})

/** Each version asks its questions in any order, with any options. */
const histories: fc.Arbitrary<PublishedVersion[]> = publishedVersions.chain(versions =>
  fc.tuple(
    ...versions.map(({ questions, ...version }) =>
      fc
        .tuple(
          fc.shuffledSubarray([...questions], { minLength: questions.length }),
          fc.subarray(['a', 'b', 'c', 'd']).map(ids => options(...ids)),
        )
        .map(([asked, options]) => ({
          ...version,
          questions: asked.map(question => ({ ...question, settings: { ...question.settings, options } })),
        })),
    ),
  ),
)

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
        const ever = new Map(versions.flatMap(v => v.questions).map(question => [question.question_id, question]))
        const exported = [...ever.values()].filter(question => exportedType(question.kind) !== undefined)
        const nodes = flat(buildKeyMap(versions))
        expect(nodes.map(({ node }) => node.question_id).sort()).toEqual(
          exported.map(question => question.question_id).sort(),
        )
        for (const { node, parent } of nodes) {
          const question = ever.get(node.question_id)!
          expect(parent).toBe(question.enumerator_id)
          expect(node.type).toBe(exportedType(question.kind)!)
          expect(node.question_key).toBe(question.question_key)
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
            .filter(question => question.question_id === node.question_id)
            .flatMap(question => question.settings.options?.map(option => option.admin_id) ?? [])
          expect([...node.option_ids].sort()).toEqual([...new Set(ever)].sort())
        }
      }),
    )
  })

  test('is a pure function: the same versions give the same map and are not modified', () => {
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

  test('questions of a followed program that share a key share one place with all their options', () => {
    const named = (id: number, question_key: string, option: string) => ({
      ...question(id, 'RADIO', null, ['all', option]),
      question_key,
    })
    const [first, alike, cased, third] = [
      named(1, 'k', 'a'),
      named(2, 'k', 'b'),
      named(3, 'K', 'c'),
      named(4, 'k', 'd'),
    ]
    const node = (question_id: number, question_key: string, ...more: string[]) => ({
      question_id,
      question_key,
      type: 'SINGLE_SELECT' as const,
      option_ids: ['all', ...more],
      children: [],
    })
    const also = [alike, third].map(({ question_id }) => ({ question_id, type: 'SINGLE_SELECT' as const }))
    expect(buildKeyMap([version(1, first), version(2, alike, cased), version(3, third)])).toEqual([
      { ...node(1, 'k', 'a', 'b', 'd'), also },
      node(3, 'K', 'c'),
    ])
  })

  test('refuses a version that moves a repeated question to another enumerator, naming all three', () => {
    expect(() => buildKeyMap([version(9, question(2, 'TEXT', 1))])).toThrow(/\b2\b.*\b1\b.*\b9\b/)
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

  test('are the same in stored text, its outline and the fills of other versions, in both profiles', () => {
    fc.assert(
      fc.property(publishedVersions, fc.constantFrom('contract' as const, 'origin' as const), (versions, profile) => {
        const outlined = ({ values, after }: OutlinedText): string =>
          values.map(({ before, form }) => `${before}${isList(form) ? '[]' : 'null'}`).join('') + after
        const members = (nodes: KeyMap): object => JSON.parse(`{${nullMembers(nodes, profile)}}`)
        const keyMap = buildKeyMap(versions)
        for (const version of versions) {
          const shape = buildKeyMap([version])
          const { end, entity } = planFill(keyMap, shape, profile)
          const stored = outlined(outlineSnapshot(shape, profile))
          expect(stored).toEndWith(`,"application":{${nullMembers(shape, profile)}`)
          expect(JSON.parse(`${stored}${end}"status":0}`).application).toEqual(members(keyMap))
          const checkEntities = (all: KeyMap, own: KeyMap): void => {
            for (const node of own.filter(({ type }) => type === 'ENUMERATOR')) {
              const { children } = all.find(({ question_id }) => question_id === node.question_id)!
              const text = outlined(outlineEntity(node, profile))
              const whole = text.replace(markedEntityEnd(node), () => String(entity.get(node.question_id)))
              const asked = members(profile === 'origin' ? node.children : children)
              expect(JSON.parse(whole)).toEqual({ entity_name: null, ...asked })
              checkEntities(children, node.children)
            }
          }
          checkEntities(keyMap, shape)
        }
      }),
    )
  })

  test('an enumerator is filled even if its key was a text before, as in a followed program', () => {
    const later = { ...question(2, 'ENUMERATOR'), question_key: 'key1' }
    const shape = [version(2, later, question(3, 'TEXT', 2))]
    const { entity } = planFill(buildKeyMap([version(1, question(1, 'TEXT')), ...shape]), buildKeyMap(shape), 'origin')
    expect(entity).toEqual(new Map([[2, Buffer.from('')]]))
  })
})
