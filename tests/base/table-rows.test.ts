// What the tables of a pull have no place for is an error, and is never left out.

import { expect, test } from 'bun:test'
import { csvRecord } from '../../src/base/csv-text.ts'
import { type DocumentedQuestion, planTables, unansweredIn } from '../../src/base/tables/table-plan.ts'
import { NoColumn, rowMaker } from '../../src/base/tables/table-rows.ts'

const pets: DocumentedQuestion = {
  question_key: 'pets',
  question_type: 'MULTI_SELECT',
  path: 'application.pets',
  fields: [{ path: 'application.pets.selections', type: 'array of strings' }],
  options: [
    { id: 'cat', text: 'A cat' },
    { id: 'dog', text: 'A dog' },
  ],
}
const rowsOf = (multi: 'one' | 'columns', answers: object, labels = false, question = pets, program_version_id = 1) => {
  const rows: unknown[][] = []
  const tables = planTables([question], { multi, labels })
  const own = tables[0]!.columns.findIndex(({ question }) => question === 'pets')
  rowMaker(tables)({ application_id: 7, program_version_id, application: answers }, (_, cells) =>
    rows.push(cells.slice(own)),
  )
  return rows
}
const chosen = (...selections: string[]) => ({ pets: { question_type: 'MULTI_SELECT', selections } })

test('each option has its own column or its position in the list', () => {
  expect(rowsOf('columns', chosen('dog'))).toEqual([[false, true]])
  expect(rowsOf('one', chosen('dog', 'fox'))).toEqual([[['dog', 'fox']]])
  expect(rowsOf('one', chosen('dog', 'fox'), true)).toEqual([[['A dog', 'fox']]])
  expect(csvRecord([['a;\\b;c', 'd'], []])).toBe('"a\\;\\\\b\\;c;d",\r\n')
  const item = { ...pets, fields: [{ path: 'application.pets.selection', type: 'string' }] }
  const answer = (selection: string | null) => ({ pets: { question_type: 'SINGLE_SELECT', selection } })
  expect(rowsOf('one', answer('dog'), true, item)).toEqual([['A dog']])
  expect(rowsOf('one', answer(null), true, item)).toEqual([[null]])
})

test('an application from before a question has what a column added later has for it', () => {
  for (const multi of ['one', 'columns'] as const) {
    const { columns } = planTables([pets], { multi, labels: false })[0]!
    expect(rowsOf(multi, {})).toEqual([columns.filter(({ question }) => question === 'pets').map(unansweredIn)])
  }
  expect(rowsOf('one', {})).toEqual([[[]]])
})

test.each<[string, object]>([
  ['pets.selections.fox', chosen('cat', 'fox')],
  ['pets.others', { pets: { question_type: 'MULTI_SELECT', selections: [], others: 'fox' } }],
  ['garden', { garden: { question_type: 'TEXT', text: null } }],
])('%s that is missing in the docs ends the pull', (what, answers) => {
  expect(() => rowsOf('columns', answers)).toThrow(NoColumn)
  expect(() => rowsOf('columns', answers)).toThrow(`Application 7 has ${what}`)
})

test('a reused option ID has the label from the version that the application was submitted to (D56)', () => {
  const runs = [
    { text: 'A tomcat', first_version_id: 10 },
    { text: 'A caterpillar tractor', first_version_id: 30 },
  ]
  const options = [{ id: 'cat', text: 'A caterpillar tractor', earlier: runs }]
  const words = (version: number) => rowsOf('one', chosen('cat'), true, { ...pets, options }, version)[0]
  expect([10, 29, 30, 31].map(words)).toEqual([
    [['A tomcat']],
    [['A tomcat']],
    [['A caterpillar tractor']],
    [['A caterpillar tractor']],
  ])
  // From before all that the docs say: no words rather than wrong ones.
  expect(words(9)).toEqual([['cat']])
})
