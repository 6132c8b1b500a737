import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { localized, lookupTags, offeredLanguage } from '../../../src/domain/languages/localized.ts'
import { programTexts, untranslatedTexts } from '../../../src/domain/languages/program-texts.ts'
import { aDefinition, everyKind, q } from '../../support/programs.ts'

const tags = ['es', 'es-MX', 'ar', 'zh-Hant', 'zh-Hant-TW']

/** A program of every kind of question with all texts that there are, each under some of the tags: `es /questions/3/text`. */
const translated: fc.Arbitrary<ProgramDefinition> = fc.infiniteStream(fc.subarray(tags)).map(chosen => {
  const shared = aDefinition({
    slug: 'p',
    statuses: ['Approved', 'Denied'],
    details: {
      languages: tags,
      description: 'What it is',
      confirmation: 'What is next',
      status_details: [{ status: 'Denied', public_name: 'Not this time' }],
    },
    screens: [{ name: 'One', description: 'Above', questions: [...everyKind, q.text('why', { help: 'In a word' })] }],
  })
  const definition = structuredClone(shared)
  for (const { element, field, pointer } of programTexts(definition)) {
    const of = chosen.next().value as string[]
    for (const tag of of) element.translations = withText(element.translations, tag, { [field]: `${tag} ${pointer}` })
  }
  return definition
})

const withText = (all: object = {}, tag: string, text: object) => ({
  ...all,
  [tag]: { ...(all as Record<string, object>)[tag], ...text },
})

const textsOf = (definition: ProgramDefinition) => programTexts(definition).map(({ pointer, text }) => [pointer, text])

/** The definition with its texts and translations replaced by nothing. */
const bare = (definition: ProgramDefinition): unknown => {
  const copy = structuredClone(definition)
  for (const { element, field } of programTexts(copy)) {
    delete element.translations
    Object.assign(element, { [field]: '' })
  }
  return copy
}

describe('localized', () => {
  test('takes each text from the exact tag, its base language or the default language, in this order, and changes nothing else', () => {
    fc.assert(
      fc.property(translated, fc.constantFrom(...tags, 'es-US', 'ar-EG', 'fr', 'en', 'zh'), (definition, language) => {
        const before = JSON.stringify(definition)
        const result = localized(definition, language)
        const expected = programTexts(definition).map(({ pointer, text, element, field }) => [
          pointer,
          lookupTags(language)
            .map(tag => element.translations?.[tag]?.[field])
            .find(found => found !== undefined) ?? text,
        ])
        expect(textsOf(result)).toEqual(expected)
        expect(JSON.stringify(result.questions)).not.toContain('translations')
        expect(bare(result)).toEqual(bare(definition))
        expect(JSON.stringify(definition)).toBe(before)
        expect(localized(result, 'es')).toEqual(result)
      }),
      { numRuns: 50 },
    )
  })

  test('returns the definition without translations for the default language', () => {
    fc.assert(
      fc.property(translated, definition => {
        const copy = structuredClone(definition)
        for (const { element } of programTexts(copy)) delete element.translations
        expect(localized(definition, 'en')).toEqual(copy)
      }),
      { numRuns: 20 },
    )
  })

  test('ignores a translation of a text that does not exist', () => {
    const [question] = aDefinition({
      questions: [q.text('why', { translations: { es: { help: 'Ayuda' } } })],
    }).questions
    const definition = { ...aDefinition(), questions: [question!] }
    expect(localized(definition, 'es').questions[0]).not.toHaveProperty('help')
  })
})

test('tags are shortened step by step to the language, along with the letter that introduces an extension', () => {
  expect(lookupTags('zh-hant-tw')).toEqual(['zh-Hant-TW', 'zh-Hant', 'zh'])
  expect(lookupTags('en-US-u-ca-gregory')).toEqual(['en-US-u-ca-gregory', 'en-US-u-ca', 'en-US', 'en'])
})

test.each([
  [['es-MX'], 'es'],
  [['fr', 'ar-EG', 'es'], 'ar'],
  [['zh-TW'], 'zh-Hant'],
  [['en-GB', 'es'], 'en'],
  [['fr'], 'en'],
  [[], 'en'],
])('a reader who prefers %p is offered %p', (wanted, offered) => {
  expect(offeredLanguage({ languages: ['es', 'ar', 'zh-Hant'] }, wanted)).toBe(offered)
})

test('texts missing in a language are listed with where people find them', () => {
  const definition = aDefinition({
    display_name: 'Rent',
    details: { languages: ['es'], translations: { es: { display_name: 'Alquiler' } } },
    screens: [{ name: 'You', questions: [q.radio('owns', ['yes'], { translations: { es: { text: '¿Es suya?' } } })] }],
  })
  expect(untranslatedTexts(definition, 'es').map(({ pointer, context }) => `${pointer} ${context}`)).toEqual([
    '/screens/0/name screen You: name',
    '/questions/0/options/0/text question owns, option yes: text',
  ])
})
