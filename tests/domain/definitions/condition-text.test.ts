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

test.each<[Condition, string]>([
  [is('rent'), '“tenure?” is “Renting”'],
  [is('removed'), '“tenure?” is “removed”'],
  [
    { question_id: 1, operator: 'in', field: 'selection', value: ['rent', 'own'] },
    '“tenure?” is any of “Renting”, “Owning”',
  ],
  [{ question_id: 2, operator: 'less_than', field: 'date', value: '2020-01-02' }, '“born?” is before 2 January 2020'],
  [{ question_id: 3, operator: 'greater_than_or_equal', field: 'number', value: 3 }, '“size?” is at least 3'],
  [{ question_id: 4, operator: 'not_equal', field: 'service_area', value: 'x' }, '“home?” (service area) is not “x”'],
  [
    { question_id: 5, operator: 'includes_all', field: 'selections', value: ['gas', 'oil'] },
    '“bills?” has all of “Gas”, “Oil”',
  ],
  [{ question_id: 3, operator: 'answered' }, '“size?” was answered'],
  [{ question_id: 99, operator: 'answered' }, '“another question” was answered'],
  [{ not: is('own') }, 'not (“tenure?” is “Owning”)'],
  [
    { all: [is('own'), { any: [is('rent'), { all: [is('own'), { question_id: 3, operator: 'answered' }] }] }] },
    '“tenure?” is “Owning” and (“tenure?” is “Renting” or (“tenure?” is “Owning” and “size?” was answered))',
  ],
])('%j', (condition, words) => {
  expect(conditionText(condition, askedById(questions))).toBe(words)
})
