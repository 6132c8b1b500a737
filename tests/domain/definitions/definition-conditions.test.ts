import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { conditionFields, operatorsOfForm } from '../../../src/domain/definitions/definition-conditions.ts'
import { formErrors } from '../../../src/domain/definitions/definition-form.ts'
import { type NamedCondition, programDefinitionSchema } from '../../../src/domain/definitions/program-definition.ts'
import { comparisonOperators } from '../../../src/domain/questions/program-version.ts'
import { exportedType, questionTypes } from '../../../src/domain/questions/question.ts'
import { errors, known } from '../../support/definition-errors.ts'
import { aDefinition, everyKind, q } from '../../support/programs.ts'

describe('conditions', () => {
  const answered = (question: string): NamedCondition => ({ question, operator: 'answered' })

  test('refer only to earlier questions', async () => {
    const earlier = aDefinition({ questions: [q.text('a'), q.text('b', { visible_when: answered('a') })] })
    expect(await errors(earlier)).toEqual([])
    const later = aDefinition({ questions: [q.text('a', { visible_when: answered('b') }), q.text('b')] })
    expect(await errors(later)).toEqual(['not_earlier /screens/0/questions/0/visible_when/question'])
    const itself = aDefinition({ questions: [q.text('a', { visible_when: answered('a') })] })
    expect(await errors(itself)).toEqual(['not_earlier /screens/0/questions/0/visible_when/question'])
    const unknown = aDefinition({ questions: [q.text('a', { visible_when: answered('zzz') })] })
    expect(await errors(unknown)).toEqual(['not_asked /screens/0/questions/0/visible_when/question'])
  })

  test('of a screen refer only to questions on earlier screens', async () => {
    const screens = (on: string) => [
      { questions: [q.text('a')] },
      { questions: [q.text('b')], visible_when: answered(on) },
    ]
    expect(await errors(aDefinition({ screens: screens('a') }))).toEqual([])
    expect(await errors(aDefinition({ screens: screens('b') }))).toEqual([
      'not_earlier /screens/1/visible_when/question',
    ])
  })

  test('refer only to the same entity, the entities around it and the top level', async () => {
    const definition = (on: string) =>
      aDefinition({
        questions: [
          q.text('top'),
          q.enumerator('other', [q.text('cousin')]),
          q.enumerator('outer', [
            q.text('uncle'),
            q.enumerator('inner', [q.text('sister'), q.text('me', { visible_when: answered(on) })]),
          ]),
        ],
      })
    for (const on of ['top', 'other', 'outer', 'uncle', 'inner', 'sister'])
      expect(await errors(definition(on))).toEqual([])
    expect(await errors(definition('cousin'))).toEqual(['not_visible /screens/0/questions/7/visible_when/question'])
    const outside = aDefinition({
      questions: [q.enumerator('pet', [q.text('name')]), q.text('me', { visible_when: answered('name') })],
    })
    expect(await errors(outside)).toEqual(['not_visible /screens/0/questions/2/visible_when/question'])
    const screen = aDefinition({
      screens: [
        { questions: [q.enumerator('pet', [q.text('name')])] },
        { questions: [q.text('x')], visible_when: answered('name') },
      ],
    })
    expect(await errors(screen)).toEqual(['not_visible /screens/1/visible_when/question'])
  })

  test('conditions of bank questions are validated too', async () => {
    const definition = aDefinition({ questions: [q.text('me', { visible_when: answered('banked') })] })
    definition.screens[0]!.questions.unshift({ question: 'banked' })
    expect(await errors(definition, [known('banked')])).toEqual([])
    expect(await errors(definition, [known('banked', 'STATIC')])).toEqual([
      'no_answer /screens/0/questions/1/visible_when/question',
    ])
  })

  test.each(everyKind.map(spec => [spec.question.kind, spec] as const))(
    'on %s accept only matching fields, operators and values',
    async (kind, spec) => {
      const type = exportedType(kind)
      const on = (condition: object) =>
        errors({
          ...aDefinition(),
          questions: [{ ...spec.question }, { admin_name: 'me', kind: 'TEXT', text: 'Me' }],
          screens: [
            {
              name: 'One',
              questions: [
                { question: spec.question.admin_name },
                { question: 'me', visible_when: { question: spec.question.admin_name, ...condition } },
              ],
            },
          ],
        })
      const at = '/screens/0/questions/1/visible_when'
      if (type === undefined) {
        expect(await on({ operator: 'answered' })).toEqual([`no_answer ${at}/question`])
        return
      }
      expect(await on({ operator: 'answered' })).toEqual([])
      expect(await on({ field: 'question_type', operator: 'equal', value: 'x' })).toEqual([`unknown_field ${at}/field`])
      expect(await on({ field: 'toString', operator: 'equal', value: 'x' })).toEqual([`unknown_field ${at}/field`])
      for (const field of conditionFields(type)) {
        const { form } = questionTypes[type].fields[field]!
        const option = spec.question.options?.[0]?.admin_id
        const scalar = form === 'number' ? 7 : form === 'date' ? '2026-02-28' : (option ?? 'x')
        for (const operator of comparisonOperators) {
          const listed = ['in', 'includes_any', 'includes_all'].includes(operator)
          const fits = await on({ field, operator, value: listed ? [scalar] : scalar })
          expect(fits).toEqual(operatorsOfForm[form].includes(operator) ? [] : [`operator_does_not_fit ${at}/operator`])
          if (!operatorsOfForm[form].includes(operator)) continue
          expect(await on({ field, operator, value: listed ? scalar : [scalar] })).toEqual([
            `value_does_not_fit ${at}/value`,
          ])
          const wrong = form === 'number' ? 'seven' : 7
          expect(await on({ field, operator, value: listed ? [wrong] : wrong })).toEqual([
            `value_does_not_fit ${at}/value`,
          ])
          const mixed = ['wrong_type', 'value_does_not_fit'].map(code => `${code} ${at}/value`)
          if (listed) expect(await on({ field, operator, value: [scalar, wrong] })).toEqual(mixed)
          if (form === 'date') {
            const value = listed ? ['2026-02-30'] : '2026-02-30'
            expect(await on({ field, operator, value })).toEqual([`value_does_not_fit ${at}/value`])
          }
          if (option !== undefined) {
            const value = listed ? [option, 'nope'] : 'nope'
            expect(await on({ field, operator, value })).toEqual([`unknown_option ${at}/value`])
          }
        }
      }
    },
  )

  test('the schema refuses exactly the conditions that are reported as errors', () => {
    const scalar = fc.oneof(
      fc.constantFrom('a', '', 'x'.repeat(1001), 'equal', 'answered', 'in'),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
    )
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))
    const { condition } = fc.letrec<{ condition: unknown; list: unknown }>(tie => ({
      condition: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record({ question: fc.constantFrom('a', 'b'), operator: fc.constant('answered') }),
        fc.record({
          question: fc.constantFrom('a', 'b'),
          field: fc.constantFrom('text', 'number'),
          operator: fc.constantFrom(...comparisonOperators),
          value: fc.oneof(fc.string(), fc.integer(), fc.array(fc.string(), { minLength: 1 })),
        }),
        fc.record({ not: tie('condition') }),
        fc.record({ all: tie('list') }),
        fc.record({ any: tie('list') }),
        fc.record(
          { question: scalar, field: scalar, operator: scalar, value, all: value, not: tie('condition') },
          { requiredKeys: [] },
        ),
        scalar,
      ),
      list: fc.oneof({ depthSize: 'small' }, fc.array(tie('condition'), { maxLength: 3 }), scalar),
    }))
    let [right, wrong] = [0, 0]
    fc.assert(
      fc.property(condition, visible_when => {
        const document = aDefinition({ slug: 'x', questions: [q.text('a')] }) as unknown as Record<string, unknown>
        document.screens = [{ name: 'One', questions: [{ question: 'a', visible_when }] }]
        const accepted = Value.Check(programDefinitionSchema, document)
        if (accepted) right++
        else wrong++
        expect([...formErrors(document)].flat().length === 0).toBe(accepted)
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(right, wrong)).toBeGreaterThan(200)
  })
})
