// Importing a program from a file, in the console without scripts and through its API: previewed, chosen, saved, published, answered, exported.

import { describe, expect, test } from 'bun:test'
import { findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { importBytesMax } from '../../../src/domain/imports/identify-file.ts'
import { readForm } from '../../../src/web/console/requests/read-form.ts'
import { civiformFile } from '../../support/civiform-file.ts'
import { aPerson, ConsoleVisitor, errorsOf, noticesOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDefinition, aProgram, type QuestionSpec, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { timeZone: 'UTC' })
const { sql } = database
const ada = await aPerson(sql, { name: 'Ada', email: 'ada@example.gov' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)

const path = '/admin/import-program'
const file = (document: unknown): File =>
  new File([typeof document === 'string' ? document : JSON.stringify(document)], 'program.json', {
    type: 'application/json',
  })
const upload = (document: unknown) => browser.upload(path, {}, 'file', file(document))
const clashesOf = (page: string): string[] => [...page.matchAll(/data-question="([^"]*)"/g)].map(([, name]) => name!)
const choicesOf = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`type="radio" name="choice\\.${name}" value="([a-z]+)"`, 'g'))].map(
    ([, value]) => value!,
  )
const draftOf = async (slug: string) => findDraftVersion(sql, (await findProgram(sql, slug))!.program_id)

