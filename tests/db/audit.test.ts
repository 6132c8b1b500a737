import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../src/db/audit.ts'
import { useDatabase } from '../support/fixtures.ts'

const database = await useDatabase()

const event = { actor: 'admin:kim', action: 'program_published', subject: 'rent-aid' }
const read = () => database.sql`
  select actor, action, subject, host(address) as address, detail, jsonb_typeof(detail) as type
  from audit_event
  order by audit_event_id`

test('an event is kept as told', async () => {
  await appendAuditEvent(database.sql, event)
  await appendAuditEvent(database.sql, { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] } })
  expect([...(await read())]).toEqual([
    { ...event, address: null, detail: {}, type: 'object' },
    { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] }, type: 'object' },
  ])
})

test('it shares the fate of the transaction it was written in', async () => {
  const before = await read()
  const undone = database.sql.begin(async tx => {
    await appendAuditEvent(tx, event)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await undone.catch(() => {})
  expect([...(await read())]).toEqual([...before])
})

test('"An audit trail, append-only" (contract section 3): the database itself refuses update, delete and truncate', async () => {
  await appendAuditEvent(database.sql, event)
  const { sql } = database
  for (const change of [
    sql`update audit_event set actor = 'nobody'`,
    sql`delete from audit_event`,
    sql`truncate audit_event`,
  ]) {
    const refused = await change.then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(refused).toBe('audit_event rows are never changed or removed')
  }
})
