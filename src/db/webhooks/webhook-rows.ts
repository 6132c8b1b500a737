// Statements for administering webhook endpoints, and for their newest attempts.

import { type Static, Type } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { formatMicros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, readValue, type Transaction } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import { integer, integerOrNull, row, text, time, timeOrNull } from '../row-schemas.ts'

const states = ['working', 'failing', 'given_up', 'disabled'] as const
/** `given_up` by the worker after three days or a 410; `disabled` by an administrator. */
export type WebhookState = (typeof states)[number]

export const webhookRow = row({
  webhook_endpoint_id: integer,
  slug: text,
  display_name: text,
  url: text,
  state: Type.Enum([...states]),
  created_at: time,
  created_by: text,
  /** When it last acknowledged a message. */
  delivered_at: timeOrNull,
  /** Number of attempts since then, and the time of the first. */
  failures: integer,
  first_failed_at: timeOrNull,
  /** For a failing webhook: when the next attempt is due. */
  retry_at: time,
  disabled_at: timeOrNull,
  /** Until when messages are also signed with the previous secret. */
  earlier_secret_until: timeOrNull,
})
export type WebhookRow = Static<typeof webhookRow>

export const webhookAttemptRow = row({
  attempt: integer,
  message: Type.Enum(['program.changed', 'webhook.test']),
  change: integer,
  attempted_at: time,
  outcome: Type.Enum([
    'delivered',
    'refused',
    'timed_out',
    'unreachable',
    'unresolved',
    'internal_address',
    'unsigned',
  ]),
  /** The status of its response; null if there was none. */
  status: integerOrNull,
  duration_ms: integer,
})
export type WebhookAttemptRow = Static<typeof webhookAttemptRow>

const listed = (db: Db) => db`
  select w.webhook_endpoint_id, p.slug, p.display_name, w.url, w.state, w.created_at, w.created_by, w.delivered_at, w.failures,
    w.first_failed_at, w.retry_at, w.disabled_at, w.earlier_secret_until
  from webhook_endpoint w
  join program p on p.program_id = w.program_id`

/** Endpoints in the order in which they were added, after one; only of one program if given. */
export async function readWebhooks(
  db: Db,
  page: { among: AmongPrograms; slug: string | undefined; after: number; rowsMax: number },
): Promise<WebhookRow[]> {
  const { among, slug, after, rowsMax } = page
  return db<WebhookRow[]>`
    ${listed(db)}
    where w.webhook_endpoint_id > ${after}
    and ${isAmong(db, 'w.program_id', among)}
    and ${slug === undefined ? db`true` : db`p.slug = ${slug}`}
    order by w.webhook_endpoint_id
    limit ${rowsMax}`
}

export async function findWebhook(db: Db, id: number, among: AmongPrograms): Promise<WebhookRow | undefined> {
  return findRow<WebhookRow>(db)`
    ${listed(db)}
    where w.webhook_endpoint_id = ${id}
    and ${isAmong(db, 'w.program_id', among)}`
}

/** Newest first. */
export async function readWebhookAttempts(db: Db, id: number, rowsMax: number): Promise<WebhookAttemptRow[]> {
  return db<WebhookAttemptRow[]>`
    select attempt, message, change, attempted_at, outcome, status, duration_ms
    from webhook_attempt
    where webhook_endpoint_id = ${id}
    order by attempt desc
    limit ${rowsMax}`
}

/** Number of these programs' endpoints in each state, for metrics and the attention list. */
export async function countWebhooks(db: Db, among: AmongPrograms): Promise<Partial<Record<WebhookState, number>>> {
  const rows = await db<{ state: WebhookState; endpoints: number }[]>`
    select w.state, count(w.webhook_endpoint_id) as endpoints
    from webhook_endpoint w
    where ${isAmong(db, 'w.program_id', among)}
    group by w.state`
  return Object.fromEntries(rows.map(({ state, endpoints }) => [state, endpoints]))
}

/** Number of a program's endpoints. The program is locked until the transaction ends, so that none is added meanwhile. */
export async function countHeldWebhooks(tx: Transaction, programId: number): Promise<number> {
  await tx`select from program where program_id = ${programId} for no key update`
  return readValue<number>(tx)`
    select count(*) as endpoints
    from webhook_endpoint
    where program_id = ${programId}`
}

/** Returns its ID. Its first message announces the first change after `delivered_change`. */
export async function insertWebhook(
  tx: Transaction,
  endpoint: {
    program_id: number
    url: string
    secret_name: string
    delivered_change: number
    created_by: string
    now: Micros
  },
): Promise<number> {
  const { program_id, url, secret_name, delivered_change, created_by } = endpoint
  const now = formatMicros(endpoint.now)
  return readValue<number>(tx)`
    insert into webhook_endpoint (
      program_id, url, secret_name, delivered_change, created_by, created_at, busy_until, retry_at)
    values (${program_id}, ${url}, ${secret_name}, ${delivered_change}, ${created_by}, ${now}, ${now}, ${now})
    returning webhook_endpoint_id`
}

/** Changes its URL and makes the next message due immediately. This takes an attempt number, so an attempt in progress is no longer the newest. */
export async function updateWebhookUrl(
  tx: Transaction,
  id: number,
  { url, now }: { url: string; now: Micros },
): Promise<void> {
  const at = formatMicros(now)
  await tx`
    update webhook_endpoint
    set url = ${url}, attempts = attempts + 1, busy_until = ${at}, retry_at = ${at}, failures = 0, first_failed_at = null
    where webhook_endpoint_id = ${id}`
}

/** Replaces its secret; the previous one also signs until then. */
export async function updateWebhookSecret(
  tx: Transaction,
  id: number,
  { secret_name, earlier_until }: { secret_name: string; earlier_until: Micros },
): Promise<void> {
  await tx`
    update webhook_endpoint
    set earlier_secret_name = secret_name,
      earlier_secret_until = ${formatMicros(earlier_until)},
      secret_name = ${secret_name}
    where webhook_endpoint_id = ${id}`
}

/** Requests a message, which only waits for an attempt in progress. */
export async function updateWebhookAsked(tx: Transaction, id: number, asked: 'test' | 'resend'): Promise<void> {
  await tx`
    update webhook_endpoint
    set asked = ${asked}
    where webhook_endpoint_id = ${id}`
}

/** False if it is already disabled. */
export async function disableWebhookRow(tx: Transaction, id: number, now: Micros): Promise<boolean> {
  const { count } = await tx`
    update webhook_endpoint
    set disabled_at = ${formatMicros(now)}, disabled_because = 'administrator', asked = null
    where webhook_endpoint_id = ${id}
    and disabled_at is null`
  return count === 1
}

/** Missed messages become due immediately. False if it is not disabled. */
export async function enableWebhookRow(tx: Transaction, id: number, now: Micros): Promise<boolean> {
  const { count } = await tx`
    update webhook_endpoint
    set disabled_at = null, disabled_because = null, failures = 0, first_failed_at = null, retry_at = ${formatMicros(now)}
    where webhook_endpoint_id = ${id}
    and disabled_at is not null`
  return count === 1
}

/** Removes it with its attempts. */
export async function deleteWebhook(tx: Transaction, id: number): Promise<void> {
  await tx`
    delete from webhook_endpoint
    where webhook_endpoint_id = ${id}`
}
