// Statements for webhook delivery: due endpoints, attempts and their outcomes.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, type Transaction } from '../client.ts'
import type { WebhookAttemptRow } from './webhook-rows.ts'

export interface DueEndpoint {
  webhook_endpoint_id: number
  program_id: number
  delivered_change: number
  asked: 'test' | 'resend' | null
  /** Attempts since the last acknowledgement. */
  failures: number
}

/**
 * Endpoints that may be sent a message now, because their program has new changes or an administrator requested one. A time beyond `busyMax` or
 * `waitMax` is later than any that is set, so it comes from a wrong clock and counts as past.
 */
export async function readDueEndpoints(
  db: Db,
  { now, busyMax, waitMax }: { now: Micros; busyMax: Micros; waitMax: Micros },
): Promise<DueEndpoint[]> {
  const at = formatMicros(now)
  return db<DueEndpoint[]>`
    select webhook_endpoint_id, program_id, delivered_change, asked, failures
    from webhook_endpoint
    where (busy_until <= ${at} or busy_until > ${formatMicros(busyMax)})
    and (asked is not null or (disabled_at is null and (retry_at <= ${at} or retry_at > ${formatMicros(waitMax)})))
    order by webhook_endpoint_id`
}

/** Those of these endpoints that no other worker has reserved meanwhile, with the attempts begun so far. They are reserved until then. */
export async function takeDueEndpoints(
  tx: Transaction,
  ids: readonly number[],
  { now, until }: { now: Micros; until: Micros },
): Promise<{ webhook_endpoint_id: number; attempts: number }[]> {
  return tx<{ webhook_endpoint_id: number; attempts: number }[]>`
    update webhook_endpoint
    set busy_until = ${formatMicros(until)}
    where webhook_endpoint_id = any(${ids as number[]}::bigint[])
    and (busy_until <= ${formatMicros(now)} or busy_until > ${formatMicros(until)})
    returning webhook_endpoint_id, attempts`
}

export interface BegunEndpoint extends DueEndpoint {
  slug: string
  url: string
  secret_name: string
  /** Undefined if no second secret signs. */
  earlier_secret_name: string | null
  first_failed_at: Micros | null
}

/**
 * Begins the attempt after this many. Undefined if another run has begun it, or if there is nothing to send: the endpoint was removed or disabled.
 */
export async function beginAttempt(
  db: Db,
  { webhook_endpoint_id, attempts }: { webhook_endpoint_id: number; attempts: number },
  { now, until }: { now: Micros; until: Micros },
): Promise<BegunEndpoint | undefined> {
  return findRow<BegunEndpoint>(db)`
    update webhook_endpoint w
    set attempts = attempts + 1, busy_until = ${formatMicros(until)}
    from program p
    where w.webhook_endpoint_id = ${webhook_endpoint_id}
    and w.attempts = ${attempts}
    and (w.disabled_at is null or w.asked is not null)
    and p.program_id = w.program_id
    returning w.webhook_endpoint_id, w.program_id, p.slug, w.url, w.secret_name, w.delivered_change, w.asked, w.failures,
      w.first_failed_at,
      case when w.earlier_secret_until > ${formatMicros(now)} then w.earlier_secret_name end as earlier_secret_name`
}

export async function insertAttempt(
  tx: Transaction,
  id: number,
  { attempt, message, change, attempted_at, outcome, status, duration_ms }: WebhookAttemptRow,
  keptMax: number,
): Promise<void> {
  await tx`
    insert into webhook_attempt (
      webhook_endpoint_id, attempt, message, change, attempted_at, outcome, status, duration_ms)
    values (
      ${id}, ${attempt}, ${message}, ${change}, ${formatMicros(attempted_at)}, ${outcome}, ${status}, ${duration_ms})`
  await tx`
    delete from webhook_attempt
    where webhook_endpoint_id = ${id}
    and attempt <= ${attempt - keptMax}`
}

export interface EndedAttempt {
  /** The last change that it has now been told about; undefined if unchanged. */
  delivered?: { change: number; at: Micros }
  failures: number
  first_failed_at: Micros | null
  retry_at: Micros | undefined
  disabled_because: 'failing' | 'gone' | undefined
}

/**
 * Records the outcome of the newest attempt, and which request of an administrator it fulfilled. False if it is no longer the newest, or the endpoint
 * was removed.
 */
export async function endAttempt(
  tx: Transaction,
  { id, attempt, asked, now }: { id: number; attempt: number; asked: string | null; now: Micros },
  { delivered, failures, first_failed_at, retry_at, disabled_because }: EndedAttempt,
): Promise<boolean> {
  const at = formatMicros(now)
  const { count } = await tx`
    update webhook_endpoint
    set busy_until = ${at},
      asked = case when asked is distinct from ${asked} then asked end,
      delivered_change = ${delivered === undefined ? tx`delivered_change` : delivered.change},
      delivered_at = ${delivered === undefined ? tx`delivered_at` : formatMicros(delivered.at)},
      failures = ${failures},
      first_failed_at = ${first_failed_at === null ? null : formatMicros(first_failed_at)},
      retry_at = ${retry_at === undefined ? tx`retry_at` : formatMicros(retry_at)},
      disabled_at = coalesce(disabled_at, ${disabled_because === undefined ? null : at}),
      disabled_because = coalesce(disabled_because, ${disabled_because ?? null})
    where webhook_endpoint_id = ${id}
    and attempts = ${attempt}`
  return count === 1
}
