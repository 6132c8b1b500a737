import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { prefersStrictHandling } from '../../../../src/web/http/headers/preference.ts'

describe('Prefer: handling=strict (RFC 7240)', () => {
  test.each([
    'handling=strict',
    'Handling=Strict',
    'HANDLING=STRICT',
    '  handling = strict  ',
    'handling="strict"',
    'handling="str\\ict"',
    'respond-async, handling=strict',
    'respond-async,handling=strict, wait=10',
    'handling=strict; foo; bar=1; baz="a;b,c"',
    'foo="a, handling=lenient", handling=strict',
    'foo; bar="x, y", handling=strict',
    ', ,handling=strict,',
    'handling=strict, handling=lenient',
    'not well formed at all!!, handling=strict',
  ])('%s requests it', header => {
    expect(prefersStrictHandling(header)).toBe(true)
  })

  test.each([
    null,
    '',
    'handling',
    'handling=',
    'handling=""',
    'handling=lenient',
    'handling=lenient, handling=strict',
    'handling=stricter',
    'handling=strict lenient',
    'xhandling=strict',
    'handling-x=strict',
    'foo="handling=strict"',
    'foo="a, handling=strict"',
    'foo; handling=strict',
    'foo="unclosed, handling=strict',
    'respond-async; handling=strict, wait=3',
    'handling:strict',
  ])('%p does not', header => {
    expect(prefersStrictHandling(header)).toBe(false)
  })

  test('never throws or takes longer than the test, for any header', () => {
    const character = fc.constantFrom(...'handling=strict ",;\\=\t')
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 4000 }), header => {
        expect(prefersStrictHandling(header)).toBeBoolean()
      }),
    )
    for (const hostile of [
      ' '.repeat(16_000),
      'a=1;'.repeat(4000),
      '"'.repeat(16_000),
      'a ;'.repeat(5000),
      '\\"'.repeat(8000),
    ]) {
      expect(prefersStrictHandling(`handling${hostile}!`)).toBe(false)
    }
  })
})
