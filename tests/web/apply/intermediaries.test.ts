// People of an organization apply for its clients: theirs alone, under the organization's name, and for as long as they are enabled.

import { expect, test } from 'bun:test'
import { applyKey } from '../../../src/core/apply/apply-front-end.ts'
import { beginApplying } from '../../../src/core/apply/apply-sessions.ts'
import { registerApplicant } from '../../../src/core/intake/register-applicant.ts'
import {
  revokeClientCodes,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../src/core/people/intermediaries.ts'
import { disablePerson } from '../../../src/core/people/people.ts'
import { holdIntermediaries, updateIntermediaryDisabled } from '../../../src/db/people/intermediary-rows.ts'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor, noticesOf, rowsOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { ExportClient } from '../../support/export-client.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { anIntermediary, anOrganization, Intermediary } from '../../support/intermediary.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true })
const { sql } = database
const by = { actor: 'operator:test', now: Date.now() * 1000 }
const casaId = await anOrganization(sql, 'Casa <Latina>')
const casa = await anIntermediary(sql, casaId)

const questions = [q.text('reason')]
const program = (slug: string) => aProgram(sql, { slug, questions })
const signIn = (person = casa, at = service) => new Intermediary(at).signIn(at, person)

async function applications(slug: string) {
  const key = await createTestKey(sql, { programs: [slug] })
  return new ExportClient(service, key, slug).walkAll()
}

test('a client is registered, applied for, left, found again, and applied for again', async () => {
  await program('rent')
  const hana = await signIn()
  expect((await hana.open('/admin')).path).toBe('/apply/-/clients')
  const code = await hana.register('Rosa Diaz')
  expect(hana.page.path).toBe('/apply/-/code')
  await hana.open('/apply/rent/screens/1')
  expect(hana.page.html).toContain('Rosa Diaz')
  await hana.fill({ '/reason/text': 'Rent' })
  expect(hana.page.path).toBe('/apply/rent/check')

  // Another day, another person of the organization.
  const ivo = await signIn(await anIntermediary(sql, casaId))
  const id = (await ivo.clients()).get('Rosa Diaz')!
  await ivo.openClient(id)
  expect([ivo.page.path, ivo.page.html.includes('href="/apply/rent"')]).toEqual(['/apply/-/applications', true])
  expect(ivo.page.html).not.toContain(code)
  await ivo.open('/apply/rent/check')
  await ivo.submit()
  expect(ivo.page.path).toBe('/apply/rent/received')

  // The client, with the code.
  const rosa = new Applicant(service)
  await rosa.open('/apply/-/return')
  await rosa.fill({ code }, {}, 'name="code"')
  await rosa.open('/apply/rent/screens/1')
  await rosa.fill({ '/reason/text': 'Heat' })
  await rosa.submit()

  await hana.openClient(id)
  await hana.open('/apply/rent/screens/1')
  await hana.fill({ '/reason/text': 'Water' })
  await hana.submit()
  const own = { submitter_type: 'APPLICANT', ti_email: null, ti_organization: null }
  const made = await applications('rent')
  const [byIvo, byRosa, byHana] = made
  expect(byIvo).toMatchObject({ submitter_type: 'TRUSTED_INTERMEDIARY', ti_organization: 'Casa <Latina>' })
  expect(byIvo!.ti_email).not.toBe(casa.email)
  expect(byRosa).toMatchObject(own)
  expect(byHana).toMatchObject({ ti_email: casa.email, ti_organization: 'Casa <Latina>' })
  expect(
    made.map(application => [
      application.applicant_id,
      application.revision_state,
      application.application.reason!.text,
    ]),
  ).toEqual([
    [id, 'OBSOLETE', 'Rent'],
    [id, 'OBSOLETE', 'Heat'],
    [id, 'CURRENT', 'Water'],
  ])
})

