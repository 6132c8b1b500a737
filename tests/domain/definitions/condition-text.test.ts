// Conditions in words.

import { expect, test } from 'bun:test'
import { askedById, conditionText } from '../../../src/domain/definitions/condition-text.ts'
import type { Condition } from '../../../src/domain/questions/program-version.ts'
import { aVersion } from '../../support/program-version.ts'

const { questions } = aVersion({
  tenure: {
    kind: 'RADIO',
    options: [
      { admin_id: 'rent', text: 'Renting' },
      { admin_id: 'own', text: 'Owning' },
    ],
  },
  born: { kind: 'DATE' },
  size: { kind: 'NUMBER' },
  home: { kind: 'ADDRESS' },
  bills: {
    kind: 'CHECKBOX',
    options: [
      { admin_id: 'gas', text: 'Gas' },
      { admin_id: 'oil', text: 'Oil' },
    ],
  },
})
const is = (value: string): Condition => ({ question_id: 1, operator: 'equal', field: 'selection', value })

/** What a text names, and how it is grouped; the words between are for readers. */
const namedIn = (text: string): string => text.match(/“[^”]*”|[()]|\d[^“”()]*/g)!.join(' ')

test.each<[Condition, string]>([
  [is('rent'), '“tenure?” “Renting”'],
  [is('removed'), '“tenure?” “removed”'],
  [{ question_id: 1, operator: 'in', field: 'selection', value: ['rent', 'own'] }, '“tenure?” “Renting” “Owning”'],
  [{ question_id: 2, operator: 'less_than', field: 'date', value: '2020-01-02' }, '“born?” 2, 2020'],
  [{ question_id: 3, operator: 'greater_than_or_equal', field: 'number', value: 3 }, '“size?” 3'],
  [{ question_id: 4, operator: 'not_equal', field: 'service_area', value: 'x' }, '“home?” ( ) “x”'],
  [{ question_id: 5, operator: 'includes_all', field: 'selections', value: ['gas', 'oil'] }, '“bills?” “Gas” “Oil”'],
  [{ question_id: 3, operator: 'answered' }, '“size?”'],
  [{ question_id: 99, operator: 'answered' }, expect.any(String)],
  [{ not: is('own') }, '( “tenure?” “Owning” )'],
  [
    { all: [is('own'), { any: [is('rent'), { all: [is('own'), { question_id: 3, operator: 'answered' }] }] }] },
    '“tenure?” “Owning” ( “tenure?” “Renting” ( “tenure?” “Owning” “size?” ) )',
  ],
])('%j names its questions and values', (condition, named) => {
  expect(namedIn(conditionText(condition, askedById(questions)))).toEqual(named)
})

test('each operator and each way to join conditions has its own wording', () => {
  const operators = [
    'equal',
    'not_equal',
    'less_than',
    'less_than_or_equal',
    'greater_than',
    'greater_than_or_equal',
  ] as const
  const compared = operators.map((operator): Condition => ({ question_id: 3, operator, field: 'number', value: 3 }))
  const joined: Condition[] = [{ all: compared }, { any: compared }, { not: compared[0]! }]
  const texts = [...compared, ...joined].map(condition => conditionText(condition, askedById(questions)))
  expect(new Set(texts).size).toBe(texts.length)
})
