// Programs, their questions and versions, and the question bank, as people of the console read them.

import { describe, expect, test } from 'bun:test'
import { findDraftVersion } from '../../../src/db/programs/programs.ts'
import { aPerson, ConsoleVisitor, errorsOf, fieldsOf, isEmptyList, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aDraft, aProgram, publish, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const hostile = '<script>alert("x")</script>&amp;'
const home = await aProgram(sql, {
  slug: 'home-help',
  display_name: `Home ${hostile}`,
  statuses: [`New ${hostile}`],
  screens: [
    { name: `About ${hostile}`, questions: [q.name('applicant name', { text: `Name ${hostile}`, help: hostile })] },
    {
      name: 'Household',
      questions: [
        q.radio('housing', ['rent', 'own'], { text: `Rent ${hostile}` }),
        q.text('landlord', {
          optional: true,
          max_length: 80,
          visible_when: { question: 'housing', field: 'selection', operator: 'equal', value: 'rent' },
        }),
        q.enumerator('member', [q.date('born'), q.enumerator('job', [q.text('employer')])], { max_count: 12 }),
      ],
    },
  ],
})
await aProgram(sql, {
  slug: 'other-help',
  questions: [q.name('applicant name', { text: `Name ${hostile}`, help: hostile })],
})
await sql`update submission_counter set submit_seq = 301990, submissions = 301882, last_submit_time = now() where program_id = ${home.program_id}`

const visitorAs = async (role: 'ADMINISTRATOR' | 'PROGRAM_ADMINISTRATOR' | 'AUDITOR', programs: string[] = []) =>
  new ConsoleVisitor(service).signIn((await aPerson(sql, { role, programs })).email)
const admin = await visitorAs('ADMINISTRATOR')

describe('the program index page', () => {
  test('shows the active version and the draft, addresses, and the number of applications from the counter', async () => {
    await aDraft(sql, { slug: 'drafted', display_name: 'Drafted' })
    const text = await admin.page('/admin/programs')
    expect(text).toContain('301,882')
    // Every time is in the zone of the instance.
    expect(text).not.toMatch(/<time[^>]*Z"/)
    expect(text).toContain('version 1')
    expect(text).toContain('>draft<')
    expect(text).toContain(`${service.baseUrl}/api/v1/admin/programs/home-help/applications`)
    expect(text).toContain(`${service.baseUrl}/admin/programs/home-help`)
    expect(text).toContain(`${service.baseUrl}/docs/api/programs/home-help`)
  })

  test('searches by name and slug with every character literal, page by page', async () => {
    await sql`
      insert into program (slug, display_name, intake_state)
      select 'many-' || lpad(n::text, 3, '0'), 'Many 100%', 'ARCHIVED' from generate_series(1, 60) n`
    await sql`insert into submission_counter (program_id) select program_id from program on conflict do nothing`
    const found = await admin.page('/admin/programs?q=HOME')
    expect(found).toContain('home-help')
    expect(found).not.toContain('other-help')
    expect(isEmptyList(await admin.page('/admin/programs?q=%25%25'))).toBe(true)
    const first = await admin.page('/admin/programs?q=100%25&archived=yes&done=saved')
    expect(first.match(/href="\/admin\/programs\/many-\d+"/g)).toHaveLength(50)
    const next = /href="(\/admin\/programs\?q=100%25&amp;archived=yes&amp;after=[^"]+)"/
      .exec(first)![1]!
      .replaceAll('&amp;', '&')
    const second = await admin.page(next)
    expect(second.match(/href="\/admin\/programs\/many-\d+"/g)).toHaveLength(10)
    expect(second).toContain('/many-060"')
  })

  test('shows a program administrator only their own programs', async () => {
    const theirs = await visitorAs('PROGRAM_ADMINISTRATOR', ['home-help'])
    const text = await theirs.page('/admin/programs')
    expect(text).toContain('home-help')
    expect(text).not.toContain('other-help')
    expect(await theirs.page('/admin/programs/home-help')).not.toContain('/admin/programs/home-help/questions')
    const [foreign, missing] = await Promise.all(
      ['other-help', 'no-such-program'].map(slug => theirs.get(`/admin/programs/${slug}`)),
    )
    expect([foreign!.status, missing!.status]).toEqual([404, 404])
    // The token of a form is masked on each page.
    const body = async (response: Response) =>
      (await response.text()).replace(/<code>[0-9a-f-]{36}<\/code>/, '').replaceAll(/name="csrf" value="[^"]*"/g, '')
    expect(await body(foreign!)).toBe(await body(missing!))
    expect((await theirs.get('/admin/programs/home-help/questions')).status).toBe(403)
  })
})