test('organizations and residents see nothing of each other', async () => {
  await program('apart')
  const [hana, other] = [await signIn(), await signIn(await anIntermediary(sql, await anOrganization(sql, 'Other')))]
  await hana.register('Rosa of Casa')
  await hana.open('/apply/apart/screens/1')
  await hana.fill({ '/reason/text': 'Of Casa' })
  const id = (await hana.clients()).get('Rosa of Casa')!
  await other.register('Olu Other')
  expect([...(await other.clients()).keys()]).toEqual(['Olu Other'])
  const resident = new Applicant(service)
  await resident.open('/apply/apart/screens/1')
  await resident.fill({ '/reason/text': 'Of a resident' })
  const [{ applicant_id }] = await sql<
    [{ applicant_id: number }]
  >`select max(applicant_id) as applicant_id from applicant`
  for (const foreign of [id, applicant_id, 0, 999_999]) expect((await other.openClient(foreign)).status).toBe(404)
  expect((await hana.openClient(applicant_id)).status).toBe(404)
  // A cookie of the other's client is worth nothing in another's session, nor without one.
  const stolen = hana.cookies.get('tributary-apply')!
  other.cookies.set('tributary-apply', stolen)
  expect((await other.open('/apply/apart/check')).path).toBe('/apply/-/clients')
  const thief = new Applicant(service)
  thief.cookies.set('tributary-apply', stolen)
  for (const path of ['/apply/apart/check', '/apply/apart/screens/1', '/apply/-/applications'])
    expect((await thief.open(path)).html).not.toContain('Of Casa')
  // Nor is a resident's in the session of an intermediary.
  hana.cookies.set('tributary-apply', resident.cookies.get('tributary-apply')!)
  expect((await hana.open('/apply/apart/check')).path).toBe('/apply/-/clients')
  expect(await applications('apart')).toEqual([])
})

test('a form about one client is not saved for another, nor without an open client', async () => {
  await program('mixed')
  const hana = await signIn()
  await hana.register('First')
  await hana.open('/apply/mixed/screens/1')
  const first = hana.page
  await hana.register('Second')
  hana.page = first
  await hana.fill({ '/reason/text': 'About the first' })
  expect(hana.page.status).toBe(403)
  hana.cookies.delete('tributary-apply')
  hana.page = first
  await hana.fill({ '/reason/text': 'About the first' })
  expect(hana.page.path).toBe('/apply/-/clients')
  expect((await hana.open('/apply/mixed')).html).not.toContain('screens/1')
  const saved = await sql`select answers from application_in_progress where strpos(answers, 'About the first') > 0`
  expect(saved.length).toBe(0)
})

test('a form that registered another organization’s client is refused as that client is', async () => {
  const hana = await signIn()
  await hana.open('/apply/-/clients/new')
  const { fields } = hana.fieldsOf('name="key"')
  fields.set('name', 'Of Casa alone')
  await hana.post('/apply/-/clients/new', fields)
  const other = await signIn(await anIntermediary(sql, await anOrganization(sql, 'Same form')))
  await other.open('/apply/-/clients/new')
  const { action, fields: theirs } = other.fieldsOf('name="key"')
  theirs.set('name', 'Of another')
  theirs.set('key', fields.get('key')!)
  expect((await other.post(action, theirs)).status).toBe(404)
  expect((await other.clients()).size).toBe(0)
})

test('a form that is sent twice registers one client, and one without a name none', async () => {
  const hana = await signIn()
  await hana.open('/apply/-/clients/new')
  const { action, fields } = hana.fieldsOf('name="key"')
  fields.set('name', 'Sent twice')
  await Promise.all([hana.post(action, fields), hana.window().post(action, fields)])
  expect((await hana.post(action, fields)).status).toBe(200)
  const names = [...(await hana.clients()).keys()]
  expect(names.filter(name => name === 'Sent twice')).toHaveLength(1)
  for (const name of ['', ' ', 'x'.repeat(201), 'two\nlines']) {
    await hana.open('/apply/-/clients/new')
    await hana.fill({ name }, {}, 'name="key"')
    expect([hana.page.status, hana.errors]).toEqual([400, ['name']])
  }
})

