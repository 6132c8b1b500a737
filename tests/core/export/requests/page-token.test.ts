import { describe, expect, test } from 'bun:test'
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Problem } from '../../../../src/base/problem.ts'
import { exportFormats } from '../../../../src/core/export/framings/all-framings.ts'
import { openPageToken, sealPageToken } from '../../../../src/core/export/requests/page-token.ts'
import type { PageToken } from '../../../../src/core/export/requests/walk.ts'
import { noFilters } from '../../../../src/db/walks/walk-filters.ts'
import { encodeBase62 } from '../../../../src/domain/values/base62.ts'
import { anyFilters } from '../../../support/any-filters.ts'

const key = Buffer.alloc(32, 7)
const otherKey = Buffer.alloc(32, 9)
const minute = 60_000_000
const ttlMs = 7 * 86_400_000
const now = Date.UTC(2026, 0, 1) * 1000

const amount = fc.maxSafeNat()
const instant = fc.maxSafeInteger()
const contents: fc.Arbitrary<PageToken> = fc.record({
  programId: amount,
  walkId: fc.stringMatching(/^[0-9a-f]{16}$/),
  horizon: amount,
  lastChange: fc.option(fc.record({ time: instant, application_id: amount }), { nil: undefined }),
  questionsAsOf: instant,
  after: fc.record({ submit_time: instant, submit_seq: amount }),
  filters: fc.constant(noFilters),
  pageSize: amount,
  pageSizeMax: amount,
  applications: amount,
  issuedAt: fc.constant(now),
})

const example: PageToken = {
  programId: 42,
  walkId: 'c0ffee0123456789',
  horizon: 123_456,
  lastChange: { time: now - 2, application_id: 77 },
  questionsAsOf: now - 3,
  after: { submit_time: now - 1, submit_seq: 1000 },
  filters: { from: now - minute, revisionState: 'CURRENT' },
  pageSize: 1000,
  pageSizeMax: 1000,
  applications: 1000,
  issuedAt: now,
}

const tokenLength = sealPageToken(example, [key]).length

const open = (text: string, keys = [key], expected = {}): PageToken =>
  openPageToken(text, { keys, now, ttlMs, programId: 42, ...expected })

/** The one code of the refusal. Anything but a 400 that names `nextPageToken` fails the test. */
function codeOf(attempt: () => unknown, advice = 'without a token.'): string {
  try {
    attempt()
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
    expect(error.errors).toHaveLength(1)
    expect(error.errors[0]!.parameter).toBe('nextPageToken')
    expect(error.errors[0]!.detail).toEndWith(advice)
    return error.errors[0]!.code
  }
  return 'accepted'
}

