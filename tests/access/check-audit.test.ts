// The check of the audit trail that runs all the time: a part at a time, from the beginning to the end, and again.

import { expect, test } from 'bun:test'
import { checkAuditTrail } from '../../src/access/check-audit.ts'
import { clearAuditFaults, readAuditChecks } from '../../src/db/audit-checks.ts'
import type { Sql } from '../../src/db/client.ts'
import { readUpkeepState } from '../../src/db/upkeep-state.ts'
import { append, tamper } from '../support/audit-trail.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'

/** A trail of 20 events by one connection, so in one chain. */
async function trail(act: (sql: Sql, chain: number) => Promise<void>): Promise<void> {
  const database = await useDatabase({ connectionsMax: 1 }, endWithTest)
  const { sql } = database
  for (let n = 1; n <= 20; n++) await append(sql, `subject ${n}`)
  const [row] = await sql<{ chain: number }[]>`select chain from audit_chain where links = 20`
  await act(sql, row!.chain)
}

const linkOf = async (sql: Sql, chain: number): Promise<number> =>
  (await readAuditChecks(sql)).find(check => check.chain === chain)!.link

const step = (sql: Sql) => checkAuditTrail(sql, { linksMax: 8 })

test('each call goes on where the last ended, and looks at so many links at most; at the end it begins again', () =>
  trail(async (sql, chain) => {
    expect((await readUpkeepState(sql)).audit).toEqual({ faultyChains: 0, checkedSeconds: undefined })
    const places: number[] = []
    for (let call = 0; call < 4; call++) {
      expect(await step(sql)).toEqual([])
      places.push(await linkOf(sql, chain))
    }
    expect(places).toEqual([8, 16, 0, 8])
    const { audit } = await readUpkeepState(sql)
    expect(audit.faultyChains).toBe(0)
    expect(audit.checkedSeconds).toBeGreaterThanOrEqual(0)
  }))

test('an event that was changed is found, told once, and stays on record until it is settled', () =>
  trail(async (sql, chain) => {
    await tamper(sql, `update audit_event set actor = 'key:y' where subject = 'subject 13'`)
    expect(await step(sql)).toEqual([])
    const fault = expect.stringMatching(/^link 13: event \d+ is not as it was written$/)
    expect(await step(sql)).toEqual([{ chain, fault }])
    for (let call = 0; call < 3; call++) expect(await step(sql)).toEqual([])
    expect((await readUpkeepState(sql)).audit.faultyChains).toBe(1)
    await tamper(sql, `update audit_event set actor = 'key:x' where subject = 'subject 13'`)
    for (let call = 0; call < 4; call++) await step(sql)
    expect((await readUpkeepState(sql)).audit.faultyChains).toBe(1)
    expect(await clearAuditFaults(sql)).toEqual([chain])
    for (let call = 0; call < 4; call++) expect(await step(sql)).toEqual([])
    expect((await readUpkeepState(sql)).audit.faultyChains).toBe(0)
  }))

test.each([
  ['an event removed', `delete from audit_event where subject = 'subject 3'`, /^link 3: event \d+ is missing$/],
  ['a link removed', 'delete from audit_link where link = 3', /^link 3 is missing$/],
  [
    'the hash of the end',
    'update audit_chain set hash = sha256(hash) where links = 20',
    /^ends at link 20, but not in/,
  ],
])('%s is found', (_, statement, fault) =>
  trail(async (sql, chain) => {
    await tamper(sql, statement)
    const found = []
    for (let call = 0; call < 4; call++) found.push(...(await step(sql)))
    expect(found).toEqual([{ chain, fault: expect.stringMatching(fault) }])
  }),
)

test('an end that was cut off since the last call is found, though what is left is whole', () =>
  trail(async (sql, chain) => {
    for (let call = 0; call < 2; call++) await step(sql)
    await tamper(
      sql,
      `delete from audit_link where link > 10;
       delete from audit_event where not exists (select from audit_link l where l.audit_event_id = audit_event.audit_event_id);
       update audit_chain set links = 10, hash = (select hash from audit_link where link = 10) where links = 20`,
    )
    expect(await step(sql)).toEqual([
      { chain, fault: expect.stringMatching(/^ends at link 10, and link 16 was there/) },
    ])
  }))

test('events that come while a way is under way are part of it', () =>
  trail(async (sql, chain) => {
    for (let call = 0; call < 2; call++) await step(sql)
    for (let n = 21; n <= 30; n++) await append(sql, `subject ${n}`)
    expect(await step(sql)).toEqual([])
    expect(await linkOf(sql, chain)).toBe(24)
    expect(await step(sql)).toEqual([])
    expect(await linkOf(sql, chain)).toBe(0)
  }))