test('clients are found by part of their name, page by page, and no name is in an address or the log', async () => {
  const many = await anIntermediary(sql, await anOrganization(sql, 'Many'))
  const hana = await signIn(many)
  await hana.register('Zoë Unlogged')
  await sql`
    with made as (insert into applicant (language, front_end) select 'en', 'tributary/apply' from generate_series(1, 60) returning applicant_id)
    insert into intermediary_client (applicant_id, organization_id, name, name_folded, form_key)
    select applicant_id, ${many.organizationId}, 'Client ' || applicant_id, 'client ' || applicant_id, gen_random_uuid() from made`
  expect((await hana.clients()).size).toBe(50)
  expect((await hana.clients()).has('Zoë Unlogged')).toBe(false)
  await hana.fill({}, { before: /name="before" value="(\d+)"/.exec(hana.page.html)![1]! }, 'name="before"')
  expect([...hana.page.html.matchAll(/data-client=/g)].length).toBe(11)
  await hana.open('/apply/-/clients')
  await hana.fill({ search: 'UNLOGGED' }, {}, 'name="search"')
  expect([hana.page.path, [...hana.page.html.matchAll(/data-client=/g)].length]).toEqual(['/apply/-/clients', 1])
  expect(hana.page.headers.get('cache-control')).toBe('no-store')
  expect(service.logText()).not.toMatch(/unlogged/i)
})

test.each(['person', 'intermediary', 'organization'] as const)(
  'disabling the %s ends its sessions and no others',
  async what => {
    const slug = `ends-${what}`
    await program(slug)
    const organizationId = await anOrganization(sql, slug)
    const person = await anIntermediary(sql, organizationId)
    const hana = await signIn(person)
    await hana.register('Rosa')
    const other = await signIn(await anIntermediary(sql, await anOrganization(sql, `not-${slug}`)))
    await hana.open(`/apply/${slug}/screens/1`)
    await hana.fill({ '/reason/text': 'Kept' })
    const check = hana.page
    if (what === 'person') await disablePerson(sql, person.person_id, by)
    else if (what === 'intermediary') await setIntermediaryDisabled(sql, person, true, by)
    else await setOrganizationDisabled(sql, organizationId, true, by)
    await hana.submit()
    expect(hana.page.path).toBe('/admin/sign-in')
    for (const path of ['/apply/-/clients', `/apply/${slug}/check`, '/apply/-/applications', '/admin/account'])
      expect((await hana.open(path)).path).toStartWith('/admin/sign-in')
    await expect(signIn(person)).rejects.toThrow()
    expect((await other.open('/apply/-/clients')).path).toBe('/apply/-/clients')
    // Enabled again, they sign in again.
    if (what === 'person') return
    if (what === 'intermediary') await setIntermediaryDisabled(sql, person, false, by)
    else await setOrganizationDisabled(sql, organizationId, false, by)
    hana.page = check
    await hana.submit()
    expect(hana.page.path).toBe('/admin/sign-in')
    await hana.signIn(service, person)
    expect((await hana.clients()).size).toBe(1)
    expect(await applications(slug)).toEqual([])
  },
)

const returns = async (code: string): Promise<boolean> => {
  const client = new Applicant(service)
  await client.open('/apply/-/return')
  await client.fill({ code }, {}, 'name="code"')
  return client.page.path === '/apply/-/applications'
}

