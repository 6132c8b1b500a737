// fast-check arbitraries: programs that grow over versions, and answers to them.

import fc from 'fast-check'
import { kindsWith } from '../../src/domain/definitions/definition-schemas.ts'
import type { Answer, Answers, Entity } from '../../src/domain/questions/answers.ts'
import type { Submission } from '../../src/domain/questions/application.ts'
import type { KeyMap, KeyNode, PublishedVersion } from '../../src/domain/questions/key-map.ts'
import { plainType, questionKinds, type VersionQuestion } from '../../src/domain/questions/question.ts'
import type { QuestionView } from '../../src/domain/questions/question-view.ts'
import { seededRandom } from '../../src/domain/random/seeded-random.ts'

/** Any well-formed string, often with characters that are hard on JSON, SQL and buffers. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    '\u0001',
    '\u00017\u0002',
    '\u0000',
    '"',
    '\\',
    '\\u0001',
    "'; drop table application; --",
    '🏳️‍🌈',
    '\u2028',
    '}}',
    '{"a":1}',
    '__proto__',
  ),
)

/** Who submitted: the applicant, or an intermediary with any email address and organization. */
export const anySubmitter: fc.Arbitrary<Submission['submitter']> = fc.oneof(
  fc.constant({ submitter_type: 'APPLICANT' as const }),
  fc.record({
    submitter_type: fc.constant('TRUSTED_INTERMEDIARY' as const),
    ti_email: anyText,
    ti_organization: anyText,
  }),
)

/** A bank of questions as a tree: each question has a random earlier enumerator as its parent, or none. */
const bank: fc.Arbitrary<VersionQuestion[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...questionKinds, 'ENUMERATOR' as const),
      parent: fc.nat(),
      letters: fc.stringMatching(/^[A-Za-zäλж]{1,6}$/),
    }),
    { minLength: 1, maxLength: 18 },
  )
  .map(specs => {
    const questions: VersionQuestion[] = []
    for (const [i, spec] of specs.entries()) {
      const enumerators = questions.filter(q => q.kind === 'ENUMERATOR')
      const parent = spec.parent % (enumerators.length + 1)
      questions.push({
        question_id: 100 + i,
        question_version_id: 1000 + i,
        admin_name: `${spec.letters}${i}`,
        // Keys contain only letters, so the number is spelled out to tell them apart.
        question_key:
          i % 7 === 3 ? ['__proto__', 'constructor', 'toString'][i % 3]! : `${spec.letters}_${'x'.repeat(i)}`,
        kind: spec.kind,
        enumerator_id: enumerators[parent]?.question_id ?? null,
        settings: {
          text: 'q',
          options: kindsWith('options').includes(spec.kind) ? [{ admin_id: `o${i}`, text: 'o' }] : undefined,
          ...(spec.kind === 'TEXT' && i % 2 === 1 ? { origin_type: 'HOLOGRAM' } : {}),
        },
      })
    }
    return questions
  })

/** Versions of one program: each a subset of one bank, closed under enumerators. */
export const publishedVersions: fc.Arbitrary<PublishedVersion[]> = fc
  .tuple(bank, fc.array(fc.array(fc.boolean(), { minLength: 18, maxLength: 18 }), { minLength: 1, maxLength: 4 }))
  .map(([questions, choices]) =>
    choices.map((chosen, i) => {
      const included = new Set<number>()
      for (const [j, question] of questions.entries()) {
        if (chosen[j] && (question.enumerator_id === null || included.has(question.enumerator_id)))
          included.add(question.question_id)
      }
      return { program_version_id: 50 + i, questions: questions.filter(q => included.has(q.question_id)) }
    }),
  )

export const idsOf = (nodes: KeyMap): number[] => nodes.flatMap(node => [node.question_id, ...idsOf(node.children)])

/** Any view of these questions: some hidden, and some selected. */
export const anyView = (ids: readonly number[]): fc.Arbitrary<QuestionView> =>
  fc.record({
    hidden: fc.shuffledSubarray([...ids]).map(hidden => new Set(hidden)),
    chosen: fc.option(fc.subarray([...ids]), { nil: undefined }),
  })

/** Generated values of the type, with any text or number where the published schema allows any. */
function answerOf(node: KeyNode): fc.Arbitrary<Answer> {
  if (node.type === 'ENUMERATOR')
    return fc.record({ type: fc.constant(node.type), entities: fc.array(entityOf(node), { maxLength: 3 }) })
  const { fields, random } = plainType(node.type)
  const options = node.option_ids.map(admin_id => ({ admin_id, text: 'o' }))
  const make = random({ options, correct_addresses: true, min: Number.MIN_SAFE_INTEGER })
  const free = Object.entries(fields).filter(([, { form, schema }]) => form === 'text' && isAnyText(schema))
  return fc.nat().chain(seed => {
    const answer = make(seededRandom(seed))
    if (answer === undefined) throw new Error(`${node.type} generates no answer`)
    const given = Object.entries(answer).filter(([name, value]) => name !== 'type' && value !== null)
    const changed = given.flatMap(([name, value]): [string, fc.Arbitrary<unknown>][] => {
      if (free.some(([field]) => field === name)) return [[name, anyText]]
      if (typeof value !== 'number') return []
      // An amount has a name of its own, and a double in dollars does not distinguish more of it.
      return [
        [name, Object.hasOwn(fields, name) ? fc.maxSafeInteger() : fc.integer({ min: 0, max: 1_000_000_000_000 })],
      ]
    })
    const changes = fc.record(Object.fromEntries(changed), { requiredKeys: [] })
    return changes.map(change => ({ ...answer, ...change }) as Answer)
  })
}

const isAnyText = (schema: object): boolean =>
  typeof schema !== 'function' && Object.keys(schema).every(keyword => keyword === 'type' || keyword === 'description')

const entityOf = (enumerator: KeyNode): fc.Arbitrary<Entity> =>
  fc.record({ entity_name: anyText, answers: answersTo(enumerator.children) })

/** Answers to some of the questions of a shape, at every depth. */
export function answersTo(shape: KeyMap): fc.Arbitrary<Answers> {
  // A type that only a followed origin knows has no answers here.
  const members = shape
    .filter(({ unknown_type }) => unknown_type === undefined)
    .map(node =>
      fc.option(
        answerOf(node).map(answer => [node.question_key, answer] as const),
        { freq: 3 },
      ),
    )
  return fc.tuple(...members).map(entries => new Map(entries.filter(entry => entry !== null)))
}