describe('contract D8: the page token', () => {
  test('spec: "opaque alphanumeric token"; open(seal(contents)) = contents, in a text of one bounded length', () => {
    fc.assert(
      fc.property(contents, given => {
        const text = sealPageToken(given, [key])
        expect(text).toMatch(/^[0-9A-Za-z]+$/)
        expect(text.length).toBe(tokenLength)
        expect(openPageToken(text, { keys: [key], now, ttlMs, programId: given.programId })).toEqual(given)
      }),
    )
    expect(tokenLength).toBeLessThan(180)
  })

  test('two tokens for the same contents have nothing in common after the key ID', () => {
    const [a, b] = [sealPageToken(example, [key]), sealPageToken(example, [key])]
    const equal = [...a].filter((character, i) => character === b[i]).length
    // 5 fixed bytes are 7 characters; the rest agrees by chance only, about one in 62.
    expect(equal).toBeLessThan(25)
  })

  test('the bytes of a token contain no field of its contents in any notation', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const text = sealPageToken(example, [key])
    const number = [...text].reduce((sum, character) => sum * 62n + BigInt(alphabet.indexOf(character)), 0n)
    const hex = number.toString(16).padStart(266, '0')
    const double = Buffer.alloc(8)
    double.writeDoubleBE(example.after.submit_time)
    const whole = example.after.submit_time.toString(16)
    for (const plain of [example.walkId, whole, double.toString('hex'), Buffer.from('CURRENT').toString('hex')]) {
      expect(hex).not.toContain(plain)
    }
    // Sealed bytes look random: an all-zero and an all-one field are as far apart from their plain form as chance makes them.
    expect(hex).not.toMatch(/0{12}|f{12}/)
  })

  test('tokens are sealed with the first key and open with any known key (rotation)', () => {
    const before = sealPageToken(example, [key])
    const after = sealPageToken(example, [otherKey, key])
    expect(open(before, [otherKey, key])).toEqual(example)
    expect(open(after, [otherKey])).toEqual(example)
    expect(codeOf(() => open(after, [key]))).toBe('page_token_invalid')
    expect(codeOf(() => open(before, [otherKey]))).toBe('page_token_invalid')
    expect(codeOf(() => open(before, []))).toBe('page_token_invalid')
  })

  test('a token of another program is refused', () => {
    const text = sealPageToken({ ...example, programId: 43 }, [key])
    expect(codeOf(() => open(text))).toBe('page_token_of_another_program')
  })

  test('a token expires exactly after its lifetime', () => {
    const text = sealPageToken(example, [key])
    expect(open(text, [key], { now: now + ttlMs * 1000 })).toEqual(example)
    expect(codeOf(() => open(text, [key], { now: now + ttlMs * 1000 + 1 }))).toBe('page_token_expired')
  })

  test('a token issued up to a minute in the future by another machine is accepted', () => {
    const text = sealPageToken(example, [key])
    expect(open(text, [key], { now: now - minute })).toEqual(example)
    const advice = 'ask the operator of the service to synchronize its clocks.'
    expect(codeOf(() => open(text, [key], { now: now - minute - 1 }), advice)).toBe('page_token_issued_ahead')
  })

  /** A token as some release may lay it out: `plain` is everything but the version, key id, nonce and tag. */
  function sealedAs(version: number, plain: Buffer): string {
    const head = Buffer.concat([Buffer.of(version), createHash('sha256').update(key).digest().subarray(0, 4)])
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(head)
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return encodeBase62(Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]))
  }

  test('a token contains all filters, the format and each chosen question, and its length reveals only whether there are later filters, IDs or a format, and how many questions', () => {
    const format = fc.option(fc.constantFrom(...exportFormats), { nil: undefined })
    const questions = fc.constantFrom('current' as const, undefined)
    const choice = fc.option(fc.uniqueArray(amount, { minLength: 1, maxLength: 100 }), { nil: undefined })
    fc.assert(
      fc.property(contents, choice, anyFilters, format, questions, (walk, fields, filters, format, questions) => {
        const given = { ...walk, fields, filters, format, questions }
        const text = sealPageToken(given, [key])
        expect(openPageToken(text, { keys: [key], now, ttlMs, programId: given.programId })).toEqual(given)
        const { from, to, revisionState, ids, ...later } = filters
        const alike = { ...later, ids: ids && { from: 0, to: 0 } }
        const other = sealPageToken(
          { ...example, fields: fields?.map((_, i) => i), filters: alike, format, questions },
          [key],
        )
        expect(text.length).toBe(other.length)
      }),
    )
    const most: PageToken = { ...example, fields: Array<number>(100).fill(1), filters: { ids: { from: 1, to: 2 } } }
    expect(open(sealPageToken(most, [key]))).toEqual(most)
    expect(() => sealPageToken({ ...example, fields: Array(101).fill(1) }, [key])).toThrow(/\b100\b/)
  })

  /** Contents without filters, with these flags of the first byte and, where there are any, the further ones. */
  function plainWith(flags: number, further?: number): Buffer {
    const plain = Buffer.alloc(1 + 8 + (further === undefined ? 13 : 14) * 7)
    plain[0] = flags
    plain[9 + 6] = example.programId
    plain.writeUIntBE(Math.floor(now / 2 ** 32), 9 + 12 * 7, 3)
    plain.writeUInt32BE(now % 2 ** 32, 9 + 12 * 7 + 3)
    if (further !== undefined) plain.writeUIntBE(further, 9 + 14 * 7 - 6, 6)
    return plain
  }

  test('a token with an unknown filter or format is refused and never treated as unfiltered', () => {
    for (const known of [0, 1, 2, 4, 8, 16])
      expect(open(sealedAs(1, plainWith(known))).programId).toBe(example.programId)
    for (const unknown of [3, 64, 128])
      expect(codeOf(() => open(sealedAs(1, plainWith(unknown))))).toBe('page_token_invalid')
    // 28 is the highest number of a format.
    for (const further of [0, 28, 2 ** 20, 2 ** 40 + 1])
      expect(codeOf(() => open(sealedAs(2, plainWith(4, further))))).toBe('page_token_invalid')
  })

  test('a token with an unknown layout is refused, even if sealed with a known key', () => {
    const plain = plainWith(0)
    expect(open(sealedAs(1, plain)).programId).toBe(example.programId)
    for (const version of [0, 2, 3, 255]) {
      expect(codeOf(() => open(sealedAs(version, plain)))).toBe('page_token_invalid')
    }
    for (const length of [plain.length - 7, plain.length - 1, plain.length + 1])
      expect(codeOf(() => open(sealedAs(1, Buffer.alloc(length))))).toBe('page_token_invalid')
  })

  test('contents that a token cannot hold exactly are never sealed', () => {
    for (const wrong of [
      { horizon: 2 ** 53 },
      { programId: 1.5 },
      { filters: { from: Number.NaN } },
      { walkId: 'abc' },
      // One digit more than is kept of it.
      { walkId: 'c0ffee01234567890' },
      { walkId: 'zz00000000000000' },
    ]) {
      expect(() => sealPageToken({ ...example, ...wrong }, [key])).toThrow()
    }
    expect(() => sealPageToken(example, [])).toThrow()
  })
})

