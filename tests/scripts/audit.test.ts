import { expect, test } from 'bun:test'
import { sealAuditLog } from '../../src/core/audit/seal-audit.ts'
import { appendAuditEvent } from '../../src/db/audit/audit.ts'
import { useDatabase } from '../support/fixtures.ts'
import { runScript } from './run-script.ts'

const database = await useDatabase()
const audit = (...args: string[]) => runScript('audit-log', database.url, args)

for (let n = 1; n <= 5; n++) {
  await appendAuditEvent(database.sql, {
    actor: n % 2 === 0 ? 'key:even' : 'key:odd',
    action: 'tried',
    subject: `subject-${n}`,
    address: '192.0.2.1',
    detail: { n },
  })
}

test('verify prints the latest seal, and names an altered segment with exit status 1', async () => {
  const sealed = await sealAuditLog(database.sql)
  expect(sealed).toBeGreaterThanOrEqual(5)
  const intact = await audit('verify')
  expect([intact.code, intact.err]).toEqual([0, ''])
  expect(intact.out).toContain(`: ${sealed} events.`)
  const seal = intact.out.trimEnd().split('\n').at(-1)!
  expect((await audit('verify', '--seal', seal)).code).toBe(0)
  expect((await audit('verify', '--seal', 'nonsense')).err).toContain('--seal')
  expect(await audit('verify', 'audit.ndjson')).toMatchObject({ code: 2, err: expect.stringContaining('--with') })
  await database.sql`alter table audit_event disable trigger user`
  await database.sql`update audit_event set actor = 'key:other' where subject = 'subject-3'`
  await database.sql`alter table audit_event enable trigger user`
  const altered = await audit('verify', '--seal', seal)
  expect(altered).toMatchObject({ code: 1, err: expect.stringMatching(/\n {2}segment \d+ .*\[altered\]\n/) })
})
