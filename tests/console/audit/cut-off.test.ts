// An audit log whose end was cut off: a file of its own, since nothing is whole in the database afterwards.

import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../../src/db/audit/audit.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const ada = await aPerson(sql, { role: 'AUDITOR', name: 'Ada Auditor' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const path = '/admin/audit'

test('an end that was cut off is found by what was noted alone', async () => {
  await appendAuditEvent(sql, { actor: 'admin:kim@example.gov', action: 'program_published', subject: 'cut-off' })
  const noted = /<code id="note">([^<]*)</.exec(await browser.page(`${path}/verify`))![1]!
  await sql.begin(async tx => {
    await tx`set local session_replication_role = replica`
    const [last] = await tx<{ id: number; chain: number; link: number }[]>`
      select audit_event_id as id, chain, link from audit_link join audit_event using (audit_event_id) where subject = 'cut-off'`
    await tx`
      update audit_chain c
      set links = links - 1, hash = (select hash from audit_link l where l.chain = c.chain and l.link = c.links - 1)
      where chain = ${last!.chain}`
    await tx`delete from audit_link where chain = ${last!.chain} and link = ${last!.link}`
    await tx`delete from audit_event where audit_event_id = ${last!.id}`
  })
  const check = async (form: Record<string, string>): Promise<string> =>
    (await browser.post(`${path}/verify`, form)).text()
  expect(await check({})).toContain('The audit log is whole')
  expect(await check({ noted })).toContain('its end was cut off')
})
