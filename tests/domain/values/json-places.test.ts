// Where values stand in a JSON text: held against the text itself, whose values are found by writing them there.

import { expect, test } from 'bun:test'
import { placesIn } from '../../../src/domain/values/json-places.ts'

const text = `{
  "a": [1, {"b/c": "x \\"y\\" {", "d~": null}],
\t"e": {"f": true, "": [[], -1.5e3]}
}`

test('each value is located, whatever the keys and strings around it contain', () => {
  const at = (path: string): string => {
    const [{ line, column } = { line: 0, column: 0 }] = placesIn(text, [path])
    return text.split('\n')[line - 1]!.slice(column - 1)
  }
  expect(at('')).toBe('{')
  expect(at('/a')).toStartWith('[1')
  expect(at('/a/0')).toStartWith('1, {')
  expect(at('/a/1/b~1c')).toStartWith('"x \\"y\\" {"')
  expect(at('/a/1/d~0')).toStartWith('null}')
  expect(at('/e//1')).toStartWith('-1.5e3')
  expect(at('/e/f')).toStartWith('true')
})

test('a missing member is located at its parent', () => {
  expect(placesIn(text, ['/a/1/nothing', '/e/g/h', '/zz'])).toEqual([
    { line: 2, column: 12 },
    { line: 3, column: 7 },
    { line: 1, column: 1 },
  ])
})

test('lines may end with CR LF, as browsers send them', () => {
  expect(placesIn('{\r\n  "a":\r\n    7\r\n}', ['/a'])).toEqual([{ line: 3, column: 5 }])
})