describe('the questions of a program', () => {
  test('are listed by screen with key, type, options, conditions and bounds, repeated ones below their enumerator', async () => {
    const text = await admin.page('/admin/programs/home-help/questions')
    for (const part of ['2 · Household', 'landlord', 'optional', 'at most 80 characters', '2 options'])
      expect(text).toContain(part)
    expect(text).toMatch(/when “Rent &lt;script.{1,80}” is “Option rent”</)
    expect(text).toMatch(/depth-2[\s\S]*employer/)
    expect(text).toMatch(/<span>[^<]+ “job”<\/span>/)
    expect(text).toContain('at most 12')
  })

  test('questions are found by key and text', async () => {
    const text = await admin.page('/admin/programs/home-help/questions?q=LANDLORD')
    expect(text).toContain('landlord?')
    expect(text).not.toContain('employer?')
    // Its screen is the second, also where it is the only one that is shown.
    expect(text).toContain('id="screen-1"')
    const byKey = await admin.page('/admin/programs/home-help/questions?q=applicant_name')
    expect(byKey).toContain('<code>applicant_name</code>')
  })

  test('of the draft are marked where it changes something', async () => {
    await aProgram(sql, { slug: 'marked', questions: [q.text('kept'), q.text('reworded')] })
    await aDraft(sql, {
      slug: 'marked',
      questions: [q.text('kept'), q.text('reworded', { text: 'In other words?' }), q.date('added')],
    })
    const text = await admin.page('/admin/programs/marked/questions')
    expect(text).toContain('Draft · 2 changes')
    const row = (name: string) =>
      new RegExp(`<li class="[^"]*">(?:(?!</li>)[\\s\\S])*<code>${name}</code>`).exec(text)![0]
    expect(row('kept')).not.toContain('changed')
    expect(row('reworded')).toContain('changed')
    expect(row('added')).toContain('changed')
  })
})

test('whatever is stored is shown as text', async () => {
  const [question] = await sql<
    { question_id: number }[]
  >`select question_id from question where admin_name = 'applicant name'`
  for (const path of [
    '/admin/programs',
    '/admin/programs/home-help',
    '/admin/programs/home-help/questions',
    '/admin/programs/home-help/versions',
    `/admin/programs/home-help/versions/${home.program_version_id}`,
    '/admin/questions',
    `/admin/questions/${question!.question_id}`,
  ]) {
    const text = await admin.page(path)
    expect(text).toContain('&lt;script>alert(&quot;x&quot;)&lt;/script>&amp;amp;')
    expect(text).not.toContain('<script>alert')
  }
})

