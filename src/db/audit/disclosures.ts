// The pages that contained an application, from the audit entries of exports.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import type { AuditEventRow } from './audit.ts'

/** The place of an application in its program, or its place before it was erased. */
export interface ApplicationPlace {
  application_id: number
  slug: string
  display_name: string
  submit_seq: number
  submit_time: Micros
  /** Which submission took its place; null when none did, or when it was erased. */
  superseded_seq: number | null
  erased_at: Micros | null
}

/** The places of an application id: one, unless programs were brought together from several databases. */
export async function findApplicationPlaces(db: Db, applicationId: number): Promise<ApplicationPlace[]> {
  return db<ApplicationPlace[]>`
    select a.application_id, p.slug, p.display_name, a.submit_seq, a.submit_time, a.superseded_seq, null::timestamptz as erased_at
    from program p
    join application a on a.program_id = p.program_id and a.application_id = ${applicationId}
    union all
    select e.application_id, p.slug, p.display_name, e.submit_seq, e.submit_time, null, e.erased_at
    from program p
    join erased_application e on e.program_id = p.program_id and e.application_id = ${applicationId}
    order by slug`
}

/** A page that the application was on, or may have been on. */
export interface PageWithApplication extends AuditEventRow {
  /** Whether the application met the walk's filter by revision state; null when that can no longer be determined. */
  meets_revision: boolean | null
  /** Whether the application was there until after the page had ended. */
  was_there: boolean
}

/** How long an erasure may take to be committed, and how far clocks may be apart. */
const erasureDoubtMs = 10 * 60_000

/**
 * The lines of pages that reached over the application, newest first, at most `rowsMax` of those before `beforeId`: its place, time
 * and number, is after that of the last application of the page before and not after that of the page's own last, its number is not
 * beyond the walk's horizon, and it meets the walk's filters. Of a page of the change feed the line lists the applications, too, and so has
 * this one.
 *
 * A walk is in the order of the places, its filters never change, and neither do an application's number, time, or the number that
 * superseded it. So of an application that is still there, every one of these pages had it and no other did. One that was erased
 * was on those that had ended by then, and not on those that began later; in between it cannot be determined.
 */
export async function readPagesWith(
  db: Db,
  place: ApplicationPlace,
  { beforeId, rowsMax }: { beforeId: number | undefined; rowsMax: number },
): Promise<PageWithApplication[]> {
  const { application_id, slug, submit_seq, submit_time, superseded_seq, erased_at } = place
  // As export-audit-log writes it, which orders as text as it does in time.
  const time = formatMicros(submit_time)
  const meetsRevision = db`case
    when not detail->'filters' ? 'revision_state' then true
    when ${erased_at}::timestamptz is not null then null
    else (detail->'filters'->>'revision_state' = 'CURRENT')
      = (${superseded_seq}::bigint is null or detail->'horizon' < to_jsonb(${superseded_seq}::bigint))
    end`
  return db<PageWithApplication[]>`
    select
      audit_event_id, happened_at, actor, action, subject, host(address) as address, detail,
      ${meetsRevision} as meets_revision,
      ${erased_at}::timestamptz is null or happened_at < ${erased_at}::timestamptz as was_there
    from audit_event
    where action = 'applications_exported'
    and int8range((detail->>'after_micros')::bigint, (detail->>'last_micros')::bigint, '[]') @> ${submit_time}::bigint
    and (${submit_time}::bigint, ${submit_seq}::bigint) > ((detail->>'after_micros')::bigint, (detail->>'after_seq')::bigint)
    and (${submit_time}::bigint, ${submit_seq}::bigint) <= ((detail->>'last_micros')::bigint, (detail->>'last_seq')::bigint)
    and coalesce((detail->>'horizon')::bigint, ${submit_seq}::bigint) >= ${submit_seq}::bigint
    and subject = ${slug}
    and coalesce(detail->'application_ids' @> to_jsonb(${application_id}::bigint), true)
    and coalesce(detail->'filters'->>'from', '') collate "C" <= ${time}
    and coalesce(detail->'filters'->>'to', 'always') collate "C" > ${time}
    and coalesce((detail->'filters'->'ids'->>'from')::bigint, ${application_id}) <= ${application_id}
    and coalesce((detail->'filters'->'ids'->>'to')::bigint, ${application_id}) >= ${application_id}
    and ${meetsRevision} is not false
    and (${erased_at}::timestamptz is null
      or coalesce(detail->>'began_at', '') collate "C" < ${erased_at === null ? '' : formatMicros(erased_at + erasureDoubtMs * 1000)})
    ${
      beforeId === undefined
        ? db``
        : db`and (happened_at, audit_event_id) <
            ((select happened_at from audit_event where audit_event_id = ${beforeId}), ${beforeId})`
    }
    order by happened_at desc, audit_event_id desc
    limit ${rowsMax}`
}
