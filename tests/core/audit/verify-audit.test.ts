// Seals over the audit log: a change by a superuser who turns off what protects it is found (D51).

import { describe, expect, test } from 'bun:test'
import { sealAuditLog } from '../../../src/core/audit/seal-audit.ts'
import { verifyAuditLog } from '../../../src/core/audit/verify-audit.ts'
import { append, tamper } from '../../support/audit-log.ts'
import type { TestDatabase } from '../../support/database.ts'
import { endWithTest, useDatabase, usePool } from '../../support/fixtures.ts'
import { holdTransaction } from '../../support/held-transaction.ts'

const database = await useDatabase({ connectionsMax: 2 })

/** An audit log of 20 events in four segments of five, and nothing of the test before. */
async function auditLog(act: (database: TestDatabase, seal: string) => Promise<void>): Promise<void> {
  await tamper(database.sql, 'truncate audit_event, audit_seal restart identity')
  for (let n = 1; n <= 20; n++) await append(database.sql, `subject ${n}`)
  expect(await sealAuditLog(database.sql, { batchEvents: 5 })).toBe(20)
  const { events, unsealed, errors, seal } = await verifyAuditLog(database.sql)
  expect({ events, unsealed, errors }).toEqual({ events: 20, unsealed: 0, errors: [] })
  await act(database, seal!)
}

const altered = (segment: number) => ({ file: null, segment, code: 'altered' })

/** Seals again from the start, as an owner could who covers up what was changed. */
const sealAgain = async ({ sql }: TestDatabase): Promise<void> => {
  await tamper(sql, 'truncate audit_seal')
  await sealAuditLog(sql, { batchEvents: 5 })
}

describe('verify reports each segment that differs from its seal', () => {
  test.each<[string, string, object?]>([
    ['an actor', `update audit_event set actor = 'key:y' where audit_event_id = 7`],
    ['an action', `update audit_event set action = 'done' where audit_event_id = 7`],
    ['a subject', `update audit_event set subject = 'subject 8' where audit_event_id = 7`],
    ['a time', `update audit_event set happened_at = happened_at + interval '1 microsecond' where audit_event_id = 7`],
    ['an address', `update audit_event set address = null where audit_event_id = 7`],
    ['a detail', `update audit_event set detail = jsonb_set(detail, '{number}', '1.6') where audit_event_id = 7`],
    ['the role', `update audit_event set database_user = 'mallory' where audit_event_id = 7`],
    [
      'two exchanged',
      `update audit_event e set subject = o.subject from audit_event o
        where e.audit_event_id in (7, 8) and o.audit_event_id = 15 - e.audit_event_id`,
    ],
    ['one removed', 'delete from audit_event where audit_event_id = 7'],
    [
      'one inserted',
      `delete from audit_event where audit_event_id = 7;
       insert into audit_event (audit_event_id, actor, action, subject) values (7, 'key:x', 'x', 'x')`,
    ],
    ['the start of a segment', 'update audit_seal set first_event_id = 7 where segment = 2'],
    ['a segment without a seal', 'delete from audit_seal where segment = 2', { code: 'no_seal', segment: 2 }],
  ])('%s', (what, statement, error = altered(2)) =>
    auditLog(async ({ sql }) => {
      await tamper(sql, statement)
      const { errors } = await verifyAuditLog(sql)
      // The segment after one without a seal hashes what it should not.
      expect(errors.slice(0, 1)).toMatchObject([error])
      expect(errors).toHaveLength(what.endsWith('without a seal') ? 2 : 1)
    }),
  )

  test('a changed hash is found in its segment and in the next one, which covers it', () =>
    auditLog(async ({ sql }) => {
      await tamper(sql, 'update audit_seal set hash = sha256(hash) where segment = 2')
      expect((await verifyAuditLog(sql)).errors).toMatchObject([altered(2), altered(3)])
    }))

  test('a missing end is found with a seal kept elsewhere, even if its seals are missing too', () =>
    auditLog(async ({ sql }, seal) => {
      await tamper(sql, 'delete from audit_event where audit_event_id > 15')
      expect((await verifyAuditLog(sql)).errors).toMatchObject([altered(4)])
      await tamper(sql, 'delete from audit_seal where segment = 4')
      expect((await verifyAuditLog(sql)).errors).toEqual([])
      expect((await verifyAuditLog(sql, seal)).errors).toMatchObject([{ code: 'cut_off', segment: 4 }])
    }))

  test('a changed event with all seals recomputed is found with a seal kept elsewhere', () =>
    auditLog(async (database, seal) => {
      await tamper(database.sql, `update audit_event set actor = 'key:y' where audit_event_id = 7`)
      await sealAgain(database)
      expect((await verifyAuditLog(database.sql)).errors).toEqual([])
      expect((await verifyAuditLog(database.sql, seal)).errors).toMatchObject([{ code: 'other_seal', segment: 4 }])
    }))

  test('a truncated or mistyped seal is refused', () =>
    auditLog(async ({ sql }, seal) => {
      for (const text of [`${seal}x`, seal.slice(1), '', seal.replace(':', '.')])
        await expect(verifyAuditLog(sql, text)).rejects.toMatchObject({
          errors: [{ parameter: '--seal', code: 'malformed' }],
        })
      expect((await verifyAuditLog(sql, seal)).errors).toEqual([])
    }))
})

