// Applies the change feed to rows pulled before: erased applications are deleted with their entities, and changes of revision state,
// status or note are copied. The feed is read before the transaction that applies it, so no lock is held while waiting for the network.
// Applying it twice, or from an earlier cursor than necessary, has the same result.

import type { ChangesPage } from '@tributary/client'
import type { TargetSql } from './pulled-record.ts'

const read = 'tributary_changes'

/** Reads the feeds into a temporary table, one after the other; returns the cursor at the end of the last one. */
export async function collectChanges(
  sql: TargetSql,
  feeds: readonly AsyncIterable<ChangesPage>[],
): Promise<string | undefined> {
  await sql`
    create temporary table ${sql(read)}
    (n bigint generated always as identity, application_id bigint, kind text, at timestamptz, value text)`
  let cursor: string | undefined
  for (const feed of feeds)
    for await (const { payload, nextCursor } of feed) {
      cursor = nextCursor
      const changes = payload.filter(({ kind }) => kind !== 'submitted')
      if (changes.length === 0) continue
      const [ids, kinds] = [changes.map(change => change.application_id), changes.map(({ kind }) => kind)]
      const times = changes.map(({ time }) => time)
      const values = changes.map(
        ({ kind, status, application_note }) => (kind === 'note' ? application_note : status) ?? null,
      )
      await sql`
        insert into ${sql(read)} (application_id, kind, at, value)
        select * from unnest(${ids}::bigint[], ${kinds}::text[], ${times}::timestamptz[], ${values}::text[])`
    }
  return cursor
}

/** `superseded`: whether the tables keep superseded applications, or only have current ones. */
export async function applyChanges(sql: TargetSql, schema: string, superseded: 'kept' | 'removed'): Promise<void> {
  const applications = sql`${sql(schema)}.${sql('applications')}`
  const gone = superseded === 'removed' ? ['erased', 'superseded'] : ['erased']
  await sql`delete from ${applications} a using ${sql(read)} c where a.application_id = c.application_id and c.kind = any(${gone})`
  await sql`
    update ${applications} a set revision_state = 'OBSOLETE'
    from ${sql(read)} c where a.application_id = c.application_id and c.kind = 'superseded'`
  const newest = (kind: string) => sql`
    (select distinct on (application_id) application_id, at, value from ${sql(read)}
    where kind = ${kind} order by application_id, n desc) c where a.application_id = c.application_id`
  await sql`update ${applications} a set status = c.value, status_last_modified_time = c.at from ${newest('status')}`
  await sql`update ${applications} a set application_note = c.value from ${newest('note')}`
}
