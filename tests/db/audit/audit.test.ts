import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../../src/db/audit/audit.ts'
import { readAuditContents } from '../../../src/db/audit/audit-seals.ts'
import { useDatabase } from '../../support/fixtures.ts'

const database = await useDatabase()

const eventOn = (subject: string) => ({ actor: 'admin:kim', action: 'program_published', subject })
const readOn = (subject: string) => database.sql`
  select actor, action, subject, host(address) as address, detail, jsonb_typeof(detail) as type
  from audit_event
  where subject = ${subject}
  order by audit_event_id`

test('an audit event is stored as recorded', async () => {
  const event = eventOn('rent-aid')
  await appendAuditEvent(database.sql, event)
  await appendAuditEvent(database.sql, { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] } })
  expect([...(await readOn('rent-aid'))]).toEqual([
    { ...event, address: null, detail: {}, type: 'object' },
    { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] }, type: 'object' },
  ])
})

test('an audit event is committed or rolled back with its transaction', async () => {
  const undone = database.sql.begin(async tx => {
    await appendAuditEvent(tx, eventOn('undone'))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect([...(await readOn('undone'))]).toEqual([])
})

test('sealed events are read in order, each exactly once, with any batch size', async () => {
  for (let n = 0; n < 40; n++) await appendAuditEvent(database.sql, eventOn(`event ${n}`))
  const all = (await database.sql`select audit_event_id from audit_event order by 1`).map(row => row.audit_event_id)
  for (const rows of [1, 2, 3, all.length, undefined]) {
    const read = await Array.fromAsync(readAuditContents(database.sql, 0, undefined, rows))
    expect(read.map(({ audit_event_id }) => audit_event_id)).toEqual(all)
  }
  const some = await Array.fromAsync(readAuditContents(database.sql, all[4], all[9], 2))
  expect(some.map(({ audit_event_id }) => audit_event_id)).toEqual(all.slice(5, 10))
})
