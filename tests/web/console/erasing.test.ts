// Erasing in the console, with the rights of its own role: after a page that says what goes, and never half.

import { describe, expect, test } from 'bun:test'
import { reasonMax } from '../../../src/core/applications/erase.ts'
import { lockLoads } from '../../../src/db/loads/bulk-loads.ts'
import { aPerson, ConsoleVisitor, errorsOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { storedText } from '../../support/stored-text.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const desk = await useConsoleRole(database)
const service = await useService(database, {}, { consoleDb: desk })
const canary = 'Tilly-Canary-4407'
for (const slug of ['rent', 'food']) await aProgram(sql, { slug, questions: [q.text(`words ${slug}`)] })
const key = await createTestKey(sql, { programs: ['rent', 'food'], maySubmit: true })
const [rent, food] = ['rent', 'food'].map(slug => new FrontEnd(service, key, slug))
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)

async function applied() {
  const applicant = await rent!.register()
  const { application_id: application } = await rent!.apply(applicant, { words_rent: { text: canary } })
  return { applicant, application, path: `/admin/programs/rent/applications/${application}` }
}
const exported = async (): Promise<string> =>
  (
    await service.get('/api/v1/admin/programs/rent/applications', { headers: { Authorization: key.authorization } })
  ).text()
const eventOf = async (action: string, subject: number) => {
  const [event] = await sql`
    select actor, host(address) as address, detail from audit_event where action = ${action} and subject = ${String(subject)}`
  return event
}

describe('one application', () => {
  test('is erased after its number is entered, and the applicant’s other applications stay', async () => {
    const { applicant, application, path } = await applied()
    const { application_id: later } = await rent!.apply(applicant, { words_rent: { text: 'later' } })
    expect(await browser.page(path)).toContain(`${path}/erase"`)
    expect(await browser.page(`${path}/erase`)).toContain(`Type ${application} to confirm`)
    const wrong = await browser.refused(400, `${path}/erase`, { reason: 'asked for', confirmation: String(later) })
    for (const part of ['data-code="differs"', 'value="asked for"']) expect(wrong).toContain(part)
    expect(await exported()).toContain(canary)
    const long = { reason: 'x'.repeat(reasonMax + 1), confirmation: String(application) }
    expect(errorsOf(await browser.refused(400, `${path}/erase`, long))).toEqual(['reason too_long'])
    const done = await browser.post(`${path}/erase`, { reason: 'asked for', confirmation: ` ${application} ` })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/admin/programs/rent/applications?done=erased'])
    const [left] = await sql`select count(*) as n from application join program using (program_id) where slug = 'rent'`
    const list = await browser.page('/admin/programs/rent/applications?done=erased')
    for (const part of ['Erased.', `figure">${left!.n}<`]) expect(list).toContain(part)
    expect((await browser.get(path)).status).toBe(404)
    expect(await exported()).toContain(`"application_id":${later}`)
    expect(await storedText(sql)).not.toContain(canary)
    expect(await eventOf('application_erased', application)).toMatchObject({
      actor: `admin:${ada.email}`,
      address: '127.0.0.1',
      detail: { reason: 'asked for' },
    })
    const [tombstone] = await sql`select from erased_application where application_id = ${application}`
    expect(tombstone).toBeDefined()
  })

  test('is erased once by a token with the scope', async () => {
    const { application } = await applied()
    const { token } = await aToken(desk, ada)
    const api = ApiProgram.withToken(service, token)
    const path = `/programs/rent/applications/${application}/erase`
    expect((await api.ask('POST', path, {})).status).toBe(200)
    expect((await api.ask('POST', path, {})).status).toBe(404)
    expect(await storedText(sql)).not.toContain(canary)
  })
})

describe('an applicant', () => {
  test('is erased with all applications in every program, and with answers in progress', async () => {
    const { applicant, path } = await applied()
    await food!.apply(applicant, { words_food: { text: canary } })
    await food!.save(applicant, { words_food: { text: `${canary} in progress` } })
    const page = await browser.page(`${path}/erase-applicant`)
    for (const part of ['rent</span>: 1', 'food</span>: 1', `Type ${applicant} to confirm`])
      expect(page).toContain(part)
    expect((await browser.post(`${path}/erase-applicant`, { confirmation: '' })).status).toBe(400)
    expect(await storedText(sql)).toContain(canary)
    expect(
      (await browser.post(`${path}/erase-applicant`, { reason: ' ', confirmation: String(applicant) })).status,
    ).toBe(303)
    expect(await storedText(sql)).not.toContain(canary)
    expect(await sql`select from applicant where applicant_id = ${applicant}`).toHaveLength(0)
    const { actor, detail } = (await eventOf('applicant_erased', applicant))!
    expect([actor, detail]).toEqual([`admin:${ada.email}`, expect.not.objectContaining({ reason: expect.anything() })])
  })

  test('is not erased while a bulk load may add more of their applications', async () => {
    const { applicant, path } = await applied()
    const release = await holdTransaction(sql, async tx => {
      await lockLoads(tx)
      await tx`
        insert into bulk_load (digest, source, applications, begun_by)
        values (sha256('load'), 'a file', 1, 'operator:test')`
    })
    const refused = browser.refused(409, `${path}/erase-applicant`, { confirmation: String(applicant) })
    await until('the erasure to wait for the load that begins', async () => (await waitingForLocks(sql)) === 1)
    await release()
    // The load, by the name of what is loaded.
    expect(await refused).toContain('a file')
    expect(await storedText(sql)).toContain(canary)
    await sql`update bulk_load set ended_at = now()`
    expect((await browser.post(`${path}/erase-applicant`, { confirmation: String(applicant) })).status).toBe(303)
  })
})
