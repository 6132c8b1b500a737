import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import {
  addLanguage,
  removeLanguage,
  translationAt,
  translationPointer,
  withText,
  withTranslation,
} from '../../../src/domain/languages/edit-texts.ts'
import { countUntranslated, programTexts, untranslatedTexts } from '../../../src/domain/languages/program-texts.ts'
import { errors } from '../../support/definition-errors.ts'
import { aDefinition, q } from '../../support/programs.ts'

const definition = aDefinition({
  details: {
    languages: ['es'],
    description: 'Help with rent',
    status_details: [{ status: 'Denied', public_name: 'Not now' }, { status: 'Approved' }],
  },
  screens: [
    { name: 'You', description: 'About you', questions: [q.text('why', { help: 'Say' })] },
    { name: 'Pets', questions: [q.radio('pet', ['cat', 'dog'])] },
  ],
})

/** In a language, each of these texts of the definition. */
const translatedInto = (language: string, pointers: readonly string[], from = definition): ProgramDefinition =>
  pointers.reduce((to, pointer) => withTranslation(to, pointer, language, `${language} ${pointer}`), from)

const all = programTexts(definition).map(({ pointer }) => pointer)

test('a text is translated only at its pointer, and the others count as missing', () => {
  fc.assert(
    fc.property(fc.subarray(all), pointers => {
      const translated = translatedInto('es', pointers)
      expect(untranslatedTexts(translated, 'es').map(({ pointer }) => pointer)).toEqual(
        all.filter(pointer => !pointers.includes(pointer)),
      )
      expect(countUntranslated(translated, 'es')).toBe(all.length - pointers.length)
      for (const pointer of pointers) expect(translationAt(translated, pointer, 'es')).toBe(`es ${pointer}`)
      const emptied = pointers.reduce((to, pointer) => withTranslation(to, pointer, 'es', ''), translated)
      expect(emptied).toEqual(definition)
    }),
  )
})

test('objects that a translation does not affect stay the same', () => {
  const translated = withTranslation(definition, '/questions/1/options/0/text', 'es', 'gato')
  expect(translated.screens).toBe(definition.screens)
  expect(translated.questions[0]).toBe(definition.questions[0]!)
  expect(translated.questions[1]!.options![1]).toBe(definition.questions[1]!.options![1]!)
})

test('removing a language removes all its translations and no others', async () => {
  const two = translatedInto('ar', all, addLanguage(translatedInto('es', all), 'ar'))
  expect(removeLanguage(two, 'ar')).toEqual(translatedInto('es', all))
  const { languages: _, ...without } = definition
  expect(removeLanguage(removeLanguage(two, 'ar'), 'es')).toEqual(without)
  expect(await errors(two)).toEqual([])
})

test('removing a text removes its translations, so the document stays valid', async () => {
  const translated = translatedInto('es', all)
  const optional = ['/description', '/screens/0/description', '/questions/0/help', '/status_details/0/public_name']
  const emptied = optional.reduce((to, pointer) => withText(to, pointer, ''), translated)
  expect(await errors(emptied)).toEqual([])
  expect(countUntranslated(emptied, 'es')).toBe(0)
  expect(withText(emptied, '/questions/0/help', 'Say it').questions[0]!.help).toBe('Say it')
})

test('the pointer of a translation is its location in the document', () => {
  expect(translationPointer('/display_name', 'es')).toBe('/translations/es/display_name')
  expect(translationPointer('/questions/0/options/2/text', 'zh-Hant')).toBe(
    '/questions/0/options/2/translations/zh-Hant/text',
  )
})
