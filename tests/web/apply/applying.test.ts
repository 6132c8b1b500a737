// Applying in a browser without scripts, from the deep link to the confirmation.

import { expect, test } from 'bun:test'
import { errorsMax } from '../../../src/core/intake/checking/validation-errors.ts'
import { setProgramIntake } from '../../../src/core/intake/close-intake.ts'
import { Applicant } from '../../support/applicant.ts'
import { noticesOf } from '../../support/console.ts'
import { ExportClient } from '../../support/export-client.ts'
import { aPng, sendFiles } from '../../support/files.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true, filesDir: { folder: await useFolder() } })
const { sql } = database

const rents = { question: 'housing', field: 'selection', operator: 'equal' as const, value: 'rent' }
const household = (slug: string) =>
  aProgram(sql, {
    slug,
    screens: [
      { name: 'Home', questions: [q.radio('housing', ['rent', 'own']), q.currency('rent', { visible_when: rents })] },
      { name: 'Renters', visible_when: rents, questions: [q.text('landlord')] },
      {
        name: 'People',
        questions: [
          q.enumerator('people', [q.number('age'), q.enumerator('jobs', [q.text('company')], { optional: true })]),
        ],
      },
    ],
  })

async function applications(slug: string) {
  const key = await createTestKey(sql, { programs: [slug] })
  return new ExportClient(service, key, slug).walkAll()
}

test('an application is filled in screen by screen, each saved, with the questions that the answers require', async () => {
  await household('step-by-step')
  const ann = new Applicant(service)
  expect((await ann.open('/apply')).html).toContain('href="/apply/step-by-step"')
  await ann.open('/apply/step-by-step/screens/1')
  expect(ann.page.headers.get('cache-control')).toBe('no-store')
  expect(ann.fieldNames).toEqual([])
  await ann.fill({})
  expect([ann.page.status, ann.errors]).toEqual([400, ['/housing/selection']])
  expect(ann.cookies.size).toBe(0)

  // Saved, and asked for more on the same screen; the code comes first.
  await ann.fill({ '/housing/selection': 'rent' })
  expect(ann.page.path).toStartWith('/apply/-/code')
  const { code } = ann
  expect(code).toMatch(/^[2-9B-Z]{4}(-[2-9B-Z]{4}){2}$/)
  await ann.passCode()
  expect(noticesOf(ann.page.html)).toEqual(['more'])
  await ann.fill({ '/rent/currency_dollars': 'a lot' })
  expect(ann.errors).toEqual(['/rent/currency_dollars'])
  expect(ann.page.html).toContain('value="a lot"')
  await ann.fill({ '/rent/currency_dollars': '$1,250.50' })
  expect(ann.page.path).toBe('/apply/step-by-step/screens/2')
  await ann.fill({ '/landlord/text': '<script>alert(1)</script>' })

  // A list, one of its entities removed, with lists in it.
  await ann.fill({ '/people/entities/0/entity_name': 'Bo' }, { add: '/people/entities' })
  await ann.fill({ '/people/entities/1/entity_name': 'Cy' }, { add: '/people/entities' })
  await ann.fill({ '/people/entities/2/entity_name': 'Di' })
  expect(ann.errors).toEqual(['/people/entities/0/age/number', '/people/entities/1/age/number'])
  const ages = { '/people/entities/0/age/number': '1', '/people/entities/1/age/number': '2' }
  const last = { '/people/entities/2/age/number': '3', '/people/entities/2/jobs/entities/0/entity_name': 'night' }
  await ann.fill({ ...ages, ...last }, { remove: '/people/entities/1' })
  await ann.fill({})
  expect(ann.errors).toEqual(['/people/entities/2/jobs/entities/0/company/text'])
  await ann.fill({ '/people/entities/2/jobs/entities/0/company/text': 'Bakery' })
  expect(ann.page.path).toBe('/apply/step-by-step/check')
  expect(ann.page.html).not.toContain('<script>alert')

  // Another device comes back with the code and submits.
  const phone = new Applicant(service)
  await phone.open('/apply/-/return')
  await phone.fill({ code: code.toLowerCase().replaceAll('-', ' ') }, {}, 'name="code"')
  expect(phone.page.path).toBe('/apply/-/applications')
  await phone.open('/apply/step-by-step/check')
  await phone.submit()
  expect(phone.page.path).toBe('/apply/step-by-step/received')
  const [application] = await applications('step-by-step')
  expect(phone.page.html).toContain(`data-application="${application!.application_id}"`)
  expect(application!.application).toEqual({
    housing: { question_type: 'SINGLE_SELECT', selection: 'rent' },
    rent: { question_type: 'CURRENCY', currency_dollars: 1250.5 },
    landlord: { question_type: 'TEXT', text: '<script>alert(1)</script>' },
    people: {
      question_type: 'ENUMERATOR',
      entities: [
        {
          entity_name: 'Bo',
          age: { question_type: 'NUMBER', number: 1 },
          jobs: { question_type: 'ENUMERATOR', entities: [] },
        },
        {
          entity_name: 'Di',
          age: { question_type: 'NUMBER', number: 3 },
          jobs: {
            question_type: 'ENUMERATOR',
            entities: [{ entity_name: 'night', company: { question_type: 'TEXT', text: 'Bakery' } }],
          },
        },
      ],
    },
  })
})