test('a new code replaces the client’s old one and ends sessions begun with it, and only the latest works', async () => {
  await program('replaced')
  const hana = await signIn()
  const first = await hana.register('Rosa Replaced')
  const rosa = new Applicant(service)
  await rosa.open('/apply/-/return')
  await rosa.fill({ code: first }, {}, 'name="code"')
  expect(rosa.page.path).toBe('/apply/-/applications')

  const helper = await anIntermediary(sql, casaId)
  const ivo = await signIn(helper)
  await ivo.openClient((await ivo.clients()).get('Rosa Replaced')!)
  const before = ivo.page
  await ivo.fill({}, {}, 'action="/apply/-/code"')
  const second = ivo.code
  expect([ivo.page.path, second]).toEqual(['/apply/-/code', expect.stringMatching(/^(\w{4}-){2}\w{4}$/)])
  expect((await rosa.open('/apply/-/applications')).path).toBe('/apply/-/return?ended=1')
  expect([await returns(first), await returns(second)]).toEqual([false, true])

  // Sent twice, the session continues and shows the code that works.
  ivo.page = before
  await ivo.fill({}, {}, 'action="/apply/-/code"')
  expect([await returns(second), await returns(ivo.code)]).toEqual([false, true])

  // Applicants replace their own, which no intermediary has seen then.
  await rosa.open('/apply/-/return')
  await rosa.fill({ code: ivo.code }, {}, 'name="code"')
  await rosa.open('/apply/-/code')
  await rosa.fill({}, {}, 'action="/apply/-/code"')
  await revokeClientCodes(sql, { organizationId: casaId }, by)
  expect(await returns(rosa.code)).toBe(true)
  const actors = await sql<{ actor: string }[]>`
    select actor from audit_event
    where action = 'applicant_code_replaced' and subject = (
      select applicant_id::text from intermediary_client where name = 'Rosa Replaced')
    order by audit_event_id`
  const byIvo = `intermediary:${helper.email}`
  expect(actors.map(({ actor }) => actor)).toEqual([byIvo, byIvo, 'key:apply'])
})

test('codes that a disabled person or organization has seen are counted and revoked, with the sessions begun with them', async () => {
  await program('revoked')
  const organizationId = await anOrganization(sql, 'Revoked')
  const [left, stays] = [await anIntermediary(sql, organizationId), await anIntermediary(sql, organizationId)]
  const hana = await signIn(left)
  const codes = [await hana.register('One'), await hana.register('Two')]
  const kept = await (await signIn(stays)).register('Three')
  const elsewhere = await (await signIn()).register('Of another organization')
  const rosa = new Applicant(service)
  await rosa.open('/apply/-/return')
  await rosa.fill({ code: codes[0]! }, {}, 'name="code"')
  await rosa.open('/apply/revoked/screens/1')
  await rosa.fill({ '/reason/text': 'Kept' })

  const browser = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
  const at = `/admin/intermediaries/${organizationId}`
  const seenBy = async ({ email }: { email: string }) =>
    rowsOf(await browser.page(at), 'People').find(row => row['Email'] === email)!['Codes seen']
  const disabled = await browser.post(`${at}/people/${left.intermediaryId}/disable`)
  expect(disabled.headers.get('location')).toBe(`${at}?done=person-disabled`)
  expect([await seenBy(left), await seenBy(stays)]).toEqual([`2 Revoke ${left.email}`, `1 Revoke ${stays.email}`])
  const revoke = `${at}/people/${left.intermediaryId}/revoke-codes`
  await browser.page(revoke)
  expect((await browser.post(revoke)).headers.get('location')).toBe(`${at}?done=codes-revoked`)
  expect([await seenBy(left), await seenBy(stays)]).toEqual(['0', `1 Revoke ${stays.email}`])
  expect(await Promise.all([...codes, kept].map(returns))).toEqual([false, false, true])
  expect((await rosa.open('/apply/revoked/check')).path).toBe('/apply/-/return?ended=1')
  // What was saved is there for the next person of the organization.
  const ivo = await signIn(stays)
  await ivo.openClient((await ivo.clients()).get('One')!)
  expect((await ivo.open('/apply/revoked/check')).html).toContain('Kept')
  await browser.page(`${at}/revoke-codes`)
  await browser.post(`${at}/revoke-codes`)
  expect([await returns(kept), await returns(elsewhere)]).toEqual([false, true])
  const audited =
    await sql`select subject, detail->'codes' as codes from audit_event where action = 'client_codes_revoked' order by audit_event_id`
  expect(audited.filter(({ subject }) => [left.email, 'Revoked'].includes(subject)).map(({ codes }) => codes)).toEqual([
    2, 1,
  ])
})

test('a person who is disabled while registering a client gets no code', async () => {
  const person = await anIntermediary(sql, await anOrganization(sql, 'Concurrent'))
  const hana = await signIn(person)
  await hana.open('/apply/-/clients/new')
  const release = await holdTransaction(sql, async tx => {
    await holdIntermediaries(tx, person)
    await updateIntermediaryDisabled(tx, person.intermediaryId, by.actor)
  })
  const registering = hana.fill({ name: 'Too late' }, {}, 'name="key"')
  await until('the registration waits', async () => (await waitingForLocks(sql, 'apply_code')) > 0)
  await release()
  expect((await registering).status).toBe(403)
  expect(await sql`select from intermediary_client where name = 'Too late'`).toHaveLength(0)
})

