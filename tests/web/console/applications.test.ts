// Applications in the console: lists and their filters, one application, what it changed, as it is exported, status and note, and
// who may see what of them.

import { afterEach, describe, expect, test } from 'bun:test'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplicant } from '../../../src/core/applications/erase.ts'
import { aPerson, ConsoleVisitor, decoded, errorsOf, fieldsOf, noticesOf, seenIn } from '../../support/console.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const desk = await useConsoleRole(database)
const service = await useService(database, {}, { consoleDb: desk })
const hostile = '<script>alert("x")</script><img src=x onerror=alert(1)>'
const program = await aProgram(sql, {
  slug: 'utility',
  display_name: `Utility ${hostile}`,
  statuses: ['In review', 'Approved', `Odd ${hostile}`],
  screens: [
    {
      name: `About you ${hostile}`,
      questions: [
        q.name('applicant name', { text: 'What is your name?' }),
        q.radio('tenure', ['rent', 'own'], {
          text: `Do you rent? ${hostile}`,
          options: [
            { admin_id: 'rent', text: `Renting ${hostile}` },
            { admin_id: 'own', text: 'Owning' },
          ],
        }),
        q.text('landlord', {
          text: 'Who is your landlord?',
          optional: true,
          visible_when: { question: 'tenure', operator: 'equal', field: 'selection', value: 'rent' },
        }),
      ],
    },
    {
      name: 'Your home',
      questions: [
        q.enumerator(
          'member',
          [
            q.date('born', { text: 'Born when?', optional: true }),
            q.enumerator('job', [q.currency('pay', { text: 'Pay a month', optional: true })], {
              text: 'Jobs',
              optional: true,
            }),
          ],
          { text: 'Who lives with you?', optional: true },
        ),
        q.text('words', { text: 'Anything else?', optional: true }),
      ],
    },
  ],
})
await insertRawProgram(sql, 'elsewhere')
const key = await createTestKey(sql, { programs: ['utility'], maySubmit: true, mayExport: true })
const frontEnd = new FrontEnd(service, key, 'utility')

const ada = await aPerson(sql, { name: 'Ada' })
const theirs = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['utility'] })
const foreign = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['elsewhere'] })
const auditor = await aPerson(sql, { role: 'AUDITOR' })
const visitor = async ({ email }: { email: string }) => new ConsoleVisitor(service).signIn(email)
const [administrator, programAdministrator, stranger, reader] = await Promise.all(
  [ada, theirs, foreign, auditor].map(visitor),
)
const browser = administrator!

const list = '/admin/programs/utility/applications'
const name = { first_name: 'Ursula', last_name: 'Ibrahim' }
const answers = (more: Record<string, unknown> = {}) => ({
  applicant_name: name,
  tenure: { selection: 'own' },
  ...more,
})
/** What is read on a page. */
const textOf = (html: string): string => seenIn(html.replace(/<head>.*?<\/head>/s, ''))
const idsIn = (html: string, slug = 'utility'): number[] =>
  [
    ...html.matchAll(new RegExp(`class="strong" dir="auto" href="/admin/programs/${slug}/applications/(\\d+)`, 'g')),
  ].map(found => Number(found[1]))
const linkIn = (html: string, text: string): string | undefined => {
  const found = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].find(link => textOf(link[2]!) === text)
  return found?.[1]?.replaceAll('&amp;', '&')
}
const readings = async (applicationId: number, actor: string) =>
  sql<{ reading: string }[]>`
    select detail->>'reading' as reading from audit_event
    where action = 'application_read' and subject = ${String(applicationId)} and actor = ${`admin:${actor}`}
    order by audit_event_id`.then(rows => rows.map(row => row.reading))

const applicant = await frontEnd.register('es')
const household = {
  member: {
    entities: [
      {
        entity_name: 'Jiwoo',
        born: { date: '1958-08-04' },
        job: { entities: [{ entity_name: 'Bakery', pay: { currency_dollars: 1281 } }] },
      },
      { entity_name: 'Old Tom' },
    ],
  },
}
const first = await frontEnd.apply(
  applicant,
  answers({ ...household, tenure: { selection: 'rent' }, landlord: { text: 'Mr. Gone' } }),
)
const second = await frontEnd.apply(
  applicant,
  answers({
    member: {
      entities: [{ ...household.member.entities[0], born: { date: '1958-08-05' } }, { entity_name: 'Daniel Nguyễn' }],
    },
  }),
  { type: 'TRUSTED_INTERMEDIARY', email: 'north@aid.example', organization: 'North Aid' },
)

