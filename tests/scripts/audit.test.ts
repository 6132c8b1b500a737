import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../src/db/audit.ts'
import { useDatabase } from '../support/fixtures.ts'
import { runScript } from './run-script.ts'

const database = await useDatabase()
const audit = (...args: string[]) => runScript('audit-trail', database.url, args)

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

test('verify says that the trail is whole and what to note; what was tampered with is named, with exit status 1', async () => {
  const whole = await audit('verify')
  expect(whole).toMatchObject({ code: 0, err: '' })
  expect(whole.out).toContain('The audit trail is whole: 5 events.')
  const note = whole.out.trimEnd().split('\n').at(-1)!
  expect((await audit('verify', '--noted', note)).code).toBe(0)
  expect((await audit('verify', '--noted', 'nonsense')).err).toContain('--noted')
  await database.sql`alter table audit_event disable trigger user`
  await database.sql`update audit_event set actor = 'key:other' where subject = 'subject-3'`
  await database.sql`alter table audit_event enable trigger user`
  const broken = await audit('verify', '--noted', note)
  expect(broken.code).toBe(1)
  expect(broken.err).toMatch(
    /The audit trail is not as it was written\.\n {2}chain \d: link \d+: event \d+ is not as it was written/,
  )
})