describe('"altered in any character: 400" (contract D8)', () => {
  const tokens = [
    sealPageToken(example, [key]),
    sealPageToken({ ...example, walkId: '0000000000000000', horizon: 0, filters: noFilters }, [key]),
    sealPageToken({ ...example, filters: { to: Number.MAX_SAFE_INTEGER } }, [randomBytes(32), key].reverse()),
  ]
  const characters = [
    ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    '-',
    '_',
    '+',
    '/',
    '=',
    '.',
    '~',
    ' ',
    '%',
    '\0',
    '\n',
    '\u00e9',
    '\u0663',
    '\uff21',
    '\ud800',
    '\u{1f600}',
  ]

  test.each(tokens)('each of its characters replaced by every other one: %s', text => {
    expect(codeOf(() => open(text))).toBe('accepted')
    for (let i = 0; i < text.length; i++) {
      for (const character of characters) {
        if (character === text[i]) continue
        expect(codeOf(() => open(text.slice(0, i) + character + text.slice(i + 1)))).toBe('page_token_invalid')
      }
    }
  })

  test.each(tokens)(
    'each character left out, doubled, swapped with each later one; each beginning and each end: %s',
    text => {
      for (let i = 0; i < text.length; i++) {
        expect(codeOf(() => open(text.slice(0, i) + text.slice(i + 1)))).toBe('page_token_invalid')
        expect(codeOf(() => open(text.slice(0, i)))).toBe('page_token_invalid')
        expect(codeOf(() => open(text.slice(i + 1)))).toBe('page_token_invalid')
        expect(codeOf(() => open(text.slice(0, i) + text[i] + text.slice(i)))).toBe('page_token_invalid')
        for (let j = i + 1; j < text.length; j++) {
          if (text[i] === text[j]) continue
          const swapped = text.slice(0, i) + text[j] + text.slice(i + 1, j) + text[i] + text.slice(j + 1)
          expect(codeOf(() => open(swapped))).toBe('page_token_invalid')
        }
      }
    },
  )

  test.each(tokens)('every character inserted at every place: %s', text => {
    for (let i = 0; i <= text.length; i++) {
      for (const character of characters) {
        expect(codeOf(() => open(text.slice(0, i) + character + text.slice(i)))).toBe('page_token_invalid')
      }
    }
  })

  test('halves of two good tokens joined', () => {
    const [a, b] = tokens as [string, string]
    for (let i = 1; i < a.length; i++) {
      const joined = a.slice(0, i) + b.slice(i)
      if (joined !== a && joined !== b) expect(codeOf(() => open(joined))).toBe('page_token_invalid')
    }
  })

  test('text that is not a token is rejected', () => {
    const alphanumeric = fc.stringMatching(/^[0-9A-Za-z]*$/)
    const right = fc.stringMatching(new RegExp(`^[0-9A-Za-z]{${tokenLength}}$`))
    fc.assert(
      fc.property(fc.oneof(alphanumeric, right, fc.string({ unit: 'binary' }), fc.base64String()), text => {
        expect(codeOf(() => open(text))).toBe('page_token_invalid')
      }),
    )
    for (const text of ['', 'null', 'undefined', 'x'.repeat(1_000_000)]) {
      expect(codeOf(() => open(text))).toBe('page_token_invalid')
    }
  })
})