async function setState({ application_id }: { application_id: number }, state: { status?: null; note: string | null }) {
  const at = { program_id: program.program_id, actor: 'admin:test', timeZone: service.config.timeZone }
  await annotate(sql, { ...at, application_id, ...state, now: Date.now() * 1000 })
}
// No test meets the status and note of another.
afterEach(async () => {
  for (const submitted of [first, second]) await setState(submitted, { status: null, note: null })
})

/** What an export gives for an application, byte for byte. */
async function exportedObject(applicationId: number): Promise<string> {
  const response = await service.get('/api/v1/admin/programs/utility/applications', {
    headers: { Authorization: key.authorization },
  })
  const body = await response.text()
  const { payload } = JSON.parse(body) as { payload: { application_id: number }[] }
  const object = JSON.stringify(payload.find(item => item.application_id === applicationId))
  // JSON.stringify writes what JSON.parse read as it was, so the object is found in the body as it was sent.
  expect(body).toContain(object)
  return object
}

/** What the form says of the state that it shows. */
const seenOf = async ({ application_id }: { application_id: number }, visitor = browser): Promise<string> =>
  /name="seen" value="(\d+)"/.exec(await visitor.page(`${list}/${application_id}`))![1]!

test('programs to choose from come page by page, each once, for people who see all or some of them', async () => {
  const own = await useDatabase({}, endWithTest)
  const slugs = Array.from({ length: 405 }, (_, i) => `choice-${String(i).padStart(3, '0')}`)
  await own.sql`insert into program (slug, display_name) select slug, 'One of many' from unnest(${slugs}::text[]) as slug`
  await own.sql`insert into submission_counter (program_id) select program_id from program`
  const there = await useService(own, {}, {}, endWithTest)
  const some = slugs.slice(0, 250)
  const people = [
    { seen: slugs, person: await aPerson(own.sql) },
    { seen: some, person: await aPerson(own.sql, { role: 'PROGRAM_ADMINISTRATOR', programs: some }) },
  ]
  for (const { seen, person } of people) {
    const visitor = await new ConsoleVisitor(there).signIn(person.email)
    const found: string[] = []
    for (let path: string | undefined = '/admin/applications'; path !== undefined; ) {
      const html: string = await visitor.page(path)
      found.push(
        ...[...html.matchAll(/href="\/admin\/programs\/(choice-\d+)\/applications"/g)].map(([, slug]) => slug!),
      )
      path = linkIn(html, 'More programs')
      expect(found.length).toBeLessThanOrEqual(seen.length)
    }
    expect(found).toEqual(seen)
  }
}, 30_000)

describe('which programs', () => {
  test('each person can choose exactly the programs they may see', async () => {
    const seen = async (visitor: ConsoleVisitor) => {
      const html = await visitor.page('/admin/applications')
      return ['utility', 'elsewhere'].filter(slug => html.includes(`/admin/programs/${slug}/applications`))
    }
    expect(await seen(browser)).toEqual(['utility', 'elsewhere'])
    expect(await seen(reader!)).toEqual(['utility', 'elsewhere'])
    expect(await seen(programAdministrator!)).toEqual(['utility'])
    expect(await seen(stranger!)).toEqual(['elsewhere'])
  })

  test.each([
    '',
    `/${first.application_id}`,
    `/${first.application_id}/changes`,
    `/${first.application_id}/exported`,
    `/${first.application_id}/download`,
  ])('for a program administrator, another program does not exist: list%s', async path => {
    const response = await stranger!.get(list + path)
    const none = await stranger!.get(`/admin/programs/no-such-program/applications${path}`)
    expect([response.status, none.status]).toEqual([404, 404])
    expect(await response.text()).not.toContain('Ursula')
  })

  test('a program administrator cannot change the status of another program’s application', async () => {
    const response = await stranger!.post(`${list}/${second.application_id}`, {
      status: 'Approved',
      note: '',
      seen: '0',
    })
    expect(response.status).toBe(404)
    expect(JSON.parse(await exportedObject(second.application_id)).status).toBeNull()
  })

  test('an application is found only in its own program', async () => {
    const response = await browser.get(`/admin/programs/elsewhere/applications/${first.application_id}`)
    expect(response.status).toBe(404)
    expect((await browser.get(`${list}/999999999`)).status).toBe(404)
    expect((await browser.get(`${list}/1e3`)).status).toBe(404)
  })
})