describe('the console', () => {
  const parking = aDefinition({
    slug: 'parking',
    questions: [q.email('k email', { text: 'Mail' }), q.number('k permit'), q.text('k street')],
  })

  test('shows each conflict with its choices, and stores nothing until they are made', async () => {
    await aProgram(sql, { slug: 'k-one', display_name: 'K one', questions: [q.email('k email'), q.id('k permit')] })
    const shown = await upload(parking)
    const page = await shown.text()
    expect(shown.status).toBe(200)
    expect(clashesOf(page)).toEqual(['k email', 'k permit'])
    expect(choicesOf(page, 'k email')).toEqual(['reuse', 'copy', 'change'])
    expect(choicesOf(page, 'k permit')).toEqual(['copy'])
    expect(page).toContain('K one')
    expect(await findProgram(sql, 'parking')).toBeUndefined()

    const fields = { file: JSON.stringify(parking), import: 'yes', 'choice.k email': 'reuse' }
    const refused = await browser.post(path, fields)
    const again = await refused.text()
    expect(refused.status).toBe(400)
    expect(errorsOf(again)).toContain('choice_required')
    expect(noticesOf(again)).toContain('choices')
    expect(again).toMatch(/value="reuse" checked/)
    expect(await findProgram(sql, 'parking')).toBeUndefined()

    const copied = { ...fields, 'choice.k permit': 'copy', 'name.k permit': 'k parking permit' }
    const done = await browser.post(path, copied)
    expect([done.status, done.headers.get('location')]).toEqual([303, '/admin/programs/parking/questions?done=begun'])
    expect(
      (await draftOf('parking'))!.questions.map(({ admin_name, settings }) => [admin_name, settings.text]),
    ).toEqual([
      ['k email', 'k email?'],
      ['k parking permit', 'k permit?'],
      ['k street', 'k street?'],
    ])
  })

  test('lists what is lost of a CiviForm file, and imports it as a draft under a chosen slug', async () => {
    const page = await (await upload(civiformFile())).text()
    expect(noticesOf(page)).toContain('losses')
    expect(errorsOf(page)).toEqual(expect.arrayContaining(['slug', 'eligibility', 'not_kept', 'no_statuses']))
    expect(clashesOf(page)).toEqual([])
    const fields = { file: JSON.stringify(civiformFile()), import: 'yes', slug: 'heating' }
    expect((await browser.post(path, fields)).headers.get('location')).toBe(
      '/admin/programs/heating/questions?done=begun',
    )
  })

  test('imports a question without a conflict under another name if one is entered', async () => {
    const file = aDefinition({ slug: 'k-renamed', questions: [q.text('k Title'), q.text('k other')] })
    const shown = await (await upload(file)).text()
    expect(clashesOf(shown)).toEqual([])
    expect(shown).toMatch(/name="rename.k Title"[^>]* value="k Title"/)
    const fields = { file: JSON.stringify(file), 'rename.k Title': ' k title ', 'rename.k other': 'k other' }
    // The name that was written stays in the form.
    expect(await (await browser.post(path, fields)).text()).toMatch(/name="rename.k Title"[^>]* value="k title"/)
    const taken = await browser.post(path, { ...fields, 'rename.k other': 'k title', import: 'yes' })
    expect([taken.status, errorsOf(await taken.text())]).toEqual([400, expect.arrayContaining(['name_taken'])])
    expect((await browser.post(path, { ...fields, import: 'yes' })).status).toBe(303)
    expect((await draftOf('k-renamed'))!.questions.map(({ admin_name }) => admin_name)).toEqual(['k title', 'k other'])
  })

  test('asks before it replaces the draft of a program that exists', async () => {
    await aProgram(sql, { slug: 'k-there', questions: [q.text('k there')] })
    const document = aDefinition({ slug: 'k-there', questions: [q.text('k more')] })
    const fields = { file: JSON.stringify(document), import: 'yes' }
    const refused = await browser.post(path, fields)
    expect([refused.status, errorsOf(await refused.text())]).toEqual([400, ['program_exists']])
    expect((await browser.post(path, { ...fields, update: 'yes' })).status).toBe(303)
    expect((await draftOf('k-there'))!.questions.map(({ admin_name }) => admin_name)).toEqual(['k more'])
  })

  test.each([['name,slug\na,b'], ['<html></html>'], ['{"openapi": "3.1.0"}'], ['{"slug": '], ['']])(
    'explains what a file is that is not a program: %p',
    async text => {
      const refused = await upload(text)
      expect([refused.status, errorsOf(await refused.text())]).toEqual([400, ['no_program']])
    },
  )

  test.each<[string, string, ...number[]]>([
    ['a picture', '', 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a],
    ['a picture', 'GIF89a', 0xff],
    ['a ZIP archive', 'PK\u0003\u0004', 0xc8],
    ['a PDF', '%PDF-1.7', 0xe2, 0],
    ['text in another encoding', '{"slug": "calefacci', 0xf3],
  ])('explains what a file is that is no text, on its own page: %s', async (_, start, ...bytes) => {
    const sent = new File([start, new Uint8Array(bytes)], 'chosen.bin')
    const refused = await browser.upload(path, {}, 'file', sent)
    const page = await refused.text()
    expect([refused.status, errorsOf(page)]).toEqual([400, ['no_program']])
    // From here another file can be chosen.
    expect(page).toContain('type="file"')
  })

  test('explains on its own page that a file is too large, also one larger than the whole form may be', async () => {
    for (const [bytes, status] of [
      [importBytesMax + 1, 400],
      [5 * importBytesMax, 413],
    ] as const) {
      const refused = await browser.upload(path, {}, 'file', new File([new Uint8Array(bytes)], 'chosen.bin'))
      const page = await refused.text()
      expect([refused.status, noticesOf(page)]).toEqual([status, ['refused']])
      expect(page).toContain('type="file"')
    }
  })

  test('a file near the limit can be imported although browsers double the line breaks of the previewed text', async () => {
    const text =
      JSON.stringify(aDefinition({ slug: 'k-lines', questions: [q.text('k line')] })) + '\n'.repeat(1_500_000)
    expect((await upload(text)).status).toBe(200)
    const fields = { file: text.replaceAll('\n', '\r\n'), import: 'yes' }
    const imported = await browser.upload(path, fields, 'none', new File([], 'none'))
    expect([imported.status, (await draftOf('k-lines'))?.questions.length]).toEqual([303, 1])
  })

  test('refuses fields that are no text, whatever files the form may have', async () => {
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="slug"\r\n\r\n'),
      Buffer.from([0xff]),
      Buffer.from('\r\n--x--\r\n'),
    ])
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    await expect(
      readForm(new Request('http://a/', { method: 'POST', body, headers }), 1000, new Map()),
    ).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  test('two questions of a CiviForm file whose names differ only in case are a conflict, which a copy resolves', async () => {
    const twins = civiformFile('twins')
    twins.questions[1]!.config.name = 'applicant name'
    const shown = await (await upload(twins)).text()
    expect(clashesOf(shown)).toEqual(['applicant name'])
    expect(choicesOf(shown, 'applicant name')).toEqual(['copy'])
    const choices = { 'applicant name': { do: 'copy', name: 'applicant home' } }
    const { status } = await api.ask('POST', '/imports', { file: twins, questions: choices })
    expect(status).toBe(200)
    const names = (await draftOf('twins'))!.questions.map(({ admin_name }) => admin_name)
    expect(names).toContain('Applicant Name')
    expect(names).toContain('applicant home')
  })

  test('a CiviForm program whose name has no letter for a slug gets one, and says so', async () => {
    const { status, body } = await api.ask('POST', '/imports/preview', { file: civiformFile('能源補助') })
    expect([status, body.slug]).toEqual([200, 'imported-program'])
    expect(body.losses).toContainEqual(expect.objectContaining({ code: 'slug', subject: 'program' }))
  })
})

