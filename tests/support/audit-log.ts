// The audit log in tests: events to write into it, changes that are forbidden, and a database that takes no more of it.

import { appendAuditEvent } from '../../src/db/audit/audit.ts'
import type { Db, Sql } from '../../src/db/client.ts'
import { endWithTest } from './fixtures.ts'

/** A unique event, with text that is hard on a hash. */
export const append = (db: Db, subject: string): Promise<unknown> =>
  appendAuditEvent(db, {
    actor: 'key:x',
    action: 'tried',
    subject,
    address: '2001:db8::1',
    detail: { text: 'é "quoted" \\ \n \u2028', number: 1.5, nothing: null, inner: { b: 1, a: [true] } },
  })

/** As a superuser, regardless of triggers. */
export const tamper = (sql: Sql, statement: string): Promise<unknown> =>
  sql.begin(async tx => {
    await tx`set local session_replication_role = replica`
    await tx.unsafe(statement)
  })

/** From now on, no entry can be written; the returned function, and the end of the test, allow entries again. */
export async function refuseAuditLines(sql: Sql): Promise<() => Promise<void>> {
  await sql
    .unsafe(`
      create function refuse_line() returns trigger language plpgsql as $$ begin raise exception 'no space left'; end $$;
      create trigger refuse_line before insert on audit_event for each row execute function refuse_line()`)
    .simple()
  const takeLines = async (): Promise<void> => {
    await sql.unsafe('drop function if exists refuse_line cascade').simple()
  }
  endWithTest(takeLines)
  return takeLines
}
