import { describe, expect, test } from 'bun:test'
import type { Answer } from '../../../src/domain/questions/answers.ts'
import {
  type ComparisonOperator,
  type Condition,
  type ConditionValue,
  comparisonOperators,
} from '../../../src/domain/questions/program-version.ts'
import { holds } from '../../../src/domain/questions/visibility.ts'

const address: Answer = {
  type: 'ADDRESS',
  street: '1 Pine',
  line2: null,
  city: 'Seattle',
  state: 'WA',
  zip: '98101',
  corrected: 'Failed',
  latitude: null,
  longitude: null,
  well_known_id: null,
  service_area: null,
}
const answers = new Map<number, Answer>([
  [1, { type: 'NUMBER', number: 3 }],
  [2, { type: 'MULTI_SELECT', selections: ['a', 'b'] }],
  [3, { type: 'SINGLE_SELECT', selection: 'yes' }],
  [4, { type: 'DATE', date: '2026-03-01' }],
  [5, { type: 'CURRENCY', currency_cents: 1010 }],
  [6, address],
  [7, { type: 'ENUMERATOR', entities: [] }],
  [8, { type: 'FILE_UPLOAD', file_urls: ['https://a.example/1', 'https://a.example/2'] }],
])
const find = (id: number): Answer | undefined => answers.get(id)
const compare = (
  question_id: number,
  field: string,
  operator: ComparisonOperator,
  value: ConditionValue,
): Condition => ({
  question_id,
  field,
  operator,
  value,
})
const unanswered = 99

describe('conditions', () => {
  test.each([
    [1, 'number', 'equal', 3, true],
    [1, 'number', 'equal', '3', false],
    [1, 'number', 'not_equal', 4, true],
    // What is of another type is not compared, so it is not unequal either.
    [1, 'number', 'not_equal', '4', false],
    [1, 'number', 'less_than', '4', false],
    [3, 'selection', 'not_equal', 1, false],
    [1, 'number', 'less_than', 3, false],
    [1, 'number', 'less_than_or_equal', 3, true],
    [1, 'number', 'greater_than', 2, true],
    [1, 'number', 'greater_than_or_equal', 3, true],
    [1, 'number', 'greater_than_or_equal', 4, false],
    [1, 'number', 'in', [1, 3], true],
    [1, 'number', 'in', [1, 2], false],
    [1, 'number', 'in', ['3'], false],
    [2, 'selections', 'includes_any', ['x', 'b'], true],
    [2, 'selections', 'includes_any', ['x'], false],
    [2, 'selections', 'includes_all', ['b', 'a'], true],
    [2, 'selections', 'includes_all', ['a', 'x'], false],
    [2, 'selections', 'equal', 'a', false],
    [3, 'selection', 'equal', 'yes', true],
    [3, 'selection', 'in', ['no', 'yes'], true],
    [4, 'date', 'less_than', '2026-10-01', true],
    [4, 'date', 'greater_than', '2026-10-01', false],
    [5, 'currency_dollars', 'equal', 10.1, true],
    [5, 'currency_dollars', 'less_than', 10.11, true],
    [6, 'state', 'equal', 'WA', true],
    [6, 'corrected', 'equal', 'Failed', true],
    [8, 'file_key', 'equal', 'https://a.example/1', true],
    [8, 'file_urls', 'includes_any', ['https://a.example/2'], true],
  ] as const)('%p.%s %s %p is %p', (id, field, operator, value, expected) =>
    expect(holds(compare(id, field, operator, value as ConditionValue), find)).toBe(expected),
  )

  test('"An unanswered question\'s comparison is false, whatever the operator (so `not` of it is true)"', () => {
    for (const operator of comparisonOperators) {
      for (const value of ['x', 1, ['x'], [1]]) {
        for (const [id, field] of [
          [unanswered, 'text'],
          [6, 'line2'],
          [6, 'nonsense'],
          [6, '__proto__'],
          [7, 'entities'],
        ] as const) {
          const condition = compare(id, field, operator, value)
          expect([operator, holds(condition, find)]).toEqual([operator, false])
          expect(holds({ not: condition }, find)).toBe(true)
        }
      }
    }
  })

  test('combine with all, any and not, and test whether a question was answered', () => {
    const yes: Condition = { question_id: 1, operator: 'answered' }
    const no: Condition = { question_id: unanswered, operator: 'answered' }
    expect([yes, no].map(condition => holds(condition, find))).toEqual([true, false])
    expect([holds({ all: [yes, no] }, find), holds({ all: [yes, yes] }, find)]).toEqual([false, true])
    expect([holds({ any: [no, yes] }, find), holds({ any: [no, no] }, find)]).toEqual([true, false])
    expect(holds({ not: { all: [yes, { not: no }] } }, find)).toBe(false)
  })
})
