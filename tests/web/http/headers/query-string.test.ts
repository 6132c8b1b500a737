import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQueryString } from '../../../../src/web/http/headers/sent-text.ts'

describe('a query string', () => {
  test('is read back as the same pairs, however they were escaped', () => {
    const text = fc.string({ unit: 'grapheme' }).filter(s => s.isWellFormed() && !s.includes('\0'))
    const pair = fc.record({ name: text.filter(s => s !== ''), value: text })
    fc.assert(
      fc.property(fc.array(pair), fc.boolean(), (pairs, asForm) => {
        const escaped = (s: string): string =>
          asForm ? new URLSearchParams([[s, '']]).toString().slice(0, -1) : encodeURIComponent(s)
        const raw = pairs.map(({ name, value }) => `${escaped(name)}=${escaped(value)}`).join('&')
        expect(parseQueryString(raw)).toEqual({ pairs, malformed: [] })
      }),
    )
  })

  test.each([
    ['', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['a==b', [['a', '=b']]],
    ['=b', [['', 'b']]],
    ['&a=1&&', [['a', '1']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['a=1+2%2B3', [['a', '1 2+3']]],
    ['a=1?b=2', [['a', '1?b=2']]],
    ['a=%EF%BB%BFx', [['a', '\ufeffx']]],
    ['%61=x', [['a', 'x']]],
    ['__proto__=x', [['__proto__', 'x']]],
  ])('%p', (raw, expected) => {
    const pairs = (expected as [string, string][]).map(([name, value]) => ({ name, value }))
    expect(parseQueryString(raw as string)).toEqual({ pairs, malformed: [] })
  })

  test.each([
    '%',
    '%4',
    '%zz',
    '100%',
    '%E0%A4%A',
    '%FF',
    '%C0%AF',
    '%ED%A0%80',
    '%F5%80%80%80',
    '%u0041',
    '%C3',
    '%00',
    'x%00y',
  ])('value %p is not percent-encoded UTF-8 without U+0000', value => {
    expect(parseQueryString(`a=1&b=${value}`)).toEqual({ pairs: [{ name: 'a', value: '1' }], malformed: ['b'] })
  })

  test('with a name that cannot be decoded returns it as sent', () => {
    expect(parseQueryString('na%me=1&%24top=%ff')).toEqual({ pairs: [], malformed: ['na%me', '$top'] })
  })
})
