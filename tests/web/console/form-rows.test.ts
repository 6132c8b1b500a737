// Rows of a form, rearranged by its buttons: nothing that was typed in one is lost or ends up in another.

import { expect, test } from 'bun:test'
import { conditionOf } from '../../../src/web/console/drafts/condition-fields.ts'
import { optionLines, optionRowsMax, rearrange } from '../../../src/web/console/drafts/form-rows.ts'
import { readQuestionForm } from '../../../src/web/console/drafts/read-question-form.ts'
import { aDefinition, q } from '../../support/programs.ts'

const form = (fields: string): URLSearchParams => new URLSearchParams(fields)
const three = 'option_text_0=A&option_id_0=a&option_text_1=B&option_id_1=b&option_text_2=C&option_id_2='
const said = (rows: URLSearchParams, name: string): string[] =>
  [...rows].filter(([field]) => field.startsWith(name)).map(([, value]) => value)

test.each([
  ['option-up-2', 'ACB', ['a', '', 'b']],
  ['option-down-0', 'BAC', ['b', 'a', '']],
  ['option-up-0', 'ABC', ['a', 'b', '']],
  ['option-down-2', 'ABC', ['a', 'b', '']],
  ['option-remove-1', 'AC', ['a', '']],
  ['option-remove-7', 'ABC', ['a', 'b', '']],
  ['of no button', 'ABC', ['a', 'b', '']],
])('%s gives %s', (button, texts, ids) => {
  const rows = form(three)
  rearrange(rows, button)
  expect([said(rows, 'option_text').join(''), said(rows, 'option_id')]).toEqual([texts, ids])
})

test('a pasted list follows the present items, without its list markers', () => {
  const rows = form('option_text_0=A&option_id_0=a&option_text_1=&option_id_1=')
  rows.set('option_list', '- One\r\n\r\n  2. Two\n• Three\n4 rooms')
  rearrange(rows, 'option-paste')
  expect(said(rows, 'option_text')).toEqual(['A', 'One', 'Two', 'Three', '4 rooms'])
  expect(rows.has('option_list')).toBe(false)
})

test('a list that is pasted into a row without a text begins there, and what follows stays after it', () => {
  const rows = form('option_text_0=A&option_id_0=a&option_text_1=&option_id_1=b&option_text_2=C&option_id_2=c')
  rows.set('option_list', 'One\nTwo')
  rearrange(rows, 'option-paste-1')
  expect([said(rows, 'option_text'), said(rows, 'option_id')]).toEqual([
    ['A', 'One', 'Two', 'C'],
    ['a', 'b', 'c'],
  ])
  rows.set('option_list', 'Three')
  rearrange(rows, 'option-paste-0')
  expect(said(rows, 'option_text')).toEqual(['A', 'One', 'Two', 'C', 'Three'])
})

test('a line of a condition keeps all of its values when another is removed', () => {
  const rows = form('when_what_0=x&when_operator_0=in&when_what_1=y&when_operator_1=in&when_value_1=p&when_value_1=q')
  rearrange(rows, 'when-remove-0')
  expect([rows.get('when_what_0'), rows.getAll('when_value_0'), rows.has('when_what_1')]).toEqual([
    'y',
    ['p', 'q'],
    false,
  ])
  rearrange(rows, 'when-more')
  expect(rows.get('when_what_1')).toBe('')
})

const { question: house } = q.radio('house', ['rent', 'own'])
const definition = aDefinition({ questions: [q.radio('house', ['rent', 'own']), q.number('people')] })

test('a line compares as its field does: with numbers, and with each option that is ticked', () => {
  const said = (what: readonly string[], operator: string, ...values: string[]) =>
    conditionOf({ what: JSON.stringify(what), operator, values }, definition.questions)
  const [question, field] = ['house', 'selection']
  expect(said([question, field], 'in', 'rent', 'own')).toEqual({
    question,
    field,
    operator: 'in',
    value: ['rent', 'own'],
  })
  expect(said(['people', 'number'], 'less_than', '-2.5')).toMatchObject({ operator: 'less_than', value: -2.5 })
})

