// Rows of a form, rearranged by its buttons: nothing that was typed in one is lost or ends up in another.

import { expect, test } from 'bun:test'
import { rearrange } from '../../src/console/drafts/form-rows.ts'

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