test('the page of an application lists the clients it was sent to, with links to every page for people who read the audit log', async () => {
  await exportedObject(first.application_id)
  await until('the page to be in the audit log', async () => {
    const [row] = await sql`
      select from audit_event where action = 'applications_exported' and actor = ${`key:${key.username}`}`
    return row !== undefined
  })
  // A newer page that broke off makes what is certain no less so.
  await sql`
    insert into audit_event (actor, action, subject, detail)
    select actor, action, subject, detail || ${sql.json({ outcome: 'client_gone' })} from audit_event
    where action = 'applications_exported' and actor = ${`key:${key.username}`}`
  const page = await browser.page(`${list}/${first.application_id}`)
  expect(textOf(page)).toMatch(/Exported by 1 system [^,]+, last /)
  expect(page).toContain(`href="/admin/audit/sent?application=${first.application_id}"`)
  const theirPage = await programAdministrator!.page(`${list}/${first.application_id}`)
  expect(textOf(theirPage)).toContain('Exported by 1 system')
  expect(theirPage).not.toContain('/admin/audit/sent')
})

describe('the list of applications', () => {
  test('shows applications newest first, with names for people who may read answers, which the audit log records', async () => {
    const html = await browser.page(list)
    expect(idsIn(html).slice(-2)).toEqual([second.application_id, first.application_id])
    expect(textOf(html)).toContain('Ursula Ibrahim')
    const [event] = await sql<{ actor: string; subject: string; detail: { applications: number[] } }[]>`
      select actor, subject, detail from audit_event where action = 'applications_listed'
      order by audit_event_id desc limit 1`
    expect([event!.actor, event!.subject]).toEqual([`admin:${ada.email}`, 'utility'])
    expect(event!.detail.applications.slice(-2)).toEqual([second.application_id, first.application_id])
    const seen = await reader!.page(list)
    expect(idsIn(seen)).toEqual(idsIn(html))
    expect(seen).not.toContain('Ursula')
  })

  test.each<[string, () => string, () => number[]]>([
    ['revision', () => 'revision=OBSOLETE', () => [first.application_id]],
    ['revision', () => 'revision=CURRENT', () => [second.application_id]],
    ['applicant', () => `applicant=${applicant}`, () => [second.application_id, first.application_id]],
    ['applicant and revision', () => `applicant=${applicant}&revision=OBSOLETE`, () => [first.application_id]],
    ['a number as it is shown', () => `application=,,${first.application_id}`, () => [first.application_id]],
    ['no status', () => `status=none&applicant=${applicant}`, () => [second.application_id, first.application_id]],
    ['a status that nothing has', () => 'status=is%3ANowhere', () => []],
    [
      'empty filters',
      () => `from=&to=&status=&revision=&applicant=${applicant}&application=`,
      () => [second.application_id, first.application_id],
    ],
  ])('is filtered by %s', async (_, search, expected) => {
    const html = await browser.page(`${list}?${search()}`)
    expect(idsIn(html)).toEqual(expected())
  })

  test('reports every invalid filter, keeps what was entered, and shows no applications', async () => {
    const search = 'q=%3F&from=yesterday&to=2026-02-30&status=Approved&revision=NEW&applicant=x&application=-1'
    const response = await browser.get(`${list}?${search}`)
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(errorsOf(html)).toEqual(
      ['from', 'to', 'status', 'revision', 'applicant', 'application', 'q'].map(name => `${name} malformed`),
    )
    expect(fieldsOf(html, list)).toMatchObject({ q: '?', from: 'yesterday', to: '2026-02-30', applicant: 'x' })
    expect(idsIn(html)).toEqual([])
  })

  test('uses the days of the instance’s time zone', async () => {
    const far = await useDatabase({ timeZone: 'Pacific/Auckland' })
    const raw = await insertRawProgram(far.sql, 'far')
    // 2026-01-31T11:30Z is the first of February there.
    const [id] = await insertRawApplications(far.sql, raw, 1, undefined, () => Date.UTC(2026, 0, 31, 11, 30) * 1000)
    const there = await useService(far, { timeZone: 'Pacific/Auckland' })
    const person = await new ConsoleVisitor(there).signIn((await aPerson(far.sql)).email)
    const path = '/admin/programs/far/applications'
    expect(idsIn(await person.page(`${path}?from=2026-02-01&to=2026-02-02`), 'far')).toEqual([id!])
    expect(idsIn(await person.page(`${path}?to=2026-02-01`), 'far')).toEqual([])
  })

  test.each(['', 'status=none', 'revision=CURRENT', 'status=none&revision=CURRENT'])(
    'has pages without gaps or repetition while submissions arrive (%s)',
    async search => {
      const there = await insertRawProgram(sql, `paged-${crypto.randomUUID()}`)
      const ids = await insertRawApplications(sql, there, 120)
      const seen: number[] = []
      let path: string | undefined = `/admin/programs/${there.slug}/applications?${search}`
      let last = ''
      while (path !== undefined) {
        last = path
        const html = await browser.page(path)
        const shown = idsIn(html, there.slug)
        expect(shown).toHaveLength(Math.min(50, ids.length - seen.length))
        seen.push(...shown)
        path = linkIn(html, 'Older')
        await insertRawApplications(sql, there, 7)
      }
      expect(seen).toEqual(ids.toReversed())
      // And back again: every page that was passed, then what came in the meantime.
      const back: number[] = []
      path = last
      while (path !== undefined) {
        const html = await browser.page(path)
        back.unshift(...idsIn(html, there.slug))
        path = linkIn(html, 'Newer')
      }
      const all = await sql<{ application_id: number }[]>`
        select application_id from application where program_id = ${there.program_id} order by submit_seq desc`
      // The first page is filled up, so it may show again what stood on the second.
      expect([...new Set(back)]).toEqual(all.map(row => row.application_id))
    },
  )
})

