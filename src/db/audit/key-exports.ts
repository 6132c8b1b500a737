// The most recent exports of an API key, from the audit entries of their pages.

import { type Static, Type } from 'typebox'
import type { Db } from '../client.ts'
import { flag, integer, open, orNull, row, text, time } from '../row-schemas.ts'

export const keyExport = row({
  /** The entry of its last page. */
  audit_event_id: integer,
  program_slug: text,
  /** `walk`: an export of any number of pages. `changes`, `single`: one day's reads of the change feed, or of applications by ID. */
  kind: Type.Enum(['walk', 'changes', 'single']),
  format: text,
  filters: open('The filters, by their reported names.'),
  /** Number of questions that the client selected; null for all. */
  fields: orNull(integer),
  pages: integer,
  applications: integer,
  began_at: time,
  ended_at: time,
  /** `complete`, `unfinished` if further pages weren't requested, or how the last page was interrupted: `client_gone`, `stalled`, `failed`. */
  outcome: text,
  /** Whether there are earlier pages outside the searched entries, so that it began earlier and has more pages. */
  is_bounded: flag,
})
export type KeyExport = Static<typeof keyExport>

/** The newest first. Searches the last `eventsMax` entries of the key. */
export async function readKeyExports(
  db: Db,
  apiKeyId: string,
  { timeZone, eventsMax, rowsMax }: { timeZone: string; eventsMax: number; rowsMax: number },
): Promise<KeyExport[]> {
  return db<KeyExport[]>`
    select
      max(audit_event_id) as audit_event_id, program_slug, kind,
      (array_agg(format order by audit_event_id desc))[1] as format,
      coalesce((array_agg(filters order by audit_event_id desc))[1], '{}') as filters,
      max(fields) as fields,
      count(*) as pages,
      case when kind = 'walk' then max(applications_before + applications) else sum(applications)::bigint end as applications,
      min(began_at) as began_at,
      max(ended_at) as ended_at,
      case when bool_or(is_last) then 'complete'
        when (array_agg(outcome order by audit_event_id desc))[1] = 'complete' then 'unfinished'
        else (array_agg(outcome order by audit_event_id desc))[1]
      end as outcome,
      min(applications_before) > 0 as is_bounded
    from (
      select
        audit_event_id, subject as program_slug, detail->>'format' as format, detail->'filters' as filters, detail->>'outcome' as outcome,
        case when detail ? 'walk' then 'walk' when detail ? 'changes' then 'changes' else 'single' end as kind,
        coalesce(detail->>'walk', (happened_at at time zone ${timeZone}::text)::date::text) as together,
        jsonb_array_length(detail->'fields') as fields,
        coalesce((detail->>'applications')::bigint, 0) as applications,
        coalesce((detail->>'applications_before')::bigint, 0) as applications_before,
        coalesce((detail->>'began_at')::timestamptz, happened_at) as began_at,
        coalesce((detail->>'ended_at')::timestamptz, happened_at) as ended_at,
        not detail ? 'walk' or coalesce((detail->>'last_page')::boolean, false) as is_last
      from (
        select audit_event_id, happened_at, action, subject, detail
        from audit_event
        where actor = 'key:' || ${apiKeyId}::text
        order by happened_at desc, audit_event_id desc
        limit ${eventsMax}
      ) recent
      where action = 'applications_exported'
    ) page
    group by program_slug, kind, together
    order by audit_event_id desc
    limit ${rowsMax}`
}
