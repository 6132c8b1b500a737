import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { base62Length, decodeBase62, encodeBase62 } from '../../../src/domain/values/base62.ts'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 130 })

describe('base62', () => {
  test('decode(encode(bytes)) = bytes, in digits and letters alone, in a length that reveals nothing but the number of bytes', () => {
    fc.assert(
      fc.property(bytes, given => {
        const text = encodeBase62(given)
        expect(text).toMatch(/^[0-9A-Za-z]*$/)
        expect(text.length).toBe(base62Length(given.length))
        expect(decodeBase62(text, given.length)).toEqual(Buffer.from(given))
      }),
    )
  })

  test('order is kept: greater bytes give a greater text, so no two texts decode to the same bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 9, maxLength: 9 }),
        fc.uint8Array({ minLength: 9, maxLength: 9 }),
        (a, b) => {
          const [textA, textB] = [encodeBase62(a), encodeBase62(b)]
          expect(Math.sign(Buffer.compare(a, b))).toBe(textA < textB ? -1 : textA > textB ? 1 : 0)
        },
      ),
    )
  })

  test('the extremes: all zeros and all ones come back, and one more than all ones is refused', () => {
    expect(decodeBase62('0'.repeat(base62Length(122)), 122)).toEqual(Buffer.alloc(122))
    const ones = encodeBase62(Buffer.alloc(122, 0xff))
    expect(decodeBase62(ones, 122)).toEqual(Buffer.alloc(122, 0xff))
    expect(ones.at(-1)).not.toBe('z')
    const next = String.fromCharCode(ones.charCodeAt(ones.length - 1) + 1)
    expect(next).toMatch(/[0-9A-Za-z]/)
    expect(decodeBase62(ones.slice(0, -1) + next, 122)).toBeUndefined()
    expect(decodeBase62('z'.repeat(ones.length), 122)).toBeUndefined()
  })

  test('another length and any character that is neither an ASCII digit nor letter is refused', () => {
    const text = encodeBase62(Buffer.from('twelve bytes'))
    for (const wrong of ['', text.slice(1), `0${text}`, `${text}0`]) expect(decodeBase62(wrong, 12)).toBeUndefined()
    for (const character of ['-', '_', '+', '/', '=', ' ', '\n', '\0', 'é', '\u0663', '\uff21']) {
      expect(decodeBase62(character + text.slice(1), 12)).toBeUndefined()
    }
  })
})