describe('one application', () => {
  test('is shown by screen with the texts of its questions, entities, and what was not asked', async () => {
    const html = await browser.page(`${list}/${second.application_id}`)
    const text = textOf(html)
    expect(text).toContain('Ursula Ibrahim current')
    expect(text).toContain('by North Aid, north@aid.example (trusted intermediary)')
    expect(text).toContain('in Spanish')
    expect(text).toContain('What is your name? Ursula Ibrahim')
    expect(text).toContain(`Do you rent? ${hostile} Owning`)
    const unasked = text.slice(text.indexOf('Who is your landlord?')).split('“')
    expect(unasked.slice(1, 3).map(part => part.split('”')[0])).toEqual([
      `Do you rent? ${hostile}`,
      `Renting ${hostile}`,
    ])
    expect(text).toContain(
      'Who lives with you? Jiwoo · Aug 5, 1958 · Bakery Born when? Aug 5, 1958 changed Jobs Bakery · $1,281 Pay a month $1,281',
    )
    expect(text).toContain('Daniel Nguyễn new')
    expect(text).toContain('Old Tom removed')
    expect(text).toContain('Anything else? not answered')
    // What is personal is not in the title, which browsers keep.
    expect(/<title>(.*?)<\/title>/.exec(html)![1]).toBe(`Application ${second.application_id} · Tributary`)
  })

  test('shows what it replaced, the number of changes, and what replaced it', async () => {
    expect(textOf(await browser.page(`${list}/${second.application_id}`))).toContain(
      `It replaces ${first.application_id} from`,
    )
    const earlier = await browser.page(`${list}/${first.application_id}`)
    expect(noticesOf(earlier)).toEqual(['superseded'])
    expect(earlier).toContain(`href="${list}/${second.application_id}"`)
    // Of three, the next one, not the newest.
    const id = await frontEnd.register()
    const apply = async () => (await frontEnd.apply(id, answers())).application_id
    const [oldest, next] = [await apply(), await apply(), await apply()]
    expect(await browser.page(`${list}/${oldest}`)).toMatch(
      new RegExp(`data-notice="superseded".*?/applications/${next}"`),
    )
    await eraseApplicant(sql, id, { actor: 'operator:test', reason: undefined })
  })

  test('has a page of changes, answer by answer, before and after', async () => {
    const text = textOf(await browser.page(`${list}/${second.application_id}/changes`))
    expect(text).toContain(`Do you rent? ${hostile} Renting ${hostile} Owning`)
    expect(text).toContain('Who is your landlord? Mr. Gone not answered')
    expect(text).toContain('Who lives with you? Jiwoo Born when? Aug 4, 1958 Aug 5, 1958')
    expect(text).toContain('Who lives with you? Daniel Nguyễn new none Daniel Nguyễn')
    expect(text).toContain('Who lives with you? Old Tom removed Old Tom none')
    expect(text).not.toContain('What is your name?')
    expect((await browser.get(`${list}/${first.application_id}/changes`)).status).toBe(404)
  })

  test('links to its neighbors in the list it was opened from', async () => {
    const alone = `${list}/${second.application_id}?revision=OBSOLETE`
    expect(linkIn(await browser.page(alone), 'Older')).toBe(`${list}/${first.application_id}?revision=OBSOLETE`)
    expect(linkIn(await browser.page(alone), 'Newer')).toBeUndefined()
    expect(linkIn(await browser.page(`${list}/${first.application_id}`), 'Newer')).toBe(
      `${list}/${second.application_id}`,
    )
  })

  test('shows an answer of every kind, also after another version', async () => {
    const every = await aProgram(sql, { slug: 'every-kind', questions: everyKind })
    const everyKey = await createTestKey(sql, { programs: [every.slug], maySubmit: true })
    const frontEnd = new FrontEnd(service, everyKey, every.slug)
    const { application_id } = await frontEnd.apply(await frontEnd.register(), {
      applicant_name: { ...name, middle_name: 'K.', suffix: 'JR' },
      home_address: {
        street: '9229 Alder St',
        line2: 'Apt 2',
        city: 'Honolulu',
        state: 'HI',
        zip: '96806-9588',
        corrected: 'Corrected',
        latitude: '21.3',
        longitude: '-157.8',
        well_known_id: '4326',
        service_area: 'honolulu_InArea_1767225600,maui_NotInArea_1767225600',
      },
      monthly_rent: { currency_dollars: 1281.5 },
      date_of_birth: { date: '1962-08-27' },
      contact_email: { email: 'u@example.org' },
      contact_phone: { phone_number: '+14045550102' },
      proof_of_income: { file_urls: ['https://files.example/1/bill.pdf'] },
      case_number: { id: '00123' },
      service_location: { selections: ['Old Town'] },
      household_size: { number: 3 },
      utilities: { selections: ['water', 'gas'] },
      county: { selection: 'king' },
      anything_else: { text: 'Line one\nLine two' },
    })
    await aProgram(sql, { slug: 'every-kind', questions: [...everyKind, q.text('asked later', { optional: true })] })
    const html = await browser.page(`/admin/programs/every-kind/applications/${application_id}`)
    const text = textOf(html)
    for (const shown of [
      'Ursula K. Ibrahim JR',
      '9229 Alder St, Apt 2 Honolulu, HI 96806-9588 Corrected against a directory Service area honolulu: inside Service area maui: outside At 21.3, -157.8',
      '$1,281.50',
      'Aug 27, 1962',
      'u@example.org',
      '+1 404 555 0102',
      'bill.pdf files.example',
      '00123',
      'Option Old Town',
      'household size? 3',
      'Option water Option gas',
      'Option king',
    ])
      expect(text).toContain(shown)
    expect(html).toContain('Line one\nLine two')
    expect(text).not.toContain('asked later')
    expect(text).not.toContain('question_type')
  })
})

