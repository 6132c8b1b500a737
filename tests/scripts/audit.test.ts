import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../src/db/audit/audit.ts'
import { ExportClient } from '../support/export-client.ts'
import { endWithTest, useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'
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

/** The subjects on the lines of a list. */
const subjects = (out: string): string[] => out.match(/subject-\d/g) ?? []

test('list shows the newest first, page by page, and what the filters leave', async () => {
  const first = await audit('list', '--limit', '2')
  expect(first.code).toBe(0)
  expect(first.out).toMatch(/Event +When +Actor +Action +Subject +From +Detail/)
  expect(first.out).toContain('192.0.2.1')
  expect(first.out).toContain('{"n":5}')
  expect(subjects(first.out)).toEqual(['subject-5', 'subject-4'])
  const before = /--before (\d+)/.exec(first.out)![1]!
  const rest = await audit('list', '--before', before)
  expect(subjects(rest.out)).toEqual(['subject-3', 'subject-2', 'subject-1'])
  expect(rest.out).not.toContain('--before')
  expect(subjects((await audit('list', '--actor', 'key:even')).out)).toEqual(['subject-4', 'subject-2'])
  expect(subjects((await audit('list', '--subject', 'subject-3', '--action', 'tried')).out)).toEqual(['subject-3'])
  expect((await audit('list', '--to', '2000-01-01')).out).toBe('There are no such events.\n')
  expect(subjects((await audit('list', '--from', '2000-01-01')).out)).toHaveLength(5)
})

test('what cannot be asked for is named', async () => {
  for (const args of [['list', '--limit', '0'], ['list', '--from', 'soon'], ['list', '--before', 'x'], ['erase'], []])
    expect([args, (await audit(...args)).code]).toEqual([args, 2])
})

test('verify says that the audit log is whole and what to note; what was tampered with is named, with exit status 1', async () => {
  const [{ events }] = (await database.sql`select count(*) as events from audit_event`) as unknown as [
    { events: number },
  ]
  const whole = await audit('verify')
  expect(whole).toMatchObject({ code: 0, err: '' })
  expect(whole.out).toContain(`The audit log is whole: ${events} events.`)
  const note = whole.out.trimEnd().split('\n').at(-1)!
  expect((await audit('verify', '--noted', note)).code).toBe(0)
  expect((await audit('verify', '--noted', 'nonsense')).err).toContain('--noted')
  await database.sql`alter table audit_event disable trigger user`
  await database.sql`update audit_event set actor = 'key:other' where subject = 'subject-3'`
  await database.sql`alter table audit_event enable trigger user`
  const broken = await audit('verify', '--noted', note)
  expect(broken.code).toBe(1)
  expect(broken.err).toMatch(
    /The audit log is not as it was written\.\n {2}chain \d: link \d+: event \d+ is not as it was written/,
  )
})

test('sent lists which clients were sent an application, when, and how certain that is', async () => {
  const own = await useDatabase({}, endWithTest)
  const { sql } = own
  const audit = (...args: string[]) => runScript('audit-log', own.url, args)
  const program = await insertRawProgram(sql, 'sent')
  const ids = await insertRawApplications(sql, program, 7)
  const service = await useService(own, {}, {}, endWithTest)
  const key = await createTestKey(sql, { programs: ['sent'], name: 'County desk' })
  const other = await createTestKey(sql, { programs: ['sent'], name: 'Looked at the first page' })
  await new ExportClient(service, key, 'sent').walkAll({ pageSize: '3' })
  await new ExportClient(service, other, 'sent').page({ pageSize: '3' })
  await until('the lines on the pages to be written', async () => {
    const [row] = await sql`select count(*)::int as pages from audit_event where action = 'applications_exported'`
    return row!.pages === 4
  })
  const last = await audit('sent', String(ids[6]))
  expect(last.code).toBe(0)
  expect(last.out).toMatch(/^sent, submission 7, /)
  expect(last.out).toMatch(/Client +Name +When +From +Walk +Questions +Sent/)
  expect(last.out).toMatch(new RegExp(`key:${key.api_key_id} +County desk .*127\\.0\\.0\\.1.* all +certain`))
  expect(last.out).not.toContain('first page')
  expect((await audit('sent', String(ids[0]))).out).toContain('Looked at the first page')
  expect((await audit('sent', String(ids[0]), '--limit', '1')).out).toContain('There are more than 1')

  expect(await audit('sent', '4711')).toMatchObject({ code: 1, err: expect.stringContaining('no application 4711') })
  for (const args of [['sent'], ['sent', 'x'], ['sent', '1', '2']]) expect((await audit(...args)).code).toBe(2)
})
