import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { JsonNumber } from '../../../src/domain/values/json-text.ts'
import { parseExactJson } from '../../../src/load/reading/exact-json.ts'

describe('parseExactJson', () => {
  test.each([
    '9007199254740993',
    '9007199254740991.4',
    '1.00000000000000000000001',
    '1e-400',
    '1e400',
    '-1e400',
    '1152921504606846976',
    '90071992547409.91',
    '0.1000000000000000055511151231257827',
  ])('keeps %s, which a double would change', source => {
    const { a } = parseExactJson(`{"a":${source}}`) as { a: unknown }
    expect(a).toEqual(new JsonNumber(source))
  })

  test.each([
    '0',
    '-0',
    '12.10',
    '1e3',
    '1E+2',
    '-1.5e-3',
    '9007199254740991',
    '1.000000000000000000000',
    '123456789012345',
  ])('reads %s as JSON.parse does', source => {
    expect(parseExactJson(`{"a": ${source}}`)).toEqual({ a: Number(source) })
  })

  test('reads everything else as JSON.parse does, whichever parser it takes', () => {
    fc.assert(
      fc.property(fc.json(), json => {
        expect(parseExactJson(json)).toEqual(JSON.parse(json))
        // A long number alongside it makes the exact parser read it.
        const [value] = Object.values(parseExactJson(`{"a":${json},"b":12345678901234567890}`) as object)
        expect(value).toEqual(JSON.parse(json))
      }),
    )
  })

  test('a key such as __proto__ is a member like any other', () => {
    for (const number of ['1', '12345678901234567890']) {
      const value = parseExactJson(`{"__proto__":{"a":true},"b":${number}}`) as object
      expect(Object.keys(value)).toEqual(['__proto__', 'b'])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    }
  })

  test('a key that occurs twice in one object is refused, with or without long numbers alongside it', () => {
    for (const number of ['1', '12345678901234567890'])
      for (const text of [
        `{"a":${number},"a":${number}}`,
        `{"x":{"a":${number} , "b":"\\":" , "a" : 2}}`,
        `[{"__proto__":1,"__proto__":${number}}]`,
        `{"\\u0061":1,"a":${number}}`,
      ])
        expect(() => parseExactJson(text)).toThrow(/Must be given once: this key occurs twice \(column [0-9]+\)/)
  })

  test('texts that look like keys are texts', () => {
    for (const text of ['{"a":"\\":"}', '{"a":"b\\" : c","b":{"\\":":[]}}', '[":","\\":"]'])
      expect(parseExactJson(text)).toEqual(JSON.parse(text))
  })

  test('says what is wrong with text that is not JSON, and where', () => {
    expect(() => parseExactJson('{"a":1,}')).toThrow(/Must be JSON: a key in double quotes.*column 8/)
    expect(() => parseExactJson('{"a":12345678901234567890,}')).toThrow(/Must be JSON.*column 27/)
    expect(() => parseExactJson('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(/nested/)
    expect(() => parseExactJson(`{"a":12345678901234567890,"b":${'['.repeat(100_000)}`)).toThrow(/nested/)
  })
})