describe('as it is exported', () => {
  test('the download and the page show the object of an export, byte for byte', async () => {
    const wanted = await exportedObject(second.application_id)
    const response = await browser.get(`${list}/${second.application_id}/download`)
    expect(await response.text()).toBe(wanted)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="application-${second.application_id}.json"`,
    )
    expect([
      response.headers.get('content-type'),
      response.headers.get('cache-control'),
      response.headers.get('x-content-type-options'),
    ]).toEqual(['application/json', 'no-store', 'nosniff'])
    const html = await browser.page(`${list}/${second.application_id}/exported`)
    const shown = /<pre class="document" id="exact">(.*?)<\/pre>/s.exec(html)![1]!
    expect(decoded(shown)).toBe(wanted)
  })
})

describe('status and note', () => {
  const path = `${list}/${second.application_id}`
  const seen = (visitor = browser): Promise<string> => seenOf(second, visitor)

  test('are saved by people of the program, and appear in the next export, the history and the audit log', async () => {
    const saved = await programAdministrator!.post(`${path}?revision=CURRENT`, {
      status: 'In review',
      note: 'Waiting.\r\nFor a bill.',
      seen: await seen(programAdministrator),
    })
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${path}?revision=CURRENT&done=saved`])
    const object = JSON.parse(await exportedObject(second.application_id))
    expect([object.status, object.application_note]).toEqual(['In review', 'Waiting.\nFor a bill.'])
    const html = await browser.page(path)
    expect(textOf(html)).toContain(`In review`)
    expect(textOf(html).split('History')[1]).toContain(` · ${theirs.name}`)
    const [event] = await sql`
      select actor, detail from audit_event where action = 'application_annotated' and subject = ${String(second.application_id)} and actor <> 'admin:test'
      order by audit_event_id desc`
    expect(event).toEqual({
      actor: `admin:${theirs.email}`,
      detail: { program_id: program.program_id, status: 'In review', status_changed: true, note_changed: true },
    })
    expect(idsIn(await browser.page(`${list}?status=is%3AIn+review`))).toEqual([second.application_id])
    expect(idsIn(await browser.page(`${list}?status=none&applicant=${applicant}`))).toEqual([first.application_id])
  })

  test('keep the time of an unchanged status when the note changes (D30)', async () => {
    await browser.post(path, { status: 'In review', note: 'A note', seen: await seen() })
    // In microseconds: exported times are of whole seconds, and both changes may fall into one.
    const stored = async () =>
      (
        await sql`
        select application_note, status, status_last_modified_time from application
        where application_id = ${second.application_id}`
      )[0]!
    const before = await stored()
    await browser.post(path, { status: 'In review', note: 'Another note', seen: await seen() })
    expect(await stored()).toEqual({ ...before, application_note: 'Another note' })
    // Nor is a note set again whose lines end as only browsers end them.
    await setState(second, { note: 'Two\r\nlines' })
    await browser.post(path, { status: 'Approved', note: 'Two\r\nlines', seen: await seen() })
    expect(await stored()).toMatchObject({ status: 'Approved', application_note: 'Two\r\nlines' })
  })

  test('changed by two people at once are both shown to the second, who loses nothing and decides', async () => {
    const old = await seen()
    expect((await programAdministrator!.post(path, { status: 'Approved', note: 'By one', seen: old })).status).toBe(303)
    const html = await browser.refused(409, path, { status: 'In review', note: 'By another', seen: old })
    expect(html).toMatch(/<div class="now">.*?Approved.*?<form/s)
    expect(textOf(html)).toContain('By one')
    expect(html).toContain('>By another</textarea>')
    expect(JSON.parse(await exportedObject(second.application_id)).application_note).toBe('By one')
    const newer = /name="seen" value="(\d+)"/.exec(html)![1]!
    expect((await browser.post(path, { status: 'In review', note: 'By another', seen: newer })).status).toBe(303)
    expect(JSON.parse(await exportedObject(second.application_id)).application_note).toBe('By another')
  })

  test('have a history with the newest of very many changes, the oldest of them as it was set', async () => {
    for (let i = 0; i < 32; i++) await setState(second, { note: `n${i}` })
    const [, history] = textOf(await browser.page(path)).split('History')
    expect(history!.match(/ (?:Note|No status) [^·]*· test n\d+/g)).toHaveLength(30)
    expect(history).toMatch(/ Note [^·]*· test n3 No status [^·]*· test n2 /)
    expect(history).not.toContain('test n1 ')
  })

  test('are refused with errors at the fields for an unknown status and a note that is too long', async () => {
    const note = '漢'.repeat(10_001)
    const html = await browser.refused(400, path, { status: 'Nowhere', note, seen: await seen() })
    for (const id of ['status-error', 'note-error']) expect(html).toContain(`id="${id}"`)
    expect(html).toContain(note)
    expect(JSON.parse(await exportedObject(second.application_id)).application_note).toBeNull()
  })

  test('are removed again', async () => {
    await browser.post(path, { status: 'In review', note: 'A note', seen: await seen() })
    expect((await browser.post(path, { status: '', note: '', seen: await seen() })).status).toBe(303)
    const object = JSON.parse(await exportedObject(second.application_id))
    expect([object.status, object.application_note]).toEqual([null, null])
  })
})

