// The pages that contained an application, from the audit entries of exports.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue } from '../client.ts'
import { factsOfRow, metFiltersOfEntry } from '../walks/walk-filters.ts'
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
  /** What filters compare of it; null when it was erased. */
  facts: unknown
}

/** The places of an application id: one, unless programs were brought together from several databases. */
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

/** A page that the application was on, or may have been on. */
export interface PageWithApplication extends AuditEventRow {
  /** Whether the application met the walk's filters; null when that can no longer be determined. */
  meets_filters: boolean | null
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

/** A client that was sent an application. */
export interface ClientSent {
  application_id: number
  actor: string
  /** Whether one of the pages that had it was sent whole. */
  is_certain: boolean
  /** When the last of these was sent; without one, the last of those that were cut short. */
  sent_at: Micros
  /** Whether the application was on so many pages that not all were searched. */
  is_bounded: boolean
}

/** The clients whose pages had each of these applications of a program, those that were last first, by at most `pagesMax` pages of each. */
export async function readClientsSent(
  db: Db,
  { program_id, slug }: { program_id: number; slug: string },
  applicationIds: readonly number[],
  pagesMax: number,
): Promise<ClientSent[]> {
  // By itself, since applications may be distributed over nodes, and the audit log is not.
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

/** `place`: applications with what decides whether a page had them. `time` is as the audit log writes it. */
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

/** Whether the line of a page reached over `place`, whatever the walk's filters were. */
const reachedOver = (db: Db) => db`
  action = 'applications_exported'
  and int8range((detail->>'after_micros')::bigint, (detail->>'last_micros')::bigint, '[]') @> place.micros
  and (place.micros, place.submit_seq) > ((detail->>'after_micros')::bigint, (detail->>'after_seq')::bigint)
  and (place.micros, place.submit_seq) <= ((detail->>'last_micros')::bigint, (detail->>'last_seq')::bigint)
  and coalesce((detail->>'horizon')::bigint, place.submit_seq) >= place.submit_seq
  and coalesce(detail->'application_ids' @> to_jsonb(place.application_id), true)`

/** Whether part of the audit log has left the database for files. */
export const isAuditLogPruned = (db: Db): Promise<boolean> =>
  readValue<boolean>(db)`select exists (select from audit_seal where file is not null) as pruned`
