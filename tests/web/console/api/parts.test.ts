// What each part of the console does through its API: the same as its pages, with every error named by its path.

import { describe, expect, test } from 'bun:test'
import { testPepper } from '../../../support/config.ts'
import { aPerson } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, {}, { environment: { API_KEY_PEPPER: testPepper } })
const ada = await aPerson(sql)
const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
const pathsOf = (body: { errors: { path?: string; parameter?: string }[] }) =>
  body.errors.map(({ path, parameter }) => path ?? parameter).sort()

await aProgram(sql, { slug: 'food', questions: [q.text('words')] })

describe('API keys', () => {
  const draft = {
    name: 'Benefits',
    programs: ['food'],
    allowed_subnets: ['127.0.0.1'],
    expires_at: '90d',
    may_export: true,
    may_submit: false,
  }

  test('are created, work, are edited by one person at a time, rotated and retired', async () => {
    const made = await api.ask('POST', '/keys', draft)
    expect(made.status).toBe(201)
    const { username, password, api_secret_token, version, expires_at } = made.body
    expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT/)
    const check = (token: string) => service.get('/api/v1/checkAuth', { headers: { Authorization: `Basic ${token}` } })
    expect((await check(api_secret_token)).status).toBe(200)
    expect(Buffer.from(`${username}:${password}`).toString('base64')).toBe(api_secret_token)
    const path = `/keys/${username}`
    const listed = await api.ask('GET', '/keys?state=active&q=benef')
    expect(listed.body.items.map((key: { api_key_id: string }) => key.api_key_id)).toEqual([username])
    expect(JSON.stringify(listed.body)).not.toContain(password)

    const renamed = await api.ask('PATCH', path, { based_on: version, name: 'Benefits office' })
    expect([renamed.status, renamed.body.name, renamed.body.programs]).toEqual([200, 'Benefits office', ['food']])
    const second = await api.ask('PATCH', path, { based_on: version, name: 'Something else' })
    expect([second.status, (await api.ask('GET', path)).body.name]).toEqual([409, 'Benefits office'])

    const hiding = { based_on: renamed.body.version, hidden_questions: ['nothing of the bank'] }
    expect(pathsOf((await api.ask('PATCH', path, hiding)).body)).toEqual(['/hidden_questions/0'])
    await aProgram(sql, { slug: 'hides', questions: [q.text('hidden words')] })
    const hidden = await api.ask('PATCH', path, { ...hiding, hidden_questions: ['hidden words'] })
    expect([hidden.status, hidden.body.hidden_questions]).toEqual([200, ['hidden words']])

    const passing = await api.ask('GET', `${path}/would-pass?address=127.0.0.1&program=food`)
    expect(passing.body).toEqual({ passes: true })
    const refused = await api.ask('GET', `${path}/would-pass?address=192.0.2.1&program=food`)
    expect(refused.body).toMatchObject({ passes: false, reason: 'address_not_allowed' })
    const noAddress = await api.ask('GET', `${path}/would-pass?address=abc&program=food`)
    expect([noAddress.status, noAddress.body.errors[0].parameter]).toEqual([400, 'address'])

    const rotated = await api.ask('POST', `${path}/rotate`, { overlap_days: 0 })
    expect([(await check(api_secret_token)).status, (await check(rotated.body.api_secret_token)).status]).toEqual([
      401, 200,
    ])
    const call = await check(api_secret_token)
    const requestId = call.headers.get('x-request-id')!
    await until('the refusal to be kept', async () => (await api.ask('GET', `/refusals/${requestId}`)).status === 200)
    const why = await api.ask('GET', `/refusals/${requestId}`)
    expect(why.body).toMatchObject({ reason: 'wrong_secret', api_key_id: username })

    const retired = await api.ask('POST', `${path}/retire`)
    expect([retired.status, retired.body.state]).toEqual([200, 'retired'])
    expect((await check(rotated.body.api_secret_token)).status).toBe(401)
  })

  test('are not created from an invalid body, and every error is reported by path', async () => {
    const form = await api.ask('POST', '/keys', { name: 3, programs: 'food', extra: true, may_export: 'yes' })
    expect(form.status).toBe(400)
    expect(pathsOf(form.body)).toEqual([
      '/allowed_subnets',
      '/expires_at',
      '/extra',
      '/may_export',
      '/may_submit',
      '/name',
      '/programs',
    ])
    const content = await api.ask('POST', '/keys', {
      ...draft,
      name: '',
      programs: ['food', 'nowhere'],
      allowed_subnets: ['10.0.0.1/8'],
      expires_at: '400d',
    })
    expect([content.status, pathsOf(content.body)]).toEqual([
      400,
      ['/allowed_subnets/0', '/expires_at', '/name', '/programs/1'],
    ])
    expect((await api.ask('POST', '/keys', { ...draft, expires_at: 'soon' })).body.errors[0].path).toBe('/expires_at')
  })

  test.each([
    ['nothing', '', 'application/json', 400],
    ['no JSON', '{', 'application/json', 400],
    ['a key twice', '{"overlap_days":1,"overlap_days":2}', 'application/json', 400],
    ['a form', 'overlap_days=1', 'application/x-www-form-urlencoded', 415],
    ['far too much', `{"x":"${'x'.repeat(70_000)}"}`, 'application/json', 413],
  ])('a body that is %s is refused', async (_, body, type, status) => {
    const { token } = await aToken(sql, ada)
    const response = await service.get(`/admin/api/v1/keys/tribk_${'x'.repeat(20)}/rotate`, {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
    })
    expect(response.status).toBe(status)
  })
})

