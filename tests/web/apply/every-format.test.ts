// What is applied for in a browser is what a front end submits: in every format, to the letter.

import { expect, test } from 'bun:test'
import { Applicant } from '../../support/applicant.ts'
import { aPdf, sendFiles } from '../../support/files.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { walkFeed } from '../../support/odata-feed.ts'
import { formats } from '../../support/page-formats.ts'
import { aProgram, everyKind } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true, filesDir: { folder: await useFolder() } })
const slug = 'both-ways'
await aProgram(database.sql, { slug, questions: everyKind })
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true, mayExport: true })
const headers = { Authorization: key.authorization }

const answers = {
  applicant_name: { first_name: 'Ada', middle_name: null, last_name: 'Díaz', suffix: 'II' },
  home_address: {
    street: '12 Harbor Ave',
    line2: '#4',
    city: 'Seattle',
    state: 'WA',
    zip: '98101-0001',
    corrected: 'AsEnteredByUser',
  },
  monthly_rent: { currency_dollars: 1250.5 },
  date_of_birth: { date: '1985-02-09' },
  contact_phone: { phone_number: '+12065550100' },
  case_number: { id: '0042' },
  household_size: { number: 3 },
  utilities: { selections: ['water', 'gas'] },
  owns_home: { selection: 'no' },
  anything_else: { text: '=1+1 "quoted", \\ and\ntwo lines' },
  household_member: {
    entities: [
      {
        entity_name: 'Leo',
        member_job: { entities: [{ entity_name: 'night', monthly_pay: { currency_dollars: 10 } }] },
      },
      { entity_name: 'Mia', member_birthday: { date: '2020-12-31' } },
    ],
  },
}

/** With the files that were uploaded in the browser. */
async function submitAsFrontEnd(file_urls: string[]): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<{ applicant_id: number }> => {
    const more = { 'Content-Type': 'application/json', 'Idempotency-Key': 'one' }
    const init = { method, headers: { ...headers, ...more }, body: JSON.stringify(body) }
    const response = await service.get(`/intake/v1/${path}`, init)
    expect(response.ok).toBe(true)
    return (await response.json()) as { applicant_id: number }
  }
  const { applicant_id } = await send('POST', 'applicants', { language: 'en' })
  const path = `programs/${slug}/applicants/${applicant_id}`
  await send('PUT', `${path}/answers`, { answers: { ...answers, proof_of_income: { file_urls } } })
  await send('POST', `${path}/submissions`, { submitter: { type: 'APPLICANT' } })
}

async function applyInBrowser(): Promise<void> {
  const ada = new Applicant(service)
  await ada.open(`/apply/${slug}/screens/1`)
  const name = '/household_member/entities'
  const typed = {
    '/applicant_name/first_name': ' Ada ',
    '/applicant_name/last_name': 'Díaz',
    '/applicant_name/suffix': 'II',
    '/home_address/street': '12 Harbor Ave',
    '/home_address/line2': '#4',
    '/home_address/city': 'Seattle',
    '/home_address/state': 'WA',
    '/home_address/zip': '98101-0001',
    '/monthly_rent/currency_dollars': '$1,250.50',
    '/date_of_birth/date/month': '02',
    '/date_of_birth/date/day': '9',
    '/date_of_birth/date/year': '1985',
    '/contact_phone/phone_number': '(206) 555-0100',
    '/case_number/id': '0042',
    '/household_size/number': '3',
    '/utilities/selections': ['water', 'gas'],
    '/owns_home/selection': 'no',
    '/anything_else/text': '=1+1 "quoted", \\ and\r\ntwo lines',
    [`${name}/0/entity_name`]: 'Leo',
    [`${name}/1/entity_name`]: 'Mia',
  }
  const files = ['=cmd.pdf', '"quoted", α.pdf'].map(name => ({
    field: '/proof_of_income/file_urls',
    name,
    content: aPdf(),
  }))
  await sendFiles(ada, files, { go: 'next', ...typed })
  await ada.passCode()
  await ada.fill({
    [`${name}/0/member_job/entities/0/entity_name`]: 'night',
    [`${name}/1/member_birthday/date/month`]: '12',
    [`${name}/1/member_birthday/date/day`]: '31',
    [`${name}/1/member_birthday/date/year`]: '2020',
  })
  await ada.fill({ [`${name}/0/member_job/entities/0/monthly_pay/currency_dollars`]: '10' })
  await ada.submit()
  expect(ada.page.path).toBe(`/apply/${slug}/received`)
}

/** What two applications never share. */
const ownNames =
  /^(?:applicant_id|application_id|create_time|submit_time|time|cursor|change|happened_at|entity_key|parent_key)$/

const withoutOwn = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inner) => (ownNames.test(name) ? undefined : inner)))

const ask = async (path: string): Promise<{ text: string; head: Headers }> => {
  const response = await service.get(path, { headers })
  expect(response.status).toBe(200)
  // With the mark that CSV begins with.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  return { text, head: response.headers }
}
const askText = async (path: string): Promise<string> => (await ask(path)).text

test('an application made in a browser equals one from a front end, in every format, OData and the feed', async () => {
  await applyInBrowser()
  const path = `/api/v1/admin/programs/${slug}`
  const { payload } = JSON.parse(await askText(`${path}/applications`)) as {
    payload: [{ application: { proof_of_income: { file_urls: string[] } } }]
  }
  const { file_urls } = payload[0].application.proof_of_income
  expect(file_urls).toHaveLength(2)
  await submitAsFrontEnd(file_urls)
  for (const [format, { read }] of Object.entries(formats)) {
    const { text, head } = await ask(`${path}/applications?format=${format}`)
    const { items } = read(text, head)
    expect(items).toHaveLength(2)
    expect(withoutOwn(items[1])).toEqual(withoutOwn(items[0]))
  }
  const feed = JSON.parse(await askText(`${path}/changes?include=application`)) as { payload: unknown[] }
  expect(feed.payload).toHaveLength(2)
  expect(withoutOwn(feed.payload[1])).toEqual(withoutOwn(feed.payload[0]))
  const { value: tables } = JSON.parse(await askText(`/odata/v1/${slug}`)) as { value: { name: string }[] }
  expect(tables.length).toBeGreaterThan(2)
  for (const { name } of tables) {
    const rows = await walkFeed(askText, `/odata/v1/${slug}/${name}`)
    const half = rows.length / 2
    expect(rows.slice(half).map(withoutOwn)).toEqual(rows.slice(0, half).map(withoutOwn))
  }
})
