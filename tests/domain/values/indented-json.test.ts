// JSON with line breaks: not a sign is changed.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { indentedJson } from '../../../src/domain/values/indented-json.ts'

test('apart from the space between tokens, the text and its meaning are unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(indentedJson(text)).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

test('numbers and escapes are unchanged, and characters within strings are not tokens', () => {
  expect(indentedJson('{"a":12.50,"b":"{[\\",:\\\\","c":"\\u00e9","d":[],"e":{}}')).toBe(
    '{\n  "a": 12.50,\n  "b": "{[\\",:\\\\",\n  "c": "\\u00e9",\n  "d": [],\n  "e": {}\n}',
  )
})

test('a string with a million quotation marks is one token', () => {
  const value = { text: '{"a":[\\'.repeat(1_000_000), after: [1] }
  expect(indentedJson(JSON.stringify(value)) === JSON.stringify(value, undefined, 2)).toBe(true)
})