describe('D51: "Segments of at most one minute are sealed"', () => {
  test('a segment ends before an event that is more than a minute later than its first', async () => {
    const { sql } = await useDatabase({}, endWithTest)
    for (let n = 1; n <= 6; n++) await append(sql, `subject ${n}`)
    // Three within exactly a minute, one a microsecond later, two an hour later.
    await tamper(
      sql,
      `update audit_event set happened_at = '2026-01-01'::timestamptz
        + (array['0', '30 seconds', '1 minute', '60.000001 seconds', '1 hour', '1 hour'])[audit_event_id]::interval`,
    )
    expect(await sealAuditLog(sql)).toBe(6)
    const segments = await sql`select first_event_id, last_event_id, events from audit_seal order by segment`
    expect([...segments]).toEqual([
      { first_event_id: 1, last_event_id: 3, events: 3 },
      { first_event_id: 4, last_event_id: 4, events: 1 },
      { first_event_id: 5, last_event_id: 6, events: 2 },
    ])
    expect(await sealAuditLog(sql)).toBe(0)
    await append(sql, 'subject 7')
    expect(await verifyAuditLog(sql)).toMatchObject({ events: 7, unsealed: 1, errors: [] })
  })

  test('an event whose transaction commits after later events is sealed with them', async () => {
    const database = await useDatabase({}, endWithTest)
    const { sql } = database
    const release = await holdTransaction(sql, tx => append(tx, 'long'))
    await append(sql, 'short')
    await expect(sealAuditLog(sql, { waitMs: 50 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(await verifyAuditLog(sql)).toMatchObject({ events: 1, unsealed: 1, seal: null })
    const sealing = sealAuditLog(sql, { waitMs: 30_000 })
    await release()
    // Rolled back or committed, it has ended.
    const [{ events }] = await sql<[{ events: number }]>`select count(*) as events from audit_event`
    expect(await sealing).toBe(events)
    expect(await verifyAuditLog(sql)).toMatchObject({ events, unsealed: 0, errors: [] })
  })

  test('sealing waits for events of transactions that are still open', async () => {
    const { sql } = await useDatabase({}, endWithTest)
    const old = Promise.withResolvers<void>()
    const both = Promise.withResolvers<void>()
    const elder = sql.begin(async tx => {
      await tx`select pg_current_xact_id()`
      old.resolve()
      await both.promise
      await append(tx, 'second')
    })
    await old.promise
    const release = await holdTransaction(sql, tx => append(tx, 'first'))
    both.resolve()
    await elder
    await expect(sealAuditLog(sql, { waitMs: 50 })).rejects.toMatchObject({ kind: 'unavailable' })
    await release()
    await sealAuditLog(sql)
    expect(await verifyAuditLog(sql)).toMatchObject({ unsealed: 0, errors: [] })
  })

  test('while many processes write and two seal, every event is sealed exactly once', async () => {
    const database = await useDatabase({}, endWithTest)
    const pool = usePool({ url: database.url, connectionsMax: 16 }, endWithTest)
    await database.sql`create table spot (n integer primary key)`
    await database.sql`insert into spot select generate_series(0, 3)`
    let writing = true
    const seal = async (): Promise<void> => {
      while (writing) await sealAuditLog(database.sql, { waitMs: 30_000, batchEvents: 7 })
    }
    const sealing = [seal(), seal()]
    await Promise.all(
      Array.from({ length: 14 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          await pool
            .begin(async tx => {
              await append(tx, `writer ${writer}`)
              // Each waits for a row that another holds, with an event written already.
              await tx`select from spot where n = ${(writer + n) % 4} for update`
              await append(tx, `writer ${writer}`)
              if (n % 5 === 4) throw new Error('undone')
            })
            .catch((error: Error) => {
              if (error.message !== 'undone') throw error
            })
        }
      }),
    ).finally(() => {
      writing = false
    })
    await Promise.all(sealing)
    await sealAuditLog(database.sql)
    const [{ sealed }] = await database.sql<[{ sealed: number }]>`select sum(events)::bigint as sealed from audit_seal`
    expect(sealed).toBe(14 * 16 * 2)
    expect(await verifyAuditLog(database.sql)).toMatchObject({ events: sealed, unsealed: 0, errors: [] })
  })
})

describe('the database rejects seals out of order', () => {
  test.each([
    ['one that skips a number', "insert into audit_seal values (6, 21, 21, 1, now(), sha256(''))"],
    ['one of events that are sealed', "insert into audit_seal values (5, 20, 20, 1, now(), sha256(''))"],
    ['one changed', 'update audit_seal set events = 4 where segment = 2'],
    ['one removed', 'delete from audit_seal where segment = 4'],
    ['all removed', 'truncate audit_seal'],
    ['a newer segment pruned before an older one', "update audit_seal set file = 'x' where segment = 2"],
  ])('%s', (_, statement) =>
    auditLog(async ({ sql }) => {
      await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: '23001' })
      expect((await verifyAuditLog(sql)).errors).toEqual([])
    }),
  )
})