test('disabling an organization waits for a client who is being registered, so no code is given once it is done', async () => {
  const organizationId = await anOrganization(sql, 'Waited for')
  const { intermediaryId } = await anIntermediary(sql, organizationId)
  const applicantId = await registerApplicant(sql, applyKey('192.0.2.1'), 'en')
  const release = await holdTransaction(sql, tx =>
    beginApplying(tx, service.config, applicantId, by.now, intermediaryId),
  )
  let isDone = false
  const disabling = setOrganizationDisabled(sql, organizationId, true, by).then(() => {
    isDone = true
  })
  await until('the change waits or is done', async () => isDone || (await waitingForLocks(sql, 'intermediary')) > 0)
  expect(isDone).toBe(false)
  await release()
  await disabling
})

test('an administrator gives a client of an intermediary a new code, or revokes it, and no other applicant’s', async () => {
  await program('at-the-desk')
  const hana = await signIn()
  const first = await hana.register('Rosa Desk')
  await hana.open('/apply/at-the-desk/screens/1')
  await hana.fill({ '/reason/text': 'Rent' })
  await hana.submit()
  const resident = new Applicant(service)
  await resident.open('/apply/at-the-desk/screens/1')
  await resident.fill({ '/reason/text': 'Own' })
  await resident.passCode()
  await resident.submit()
  const [ofClient, ofResident] = (await applications('at-the-desk')).map(({ application_id }) => application_id)
  const list = '/admin/programs/at-the-desk/applications'
  const administrator = await aPerson(sql)
  const browser = await new ConsoleVisitor(service).signIn(administrator.email)
  const path = `${list}/${ofClient}/client-code`
  expect(await browser.page(`${list}/${ofClient}`)).toContain(`href="${path}"`)
  expect(await browser.page(`${list}/${ofResident}`)).not.toContain('/client-code')
  for (const end of ['', '/revoke'])
    expect((await browser.post(`${list}/${ofResident}/client-code${end}`)).status).toBe(404)
  const made = await (await browser.post(path)).text()
  const code = /id="link">[^<]*#([^<]*)/.exec(made)![1]!
  expect([noticesOf(made), await returns(first), await returns(code)]).toEqual([['shown-once'], false, true])
  expect((await browser.post(`${path}/revoke`)).headers.get('location')).toBe(path)
  expect([await returns(code), (await browser.page(path)).includes(`${path}/revoke`)]).toEqual([false, false])
  // Revoking what is revoked is no further entry.
  await browser.post(`${path}/revoke`)
  const entries = await sql<{ actor: string; action: string }[]>`
    select actor, action from audit_event
    where action like 'applicant_code_%' and subject = (
      select applicant_id::text from application where application_id = ${ofClient!})
    order by audit_event_id`
  expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
    [`admin:${administrator.email}`, 'applicant_code_replaced'],
    [`admin:${administrator.email}`, 'applicant_code_revoked'],
  ])
})

test('an intermediary who is idle is signed out everywhere, and Sign out ends all of it', async () => {
  let now = Date.now() * 1000
  const idle = await useService(database, { apply: true, applyIdleMs: 60_000 }, { now: () => now }, endWithTest)
  const hana = await signIn(casa, idle)
  await hana.register('Idle')
  for (let i = 0; i < 3; i++) {
    now += 50_000_000
    expect((await hana.open('/apply/-/applications')).status).toBe(200)
  }
  now += 60_000_000
  expect((await hana.open('/admin/account')).path).toStartWith('/admin/sign-in')
  expect((await hana.open('/apply/-/applications')).path).toBe('/admin/sign-in')
  await hana.signIn(idle, casa)
  await hana.register('Signed out')
  const copy = hana.window()
  await hana.open('/apply')
  await hana.fill({}, {}, '/apply/-/finish')
  expect([noticesOf(hana.page.html), [...hana.cookies.keys()]]).toEqual([['finished'], ['tributary-known']])
  expect((await copy.open('/apply/-/clients')).path).toBe('/admin/sign-in')
})

