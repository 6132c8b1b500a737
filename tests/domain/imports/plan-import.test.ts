import { describe, expect, test } from 'bun:test'
import type { KnownQuestion } from '../../../src/domain/definitions/definition-questions.ts'
import { type ImportChoices, planImport } from '../../../src/domain/imports/plan-import.ts'
import { errors, known } from '../../support/definition-errors.ts'
import { aDefinition, type QuestionSpec, q } from '../../support/programs.ts'

const plan = (questions: readonly QuestionSpec[], bank: readonly KnownQuestion[], choices: ImportChoices = {}) =>
  planImport(aDefinition({ slug: 'rent-help', questions }), bank, choices)

const relations = ({ questions }: ReturnType<typeof plan>) =>
  questions.map(({ admin_name, relation, reason, holder, may }) => [admin_name, relation, reason, holder, may])

const email = { ...known('email address', 'EMAIL'), settings: { text: 'email address?' } }

describe('a question of a file', () => {
  test('is new, the same as in the bank, or conflicts in settings, kind, place or key', () => {
    const bank = [
      email,
      known('phone', 'PHONE'),
      known('account number', 'NUMBER'),
      known('people', 'ENUMERATOR'),
      known('full name', 'NAME', 'people'),
      known('Zip 1', 'TEXT'),
      known('City 1', 'NUMBER'),
    ]
    const questions = [
      q.text('new'),
      q.email('email address'),
      q.phone('phone'),
      q.id('account number'),
      q.name('full name'),
      q.text('zip 2'),
      q.text('city 2'),
    ]
    expect(relations(plan(questions, bank))).toEqual([
      ['new', 'new', null, null, []],
      ['email address', 'same', null, 'email address', []],
      ['phone', 'clash', 'settings', 'phone', ['reuse', 'copy', 'change']],
      ['account number', 'clash', 'kind', 'account number', ['copy']],
      ['full name', 'clash', 'place', 'full name', ['copy']],
      ['zip 2', 'clash', 'key', 'Zip 1', ['reuse', 'copy']],
      ['city 2', 'clash', 'key', 'City 1', ['copy']],
    ])
  })

  test('with the same key as another question in the file can only be copied', () => {
    expect(relations(plan([q.text('zip 1'), q.text('zip 2')], []))[1]).toEqual([
      'zip 2',
      'clash',
      'key',
      'zip 1',
      ['copy'],
    ])
  })

  test('is never renamed without a choice, and stays open under its own name until then', () => {
    const { questions, open, definition } = plan([q.phone('phone')], [known('phone', 'PHONE')])
    expect(open).toEqual(['phone'])
    expect(questions[0]).toMatchObject({ name: 'phone', choice: null, copy_name: 'phone rent help' })
    expect(definition.screens[0]!.questions).toEqual([{ question: 'phone' }])
  })

  test('takes the bank’s settings if reused, keeps its own if changed, and is a new question if copied', () => {
    const bank = [known('phone', 'PHONE')]
    const definitionOf = (choices: ImportChoices) => plan([q.phone('phone')], bank, choices).definition
    expect(definitionOf({ phone: { do: 'reuse' } }).questions).toEqual([])
    expect(definitionOf({ phone: { do: 'change' } }).questions).toMatchObject([{ admin_name: 'phone', text: 'phone?' }])
    const copied = definitionOf({ phone: { do: 'copy', name: 'tenant phone' } })
    expect(copied.questions).toMatchObject([{ admin_name: 'tenant phone', text: 'phone?' }])
    expect(copied.screens[0]!.questions).toEqual([{ question: 'tenant phone' }])
  })

  test('takes its conditions and repeated questions along if copied or replaced', async () => {
    const bank = [known('people', 'TEXT'), known('Owns 1', 'RADIO')]
    bank[1]!.settings.options = [{ admin_id: 'yes', text: 'Yes' }]
    const questions = [
      q.radio('owns 2', ['yes'], { optional: true }),
      q.enumerator(
        'people',
        [q.number('age'), q.text('school', { visible_when: { question: 'age', operator: 'answered' } })],
        {
          visible_when: { not: { question: 'owns 2', field: 'selection', operator: 'equal', value: 'yes' } },
        },
      ),
    ]
    const { definition, open } = plan(questions, bank, {
      'owns 2': { do: 'reuse' },
      people: { do: 'copy', name: 'residents' },
      age: { do: 'copy', name: 'years' },
    })
    expect(open).toEqual([])
    expect(definition.questions.map(({ admin_name, enumerator }) => [admin_name, enumerator])).toEqual([
      ['residents', undefined],
      ['years', 'residents'],
      ['school', 'residents'],
    ])
    expect(await errors(definition, bank)).toEqual([])
  })

  test('under a copied enumerator is new, even if the bank has its name under the old enumerator', () => {
    const bank = [known('people', 'TEXT'), known('job', 'ENUMERATOR'), known('title', 'TEXT', 'people')]
    const choices: ImportChoices = { people: { do: 'copy', name: 'residents' } }
    const planned = plan([q.enumerator('people', [q.text('title')])], bank, choices)
    expect(relations(planned)[1]).toEqual(['title', 'clash', 'place', 'title', ['copy']])
  })
})

test('translations in the bank are no conflict if the file does not offer their language', () => {
  const bank = [{ ...email, settings: { ...email.settings, translations: { es: { text: '¿Correo?' } } } }]
  expect(plan([q.email('email address')], bank).questions[0]).toMatchObject({ relation: 'same', changes: [] })
})

describe('a choice', () => {
  test.each<[string, ImportChoices, string[]]>([
    ['of a question that the file lacks', { other: { do: 'reuse' } }, ['other unknown_question']],
    ['that the clash does not allow', { account: { do: 'reuse' } }, ['account choice_not_possible']],
    ['for a question without a clash', { fresh: { do: 'change' } }, ['fresh choice_not_possible']],
    ['of a name that the bank has', { account: { do: 'copy', name: 'email address' } }, ['account name_taken']],
    ['of a name whose key the bank has', { account: { do: 'copy', name: 'email address2' } }, ['account name_taken']],
    ['of a name without a key', { account: { do: 'copy', name: '2' } }, ['account name_taken']],
  ])('%s is refused', (_, choices, expected) => {
    const { faults } = plan([q.id('account'), q.text('fresh')], [email, known('account', 'NUMBER')], choices)
    expect(faults.map(({ question, code }) => `${question} ${code}`)).toEqual(expected)
  })

  test('can also copy a question without a conflict', () => {
    const { definition } = plan([q.text('fresh')], [], { fresh: { do: 'copy', name: 'fresh air' } })
    expect(definition.questions[0]!.admin_name).toBe('fresh air')
  })
})