test('what is said of options and lines is found again in its rows; what options had before stays theirs', () => {
  const before = {
    ...house,
    options: [
      { admin_id: 'A 1', text: 'A', legacy_id: true },
      { admin_id: 'b', text: 'A' },
    ],
  }
  const rows = form('screen=0&when=all&when_what_0=&when_operator_2=equal&when_value_2=1&option_text_0=&option_id_0=')
  rows.set('when_what_2', '["people","number"]')
  for (const [row, { admin_id, text }] of before.options.toReversed().entries()) {
    rows.set(`option_text_${2 - row}`, text)
    rows.set(`option_id_${2 - row}`, admin_id)
  }
  for (const [row, text] of ['Yes!', 'Yes?'].entries()) rows.set(`option_text_${row + 3}`, text)
  const { question, optionRows, whenRows, errors } = readQuestionForm(rows, house, before, definition)
  expect({ options: question.options, optionRows, whenRows, errors }).toEqual({
    options: [...before.options.toReversed(), { admin_id: 'yes', text: 'Yes!' }, { admin_id: 'yes_2', text: 'Yes?' }],
    optionRows: [2, 1, 3, 4],
    whenRows: [2],
    errors: [],
  })
})

test('more options than fit as rows are a text, a line each, and none is lost on the way', () => {
  const rows = form('option_text_0=A&option_id_0=a&option_text_1=&option_id_1=b')
  const pasted = Array.from({ length: optionRowsMax + 10_000 }, (_, i) => `Option ${i} of many`)
  rows.set('option_list', pasted.join('\n'))
  rearrange(rows, 'option-paste')
  expect([said(rows, 'option_text'), rows.has('option_list')]).toEqual([[], false])
  expect(rows.get('option_lines')).toBe(['a | A', 'b | ', ...pasted, ''].join('\n'))
  // What comes back in rows, as from a page of an earlier release, follows the lines.
  rows.set('option_text_7', 'Last')
  rows.set('option_list', 'Very last')
  const { question, errors } = readQuestionForm(rows, house, house, definition)
  expect(errors.filter(({ parameter }) => parameter !== 'screen')).toEqual([])
  expect(question.options!.map(({ text }) => text)).toEqual(['A', '', ...pasted, 'Last', 'Very last'])
  expect(question.options!.slice(2, 4).map(({ admin_id }) => admin_id)).toEqual([
    'option_0_of_many',
    'option_1_of_many',
  ])
})

test('options read back from their lines are what they were: with their line breaks and bars, and ids that are older than the rule', () => {
  const options = [
    { admin_id: 'A 1', text: 'two\n lines', legacy_id: true },
    { admin_id: 'b', text: 'a | bar' },
    { admin_id: 'c', text: 'C' },
  ]
  const before = { ...house, options }
  const lines = optionLines(options.map(({ admin_id, text }) => ({ id: admin_id, text })))!
  const read = (text: string) =>
    readQuestionForm(new URLSearchParams({ screen: '0', option_lines: text }), house, before, definition)
  expect(read(lines)).toMatchObject({ question: { options }, errors: [] })
  expect(read('\r\n | New | one\r\nSecond\r\nc|C').question.options).toEqual([
    { admin_id: 'new_one', text: 'New | one' },
    { admin_id: 'second', text: 'Second' },
    { admin_id: 'c', text: 'C' },
  ])
  expect(read('Same\nOther\nSame').errors).toMatchObject([{ parameter: 'option_lines', code: 'duplicate' }])
  expect(optionLines([{ id: 'a|b', text: 'A' }])).toBeUndefined()
})

test('of a long list of options, a condition has the ids that were typed', () => {
  const many = q.radio(
    'many',
    Array.from({ length: optionRowsMax + 1 }, (_, i) => `o${i}`),
  )
  const { questions } = aDefinition({ questions: [many] })
  const what = '["many","selection"]'
  expect(conditionOf({ what, operator: 'in', values: ['o1, o2'] }, questions)).toMatchObject({ value: ['o1', 'o2'] })
  expect(conditionOf({ what, operator: 'equal', values: ['o1'] }, questions)).toMatchObject({ value: 'o1' })
})