describe('auditors', () => {
  test('see everything about an application except its answers, and change nothing', async () => {
    await browser.post(`${list}/${first.application_id}`, {
      status: 'Approved',
      note: 'Seen by all',
      seen: await seenOf(first),
    })
    const html = await reader!.page(`${list}/${first.application_id}`)
    for (const answer of ['Ursula', 'Jiwoo', 'Mr. Gone', 'Born when']) expect(html).not.toContain(answer)
    expect(textOf(html)).toContain('Approved')
    expect(textOf(html)).toContain('Seen by all')
    expect(textOf(html)).toContain('in Spanish')
    expect(html).not.toContain('<textarea')
    expect(await readings(first.application_id, auditor.email)).toEqual([])
    for (const path of ['changes', 'exported', 'download'])
      expect((await reader!.get(`${list}/${second.application_id}/${path}`)).status).toBe(403)
  })
})

describe('audit entries for reading applications', () => {
  test('exist for every reading of answers, including those of a compared application', async () => {
    const item = await aPerson(sql)
    const person = await visitor(item)
    await person.page(`${list}/${first.application_id}`)
    await person.page(`${list}/${second.application_id}`)
    await person.page(`${list}/${second.application_id}/exported`)
    await person.get(`${list}/${second.application_id}/download`)
    expect((await person.head(`${list}/${second.application_id}/download`)).status).toBe(200)
    expect(await readings(first.application_id, item.email)).toEqual(['shown', 'compared'])
    expect(await readings(second.application_id, item.email)).toEqual(['shown', 'as_exported', 'downloaded'])
    await person.page(`${list}/${second.application_id}/changes`)
    expect(await readings(first.application_id, item.email)).toEqual(['shown', 'compared', 'compared'])
    expect(await readings(second.application_id, item.email)).toEqual(['shown', 'as_exported', 'downloaded', 'shown'])
  })

  test('are required: if one cannot be written, no answer is shown', async () => {
    await sql`alter table audit_event add constraint refused check (action <> 'application_read') not valid`
    try {
      for (const path of ['', '/changes', '/exported', '/download']) {
        const response = await browser.get(`${list}/${second.application_id}${path}`)
        expect([path, response.status]).toEqual([path, 500])
        expect(await response.text()).not.toContain('Ursula')
      }
    } finally {
      await sql`alter table audit_event drop constraint refused`
    }
  })
})