describe('whether a program accepts applications', () => {
  const path = '/admin/programs/ended'
  const save = (intake_state: string, intake_text = '') => admin.post(`${path}/intake`, { intake_state, intake_text })

  test('is set on its settings page and shown with its name, and archived programs are listed only on request', async () => {
    await aProgram(sql, { slug: 'ended', display_name: 'Ended Help', questions: [q.text('ended one')] })
    expect(await admin.page(`${path}/settings`)).toContain('kept permanently')
    const response = await save('CLOSED', 'Come back in March.')
    expect(response.headers.get('location')).toBe(`${path}/settings?done=intake`)
    expect(await admin.page(`${path}/settings`)).toContain('Come back in March.')
    for (const at of [path, '/admin/programs?q=ended']) expect(await admin.page(at)).toContain('>Closed<')
    expect(await admin.page('/admin/programs')).toContain('Ended Help')
    expect((await save('ARCHIVED')).status).toBe(303)
    expect(await admin.page('/admin/programs')).not.toContain('Ended Help')
    for (const at of ['/admin/programs?archived=yes', '/admin/programs?q=ended'])
      expect(await admin.page(at)).toContain('Ended Help')
    const archived = await admin.page('/admin/programs?archived=yes')
    expect(archived).not.toContain('home-help')
    expect(fieldsOf(archived, '/admin/programs')).toEqual({ q: '', archived: 'yes' })
    const [entry] = await sql`
      select address, detail from audit_event where action = 'program_intake_set' and subject = 'ended'
      order by audit_event_id desc limit 1`
    expect(entry).toEqual({
      address: '127.0.0.1',
      detail: { intake_state: 'ARCHIVED', intake_text: null, before: 'CLOSED' },
    })
  })

  test('is refused with a text that no applicant would see, or an unknown state', async () => {
    await aProgram(sql, { slug: 'unsaid', questions: [q.text('unsaid one')] })
    const path = '/admin/programs/unsaid'
    const text = await admin.refused(400, `${path}/intake`, { intake_state: 'OPEN', intake_text: 'Hello' })
    expect(errorsOf(text)).toEqual(['intake_text not_allowed'])
    expect(text).toContain('>Hello</textarea>')
    await admin.refused(400, `${path}/intake`, { intake_state: 'CLOSED', intake_text: 'x'.repeat(2001) })
    expect(await admin.refused(400, `${path}/intake`, { intake_text: '' })).toContain('Choose whether')
  })
})

describe('versions', () => {
  test('show who published each, when, and what it changed', async () => {
    await aProgram(sql, { slug: 'history', questions: [q.text('first')] })
    const second = await publish(
      sql,
      { slug: 'history', questions: [q.text('first', { help: 'A hint' })] },
      'admin-token:tribat_1:bo@example.gov',
    )
    const text = await admin.page('/admin/programs/history/versions')
    expect(text).toMatch(/ bo@example\.gov \([\w ]*token\)/)
    await aPerson(sql, { email: 'bo@example.gov', name: 'Bo <b>' })
    expect(await admin.page('/admin/programs/history/versions')).toMatch(/ Bo &lt;b> \([\w ]*token\)/)
    expect(text).toContain('“A hint”')
    expect(text).toContain('Question added: “')
    const value = await admin.page(`/admin/programs/history/versions/${second.program_version_id}`)
    expect(value).toContain('<dt>Help</dt>')
    expect(value).not.toContain('>new<')
  })

  test('can be compared in any pair, with old and new values', async () => {
    const text = (n: number) => ({ slug: 'compared', questions: [q.text('compared one', { text: `Wording ${n}?` })] })
    const path = '/admin/programs/compared/versions/compare'
    const first = await aProgram(sql, text(1))
    expect(await admin.page(path)).toContain('From Version 1 to Version 1')
    await publish(sql, text(2))
    const third = await publish(sql, text(3))
    const two = await admin.page(`${path}?from=${first.program_version_id}&to=${third.program_version_id}`)
    expect(two).toContain('From Version 1 to Version 3')
    const [from, to] = [first, third].map(item => String(item.program_version_id))
    expect(fieldsOf(two, path)).toEqual({ from: from!, to: to! })
    expect(two).toContain('<div>Wording 1?</div>')
    expect(two).toContain('<div>Wording 3?</div>')
    expect(two).not.toContain('Wording 2?')
    // Unless two are named, the newest two; a draft is newer than what is published.
    expect(await admin.page(path)).toContain('From Version 2 to Version 3')
    await aDraft(sql, text(4))
    expect(await admin.page(path)).toContain('From Version 3 to Draft')
    for (const wrong of [home.program_version_id, 'x', ''])
      expect((await admin.get(`${path}?from=${wrong}`)).status).toBe(404)
  })

  test('of another program are not found, and each can be downloaded as a document', async () => {
    const foreign = await admin.get(`/admin/programs/other-help/versions/${home.program_version_id}`)
    expect(foreign.status).toBe(404)
    const response = await admin.get(`/admin/programs/home-help/versions/${home.program_version_id}/document`)
    expect(response.headers.get('content-disposition')).toContain('attachment')
    expect(await response.json()).toMatchObject({ slug: 'home-help', based_on: home.program_version_id })
  })

  test('can be restored as a draft, with an audit entry', async () => {
    const first = await aProgram(sql, { slug: 'returned', questions: [q.text('asked once'), q.text('asked always')] })
    const second = await publish(sql, { slug: 'returned', questions: [q.text('asked always')] })
    const path = `/admin/programs/returned/versions/${first.program_version_id}`
    expect(await admin.page(path)).toContain(`action="${path}/take"`)
    const response = await admin.post(`${path}/take`, { based_on: String(second.program_version_id) })
    expect(response.status).toBe(303)
    const draft = await findDraftVersion(sql, first.program_id)
    expect(draft!.questions.map(question => question.admin_name)).toEqual(['asked once', 'asked always'])
    const [event] =
      await sql`select actor, address from audit_event where action = 'program_draft_saved' and subject = 'returned'`
    expect(event!.actor).toStartWith('admin:administrator.')
    expect(event!.address).not.toBeNull()
  })

  test('are not restored over a draft that another person saved meanwhile, and the page says so', async () => {
    const first = await aProgram(sql, { slug: 'contended', questions: [q.text('old one'), q.text('both')] })
    const second = await publish(sql, { slug: 'contended', questions: [q.text('both')] })
    const draft = await aDraft(
      sql,
      { slug: 'contended', questions: [q.text('both', { text: 'Theirs?' })] },
      'admin:other',
    )
    const at = `/admin/programs/contended/versions/${first.program_version_id}`
    const path = `${at}/take`
    expect(fieldsOf(await admin.page(at), path)).toMatchObject({ based_on: String(draft.program_version_id) })
    expect(await admin.page('/admin/programs/contended')).toMatch(/><time[^>]*>[^<]*<\/time> by other</)
    const text = await admin.refused(409, path, { based_on: String(second.program_version_id) })
    expect(noticesOf(text)).toEqual(['refused', 'draft-lost'])
    const overtaken = await admin.refused(409, path, { based_on: String(first.program_version_id) })
    expect(overtaken).toContain('Question removed.')
    expect((await findDraftVersion(sql, first.program_id))!.program_version_id).toBe(draft.program_version_id)
  })
})