test('every kind of question can be answered', async () => {
  await aProgram(sql, { slug: 'every-kind', questions: everyKind })
  const ann = new Applicant(service)
  await ann.open('/apply/every-kind/screens/1')
  const typed = {
    '/applicant_name/first_name': 'Ada',
    '/applicant_name/last_name': 'Diaz',
    '/home_address/street': '12 Harbor Ave',
    '/home_address/city': 'Seattle',
    '/home_address/state': 'WA',
    '/home_address/zip': '98101',
    '/monthly_rent/currency_dollars': '12',
    '/date_of_birth/date/month': '2',
    '/date_of_birth/date/day': '9',
    '/date_of_birth/date/year': '1985',
    '/contact_email/email': 'ada@example.org',
    '/contact_phone/phone_number': '(206) 555-0100',
    '/case_number/id': '0042',
    '/service_location/selections': ['north-1', 'Old Town'],
    '/household_size/number': '3',
    '/utilities/selections': ['water', 'gas'],
    '/county/selection': 'king',
    '/owns_home/selection': 'no',
    '/anything_else/text': 'One\r\ntwo',
    '/household_member/entities/0/entity_name': 'Leo',
  }
  const files = ['bill.pdf', 'photo.png'].map(name => ({ field: '/proof_of_income/file_urls', name, content: aPng }))
  await sendFiles(ann, files, { go: 'next', ...typed })
  await ann.passCode()
  await ann.fill({})
  await ann.submit()
  const [made] = await applications('every-kind')
  const file = /\/admin\/programs\/every-kind\/files\/[0-9a-f]{40}$/
  expect(made!.application).toMatchObject({
    applicant_name: { first_name: 'Ada', middle_name: null, last_name: 'Diaz', suffix: null },
    home_address: { street: '12 Harbor Ave', state: 'WA', zip: '98101', corrected: 'AsEnteredByUser' },
    monthly_rent: { currency_dollars: 12 },
    date_of_birth: { date: '1985-02-09' },
    contact_email: { email: 'ada@example.org' },
    contact_phone: { phone_number: '+12065550100' },
    proof_of_income: { file_urls: [expect.stringMatching(file), expect.stringMatching(file)] },
    case_number: { id: '0042' },
    service_location: { selections: ['north-1', 'Old Town'] },
    household_size: { number: 3 },
    utilities: { selections: ['water', 'gas'] },
    county: { selection: 'king' },
    owns_home: { selection: 'no' },
    anything_else: { text: 'One\ntwo' },
    household_member: { entities: [{ entity_name: 'Leo' }] },
  })
})