describe('programs', () => {
  test('have drafts that are begun, saved by one person at a time, compared and published', async () => {
    const definition = {
      slug: 'rent',
      based_on: null,
      display_name: 'Rent',
      statuses: [],
      questions: [{ admin_name: 'rent name', kind: 'NAME', text: 'Who?' }],
      screens: [{ name: 'You', questions: [{ question: 'rent name' }] }],
    }
    const begun = await api.ask('PUT', '/programs/rent/draft', definition)
    expect([begun.status, begun.body.saved]).toEqual([200, true])
    const read = await api.ask('GET', '/programs/rent/draft')
    expect(read.body).toMatchObject({ slug: 'rent', based_on: begun.body.program_version_id })
    const saved = await api.ask('PUT', '/programs/rent/draft', { ...read.body, display_name: 'Rent help' })
    expect(saved.status).toBe(200)
    // Made from what is not there any more.
    const second = await api.ask('PUT', '/programs/rent/draft', { ...read.body, display_name: 'Other' })
    expect(second.status).toBe(409)
    const difference = await api.ask('GET', '/programs/rent/difference')
    expect(difference.body).toMatchObject({ draft: saved.body.program_version_id, active: null, moves: [] })
    const wrong = await api.ask('POST', '/programs/rent/publish', { based_on: begun.body.program_version_id })
    expect(wrong.status).toBe(409)
    const published = await api.ask('POST', '/programs/rent/publish', { based_on: saved.body.program_version_id })
    expect([published.status, published.body.published]).toEqual([200, true])
    const versions = await api.ask('GET', '/programs/rent/versions')
    expect(versions.body.items[0]).toMatchObject({
      state: 'ACTIVE',
      published_by: expect.stringContaining('admin-token:tribat_'),
    })
    const version = await api.ask('GET', `/programs/rent/versions/${versions.body.items[0].program_version_id}`)
    expect(version.body.document.display_name).toBe('Rent help')
    expect((await api.ask('GET', '/programs?q=rent')).body.items).toHaveLength(1)
    const [question] = (await api.ask('GET', '/questions?q=rent%20name')).body.items
    expect((await api.ask('GET', `/questions/${question.question_id}`)).body.uses[0].slug).toBe('rent')
  })

  test('update others with a shared question, if requested', async () => {
    for (const slug of ['first', 'second']) await aProgram(sql, { slug, questions: [q.text('shared by two')] })
    const { body: document } = await api.ask('GET', '/programs/first/draft')
    document.questions[0].text = 'Another text?'
    const { program_version_id: based_on } = (await api.ask('PUT', '/programs/first/draft', document)).body
    expect((await api.ask('GET', '/programs/first/difference')).body.moves).toMatchObject([{ slug: 'second' }])
    expect((await api.ask('POST', '/programs/first/publish', { based_on })).status).toBe(409)
    const published = await api.ask('POST', '/programs/first/publish', { based_on, move: ['second'] })
    expect(published.body.also_published).toMatchObject([{ slug: 'second', changes: [{ code: 'text_changed' }] }])
  })

  test('report definition errors by path, and let a draft be discarded only based on its latest state', async () => {
    const { body: document } = await api.ask('GET', '/programs/food/draft')
    const other = await api.ask('PUT', '/programs/food/draft', { ...document, slug: 'feed' })
    expect([other.status, pathsOf(other.body)]).toEqual([400, ['/slug']])
    const faulty = await api.ask('PUT', '/programs/food/draft', { ...document, screens: [{ name: '' }], nonsense: 1 })
    expect(faulty.status).toBe(400)
    expect(pathsOf(faulty.body)).toEqual(
      expect.arrayContaining(['/nonsense', '/screens/0/name', '/screens/0/questions']),
    )
    const saved = await api.ask('PUT', '/programs/food/draft', { ...document, display_name: 'Food help' })
    const draft = saved.body.program_version_id
    expect((await api.ask('DELETE', '/programs/food/draft')).status).toBe(400)
    expect((await api.ask('DELETE', `/programs/food/draft?based_on=${draft - 1}`)).status).toBe(409)
    expect((await api.ask('DELETE', `/programs/food/draft?based_on=${draft}`)).status).toBe(200)
    expect((await api.ask('GET', '/programs/food/difference')).status).toBe(404)
  })
})