describe('the question bank', () => {
  test('is searched by name, key and text, and shows which programs ask each question', async () => {
    const text = await admin.page('/admin/questions?q=applicant_name')
    expect(text).toContain('/admin/programs/home-help/questions')
    expect(text).toContain('/admin/programs/other-help/questions')
    expect(isEmptyList(await admin.page('/admin/questions?q=no such words'))).toBe(true)
    for (let n = 1; n <= 6; n++) await aProgram(sql, { slug: `asks-${n}`, questions: [q.text('asked often')] })
    await aDraft(sql, { slug: 'asks-1', questions: [q.text('asked often', { text: 'Otherwise?' })] })
    await aDraft(sql, { slug: 'asks-0', questions: [q.text('asked often', { text: 'Once more?' })] })
    const often = await admin.page('/admin/questions?q=asked+often')
    expect(often.match(/\/asks-\d\/questions/g)).toHaveLength(4)
    expect(often).toContain('and 3 more<')
    const own = await admin.page(/\/admin\/questions\/\d+/.exec(often)![0])
    const said = [...own.matchAll(/>(Program asks-\d|draft uses .*?)<\/(?:a|small)>/g)].map(([, text]) => text)
    const [draft, other] = ['draft uses revision 3', 'draft uses revision 2']
    expect(said.slice(0, 5)).toEqual(['Program asks-0', draft, 'Program asks-1', other, 'Program asks-2'])
    expect(said).toHaveLength(9)
  })

  test('pages by name', async () => {
    const questions = Array.from({ length: 60 }, (_, i) =>
      q.text(`bulk ${String.fromCharCode(97 + (i % 26))}${'x'.repeat(Math.floor(i / 26))}`, { text: `${99 - i}?` }),
    )
    await aProgram(sql, { slug: 'bulky', questions })
    const first = await admin.page('/admin/questions?q=bulk')
    const links = /\/admin\/questions\/\d+"/g
    expect(first.match(links)).toHaveLength(50)
    const next = /href="(\/admin\/questions\?q=bulk&amp;after=[^"]+)"/.exec(first)![1]!.replace('&amp;', '&')
    const second = await admin.page(next)
    expect(second.match(links)).toHaveLength(10)
    expect(new Set([...first.match(links)!, ...second.match(links)!]).size).toBe(60)
  })
})
