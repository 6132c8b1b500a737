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
    confirmation: 'We write to you',
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
  const [made] = await client.walkAll()
  expect([made!.language, made!.application.owns_home!.selection]).toEqual(['es', 'yes'])

  await sql`update application set status = 'Denied', status_last_modified_time = now()`
  expect((await ann.open('/apply/-/applications')).html).toContain('Esta vez no')
  expect((await ann.open('/apply/-/applications?language=en')).html).toContain('Not now')
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