describe('applications', async () => {
  await aProgram(sql, { slug: 'aid', questions: [q.text('why', { optional: true })], statuses: ['Approved', 'Denied'] })
  const key = await createTestKey(sql, { programs: ['aid'], maySubmit: true })
  const frontEnd = new FrontEnd(service, key, 'aid')
  const applicant = await frontEnd.register()
  await frontEnd.apply(applicant, { why: { text: 'first' } })
  await frontEnd.apply(applicant, { why: { text: 'second' } })

  test('are found by filters, and read exactly as exported with an audit entry', async () => {
    const all = await api.ask('GET', '/programs/aid/applications')
    expect(all.body.items).toHaveLength(2)
    const current = await api.ask('GET', '/programs/aid/applications?revision=CURRENT')
    const [{ application_id }] = current.body.items
    const faulty = await api.ask('GET', '/programs/aid/applications?revision=SOME&from=x')
    expect([faulty.status, pathsOf(faulty.body)]).toEqual([400, ['from', 'revision']])
    const read = await api.ask('GET', `/programs/aid/applications/${application_id}`)
    const exported = await service.get('/api/v1/admin/programs/aid/applications?revisionState=CURRENT', {
      headers: { Authorization: key.authorization },
    })
    const { payload } = (await exported.json()) as { payload: unknown[] }
    expect(read.body.exported).toEqual(payload[0])
    const [event] = await sql`
      select actor, detail->>'reading' as reading from audit_event
      where action = 'application_read' and subject = ${String(application_id)}`
    expect(event).toMatchObject({ actor: expect.stringMatching(/^admin-token:/), reading: 'as_exported' })
  })

  test('get status and note from one person at a time, with history', async () => {
    const [{ application_id }] = (await api.ask('GET', '/programs/aid/applications?revision=CURRENT')).body.items
    const path = `/programs/aid/applications/${application_id}`
    const { annotation_id } = (await api.ask('GET', path)).body
    const set = await api.ask('PATCH', path, { based_on: annotation_id, status: 'Approved', note: 'called' })
    expect([set.status, set.body.status, set.body.application_note]).toEqual([200, 'Approved', 'called'])
    expect((await api.ask('PATCH', path, { based_on: annotation_id, status: 'Denied' })).status).toBe(409)
    const unknown = await api.ask('PATCH', path, { based_on: set.body.annotation_id, status: 'Maybe' })
    expect([unknown.status, pathsOf(unknown.body)]).toEqual([400, ['/status']])
    const cleared = await api.ask('PATCH', path, { based_on: set.body.annotation_id, note: null })
    expect([cleared.body.status, cleared.body.application_note]).toEqual(['Approved', null])
    const history = await api.ask('GET', `${path}/history`)
    expect(history.body.states.map((state: { application_note: string | null }) => state.application_note)).toEqual([
      null,
      'called',
    ])
    expect(history.body.revisions).toHaveLength(2)
  })
})

describe('people and intermediaries', () => {
  test('are invited, edited, disabled', async () => {
    const draft = { email: 'new@example.gov', name: 'New', role: 'AUDITOR', programs: [] }
    const invited = await api.ask('POST', '/people', draft)
    expect([invited.status, invited.body.link]).toEqual([201, expect.stringContaining('/admin/invitations/')])
    const path = `/people/${invited.body.person_id}`
    const edited = await api.ask('PUT', path, { name: 'Newer', role: 'PROGRAM_ADMINISTRATOR', programs: ['food'] })
    expect(edited.body).toMatchObject({ name: 'Newer', role: 'PROGRAM_ADMINISTRATOR', programs: ['food'] })
    const wrong = await api.ask('PUT', path, { name: '', role: 'KING', programs: [] })
    expect([wrong.status, pathsOf(wrong.body)]).toEqual([400, ['/role']])
    expect((await api.ask('POST', `${path}/disable`)).body.disabled_at).toMatch(/^\d{4}-/)
    expect((await api.ask('POST', `${path}/link`)).status).toBe(409)
    expect((await api.ask('POST', `${path}/enable`)).body.disabled_at).toBeNull()
    // The only administrator stays one.
    const self = await api.ask('POST', `/people/${ada.person_id}/disable`)
    expect(self.status).toBe(409)
  })

  test('can be managed by organization', async () => {
    const added = await api.ask('POST', '/intermediaries', { name: 'Legal Aid' })
    const path = `/intermediaries/${added.body.organization_id}`
    expect((await api.ask('POST', '/intermediaries', { name: 'legal aid' })).status).toBe(400)
    expect((await api.ask('PUT', path, { name: 'Harbor Legal Aid' })).body.name).toBe('Harbor Legal Aid')
    expect((await api.ask('POST', `${path}/people`, { email: 'kim@example.org' })).status).toBe(201)
    const [person] = (await api.ask('GET', `${path}/people`)).body.items
    expect((await api.ask('POST', `${path}/people/${person.intermediary_id}/disable`)).status).toBe(200)
    expect((await api.ask('GET', `${path}/people`)).body.items[0].disabled_at).toMatch(/^\d{4}-/)
    expect((await api.ask('POST', `${path}/disable`)).body.disabled_at).toMatch(/^\d{4}-/)
  })
})

