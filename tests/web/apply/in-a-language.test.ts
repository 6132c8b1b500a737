// A program in the applicant's language: its texts, its statuses, and the language of the application.

import { expect, test } from 'bun:test'
import { Applicant } from '../../support/applicant.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true })
const { sql } = database
await publish(sql, {
  slug: 'help',
  display_name: 'Help',
  details: {
    languages: ['es'],
    description: 'Money for rent',
    confirmation: 'We write',
    translations: { es: { display_name: 'Ayuda', description: 'Dinero para la renta', confirmation: 'Le escribimos' } },
    status_details: [
      { status: 'Denied', public_name: 'Not now', translations: { es: { public_name: 'Esta vez no' } } },
    ],
  },
  screens: [
    {
      name: 'Home',
      translations: { es: { name: 'Casa' } },
      questions: [
        q.radio('owns home', [], {
          text: 'Do you own it?',
          translations: { es: { text: '¿Es suya?' } },
          options: [
            { admin_id: 'yes', text: 'Yes', translations: { es: { text: 'Sí' } } },
            { admin_id: 'no', text: 'No' },
          ],
        }),
      ],
    },
  ],
})

test('texts, statuses and the application are in the chosen language, and changing it keeps the input', async () => {
  const ann = new Applicant(service)
  await ann.open('/apply/help?language=es')
  for (const text of ['lang="es"', 'Ayuda', 'Dinero para la renta']) expect(ann.page.html).toContain(text)
  expect((await ann.open('/apply')).html).toContain('Ayuda')
  await ann.open('/apply/help/screens/1')
  for (const text of ['Casa', '¿Es suya?', 'Sí']) expect(ann.page.html).toContain(text)
  // To English and back on the page: what was chosen there stays.
  await ann.fill({ '/owns_home/selection': 'yes' }, { language: 'en' })
  expect(ann.page.html).toContain('Do you own it?')
  expect(ann.page.html).toMatch(/value="yes" checked/)
  await ann.fill({}, { language: 'es' })
  await ann.fill({})
  await ann.passCode()
  expect(ann.page.html).toContain('Sí')
  await ann.submit()
  expect(ann.page.html).toContain('Le escribimos')
  const client = new ExportClient(service, await createTestKey(sql, { programs: ['help'] }), 'help')
  const made = (await client.walkAll()).at(-1)
  expect([made!.language, made!.application.owns_home!.selection]).toEqual(['es', 'yes'])

  await sql`update application set status = 'Denied', status_last_modified_time = now()`
  expect((await ann.open('/apply/-/applications')).html).toContain('Esta vez no')
  expect((await ann.open('/apply/-/applications?language=en')).html).toContain('Not now')
})

/** The language in which a screen reader reads each of these texts: of the nearest element around it that names one. */
function languagesIn(html: string, texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  const around: { tag: string; language: string }[] = []
  for (const [, end, tag = '', attributes = '', text = ''] of html.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>([^<]*)/g)) {
    if (end === '/') while (around.length > 0 && around.pop()!.tag !== tag);
    else if (!['meta', 'link', 'input', 'img', 'br'].includes(tag)) {
      const language = / lang="([^"]*)"/.exec(attributes)?.[1] ?? around.at(-1)?.language ?? ''
      around.push({ tag, language })
    }
    if (tag !== 'title' && texts.includes(text.trim())) found[text.trim()] = around.at(-1)!.language
  }
  return found
}

test('a text without a translation is marked with the language it is in', async () => {
  const ben = new Applicant(service)
  const read = async (path: string, ...texts: string[]) => languagesIn((await ben.open(path)).html, texts)
  expect(await read('/apply/help/screens/1?language=es', 'Casa', '¿Es suya?', 'Sí', 'No')).toEqual({
    Casa: 'es',
    '¿Es suya?': 'es',
    Sí: 'es',
    No: 'en',
  })
  // The program has no Arabic.
  expect(await read('/apply?language=ar', 'Help')).toEqual({ Help: 'en' })
  expect(await read('/apply/help', 'Help', 'Money for rent')).toEqual({ Help: 'en', 'Money for rent': 'en' })
  const screen = ['Help', 'Home', 'Do you own it?', 'Yes', 'No']
  expect(await read('/apply/help/screens/1', ...screen)).toEqual(Object.fromEntries(screen.map(text => [text, 'en'])))
  // Also in the summary of errors, on the page of answers, and afterwards.
  await ben.fill({})
  expect(languagesIn(ben.page.html, ['Do you own it?'])).toEqual({ 'Do you own it?': 'en' })
  await ben.fill({ '/owns_home/selection': 'no' })
  await ben.passCode()
  const answers = ['Help', 'Home', 'Do you own it?', 'No']
  expect(languagesIn(ben.page.html, answers)).toEqual(Object.fromEntries(answers.map(text => [text, 'en'])))
  await ben.submit()
  expect(languagesIn(ben.page.html, ['Help', 'We write'])).toEqual({ Help: 'en', 'We write': 'en' })
})

test.each([
  ['es-US,en;q=0.5', 'es'],
  ['en;q=0.2, es;q=0.9', 'es'],
  ['fr, ar;q=0.1', 'ar'],
  ['es;q=0, en', 'en'],
  ['fr', 'en'],
])('a browser that prefers %s is shown the pages in %s', async (accepted, language) => {
  const response = await service.get('/apply', { headers: { 'Accept-Language': accepted } })
  expect(/<html lang="([^"]*)"/.exec(await response.text())![1]).toBe(language)
})