test('two windows, a reload and a double click submit one application', async () => {
  await aProgram(sql, { slug: 'once', questions: [q.text('reason')] })
  const ann = new Applicant(service)
  await ann.open('/apply/once/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  await ann.passCode()
  const other = ann.window()
  await other.open('/apply/once/check')
  const { action, fields } = ann.fieldsOf('name="key"')
  const sent = await Promise.all([ann.post(action, fields), ann.post(action, fields), other.submit()])
  for (const { status, path } of sent) expect([status, path]).toEqual([200, '/apply/once/received'])
  expect((await ann.post(action, fields)).path).toBe('/apply/once/received')
  expect(await applications('once')).toHaveLength(1)

  // What another window has saved since is shown before it is sent.
  await ann.open('/apply/once/screens/1')
  await ann.fill({ '/reason/text': 'Heat' })
  await other.open('/apply/once/screens/1')
  await other.fill({ '/reason/text': 'Water' })
  await ann.submit()
  expect([ann.page.path, noticesOf(ann.page.html)]).toEqual(['/apply/once/check?changed=1', ['changed']])
  await ann.submit()
  const made = await applications('once')
  expect(made.map(({ revision_state, application }) => [revision_state, application.reason])).toEqual([
    ['OBSOLETE', { question_type: 'TEXT', text: 'Rent' }],
    ['CURRENT', { question_type: 'TEXT', text: 'Water' }],
  ])
})

test('a form that was open before another screen was saved keeps what was typed', async () => {
  const screens = [{ questions: [q.text('reason')] }, { questions: [q.checkbox('needs', ['rent', 'heat'])] }]
  await aProgram(sql, { slug: 'apart', screens: [...screens, { questions: [q.number('how many')] }] })
  const ann = new Applicant(service)
  await ann.open('/apply/apart/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  await ann.passCode()
  const other = ann.window()
  await other.open('/apply/apart/screens/3')
  await ann.fill({ '/needs/selections': 'heat' })
  await other.fill({ '/how_many/number': '3' })
  expect([other.page.path, noticesOf(other.page.html)]).toEqual(['/apply/apart/check', []])
  await other.submit()
  expect((await applications('apart'))[0]!.application).toMatchObject({
    needs: { selections: ['heat'] },
    how_many: { number: 3 },
  })
})

test('a form that arrives after its application was submitted begins no new one', async () => {
  await aProgram(sql, {
    slug: 'late',
    screens: [{ questions: [q.text('reason')] }, { questions: [q.number('how many')] }],
  })
  const ann = new Applicant(service)
  await ann.open('/apply/late/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  await ann.passCode()
  const late = ann.window()
  await late.open('/apply/late/screens/2')
  await ann.fill({ '/how_many/number': '3' })
  await ann.submit()
  await late.fill({ '/how_many/number': '3' })
  expect([late.page.path, noticesOf(late.page.html)]).toEqual(['/apply/late/screens/2?changed=1', ['changed']])
  const inProgress = () => sql`select from application_in_progress join program using (program_id) where slug = 'late'`
  expect(await inProgress()).toHaveLength(0)
  // A form that was opened afterwards begins the next application.
  await late.fill({ '/how_many/number': '4' })
  expect(late.page.path).toBe('/apply/late/check')
  expect(await inProgress()).toHaveLength(1)
})

test('answers about one person are never saved as those about another after a removal in another window', async () => {
  await household('windows')
  const ann = new Applicant(service)
  await ann.open('/apply/windows/screens/1')
  await ann.fill({ '/housing/selection': 'own' })
  await ann.passCode()
  await ann.fill({ '/people/entities/0/entity_name': 'Bo', '/people/entities/1/entity_name': 'Cy' })
  const other = ann.window()
  await other.open('/apply/windows/screens/3')
  await other.fill({}, { remove: '/people/entities/0' })
  await other.fill({ '/people/entities/1/age/number': '9' })
  expect(other.page.path).toBe('/apply/windows/check')
  await ann.fill({ '/people/entities/0/age/number': '70', '/people/entities/1/age/number': '9' })
  expect(noticesOf(ann.page.html)).toEqual(['changed'])
  expect(ann.page.html).not.toContain('value="70"')
})

test('a version published meanwhile asks for what it changed, and keeps the other answers', async () => {
  const slug = 'moving'
  await aProgram(sql, { slug, questions: [q.text('nickname'), q.radio('pet', ['cat', 'dog'])] })
  const ann = new Applicant(service)
  await ann.open(`/apply/${slug}/screens/1`)
  await ann.fill({ '/nickname/text': 'Ann', '/pet/selection': 'dog' })
  await ann.passCode()
  await aProgram(sql, { slug, questions: [q.text('nickname'), q.radio('pet', ['cat', 'fish']), q.number('pets')] })
  await ann.submit()
  expect(ann.page.path).toBe(`/apply/${slug}/check?changed=1`)
  expect(ann.errors).toEqual(['/pet/selection', '/pets/number'])
  await ann.open(`/apply/${slug}/screens/1`)
  await ann.fill({ '/pet/selection': 'fish', '/pets/number': '7' })
  await ann.submit()
  expect((await applications(slug)).map(({ application }) => application.nickname)).toEqual([
    { question_type: 'TEXT', text: 'Ann' },
  ])
})

/** Letters for a number: keys of questions have no digits. */
const lettersOf = (i: number) => i.toString().replace(/\d/g, digit => 'abcdefghij'[Number(digit)]!)

test('a form that asks for more answers than one response lists errors is whole from the start', async () => {
  const questions = Array.from({ length: errorsMax + 1 }, (_, i) => q.text(`part ${lettersOf(i)}`))
  await aProgram(sql, { slug: 'long', screens: [{ questions }, { questions: [q.text('last')] }] })
  const ann = new Applicant(service)
  await ann.open('/apply/long/screens/1')
  expect(ann.fieldNames).toHaveLength(errorsMax + 1)
  await ann.open('/apply/long/screens/2')
  expect([ann.page.path, ann.fieldNames]).toEqual(['/apply/long/screens/2', ['/last/text']])
})

test('a program that is closed, paused or unknown accepts nothing and says so', async () => {
  await aProgram(sql, { slug: 'shut', questions: [q.text('reason')] })
  const ann = new Applicant(service)
  await ann.open('/apply/shut/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  await ann.passCode()
  for (const intake_state of ['CLOSED', 'PAUSED', 'ARCHIVED'] as const) {
    await setProgramIntake(sql, 'shut', { intake_state, intake_text: 'Back in <May>.', actor: 'admin:test' })
    const late = ann.window()
    late.page = ann.page
    await late.submit()
    expect([late.page.path, noticesOf(late.page.html)]).toEqual(['/apply/shut', [intake_state]])
    expect(late.page.html).toContain('Back in &lt;May>.')
    expect((await late.open('/apply')).html).not.toContain('href="/apply/shut"')
    expect((await late.open('/apply/shut/screens/1')).path).toBe('/apply/shut')
  }
  expect(await applications('shut')).toEqual([])
  for (const path of ['/apply/nothing', '/apply/nothing/screens/1', '/apply/__proto__', '/apply/%2e%2e/check'])
    expect((await ann.open(path)).status).toBe(404)
})
