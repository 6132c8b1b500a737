// Items needing attention, by kind. Read for every page of the console, so it reads no applications except the newest of programs that have been
// exported.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import { newestApplication } from '../programs/newest-application.ts'

/**
 * `expiring`, `refused`: API keys. `failed`: background jobs. `undelivered`: webhooks. `unread`, `draft`: programs. `lagging`: the followed system.
 * `space`: that for uploaded files, which is known without reading them.
 */
export type AttentionKind = 'expiring' | 'refused' | 'failed' | 'undelivered' | 'unread' | 'draft' | 'lagging' | 'space'

export interface Attention {
  kind: AttentionKind
  /** An API key ID, a webhook ID, a slug, or the name of the followed system. */
  subject: string
  name: string
  /** When it expires, first failed, was last refused or was last read; when a draft was saved; the time up to which applications were copied. */
  at: Micros | null
  /** Number of refusals, of failed jobs, or of a webhook's failed attempts, null if no more attempts are made. */
  count: number | null
  /** Total number of this kind; the list has those that have waited longest. */
  total: number
}

export interface AttentionScope {
  /** The programs of the person. */
  among: AmongPrograms
  /** Whether the person can see keys, drafts and jobs. */
  reads: boolean
  now: Micros
  /** Keys that expire before this time. */
  expiresUntil: Micros
  /** Maximum number of rows of each kind. */
  rowsMax: number
}

const dayMicros = 86_400_000_000
const patienceMicros = 7 * dayMicros
const lagMicros = 600_000_000

/** To add a kind: its name above, its rows here, and its sentence in `web/console/home/attention-list`. */
export async function readAttention(db: Db, scope: AttentionScope): Promise<Attention[]> {
  const { reads, rowsMax } = scope
  const parts = [
    unreadPrograms,
    undelivered,
    ...(reads ? [expiringKeys, refusedKeys, failedJobs, oldDrafts, laggingOrigin] : []),
  ]
  const rows = parts.map(part => part(db, scope)).reduce((all, part) => db`${all} union all ${part}`)
  return db<Attention[]>`
    select kind, subject, name, at, count, total
    from (
      select *, count(*) over (partition by kind) as total, row_number() over (partition by kind order by at nulls first, subject) as place
      from (${rows}) as found (kind, subject, name, at, count)
    ) placed
    where place <= ${rowsMax}
    order by kind, place`
}

type Part = (db: Db, scope: AttentionScope) => ReturnType<Db>

const expiringKeys: Part = (db, { now, expiresUntil }) => db`
  select 'expiring', api_key_id, name, expires_at, null::bigint
  from api_key
  where retired_at is null
  and disabled_at is null
  and expires_at > ${now}
  and expires_at <= ${expiresUntil}`

/** On the last day. The number of refusals is bounded. */
const refusedKeys: Part = (db, { now }) => db`
  select 'refused', api_key_id, min(name), max(happened_at), count(*)
  from refusal
  join api_key using (api_key_id)
  where happened_at > ${now - dayMicros}
  group by api_key_id`

const failedJobs: Part = db => db`
  select 'failed', 'jobs', 'jobs', min(updated_at), count(*)
  from derived_status
  where state = 'failed'
  having count(*) > 0`

const oldDrafts: Part = (db, { now }) => db`
  select 'draft', slug, v.display_name, v.created_at, null
  from program_version v
  join program using (program_id)
  where state = 'DRAFT'
  and intake_state <> 'ARCHIVED'
  and v.created_at < ${now - patienceMicros}`

/** Programs whose applications no key has exported, ever or for a long time. */
const unreadPrograms: Part = (db, { among, now }) => db`
  select 'unread', p.slug, p.display_name, read.at, null
  from program p
  join program_version v on v.program_id = p.program_id and v.state = 'ACTIVE'
  join submission_counter c on c.program_id = p.program_id
  ${newestApplication(db)}
  left join (
    select program_slug, max(read_at) as at, max(read_to) as read_to
    from program_reader
    group by program_slug
  ) read on read.program_slug = p.slug
  where p.created_at < ${now - patienceMicros}
  and p.intake_state <> 'ARCHIVED'
  and ${isAmong(db, 'p.program_id', among)}
  and (read.at is null or read.at < ${now - patienceMicros})
  and c.submissions > 0
  and c.last_submit_time > coalesce(read.read_to, '-infinity')
  and (read.read_to is null or newest.submit_time > read.read_to)`

const undelivered: Part = (db, { among }) => db`
  select 'undelivered', webhook_endpoint_id::text, w.url, coalesce(w.disabled_at, w.first_failed_at),
    case when w.disabled_at is null then w.failures end
  from webhook_endpoint w
  where w.state in ('failing', 'given_up')
  and ${isAmong(db, 'w.program_id', among)}`

const laggingOrigin: Part = (db, { now }) => db`
  select 'lagging', name, name, copied_to, null
  from origin
  where copied_to < ${now - lagMicros}`
