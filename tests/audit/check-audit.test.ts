// The check of the audit log that a worker does once a night.

import { expect, test } from 'bun:test'
import { checkAuditLog } from '../../src/audit/check-audit.ts'
import { pruneAuditLog } from '../../src/audit/prune-audit.ts'
import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import { findDueAuditCheck, settleAuditErrors } from '../../src/db/audit/audit-chains.ts'
import type { Sql } from '../../src/db/client.ts'
import { readUpkeepState } from '../../src/db/derived/upkeep-state.ts'
import { append, tamper } from '../support/audit-log.ts'
import { endWithTest, useDatabase, useFolder } from '../support/fixtures.ts'

/** A log of 20 events by one connection, so in one chain. */
async function auditLog(act: (sql: Sql) => Promise<void>): Promise<void> {
  const { sql } = await useDatabase({ connectionsMax: 1 }, endWithTest)
  for (let n = 1; n <= 20; n++) await append(sql, `subject ${n}`)
  await act(sql)
}

/** As if the last check had been a day earlier. */
const tomorrow = async (sql: Sql) => {
  await sql`update audit_check set checked_at = checked_at - interval '1 day'`
  return checkAuditLog(sql)
}
const cutEnd = `
  delete from audit_link where link > 10;
  delete from audit_event where not exists (select from audit_link l where l.audit_event_id = audit_event.audit_event_id);
  update audit_chain set links = 10, hash = (select hash from audit_link where link = 10) where links = 20`

test('it is due once a day, and at the start of an installation', () =>
  auditLog(async sql => {
    expect((await readUpkeepState(sql)).audit).toEqual({ errors: 0, checkedSeconds: undefined })
    expect(await checkAuditLog(sql)).toEqual([])
    const { checkedSeconds } = (await readUpkeepState(sql)).audit
    expect(checkedSeconds).toBeWithin(0, 600)
    await tamper(sql, `update audit_event set actor = 'key:y' where subject = 'subject 13'`)
    expect(await checkAuditLog(sql)).toEqual([])
    expect(await tomorrow(sql)).toHaveLength(1)
  }))

test('its day begins at two where the installation is', () =>
  auditLog(async sql => {
    // Somewhere where it is about noon, and never UTC.
    const now = new Date()
    const hours = 12 - now.getUTCHours() || 3
    await sql`update instance set time_zone = ${`Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`}`
    const two = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 2 - hours)
    const isDue = async (checkedAt: number) => {
      await sql`update audit_check set checked_at = ${checkedAt * 1000}`
      return (await findDueAuditCheck(sql)) !== undefined
    }
    expect([await isDue(two - 60_000), await isDue(two + 60_000)]).toEqual([true, false])
  }))

test('what it finds stays on record until an operator settles it', () =>
  auditLog(async sql => {
    await tamper(sql, `update audit_event set actor = 'key:y' where subject = 'subject 13'`)
    const error = expect.stringMatching(/^chain \d: link 13: event \d+ is not as it was written$/)
    expect(await checkAuditLog(sql)).toEqual([error])
    await tamper(sql, `update audit_event set actor = 'key:x' where subject = 'subject 13'`)
    expect(await tomorrow(sql)).toEqual([])
    expect((await readUpkeepState(sql)).audit.errors).toBe(1)
    expect(await settleAuditErrors(sql, (await verifyAuditLog(sql)).note)).toBe(true)
    expect((await readUpkeepState(sql)).audit.errors).toBe(0)
    expect(await settleAuditErrors(sql, (await verifyAuditLog(sql)).note)).toBe(false)
  }))

test('an end that was cut off since the last check is found every night, though what is left is whole', () =>
  auditLog(async sql => {
    expect(await checkAuditLog(sql)).toEqual([])
    await append(sql, 'more')
    expect(await tomorrow(sql)).toEqual([])
    await tamper(sql, cutEnd.replace('links = 20', 'links = 21'))
    const cut = expect.stringMatching(/^chain \d: ends at link 10, and had 21 when it was noted: its end was cut off$/)
    expect(await tomorrow(sql)).toEqual([cut])
    expect(await tomorrow(sql)).toEqual([cut])
    await settleAuditErrors(sql, (await verifyAuditLog(sql)).note)
    expect(await tomorrow(sql)).toEqual([])
  }))

test('what is pruned between two checks is no error, whatever the last one noted', () =>
  auditLog(async sql => {
    expect(await checkAuditLog(sql)).toEqual([])
    await append(sql, 'more')
    const order = { before: (Date.now() + 60_000) * 1000, folder: await useFolder(endWithTest), actor: 'operator:kim' }
    expect(await pruneAuditLog(sql, order)).toMatchObject({ events: 21 })
    expect(await tomorrow(sql)).toEqual([])
  }))
