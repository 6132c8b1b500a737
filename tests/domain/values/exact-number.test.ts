import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dollars } from '../../../src/domain/question-types/currency.ts'
import { exactCents, exactInteger } from '../../../src/domain/values/exact-number.ts'

describe('exact numbers', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1.0', 1],
    ['1e3', 1000],
    ['1200E-2', 12],
    ['-17', -17],
    ['0e99999999999999999999', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['90071992547409910e-1', 9007199254740991],
  ])('%s is the integer %p', (source, value) => expect(Object.is(exactInteger(source), value)).toBe(true))

  test.each([
    '1.5',
    '1e-1',
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993',
    // A double holds it exactly, but not all of its neighbours.
    '1152921504606846976',
    '1e20',
    '1e21',
    '1e400',
    '1e99999999999999999999',
    '1e-99999999999999999999',
  ])('"an integer within ±(2^53 − 1), so that no client loses a digit" (D19): not %s', source =>
    expect(exactInteger(source)).toBeUndefined(),
  )

  test('a million digits are read only once', () => {
    const zeros = '0'.repeat(1_000_000)
    for (const source of [`1${zeros}1`, `0.${zeros}1`, `1${zeros}`]) expect(exactInteger(source)).toBeUndefined()
    expect(exactInteger(`1.${zeros}`)).toBe(1)
  })

  test('every safe integer, however it is written', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(8), (value, zeros) => {
        expect(exactInteger(`${value}.${'0'.repeat(zeros + 1)}`)).toBe(value || 0)
        expect(exactInteger(`${value}${'0'.repeat(zeros)}e-${zeros}`)).toBe(value || 0)
      }),
    )
  })

  test('whole cents from the text, never by way of a double (D18)', () => {
    expect(exactCents('1.1')).toBe(110)
    expect(exactCents('0.29')).toBe(29)
    expect(exactCents('12.50')).toBe(1250)
    expect(exactCents('1e2')).toBe(10_000)
    expect(exactCents('90071992547409.91')).toBe(9007199254740991)
    for (const source of ['1.001', '0.005', '1e-3', '90071992547409.92', '1e30', '1e400'])
      expect([source, exactCents(source)]).toEqual([source, undefined])
  })

  test('an amount is printed as it was read', () => {
    fc.assert(fc.property(fc.maxSafeInteger().map(Math.abs), cents => expect(exactCents(dollars(cents))).toBe(cents)))
  })
})
