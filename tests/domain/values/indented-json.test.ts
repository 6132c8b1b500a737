// JSON with line breaks: not a sign is changed.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { indentedJson } from '../../../src/domain/values/indented-json.ts'

test('what is between the tokens aside, the text is the same, and it says the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(indentedJson(text)).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

test('numbers and escapes stay as they were written, signs within strings are no tokens', () => {
  expect(indentedJson('{"a":12.50,"b":"{[\\",:\\\\","c":"\\u00e9","d":[],"e":{}}')).toBe(
    '{\n  "a": 12.50,\n  "b": "{[\\",:\\\\",\n  "c": "\\u00e9",\n  "d": [],\n  "e": {}\n}',
  )
})

test('a text with a million quotes in it is one token, whatever else is within', () => {
  const value = { text: '{"a":[\\'.repeat(1_000_000), after: [1] }
  expect(indentedJson(JSON.stringify(value)) === JSON.stringify(value, undefined, 2)).toBe(true)
})
