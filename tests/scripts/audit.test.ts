import { expect, test } from 'bun:test'
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

test('verify says that the audit log is whole and what to note; what was tampered with is named, with exit status 1', async () => {
  const [{ events }] = (await database.sql`select count(*) as events from audit_event`) as unknown as [
    { events: number },
  ]
  await database.sql`update audit_check set errors = '{found at night}'`
  const whole = await audit('verify')
  expect(whole).toMatchObject({ code: 0, err: '' })
  expect(whole.out).toContain(`The audit log is whole: ${events} events.`)
  const note = whole.out.trimEnd().split('\n').at(-1)!
  const settled = await audit('verify', '--noted', note, '--settle')
  expect([settled.code, settled.out]).toEqual([0, expect.stringContaining('Settled what a worker had found.')])
  expect((await audit('verify', '--noted', 'nonsense')).err).toContain('--noted')
  expect(await audit('verify', 'audit.ndjson')).toMatchObject({ code: 2, err: expect.stringContaining('--with') })
  await database.sql`alter table audit_event disable trigger user`
  await database.sql`update audit_event set actor = 'key:other' where subject = 'subject-3'`
  await database.sql`alter table audit_event enable trigger user`
  const broken = await audit('verify', '--noted', note)
  expect(broken.code).toBe(1)
  expect(broken.err).toMatch(
    /The audit log is not as it was written\.\n {2}chain \d: link \d+: event \d+ is not as it was written/,
  )
})
