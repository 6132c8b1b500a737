import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../../src/db/audit/audit.ts'
import { readAuditLinks } from '../../../src/db/audit/audit-chains.ts'
import { useDatabase } from '../../support/fixtures.ts'

const database = await useDatabase()

const eventOn = (subject: string) => ({ actor: 'admin:kim', action: 'program_published', subject })
const readOn = (subject: string) => database.sql`
  select actor, action, subject, host(address) as address, detail, jsonb_typeof(detail) as type
  from audit_event
  where subject = ${subject}
  order by audit_event_id`

test('an event is stored as recorded', async () => {
  const event = eventOn('rent-aid')
  await appendAuditEvent(database.sql, event)
  await appendAuditEvent(database.sql, { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] } })
  expect([...(await readOn('rent-aid'))]).toEqual([
    { ...event, address: null, detail: {}, type: 'object' },
    { ...event, address: '2001:db8::1', detail: { version: 7, names: ['é', '"'] }, type: 'object' },
  ])
})

test('it shares the fate of the transaction it was written in', async () => {
  const undone = database.sql.begin(async tx => {
    await appendAuditEvent(tx, eventOn('undone'))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect([...(await readOn('undone'))]).toEqual([])
})

test('the links of a chain are all read, each once, however many at a time', async () => {
  for (let n = 0; n < 40; n++) await appendAuditEvent(database.sql, eventOn(`event ${n}`))
  const [longest] =
    await database.sql`select chain, count(*) as links from audit_link group by chain order by links desc limit 1`
  const all = Array.from({ length: longest!.links }, (_, at) => at + 1)
  for (const rows of [1, 2, 3, all.length, undefined]) {
    const read = await Array.fromAsync(readAuditLinks(database.sql, longest!.chain, rows))
    expect(read.map(({ link }) => link)).toEqual(all)
  }
})
