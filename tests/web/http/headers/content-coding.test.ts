import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Coding, preferredCoding } from '../../../../src/web/http/headers/negotiation.ts'

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
    // Quality 0 is "not acceptable".
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd;q=0.000, gzip;q=0.0', undefined],
    // An asterisk matches every coding that is not named. Who does not say what it knows is least likely to know zstd.
    ['*', 'gzip'],
    ['*;q=0.1', 'gzip'],
    ['gzip;q=0, *', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['gzip, *;q=0.5', 'gzip'],
    ['gzip;q=0.5, *;q=0', 'gzip'],
    ['*;q=0', undefined],
    // Not named here are both zstd and no coding at all, and either is wanted more than gzip.
    ['zstd;q=0.2, gzip;q=0, *;q=0.8', undefined],
    // No coding when it is wanted more; a coding when it is wanted as much, or when no coding is refused.
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0, *;q=0.5', 'gzip'],
    // None, which every client reads, when nothing we can send is acceptable.
    ['identity;q=0', undefined],
    ['br;q=1, *;q=0', undefined],
    // What is not well-formed is passed over, and what is named twice counts as it was first.
    ['gzip;q=2, zstd;q=-1, identity;q=0.5', undefined],
    ['gzip;q=0.1234', undefined],
    ['gzip;level=9', undefined],
    [',,;q=1, g zip, =, gzip', 'gzip'],
    ['gzip;q=0, gzip', undefined],
  ])('%p: %p', (field, coding) => expect(preferredCoding(field)).toBe(coding))

  test('never throws, whatever is sent', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), field => void preferredCoding(field)))
  })
})
