// The audit log as a chain of hashes: a change by a superuser who turns off what protects it is found.

import { describe, expect, test } from 'bun:test'
import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import { append, tamper } from '../support/audit-log.ts'
import type { TestDatabase } from '../support/database.ts'
import { endWithTest, useDatabase, usePool } from '../support/fixtures.ts'

/** An audit log of 20 events by one connection, so in one chain, and one by another. */
async function auditLog(act: (database: TestDatabase, note: string) => Promise<void>): Promise<void> {
  const database = await useDatabase({ connectionsMax: 1 }, endWithTest)
  for (let n = 1; n <= 20; n++) await append(database.sql, `subject ${n}`)
  const { events, errors, note } = await verifyAuditLog(database.sql)
  expect({ events, errors }).toEqual({ events: 20, errors: [] })
  await act(database, note)
}

describe('verify names the first event that is not as it was written', () => {
  test.each<[string, string, RegExp?]>([
    ['an actor', `update audit_event set actor = 'key:y' where audit_event_id = 7`],
    ['an action', `update audit_event set action = 'done' where audit_event_id = 7`],
    ['a subject', `update audit_event set subject = 'subject 8' where audit_event_id = 7`],
    ['a time', `update audit_event set happened_at = happened_at + interval '1 microsecond' where audit_event_id = 7`],
    ['an address', `update audit_event set address = null where audit_event_id = 7`],
    ['a detail', `update audit_event set detail = jsonb_set(detail, '{number}', '1.6') where audit_event_id = 7`],
    ['the role', `update audit_event set database_user = 'mallory' where audit_event_id = 7`],
    ['a hash', `update audit_link set hash = sha256(hash) where link = 7`],
    ['two exchanged', `update audit_link set audit_event_id = 15 - audit_event_id where link in (7, 8)`],
    ['one removed', 'delete from audit_event where audit_event_id = 7', /: link 7: event 7 is missing$/],
    [
      'one removed with its link',
      'delete from audit_event where audit_event_id = 7; delete from audit_link where link = 7',
      /: link 7 is missing$/,
    ],
    [
      'one slipped in',
      `insert into audit_event (actor, action, subject) values ('key:x', 'x', 'x')`,
      /^event 21 is in no chain: it was slipped in$/,
    ],
    [
      'the end of a chain moved',
      'update audit_chain set hash = sha256(hash) where links > 0',
      /^chain [0-7]: ends at link 20, but not in/,
    ],
  ])('%s', (_, statement, error = /^chain [0-7]: link 7: event [78] is not as it was written$/) =>
    auditLog(async ({ sql }) => {
      await tamper(sql, statement)
      expect((await verifyAuditLog(sql)).errors).toEqual([expect.stringMatching(error)])
    }),
  )

  test('the end cut off, also with the end of the chain set back: the latter by what was noted', () =>
    auditLog(async ({ sql }, note) => {
      await tamper(sql, 'delete from audit_event where audit_event_id > 18; delete from audit_link where link > 18')
      expect((await verifyAuditLog(sql)).errors).toEqual([expect.stringMatching(/: link 19 is missing$/)])
      await tamper(
        sql,
        'update audit_chain c set links = 18, hash = l.hash from audit_link l where l.chain = c.chain and l.link = 18',
      )
      expect((await verifyAuditLog(sql)).errors).toEqual([])
      expect((await verifyAuditLog(sql, note)).errors).toEqual([
        expect.stringMatching(/: ends at link 18, and had 20 when it was noted: its end was cut off$/),
      ])
    }))

  test('all of it written again from the start: by what was noted', () =>
    auditLog(async ({ sql }, note) => {
      await tamper(
        sql,
        `truncate audit_event, audit_link; update audit_chain set links = 0, hash = decode(repeat('00', 32), 'hex')`,
      )
      for (let n = 1; n <= 21; n++) await append(sql, `subject ${n}`)
      expect((await verifyAuditLog(sql)).errors).toEqual([])
      expect((await verifyAuditLog(sql, note)).errors).toEqual([
        expect.stringMatching(/: up to link 20, it is not what it was when it was noted$/),
      ])
    }))

  test('a seal that was not noted like this is refused; a chain that is gone whole is named', () =>
    auditLog(async ({ sql }, note) => {
      await expect(verifyAuditLog(sql, `${note}x`)).rejects.toThrow('What was noted cannot be read.')
      const gone = await verifyAuditLog(sql, `${note}.8:1:${'A'.repeat(22)}`)
      expect(gone.errors).toEqual(['chain 8: was noted, and is gone'])
    }))
})

test('many at once, in transactions of several events that wait for other locks, neither deadlock nor break a chain', async () => {
  const database = await useDatabase({}, endWithTest)
  const pool = usePool({ url: database.url, connectionsMax: 16 }, endWithTest)
  await database.sql`create table spot (n integer primary key)`
  await database.sql`insert into spot select generate_series(0, 3)`
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
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
  )
  const { events, errors } = await verifyAuditLog(database.sql)
  expect({ events, errors }).toEqual({ events: 16 * 16 * 2, errors: [] })
})
