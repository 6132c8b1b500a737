import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  parseJson,
  placedDetail,
  pointerTo,
  pointerTokens,
  writeJson,
} from '../../../src/domain/values/json-text.ts'

/** As JSON.parse gives it, where that loses nothing. */
function plain(json: Json): unknown {
  if (json instanceof JsonNumber) return Number(json.source)
  if (isJsonObject(json)) {
    // Defined rather than assigned: `__proto__` must become a property.
    const object = {}
    for (const [key, value] of json)
      Object.defineProperty(object, key, { value: plain(value), enumerable: true, configurable: true, writable: true })
    return object
  }
  return Array.isArray(json) ? json.map(plain) : json
}

const errorOf = (text: string, depthMax = 64) => {
  const parsed = parseJson(text, { depthMax })
  return 'error' in parsed ? parsed.error : undefined
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('JSON text', () => {
  test('has the same value as with JSON.parse, and is written back unchanged', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', noUnicodeString: false } as object), text => {
        const parsed = parseJson(text, { depthMax: 64 })
        if ('error' in parsed) throw new Error(parsed.error.detail)
        expect(plain(parsed.json)).toEqual(JSON.parse(text))
        expect(JSON.parse(writeJson(parsed.json))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('is refused exactly when JSON.parse refuses it, in randomly changed text', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\ \t\n01.-+eE',
      'true',
      'null',
      '"a"',
      '\\u12',
      '\u0000',
      '\u00a0',
      '\ufeff',
      'x',
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.constant('{"a":[1.5e3,"\\u0041"]}')),
        fc.nat(),
        pieces,
        fc.nat(3),
        (text, at, piece, cut) => {
          const i = at % (text.length + 1)
          const changed = text.slice(0, i) + piece + text.slice(i + cut)
          const code = errorOf(changed)?.code
          // A key that stands twice is found before what is malformed after it.
          if (code !== 'duplicate_key')
            expect([changed, code]).toEqual([changed, parses(changed) ? undefined : 'malformed_json'])
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('has long strings that are the same as with JSON.parse, or refused by both, wherever escapes and errors are', () => {
    const run = fc.integer({ min: 60, max: 70 }).map(length => 'x'.repeat(length))
    const piece = fc.constantFrom(
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\ud800',
      'é',
      '→',
      '"',
      '\\',
      '\\x',
      '\n',
      '",1,"',
      '\\\\"',
    )
    const content = fc.array(fc.oneof(run, run, piece), { maxLength: 8 }).map(pieces => pieces.join(''))
    let parsed = 0
    fc.assert(
      fc.property(content, text => {
        const array = `["${text}","after"]`
        const read = parseJson(array, { depthMax: 64 })
        expect('json' in read).toBe(parses(array))
        if (!('json' in read)) return
        parsed++
        expect(plain(read.json)).toEqual(JSON.parse(array))
      }),
      { numRuns: 2000 },
    )
    expect(parsed).toBeGreaterThan(200)
    // As in a short one, an error is reported at its place.
    const long = 'x'.repeat(1000)
    expect(errorOf(`"${long}\\"${long}\n"`)).toMatchObject({ code: 'malformed_json', line: 1, column: 2004 })
    expect(errorOf(`"${long}\\x"`)).toMatchObject({ code: 'malformed_json', column: 1 })
    expect(errorOf(`"${long}\\"`)).toMatchObject({ code: 'malformed_json', column: 1004 })
  })

  test('numbers keep their digits', () => {
    for (const number of ['1.10', '-0', '1E+2', '9007199254740993', '0.1000', `1${'0'.repeat(400)}`]) {
      expect(writeJson((parseJson(`[${number}]`, { depthMax: 8 }) as { json: Json }).json)).toBe(`[${number}]`)
    }
  })

  test('refuses a duplicate key in an object at its place, even with equal values', () => {
    expect(errorOf('{"a":1,"a":1}')).toMatchObject({ code: 'duplicate_key', path: '/a' })
    expect(errorOf('{"x":[{},{"b~/":{},"b~/":[]}]}')).toMatchObject({ code: 'duplicate_key', path: '/x/1/b~0~1' })
    expect(errorOf('{"\\u0061":1,"a":2}')).toMatchObject({ code: 'duplicate_key' })
    expect(errorOf('{"__proto__":1,"__proto__":1}')).toMatchObject({ code: 'duplicate_key' })
    const last = parseJson('{"a":1,"a":"x"}', { depthMax: 2, lastOfDuplicates: true })
    expect(last).toEqual({ json: new Map([['a', 'x']]) })
    expect(errorOf('{"a":{"a":1},"b":{"a":1}}')).toBeUndefined()
  })

  test('nesting deeper than the bound is refused before it is read', () => {
    expect(errorOf('[[{"a":[]}]]', 4)).toBeUndefined()
    expect(errorOf('[[{"a":[]}]]', 3)).toMatchObject({ code: 'too_deep', path: '/0/0/a' })
    expect(errorOf('['.repeat(1_000_000), 64)).toMatchObject({ code: 'too_deep' })
  })

  test('an error has its line, column and pointer (RFC 6901)', () => {
    const placeOf = (text: string, depthMax = 64) => {
      const { path, line, column } = errorOf(text, depthMax)!
      return { path, line, column }
    }
    expect(placeOf('{\n  "a": 1,\n  "b": [1, x]\n}')).toEqual({ path: '/b/1', line: 3, column: 12 })
    expect(placeOf('{\n  "a": 1\n  "b": 2\n}')).toEqual({ path: '', line: 3, column: 3 })
    expect(placeOf('{"a": {"b": 2, }}')).toEqual({ path: '/a', line: 1, column: 16 })
    expect(placeOf('[[1 2]]')).toEqual({ path: '/0', line: 1, column: 5 })
    expect(placeOf('{"a":1,\n "a":2}')).toEqual({ path: '/a', line: 2, column: 2 })
    expect(placeOf('[\n[\n[]]]', 2)).toEqual({ path: '/0/0', line: 3, column: 1 })
    expect(placeOf('"abc')).toEqual({ path: '', line: 1, column: 5 })
    expect(placeOf('')).toEqual({ path: '', line: 1, column: 1 })
    const error = errorOf('[1,\n2')!
    expect(placedDetail(error)).toEndWith(' (line 2, column 2).')
  })

  test('more values than the limit are refused, whatever their type', () => {
    const codeOf = (text: string, valuesMax: number) => {
      const parsed = parseJson(text, { depthMax: 8, valuesMax })
      return 'error' in parsed ? parsed.error.code : 'read'
    }
    for (const text of ['[1,2,3]', '{"a":1,"b":"x","c":null}', '[[],{},true]']) {
      expect(codeOf(text, 4)).toBe('read')
      expect(codeOf(text, 3)).toBe('too_many_values')
    }
    expect(codeOf(`[${'1,'.repeat(1_000_000)}1]`, 50_000)).toBe('too_many_values')
  })

  test('a key named like an inherited member is a key like any other', () => {
    const { json } = parseJson('{"__proto__":{"polluted":true},"constructor":1}', { depthMax: 8 }) as { json: Json }
    expect(isJsonObject(json) && [...json.keys()]).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('a pointer escapes what separates its parts (RFC 6901)', () => {
    expect(pointerTo('/a', 'm~n/o')).toBe('/a/m~0n~1o')
    expect(pointerTo('', 0)).toBe('/0')
    for (const tokens of [[], ['a', 'm~n/o'], ['~1', ''], ['~01', '0']])
      expect(pointerTokens(tokens.reduce(pointerTo, ''))).toEqual(tokens)
  })
})