test('people whose emails are long come page by page, each once', async () => {
  const { organization_id } = (await api.ask('POST', '/intermediaries', { name: 'Long Names' })).body
  await sql`
    insert into intermediary (organization_id, email, email_folded, created_by)
    select ${organization_id}::bigint, long, long, 'operator:test'
    from (select repeat('a', 210) || lpad(n::text, 3, '0') || '@example.org' as long from generate_series(1, 60) n) one`
  const path = `/intermediaries/${organization_id}/people`
  const first = (await api.ask('GET', path)).body
  const second = (await api.ask('GET', `${path}?after=${first.next}`)).body
  const emails = [...first.items, ...second.items].map(({ email }: { email: string }) => email)
  expect([new Set(emails).size, second.next]).toEqual([60, null])
})

describe('monitoring', () => {
  test('shows jobs and docs, which can be requested again', async () => {
    const jobs = await api.ask('GET', '/jobs')
    expect(jobs.body).toMatchObject({ outbox: { waiting: expect.any(Number) }, items: expect.any(Array) })
    const asked = await api.ask('POST', '/docs/regenerate', { program: 'food' })
    expect(asked.body.program_version_ids).toHaveLength(1)
    const [docs] = (await api.ask('GET', '/docs/status')).body.items.filter(
      (item: { slug: string }) => item.slug === 'food',
    )
    expect(docs).toMatchObject({ job_name: 'refresh-docs-example', state: 'queued' })
    expect((await api.ask('POST', '/docs/regenerate', { program: 'nowhere' })).status).toBe(404)
    const retried = await api.ask('POST', '/jobs/retry', { job_name: 'refresh-key-map', program_version_id: 999_999 })
    expect(retried.status).toBe(404)
  })

  test('shows the audit log page by page, and verifies it', async () => {
    const first = await api.ask('GET', `/audit/events?actor=admin:${ada.email}`)
    expect(first.body.items[0]).toMatchObject({ actor: `admin:${ada.email}` })
    const { items } = (await api.ask('GET', '/audit/events')).body
    const event = await api.ask('GET', `/audit/events/${items[0].audit_event_id}`)
    expect(event.body.action).toBe(items[0].action)
    expect((await api.ask('GET', '/audit/events?from=yesterday')).status).toBe(400)
    const verdict = await api.ask('POST', '/audit/verify', {})
    expect(verdict.body).toMatchObject({ errors: [], pruned: [], unsealed: verdict.body.events })
    const unread = await api.ask('POST', '/audit/verify', { seal: 'nonsense' })
    expect([unread.status, pathsOf(unread.body)]).toEqual([400, ['/seal']])
    expect((await api.ask('GET', '/audit/sent/999999')).body).toEqual({ items: [] })
  })
})

describe('settings', () => {
  test('are shown, with no secret', async () => {
    const { body } = await api.ask('GET', '/settings')
    expect(body.items).toContainEqual(expect.objectContaining({ name: 'API_KEY_PEPPER', value: 'set' }))
    expect(JSON.stringify(body)).not.toContain(testPepper)
  })

  test('include retention periods, set by one person at a time and confirmed if they erase', async () => {
    const raw = await insertRawProgram(sql, 'api-kept')
    await insertRawApplications(sql, raw, 1, undefined, () => (Date.now() - 5 * 86_400_000) * 1000)
    const path = '/programs/api-kept/retention'
    const asked = await api.ask('PUT', path, { days: 3, based_on: null })
    expect([asked.status, pathsOf(asked.body)]).toEqual([400, ['/confirmation']])
    const set = await api.ask('PUT', path, { days: 3, based_on: null, confirmation: 'api-kept' })
    expect(set.body).toMatchObject({ retention_days: 3, expired: 1 })
    expect((await api.ask('PUT', path, { days: 9, based_on: null })).status).toBe(409)
    expect((await api.ask('PUT', path, { days: 0, based_on: 3 })).status).toBe(400)
    expect((await api.ask('GET', '/settings/retention?q=api-kept')).body.items[0].retention_days).toBe(3)
  })
})
