// The pages that contained an application, from the audit entries of exports.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue } from '../client.ts'
import { factsOfRow, metFiltersOfEntry } from '../walks/walk-filters.ts'
import type { AuditEventRow } from './audit.ts'

/** The position of an application in its program, or its position before it was erased. */
export interface ApplicationPlace {
  application_id: number
  slug: string
  display_name: string
  submit_seq: number
  submit_time: Micros
  /** The submission that superseded it; null if none did, or if it was erased. */
  superseded_seq: number | null
  erased_at: Micros | null
  /** The facts that filters compare; null if it was erased. */
  facts: unknown
}

/** The positions of an application ID: one, unless programs of several databases were merged. */
export async function findApplicationPlaces(db: Db, applicationId: number): Promise<ApplicationPlace[]> {
  return db<ApplicationPlace[]>`
    select a.application_id, p.slug, p.display_name, a.submit_seq, a.submit_time, a.superseded_seq, null::timestamptz as erased_at,
      ${factsOfRow(db)} as facts
    from program p
    join application a on a.program_id = p.program_id and a.application_id = ${applicationId}
    union all
    select e.application_id, p.slug, p.display_name, e.submit_seq, e.submit_time, null, e.erased_at, null
    from program p
    join erased_application e on e.program_id = p.program_id and e.application_id = ${applicationId}
    order by slug`
}

/** A page that contained the application, or may have contained it. */
export interface PageWithApplication extends AuditEventRow {
  /** Whether the application matched the walk's filters; null if that can no longer be determined. */
  meets_filters: boolean | null
  /** Whether the application still existed when the page ended. */
  was_there: boolean
}

/** Maximum time between an erasure and its commit, and between two clocks. */
const erasureDoubtMs = 10 * 60_000

/**
 * The entries of pages whose range included the application, newest first, at most `rowsMax` of those before `beforeId`: its position is after the
 * last application of the previous page and not after the last of this page, its number is within the walk's horizon, and it matches the walk's
 * filters. Entries of change feed pages also list their applications, and must list this one. A walk follows the order of positions; its filters
 * never change, and neither do an application's number, its time, or the number that superseded it. So an application that still exists was on every
 * one of these pages and on no other. An erased application was on those that had ended before the erasure, and not on those that began later; in
 * between, it cannot be determined.
 */
export async function readPagesWith(
  db: Db,
  place: ApplicationPlace,
  { beforeId, rowsMax }: { beforeId: number | undefined; rowsMax: number },
): Promise<PageWithApplication[]> {
  const { slug, erased_at } = place
  const meetsFilters = metFiltersOfEntry(db)
  return db<PageWithApplication[]>`
    select
      audit_event_id, happened_at, actor, action, subject, host(address) as address, detail,
      ${meetsFilters} as meets_filters,
      ${erased_at}::timestamptz is null or happened_at < ${erased_at}::timestamptz as was_there
    from audit_event, ${placesFrom(db, [place])}
    where ${reachedOver(db)}
    and subject = ${slug}
    and (${meetsFilters}) is not false
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

/** A client that received an application. */
export interface ClientSent {
  application_id: number
  actor: string
  /** Whether one of its pages with the application was sent completely. */
  is_certain: boolean
  /** When the last of these pages was sent; if none was complete, the last interrupted one. */
  sent_at: Micros
  /** Whether the application was on so many pages that not all were searched. */
  is_bounded: boolean
}

/** The clients whose pages contained each of these applications, most recent first, based on at most `pagesMax` pages per application. */
export async function readClientsSent(
  db: Db,
  { program_id, slug }: { program_id: number; slug: string },
  applicationIds: readonly number[],
  pagesMax: number,
): Promise<ClientSent[]> {
  // A separate statement, because applications may be distributed over nodes, and the audit log is not.
  const places = await db<StoredPlace[]>`
    select application_id, submit_seq, submit_time, superseded_seq, null::timestamptz as erased_at, ${factsOfRow(db)} as facts
    from application
    where program_id = ${program_id}
    and application_id = any(${applicationIds as number[]}::bigint[])`
  return db<ClientSent[]>`
    select application_id, actor, bool_or(is_whole) as is_certain,
      coalesce(max(happened_at) filter (where is_whole), max(happened_at)) as sent_at,
      sum(count(*)) over (partition by application_id) >= ${pagesMax} as is_bounded
    from ${placesFrom(db, places)}
    cross join lateral (
      select actor, happened_at, detail->>'outcome' = 'complete' as is_whole
      from audit_event
      where ${reachedOver(db)}
      and subject = ${slug}
      and (${metFiltersOfEntry(db)}) is not false
      limit ${pagesMax}
    ) page
    group by application_id, actor
    order by sent_at desc`
}

type StoredPlace = Omit<ApplicationPlace, 'slug' | 'display_name'>

/** `place`: applications with the facts that decide whether a page contained them. `time` has the format of the audit log. */
function placesFrom(db: Db, places: readonly StoredPlace[]) {
  const rows = places.map(({ erased_at, ...place }) => ({
    ...place,
    micros: place.submit_time,
    time: formatMicros(place.submit_time),
    is_erased: erased_at !== null,
  }))
  return db`
    json_to_recordset(${JSON.stringify(rows)}::text::json)
      as place (application_id bigint, submit_seq bigint, micros bigint, time text, superseded_seq bigint, is_erased boolean,
        facts jsonb)`
}

/** Whether the range of a page included `place`, ignoring the walk's filters. */
const reachedOver = (db: Db) => db`
  action = 'applications_exported'
  and int8range((detail->>'after_micros')::bigint, (detail->>'last_micros')::bigint, '[]') @> place.micros
  and (place.micros, place.submit_seq) > ((detail->>'after_micros')::bigint, (detail->>'after_seq')::bigint)
  and (place.micros, place.submit_seq) <= ((detail->>'last_micros')::bigint, (detail->>'last_seq')::bigint)
  and coalesce((detail->>'horizon')::bigint, place.submit_seq) >= place.submit_seq
  and coalesce(detail->'application_ids' @> to_jsonb(place.application_id), true)`

/** Whether part of the audit log has been moved from the database into files. */
export const isAuditLogPruned = (db: Db): Promise<boolean> =>
  readValue<boolean>(db)`select exists (select from audit_seal where file is not null) as pruned`
