// fast-check arbitraries: programs that grow over versions, and answers to them.

import fc from 'fast-check'
import type { Answer, Answers, Entity } from '../../src/domain/questions/answers.ts'
import type { Submission } from '../../src/domain/questions/application.ts'
import type { KeyMap, KeyNode, PublishedVersion } from '../../src/domain/questions/key-map.ts'
import type { ExportedType, QuestionKind, VersionQuestion } from '../../src/domain/questions/question.ts'

const kinds: readonly QuestionKind[] = [
  'ADDRESS', 'CHECKBOX', 'CURRENCY', 'DATE', 'DROPDOWN', 'EMAIL', 'ENUMERATOR', 'ENUMERATOR', 'FILE_UPLOAD', 'ID', 'MAP',
  'NAME', 'NUMBER', 'PHONE', 'RADIO', 'STATIC', 'TEXT',
] // biome-ignore format: one list

/** Any well-formed string, with what is hard on JSON, SQL and buffers often among it. */
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

/** Who handed an application in: the applicant, or an intermediary with any e-mail and organization. */
export const anySubmitter: fc.Arbitrary<Submission['submitter']> = fc.oneof(
  fc.constant({ submitter_type: 'APPLICANT' as const }),
  fc.record({
    submitter_type: fc.constant('TRUSTED_INTERMEDIARY' as const),
    ti_email: anyText,
    ti_organization: anyText,
  }),
)

/** A bank of questions as a tree: each has a random earlier enumerator, or none, above it. */
const bank: fc.Arbitrary<VersionQuestion[]> = fc
  .array(
    fc.record({ kind: fc.constantFrom(...kinds), parent: fc.nat(), letters: fc.stringMatching(/^[A-Za-zäλж]{1,6}$/) }),
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
        // Keys hold letters only, so the number is spelled out to keep them apart.
        question_key:
          i % 7 === 3
            ? ['__proto__', 'constructor', 'toString'][i % 3]! + '_'.repeat(i)
            : `${spec.letters}_${'x'.repeat(i)}`,
        kind: spec.kind,
        enumerator_id: enumerators[parent]?.question_id ?? null,
        settings: {
          text: 'q',
          options: ['CHECKBOX', 'DROPDOWN', 'RADIO', 'MAP'].includes(spec.kind)
            ? [{ admin_id: `o${i}`, text: 'o' }]
            : undefined,
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

const text = anyText
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary)

function answerOf(type: ExportedType, node: KeyNode): fc.Arbitrary<Answer> {
  switch (type) {
    case 'ADDRESS':
      return fc.record({
        type: fc.constant(type), street: text, line2: maybe(text), city: text, state: fc.constantFrom('WA', 'PR'), zip: fc.constantFrom('98101', '98101-1234'),
        corrected: maybe(fc.constantFrom('Corrected' as const, 'Failed' as const, 'AsEnteredByUser' as const)),
        latitude: maybe(fc.constantFrom('-47.6', '12')), longitude: maybe(fc.constantFrom('122.3')), well_known_id: maybe(fc.constant('4326')), service_area: maybe(fc.constant('a_InArea_1')),
      }) // biome-ignore format: fields side by side
    case 'CURRENCY':
      return fc.record({ type: fc.constant(type), currency_cents: fc.integer({ min: 0, max: 1_000_000_000_000 }) })
    case 'DATE':
      return fc.record({ type: fc.constant(type), date: fc.constantFrom('2024-02-29', '1900-01-01') })
    case 'EMAIL':
      return fc.record({ type: fc.constant(type), email: text })
    case 'ENUMERATOR':
      return fc.record({ type: fc.constant(type), entities: fc.array(entityOf(node), { maxLength: 3 }) })
    case 'FILE_UPLOAD':
      return fc.record({ type: fc.constant(type), file_urls: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }) })
    case 'ID':
      return fc.record({ type: fc.constant(type), id: fc.stringMatching(/^[0-9]{1,9}$/) })
    case 'MAP':
    case 'MULTI_SELECT':
      return fc.record({ type: fc.constant(type), selections: fc.constant(node.option_ids) })
    case 'NAME':
      return fc.record({
        type: fc.constant(type),
        first_name: text,
        middle_name: maybe(text),
        last_name: text,
        suffix: maybe(fc.constantFrom('JR', 'V')),
      })
    case 'NUMBER':
      return fc.record({ type: fc.constant(type), number: fc.maxSafeInteger() })
    case 'PHONE':
      return fc.record({ type: fc.constant(type), phone_number: fc.constant('+12065550100') })
    case 'SINGLE_SELECT':
      return fc.record({ type: fc.constant(type), selection: fc.constant(node.option_ids[0] ?? 'x') })
    case 'TEXT':
      return fc.record({ type: fc.constant(type), text })
  }
}

const entityOf = (enumerator: KeyNode): fc.Arbitrary<Entity> =>
  fc.record({ entity_name: text, answers: answersTo(enumerator.children) })

/** Answers to some of the questions of a shape, at every depth. */
export function answersTo(shape: KeyMap): fc.Arbitrary<Answers> {
  const members = shape.map(node =>
    fc.option(
      answerOf(node.type, node).map(answer => [node.question_key, answer] as const),
      { freq: 3 },
    ),
  )
  return fc.tuple(...members).map(entries => new Map(entries.filter(entry => entry !== null)))
}