test('a file is a link if its address is https without a user, and otherwise text', async () => {
  const files = await aProgram(sql, { slug: 'with-files', questions: [q.file('papers', { max_count: 4 })] })
  const filesKey = await createTestKey(sql, { programs: [files.slug], maySubmit: true })
  const frontEnd = new FrontEnd(service, filesKey, files.slug)
  const [safe, ...others] = [
    'https://files.example/1/bill.pdf',
    'http://files.example/1/bill.pdf',
    'https://files.example:pw@evil.example/bill.pdf',
    'https://files.example@evil.example/bill.pdf',
  ] as const
  const { application_id } = await frontEnd.apply(await frontEnd.register(), {
    papers: { file_urls: [safe, ...others] },
  })
  const html = await browser.page(`/admin/programs/${files.slug}/applications/${application_id}`)
  expect(html).toContain(`href="${safe}"`)
  for (const other of others) {
    expect(html).toContain(other)
    expect(html).not.toContain(`href="${other}"`)
  }
})

test('stored texts, options, answers, names, statuses and notes are never markup', async () => {
  const id = await frontEnd.register()
  const { application_id } = await frontEnd.apply(
    id,
    {
      applicant_name: { first_name: hostile, last_name: `"'><b>${hostile}` },
      tenure: { selection: 'rent' },
      landlord: { text: `javascript:alert(1) ${hostile}` },
      member: { entities: [{ entity_name: hostile }] },
    },
    { type: 'TRUSTED_INTERMEDIARY', email: 'a@b.example', organization: hostile },
  )
  await frontEnd.apply(id, {
    applicant_name: name,
    tenure: { selection: 'own' },
    member: { entities: [{ entity_name: `${hostile}2` }] },
  })
  await browser.post(`${list}/${application_id}`, {
    status: `Odd ${hostile}`,
    note: `</textarea>${hostile}`,
    seen: await seenOf({ application_id }),
  })
  const later = idsIn(await browser.page(`${list}?applicant=${id}`))[0]!
  for (const path of [
    '/admin/applications',
    list,
    `${list}?status=${encodeURIComponent(`is:"><b>${hostile}`)}`,
    `${list}/${application_id}`,
    `${list}/${application_id}/exported`,
    `${list}/${later}`,
    `${list}/${later}/changes`,
  ]) {
    const html = await browser.page(path)
    expect([path, /<script>|<img|<b>/.exec(html)?.[0]]).toEqual([path, undefined])
    expect(html).toContain('&lt;script>')
  }
  await eraseApplicant(sql, id, { actor: 'operator:test', reason: undefined })
})
