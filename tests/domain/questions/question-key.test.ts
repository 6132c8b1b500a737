import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedQuestionKey, questionKey, reservedQuestionKeys } from '../../../src/domain/questions/question-key.ts'

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())
/** Text without the two symbols that normalization itself turns into letters where they stand alone. */
const letters = fc.string({ unit: fc.constantFrom(...'aZéßİıſKÅΣσςЖ中أअ각Ǆ'), minLength: 1 })

describe('questionKey (D15)', () => {
  test('"an admin name such as `applicant name4?` gives the key `applicant_name`"', () => {
    expect(questionKey('applicant name4?')).toBe('applicant_name')
  })

  test.each([
    ['Applicant Name', 'Applicant_Name'],
    [' two  spaces ', '_two__spaces_'],
    ['tab\tand\nline\u00a0break', 'tabandlinebreak'],
    ['snake_case-and.dots', 'snakecaseanddots'],
    ['٣ مرات', '_مرات'],
    ['名前 1', '名前_'],
    ['ﬁrst № Ⅳ ²', 'ﬁrst___'],
    ['𝒽𝑒𝓁𝓁𝑜 👋', '𝒽𝑒𝓁𝓁𝑜_'],
    ['__proto__', 'proto'],
    ['123?', ''],
    ['', ''],
  ])('%p gives %p: "Case is kept, nothing is trimmed"', (name, key) => {
    expect(questionKey(name)).toBe(key)
  })

  test('a letter followed by a combining accent is the accented letter ("after NFC")', () => {
    expect(questionKey('cafe\u0301')).toBe('caf\u00e9')
    expect(questionKey('\u1100\u1161')).toBe('\uac00')
    expect(questionKey('q\u0301')).toBe('q')
  })

  test('keeps letters, replaces spaces with underscores and drops everything else, for any text', () => {
    fc.assert(
      fc.property(text, name => {
        const key = questionKey(name)
        expect(key).toMatch(/^[\p{L}_]*$/u)
        expect(key.isWellFormed()).toBe(true)
        const wanted = [...name.normalize('NFC')].filter(value => value === ' ' || /^\p{L}$/u.test(value))
        expect(key).toBe(wanted.map(value => (value === ' ' ? '_' : value)).join(''))
      }),
    )
  })

  test('does not depend on how a text is encoded', () => {
    fc.assert(
      fc.property(text, name => {
        expect(questionKey(name.normalize('NFD'))).toBe(questionKey(name))
      }),
    )
  })
})

describe('foldedQuestionKey (D15)', () => {
  test('"compared without case": keys that differ only in case are equal, for every letter', () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const letter = String.fromCodePoint(point).normalize('NFC')
      if (!/^\p{L}$/u.test(letter)) continue
      const folded = foldedQuestionKey(`x${letter}y`)
      if (foldedQuestionKey(`x${letter.toUpperCase()}y`) !== folded) expect(letter).toBe('upper case differs')
      if (foldedQuestionKey(`x${letter.toLowerCase()}y`) !== folded) expect(letter).toBe('lower case differs')
    }
  })

  test('ignores case in words too, at every position', () => {
    fc.assert(
      fc.property(letters, key => {
        expect(foldedQuestionKey(key.toUpperCase())).toBe(foldedQuestionKey(key))
        expect(foldedQuestionKey(key.toLowerCase())).toBe(foldedQuestionKey(key))
        expect(foldedQuestionKey(foldedQuestionKey(key))).toBe(foldedQuestionKey(key))
      }),
    )
    expect(foldedQuestionKey('Straße')).toBe(foldedQuestionKey('STRASSE'))
    expect(foldedQuestionKey('ΟΔΟΣ')).toBe(foldedQuestionKey('οδος'))
    expect(foldedQuestionKey('ﬁrst')).toBe(foldedQuestionKey('FIRST'))
  })

  test('distinguishes what differs in more than case', () => {
    for (const [a, b] of [
      ['a', 'b'],
      ['e', 'é'],
      ['name', 'name_'],
      ['l', 'ł'],
    ] as const) {
      expect(foldedQuestionKey(a)).not.toBe(foldedQuestionKey(b))
    }
  })

  test('the reserved keys are those with a meaning of their own', () => {
    expect([...reservedQuestionKeys].sort()).toEqual(['entity_name', 'question_type'])
  })
})
