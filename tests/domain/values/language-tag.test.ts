import { describe, expect, test } from 'bun:test'
import { canonicalLanguageTag } from '../../../src/domain/values/language-tag.ts'

test('"IETF language tag": a tag is made canonical or refused', () => {
  const longerSince = `en-u-ca-islamicc-x${'-abcdefgh'.repeat(9)}`
  expect(canonicalLanguageTag('en-us')).toBe('en-US')
  expect(canonicalLanguageTag('ZH-hant-tw')).toBe('zh-Hant-TW')
  expect(canonicalLanguageTag('iw')).toBe('he')
  for (const text of ['', 'en_US', 'english!', 'e', 'x'.repeat(101), '\ud800', '\0', 'en-US ', 'en, fr', longerSince])
    expect([text, canonicalLanguageTag(text)]).toEqual([text, undefined])
})

describe('tags that RFC 5646 allows and Intl does not', () => {
  test.each([
    ['x-private', 'x-private'],
    ['X-Whatever-1', 'x-whatever-1'],
    ['en-x-home', 'en-x-home'],
    ['i-klingon', 'tlh'],
    ['I-Default', 'i-default'],
    ['i-enochian', 'i-enochian'],
    ['en-GB-oed', 'en-GB-oxendict'],
    ['sgn-BE-FR', 'sfb'],
    ['no-bok', 'nb'],
    ['zh-min', 'zh-min'],
    ['zh-min-nan', 'nan'],
    ['cel-gaulish', 'cel-gaulish'],
    ['art-lojban', 'jbo'],
    ['zh-yue-HK', 'yue-HK'],
    ['ZH-cmn-hans-cn', 'cmn-Hans-CN'],
    ['sgn-ase', 'ase'],
  ])('%s becomes %s, which is canonical', (text, canonical) => {
    expect(canonicalLanguageTag(text)).toBe(canonical)
    expect(canonicalLanguageTag(canonical)).toBe(canonical)
  })

  test('similar but invalid tags are rejected', () => {
    for (const text of ['x', 'x-', 'x-abcdefghi', 'x--a', 'x-a_b', 'x-ä', 'i-none', 'i', 'en-yue', 'zh-yue-cmn'])
      expect([text, canonicalLanguageTag(text)]).toEqual([text, undefined])
  })
})