/** The shapes of forms of other offices: the same questions in other words, kinds and places. */
const forms: readonly { slug: string; questions: readonly QuestionSpec[] }[] = [
  {
    slug: 'census',
    questions: [q.email('email address'), q.enumerator('members', [q.name('full name'), q.date('born')])],
  },
  {
    slug: 'pension',
    questions: [q.email('email address', { text: 'Your e-mail' }), q.name('full name'), q.number('account number')],
  },
  {
    slug: 'burial',
    questions: [
      q.name('full name', { text: 'Name of the deceased' }),
      q.id('account number', { min_length: 4 }),
      q.date('born'),
    ],
  },
  {
    slug: 'adresse',
    questions: [q.address('home address', { text: 'Adresse' }), q.email('email address', { text: 'Courriel' })],
  },
  {
    slug: 'enfants',
    questions: [q.enumerator('children', [q.name('full name', { text: 'Nom' }), q.radio('school', ['a', 'b'])])],
  },
  { slug: 'grant', questions: [q.text('account number'), q.currency('amount'), q.checkbox('school', ['a', 'c'])] },
  { slug: 'lobbying', questions: [q.text('home address', { optional: true }), q.dropdown('amount', ['low', 'high'])] },
  {
    slug: 'contacts',
    questions: [
      q.enumerator('members', [q.phone('phone'), q.email('email address', { text: 'Mail' })], { text: 'Contacts' }),
    ],
  },
  {
    slug: 'simple',
    questions: [q.text('Full Name'), q.text('full name 2', { optional: true }), q.number('amount', { min: 1 })],
  },
  {
    slug: 'branches',
    questions: [
      q.radio('school', ['yes', 'no']),
      q.text('why', { visible_when: { question: 'school', field: 'selection', operator: 'equal', value: 'yes' } }),
    ],
  },
  {
    slug: 'cymraeg',
    questions: [q.name('full name', { text: 'Enw llawn' }), q.date('born', { text: 'Dyddiad geni' })],
  },
  {
    slug: 'energy',
    questions: [q.phone('phone', { text: 'Call' }), q.checkbox('amount', ['1', '2']), q.map('members', ['n-1'])],
  },
]

interface Preview {
  open: string[]
  faults: unknown[]
  questions: { admin_name: string; may: string[]; copy_name: string | null }[]
}

/** Imports as somebody who reuses what can be reused and copies the rest under the name that is offered. */
async function importChoosing(document: unknown): Promise<{ clashes: number; slug: string }> {
  const questions: Record<string, object> = {}
  let clashes = 0
  for (;;) {
    const { body } = await api.ask('POST', '/imports/preview', { file: document, questions })
    const { open, faults, questions: planned } = body as Preview
    expect(faults).toEqual([])
    if (open.length === 0) break
    clashes += open.length
    for (const { admin_name, may, copy_name } of planned.filter(item => open.includes(item.admin_name)))
      questions[admin_name] = may.includes('reuse') ? { do: 'reuse' } : { do: 'copy', name: copy_name }
  }
  const done = await api.ask('POST', '/imports', { file: document, questions })
  expect([done.status, done.body]).toEqual([200, { slug: expect.any(String), saved_as: 'draft' }])
  return { clashes, slug: done.body.slug as string }
}

const publishNow = async (slug: string) => {
  const draft = (await draftOf(slug))!.program_version_id
  return api.ask('POST', `/programs/${slug}/publish`, { based_on: draft, move: [] })
}

let brought: Promise<number> | undefined
/** All forms, once, whichever test comes first. Resolves with how many clash. */
const bringIn = (): Promise<number> => {
  brought ??= (async () => {
    let clashing = 0
    for (const form of forms) {
      const { clashes, slug } = await importChoosing(aDefinition(form))
      if (clashes > 0) clashing++
      const published = await publishNow(slug)
      expect([slug, published.status, published.body.also_published]).toEqual([slug, 200, []])
    }
    return clashing
  })()
  return brought
}

