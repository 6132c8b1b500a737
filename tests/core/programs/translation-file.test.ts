import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRecords, decodeText } from '../../../src/base/csv-records.ts'
import { csvRecord } from '../../../src/base/csv-text.ts'
import { planTranslations, type TranslationPlan, translationFile } from '../../../src/core/programs/translation-file.ts'
import { errors } from '../../support/definition-errors.ts'
import { aDefinition, q } from '../../support/programs.ts'

const definition = aDefinition({
  display_name: 'Rent',
  details: { languages: ['es'], translations: { es: { display_name: 'Alquiler' } } },
  questions: [
    q.text('why', { text: 'Why?\nSay it.', help: '=in a word' }),
    q.radio('owns', ['yes', 'no'], { text: 'Say "yes", or no; please' }),
  ],
})

const plan = (file: string, of = definition): TranslationPlan => {
  const planned = planTranslations(of, file)
  if ('code' in planned) throw new Error(planned.code)
  return planned
}

test('a file has a row for each text with its pointer, context, default text and translations', () => {
  const records = csvRecords(translationFile(definition, ['es', 'ar']))!
  expect(records[0]).toEqual(['pointer', 'context', 'en', 'es', 'ar'])
  expect(records.slice(1).map(([pointer, context, text, es]) => [pointer, context, text, es])).toEqual([
    ['/display_name', 'program: name', 'Rent', 'Alquiler'],
    ['/screens/0/name', 'screen Screen 1: name', 'Screen 1', ''],
    ['/questions/0/text', 'question why: text', 'Why?\nSay it.', ''],
    ['/questions/0/help', 'question why: help', "'=in a word", ''],
    ['/questions/1/text', 'question owns: text', 'Say "yes", or no; please', ''],
    ['/questions/1/options/0/text', 'question owns, option yes: text', 'Option yes', ''],
    ['/questions/1/options/1/text', 'question owns, option no: text', 'Option no', ''],
  ])
})

test('a file returned unchanged changes nothing, and one with translations gives a valid definition with them', async () => {
  expect(plan(translationFile(definition, ['es', 'ar'])).changes).toEqual([])
  const file = translationFile(definition, ['es', 'ar'])
    .replace('"Alquiler",""', '"Renta","إيجار"')
    .replace('"\'=in a word","",""', '"\'=in a word","\'=en una palabra",""')
  const { changes, added, definition: translated, skipped } = plan(file)
  expect(changes.map(({ pointer, language, was, text }) => [pointer, language, was, text])).toEqual([
    ['/display_name', 'es', 'Alquiler', 'Renta'],
    ['/display_name', 'ar', null, 'إيجار'],
    ['/questions/0/help', 'es', null, '=en una palabra'],
  ])
  expect([added, skipped]).toEqual([['ar'], []])
  expect(await errors(translated)).toEqual([])
  expect(definition.languages).toEqual(['es'])
})

test('a row finds its text after questions have moved, and is skipped once the default text has changed', () => {
  const file = translationFile(definition, ['es'])
    .replace('"Option no",""', '"Option no","No"')
    .replace('"Option yes",""', '"Option yes","Sí"')
  const moved = structuredClone(definition)
  moved.questions.reverse()
  moved.questions[0]!.options!.reverse()
  moved.questions[0]!.options![1]!.text = 'Option yes, please'
  const { changes, skipped } = plan(file, moved)
  expect(changes.map(({ pointer, text }) => [pointer, text])).toEqual([['/questions/0/options/0/text', 'No']])
  expect(skipped).toEqual([{ row: 7, context: 'question owns, option yes: text' }])
})

test('texts that questions share find their own question after the questions have moved', () => {
  const both = aDefinition({
    details: { languages: ['es'] },
    questions: [q.radio('owns', ['yes', 'no']), q.radio('rents', ['yes', 'no'])],
  })
  const file = translationFile(both, ['es'])
    .replace(/("question owns, option yes.*?"),""/, '$1,"Sí, es mío"')
    .replace(/("question rents, option yes.*?"),""/, '$1,"Sí, pago"')
  const moved = structuredClone(both)
  moved.questions.reverse()
  const { changes } = plan(file, moved)
  expect(changes.map(({ context, text }) => [context, text])).toEqual([
    ['question owns, option yes: text', 'Sí, es mío'],
    ['question rents, option yes: text', 'Sí, pago'],
  ])
})

test.each([
  ['no_csv', 'pointer,context,en,es\n"/a'],
  ['no_columns', 'a,b\n1,2'],
  ['no_columns', ''],
  ['wrong_language', 'pointer,context,en,español\n'],
  ['wrong_language', 'pointer,context,en,en\n'],
])('a file that cannot be used is refused as a whole: %s', (code, file) => {
  expect(planTranslations(definition, file)).toMatchObject({ code })
})

const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replaceAll('\0', ''))

test('records are read with any separator, line end and encoding', () => {
  const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      rows,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      (written, separator, end) => {
        const head = ['a', 'b', 'c'].join(separator) + end
        const body = written.map(row => row.map(text => `"${text.replaceAll('"', '""')}"`).join(separator)).join(end)
        const text = head + body
        const utf16 = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))
        const expected = [['a', 'b', 'c'], ...written.filter(row => row.some(value => value !== ''))]
        for (const bytes of [new TextEncoder().encode(text), new TextEncoder().encode(`\ufeff${text}`), utf16])
          expect(csvRecords(decodeText(bytes)!)).toEqual(expected)
      },
    ),
  )
  expect(csvRecords(csvRecord(['a,b', 'c"d', 'e\nf']))).toEqual([['a,b', 'c"d', 'e\nf']])
  expect(decodeText(new Uint8Array([0x61, 0xe9]))).toBeUndefined()
})