test('the audit log has who registered, opened and submitted, and no client’s name', async () => {
  await program('audited')
  const person = await anIntermediary(sql, casaId)
  const hana = await signIn(person)
  await hana.register('Unnamed Client')
  await hana.open('/apply/audited/screens/1')
  await hana.fill({ '/reason/text': 'Rent' })
  await hana.submit()
  const id = (await hana.clients()).get('Unnamed Client')!
  await hana.openClient(id)
  const entries = await sql<{ action: string; subject: string }[]>`
    select action, subject from audit_event where actor = ${`intermediary:${person.email}`} order by audit_event_id`
  expect(entries.map(({ action }) => action)).toEqual([
    'applicant_registered',
    'application_submitted',
    'client_opened',
  ])
  expect([entries[0]!.subject, entries[2]!.subject]).toEqual([String(id), String(id)])
  expect(JSON.stringify(await sql`select subject, detail from audit_event`)).not.toContain('Unnamed')
})

test('a token that may not read and change applications cannot invite people who may', async () => {
  const administrator = await aPerson(sql)
  const token = async (...scopes: string[]) =>
    ApiProgram.withToken(service, (await aToken(sql, administrator, { scopes })).token)
  const narrow = await token('intermediaries:write')
  const people = `/intermediaries/${casaId}/people`
  expect((await narrow.ask('POST', people, { email: 'token@casa.example.org' })).status).toBe(201)
  const { items } = (await narrow.ask('GET', people)).body
  const [listed] = items.filter(({ email }: { email: string }) => email === 'token@casa.example.org')
  const invite = `${people}/${listed.intermediary_id}/invite`
  expect((await narrow.ask('POST', invite, { name: 'Token' })).status).toBe(403)
  const wide = await token('intermediaries:write', 'applications:write')
  expect((await wide.ask('POST', invite, { name: 'Token' })).status).toBe(201)
})

test('an administrator invites a person of an organization, who must set up a second factor where it is required', async () => {
  const strict = await useService(database, { apply: true, secondFactor: 'required' }, {}, endWithTest)
  const hana = await signIn(await anIntermediary(sql, casaId), strict)
  for (const path of ['/apply/-/clients', '/admin'])
    expect((await hana.open(path)).path).toBe('/admin/account/second-factor')

  const browser = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
  const at = `/admin/intermediaries/${casaId}`
  await browser.post(`${at}/people`, { email: 'new@casa.example.org' })
  const [, id] = /people\/(\d+)\/invite"[^>]*>Invite<span class="unseen"> new@casa/.exec(await browser.page(at))!
  const invited = await browser.post(`${at}/people/${id}/invite`, { name: 'New Helper' })
  const link = /id="link">([^<]*)/.exec(await invited.text())![1]!
  const newcomer = new ConsoleVisitor(service)
  const password = 'five quite plain words here'
  const chosen = await newcomer.post(new URL(link).pathname, { csrf: '', password, repeated: password })
  expect(chosen.headers.get('location')).toBe('/admin')
  expect((await newcomer.get('/admin')).headers.get('location')).toBe('/apply/-/clients')
  // They keep their role, and nobody else is given it.
  const [{ person_id }] = await sql<
    [{ person_id: number }]
  >`select person_id from person where email = 'new@casa.example.org'`
  const role = async (personId: number, to: string) =>
    (await browser.post(`/admin/people/${personId}`, { name: 'Renamed', role: to })).status
  expect([await role(person_id, 'ADMINISTRATOR'), await role(person_id, 'INTERMEDIARY')]).toEqual([400, 303])
  const auditor = await aPerson(sql, { role: 'AUDITOR' })
  expect(await role(auditor.person_id, 'INTERMEDIARY')).toBe(400)
  expect(await browser.refused(400, `${at}/people/${id}/invite`, { name: 'Again' })).toContain('taken')
})