describe('the API', () => {
  test('refuses an import with missing or invalid choices, and lists each', async () => {
    await aProgram(sql, { slug: 'a-one', questions: [q.phone('a phone')] })
    const document = aDefinition({ slug: 'a-two', questions: [q.phone('a phone', { text: 'Call' })] })
    const refused = await api.ask('POST', '/imports', { file: document })
    expect([refused.status, refused.body.errors[0].code]).toEqual([409, 'choice_required'])
    const wrong = await api.ask('POST', '/imports', { file: document, questions: { 'a phone': { do: 'rename' } } })
    expect([wrong.status, wrong.body.errors[0].code]).toEqual([400, 'wrong_choice'])
    const other = await api.ask('POST', '/imports/preview', { file: { openapi: '3.1.0' } })
    expect([other.status, other.body.errors[0].code]).toEqual([400, 'no_program'])
  })

  test('imports twelve conflicting forms of other offices one after another, and changes no existing program', async () => {
    const clashing = await bringIn()
    expect(clashing).toBeGreaterThan(8)
  }, 60_000)

  test('lets three of these and a CiviForm program be answered and exported exactly', async () => {
    await bringIn()
    const { slug: heating } = await importChoosing({ ...civiformFile('heat-again') })
    expect((await publishNow(heating)).status).toBe(200)
    const all = [heating, 'pension', 'enfants', 'branches']
    const key = await createTestKey(sql, { mayExport: true, maySubmit: true, programs: all })
    const sent: Record<string, Record<string, unknown>> = {
      [heating]: {
        Applicant_Name: { first_name: 'Ana', middle_name: null, last_name: 'Ruiz', suffix: null },
        homeaddress: {
          street: '1 Elm St',
          line2: null,
          city: 'Seattle',
          state: 'WA',
          zip: '98101',
          corrected: 'AsEnteredByUser',
        },
        heating: { selection: 'Heating oil / other' },
        help_wanted: { selections: ['fuel'] },
        tank_size: { number: 275 },
        people: {
          entities: [
            {
              entity_name: 'Luz',
              age: { number: 70 },
              email: { email: 'luz@example.org' },
              pension: { currency_dollars: 812.5 },
            },
            { entity_name: 'Bo', age: { number: 3 }, email: { email: null }, pension: { currency_dollars: null } },
          ],
        },
      },
      pension: { email_address: { email: 'a@example.org' }, account_number: { number: 12 } },
      enfants: { children: { entities: [{ entity_name: 'Zoé', school: { selection: 'b' } }] } },
      branches: {},
    }
    for (const slug of all) {
      const { questions } = (await (
        await service.get(`/intake/v1/programs/${slug}`, { headers: { Authorization: key.authorization } })
      ).json()) as {
        questions: {
          question_key: string
          kind: string
          enumerator_id: number | null
          settings: ProgramDefinition['questions'][number]
        }[]
      }
      const names = questions.filter(({ kind, enumerator_id }) => kind === 'NAME' && enumerator_id === null)
      const answers = { ...sent[slug]! }
      for (const { question_key } of names)
        answers[question_key] ??= { first_name: 'Ada', middle_name: null, last_name: 'Lovelace', suffix: null }
      for (const { question_key, kind, settings } of questions)
        if (kind === 'RADIO' && slug === 'branches')
          answers[question_key] = { selection: settings.options![1]!.admin_id }
      const inner = questions.find(({ kind, enumerator_id }) => kind === 'NAME' && enumerator_id !== null)
      if (slug === 'enfants')
        (answers.children as { entities: Record<string, unknown>[] }).entities[0]![inner!.question_key] = {
          first_name: 'Zoé',
          middle_name: null,
          last_name: 'Martin',
          suffix: null,
        }
      const frontEnd = new FrontEnd(service, key, slug)
      const applicant = await frontEnd.register('es-US')
      await frontEnd.apply(applicant, withoutNulls(answers) as Record<string, unknown>)
      const { payload } = (await (
        await service.get(`/api/v1/admin/programs/${slug}/applications`, {
          headers: { Authorization: key.authorization },
        })
      ).json()) as { payload: { language: string; application: Record<string, unknown> }[] }
      expect(payload).toHaveLength(1)
      expect(payload[0]).toMatchObject({ language: 'es-US', application: answers })
    }
  }, 60_000)
})

/** What is unanswered is left out of what is sent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null && !isUnanswered(inner))
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]))
}

const isUnanswered = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(value => value === null)
