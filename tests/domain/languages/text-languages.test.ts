// The language of each text on a page, where translations are missing.

import { expect, test } from 'bun:test'
import { languageOfTexts } from '../../../src/domain/languages/text-languages.ts'

test('a text is in the language of its translation, else in the default one; nothing else has a language', () => {
  const languageOf = languageOfTexts(
    [
      { name: 'Home', description: 'Where you live', translations: { es: { name: 'Casa' } } },
      { text: 'Gas', translations: { 'es-MX': { text: 'Gas natural' } } },
    ],
    { page: 'es', tags: ['es-MX', 'es'], usual: 'en' },
  )
  const texts = ['Casa', 'Where you live', 'Gas natural', 'Home', 'typed by an applicant', '']
  expect(texts.map(languageOf)).toEqual([undefined, 'en', 'es-MX', undefined, undefined, undefined])
})

test('a text that is a translation in one place and lacks one in another is in the language of the page', () => {
  const reading = { page: 'es', tags: ['es'], usual: 'en' }
  const [translated, missing] = [{ text: 'No', translations: { es: { text: 'No' } } }, { text: 'No' }]
  for (const elements of [
    [translated, missing],
    [missing, translated],
  ])
    expect(languageOfTexts(elements, reading)('No')).toBeUndefined()
})
