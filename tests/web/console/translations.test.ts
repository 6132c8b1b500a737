// Translations of a program as a CSV file: downloaded, previewed, saved to the draft.

import { expect, test } from 'bun:test'
import { findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { localized } from '../../../src/domain/languages/localized.ts'
import { aPerson, ConsoleVisitor, errorsOf, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const ada = await aPerson(sql, { name: 'Ada', email: 'ada@example.gov' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)

const translated = (slug: string) => ({
  slug,
  display_name: 'Trees',
  details: { languages: ['es'], translations: { es: { display_name: 'Árboles' } } },
  questions: [q.text('species', { text: 'Which?' })],
})
await aProgram(sql, translated('trees'))
const translationsOf = (slug: string): string => `/admin/programs/${slug}/translations`
const path = translationsOf('trees')
const upload = (text: string | Uint8Array<ArrayBuffer>, path = translationsOf('trees')) =>
  browser.upload(path, {}, 'file', new File([text], 'trees.csv', { type: 'text/csv' }))

test('each language shows its number of missing texts', async () => {
  expect(await browser.page(path)).toMatch(/data-language="es" data-missing="2"/)
})

test('the file has a column for each language, or for the requested ones', async () => {
  const file = await browser.get(`${path}/file`)
  expect(file.headers.get('content-type')).toStartWith('text/csv')
  const text = Buffer.from(await file.arrayBuffer()).toString()
  expect(text.split('\r\n')[0]).toBe('\ufeffpointer,context,en,es')
  expect((await (await browser.get(`${path}/file?language=ar&language=fr`)).text()).split('\r\n')[0]).toEndWith(
    'en,ar,fr',
  )
})

test('a translated file is previewed before it is saved to the draft', async () => {
  const program = await aProgram(sql, translated('shrubs'))
  const path = translationsOf('shrubs')
  const draft = async () => findDraftVersion(sql, (await findProgram(sql, 'shrubs'))!.program_id)
  const file = (await (await browser.get(`${path}/file?language=es&language=ar`)).text())
    .replace('"Which?","",""', '"Which?","¿Cuál?","أي نوع؟"')
    .replace('"Screen 1","",""', '"Screen one","Pantalla",""')
  const shown = await upload(file, path)
  const page = await shown.text()
  expect(shown.status).toBe(200)
  expect(noticesOf(page)).toEqual(['added', 'skipped'])
  expect(page).toContain('¿Cuál?')
  expect(page).toMatch(/data-row="3"/)
  expect(await draft()).toBeUndefined()

  const saved = await browser.post(path, { file, save: 'yes' })
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/admin/programs/shrubs/questions?done=saved'])
  const definition = describeVersion((await draft())!)
  expect(definition.languages).toEqual(['es', 'ar'])
  expect(['es', 'ar', 'en'].map(tag => localized(definition, tag).questions[0]!.text)).toEqual([
    '¿Cuál?',
    'أي نوع؟',
    'Which?',
  ])
  expect(definition.questions.map(({ admin_name }) => admin_name)).toEqual(
    program.version.questions.map(({ admin_name }) => admin_name),
  )
})

test.each([
  ['no_csv', 'pointer,context,en,es\n"/a'],
  ['no_columns', 'name,text\na,b'],
  ['wrong_language', 'pointer,context,en,español\n'],
])('an invalid file is refused: %s', async (code, text) => {
  const refused = await upload(text)
  expect([refused.status, errorsOf(await refused.text())]).toEqual([400, [code]])
})
