// An audit log whose end was cut off: a file of its own, since nothing is whole in the database afterwards.

import { expect, test } from 'bun:test'
import { sealAuditLog } from '../../../../src/core/audit/seal-audit.ts'
import { appendAuditEvent } from '../../../../src/db/audit/audit.ts'
import { tamper } from '../../../support/audit-log.ts'
import { aPerson, ConsoleVisitor } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const ada = await aPerson(sql, { role: 'AUDITOR', name: 'Ada Auditor' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const path = '/admin/audit'

test('a truncated log is revealed only by a seal noted earlier', async () => {
  await appendAuditEvent(sql, { actor: 'admin:kim@example.gov', action: 'program_published', subject: 'cut-off' })
  await sealAuditLog(sql)
  const seal = /<code id="seal">([^<]*)</.exec(await browser.page(`${path}/verify`))![1]!
  await tamper(sql, "truncate audit_seal; delete from audit_event where subject = 'cut-off'")
  await sealAuditLog(sql)
  const toneOf = async (form: Record<string, string>): Promise<string | undefined> =>
    /class="notice (\w+)/.exec(await (await browser.post(`${path}/verify`, form)).text())?.[1]
  expect(await toneOf({})).toBe('good')
  expect(await toneOf({ seal })).toBe('bad')
})
