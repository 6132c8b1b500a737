import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Coding, preferredCoding } from '../../../src/http/headers/negotiation.ts'

describe('Accept-Encoding (RFC 9110, section 12.5.3)', () => {
  test.each<[string | null, Coding | undefined]>([
    [null, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.9', 'gzip'],
    ['zstd;q=0.001', 'zstd'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    [' gzip ; q=0.5 ,\tzstd\t;\tq=0.4', 'gzip'],
    ['br', undefined],
    ['deflate, compress', undefined],
  ])('%p: %p', (field, coding) => expect(preferredCoding(field)).toBe(coding))

  test('"A coding with q=0 is not acceptable"', () => {
    expect(preferredCoding('zstd;q=0, gzip')).toBe('gzip')
    expect(preferredCoding('zstd;q=0.000, gzip;q=0.0')).toBeUndefined()
  })

  test('"*" matches every coding that is not named', () => {
    expect(preferredCoding('*')).toBe('zstd')
    expect(preferredCoding('*;q=0.1')).toBe('zstd')
    expect(preferredCoding('zstd;q=0, *')).toBe('gzip')
    expect(preferredCoding('gzip, *;q=0.5')).toBe('gzip')
    expect(preferredCoding('gzip;q=0.5, *;q=0')).toBe('gzip')
    expect(preferredCoding('*;q=0')).toBeUndefined()
    // Not named here are both zstd and no coding at all, and either is wanted more than gzip.
    expect(preferredCoding('zstd;q=0.2, gzip;q=0, *;q=0.8')).toBeUndefined()
  })

  test('no coding when it is wanted more; a coding when it is wanted as much, or when no coding is refused', () => {
    expect(preferredCoding('identity')).toBeUndefined()
    expect(preferredCoding('identity;q=1, gzip;q=0.5')).toBeUndefined()
    expect(preferredCoding('identity;q=0.5, gzip;q=0.5')).toBe('gzip')
    expect(preferredCoding('identity;q=0, gzip;q=0.1')).toBe('gzip')
    expect(preferredCoding('identity;q=0, *;q=0.5')).toBe('zstd')
  })

  test('none, which every client reads, when nothing we can send is acceptable', () => {
    expect(preferredCoding('identity;q=0')).toBeUndefined()
    expect(preferredCoding('br;q=1, *;q=0')).toBeUndefined()
  })

  test('what is not well-formed is passed over, and what is named twice counts as it was first', () => {
    expect(preferredCoding('gzip;q=2, zstd;q=-1, identity;q=0.5')).toBeUndefined()
    expect(preferredCoding('gzip;q=0.1234')).toBeUndefined()
    expect(preferredCoding('gzip;level=9')).toBeUndefined()
    expect(preferredCoding(',,;q=1, g zip, =, gzip')).toBe('gzip')
    expect(preferredCoding('gzip;q=0, gzip')).toBeUndefined()
  })

  test('never throws, whatever is sent', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), field => void preferredCoding(field)))
  })
})
