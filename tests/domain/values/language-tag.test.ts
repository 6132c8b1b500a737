import { expect, test } from 'bun:test'
import { canonicalLanguageTag } from '../../../src/domain/values/language-tag.ts'

test('"IETF language tag": canonical, or none', () => {
  expect(canonicalLanguageTag('en-us')).toBe('en-US')
  expect(canonicalLanguageTag('ZH-hant-tw')).toBe('zh-Hant-TW')
  expect(canonicalLanguageTag('iw')).toBe('he')
  for (const text of ['', 'en_US', 'english!', 'e', 'x'.repeat(101), '\ud800', '\0', 'en-US ', 'en, fr'])
    expect([text, canonicalLanguageTag(text)]).toEqual([text, undefined])
})
