// Delivers webhooks: requests due attempts, makes them and records their outcomes. The progress of an endpoint is in the database, and each job
// is one attempt; lost jobs are replaced. Delivery is therefore at least once.
//
// A message announces a program's newest change and contains nothing about applicants. It covers all changes up to that one, so everything that
// happens while an endpoint is unreachable or busy becomes one message.

import { inTransaction, type Sql } from '../../db/client.ts'
import { insertOutbox } from '../../db/derived/outbox.ts'
import { readChangeNumbers } from '../../db/walks/change-rows.ts'
import {
  type BegunEndpoint,
  beginAttempt,
  type EndedAttempt,
  endAttempt,
  insertAttempt,
  readDueEndpoints,
  takeDueEndpoints,
} from '../../db/webhooks/webhook-deliveries.ts'
import type { WebhookAttemptRow } from '../../db/webhooks/webhook-rows.ts'
import { formatOffsetTime, type Micros } from '../../domain/values/offset-time.ts'
import { recordAction } from '../audit/record-action.ts'
import { webhookJobId } from '../queue/jobs.ts'
import { type Outside, type Posted, postMessage, saysGone } from './post-message.ts'
import { deriveSecret, signedHeaders } from './signatures.ts'

const second = 1_000_000
/** Time after which a requested or begun attempt without an outcome counts as lost. Far longer than an attempt takes. */
const lostAfter = 60 * second
/** Minimum time between two messages to an endpoint. Changes in between are announced by the second one. */
const pause = 2 * second
/** Maximum time between a failed attempt and the next. */
const retryMax = 3600 * second
/** Pause after a failed attempt: five seconds, then four times as long each time. */
const backoff = (failures: number): Micros => Math.min(retryMax, 5 * 4 ** (failures - 1) * second)
/** An endpoint that fails for this long is given up. */
const givenUpAfter = 3 * 86_400 * second
/** Number of attempts kept per endpoint. */
export const attemptsKept = 100

/**
 * Requests an attempt for each endpoint that has not acknowledged its program's last change or the last message, or for which an administrator
 * requested a message.
 */
export async function askForDeliveries(sql: Sql, now: Micros): Promise<number> {
  const due = await readDueEndpoints(sql, { now, busyMax: now + lostAfter, waitMax: now + retryMax })
  if (due.length === 0) return 0
  const changes = await readChangeNumbers(sql, [...new Set(due.map(({ program_id }) => program_id))])
  const lagging = due.filter(
    dueEndpoint =>
      dueEndpoint.asked !== null ||
      dueEndpoint.failures > 0 ||
      changes.get(dueEndpoint.program_id)! > dueEndpoint.delivered_change,
  )
  if (lagging.length === 0) return 0
  const ids = lagging.map(({ webhook_endpoint_id }) => webhook_endpoint_id)
  return inTransaction(sql, async tx => {
    const taken = await takeDueEndpoints(tx, ids, { now, until: now + lostAfter })
    await insertOutbox(
      tx,
      taken.map(payload => ({ job_name: 'deliver-webhook', job_id: webhookJobId(payload), payload })),
    )
    return taken.length
  })
}

/** A program's newest change. */
export interface ProgramState {
  change: number
  /** When that change was made; undefined before the first. */
  changedAt: Micros | undefined
  /** As returned by the change feed. */
  changeCursor: string
}

/** The dependencies of a delivery. */
export interface Delivering {
  sql: Sql
  /** The keys in WEBHOOK_KEYS. */
  keys: readonly Buffer[]
  outside: Outside
  timeZone: string
  /** The database's clock, which all workers share. */
  now: () => Micros
  loadState: (programId: number) => Promise<ProgramState>
  /** A random number from 0 to 1. */
  random: () => number
}

/** Makes the attempt after this many. Undefined if another run made it, or there is nothing to send. */
export async function deliver(
  delivering: Delivering,
  requested: { webhook_endpoint_id: number; attempts: number },
): Promise<WebhookAttemptRow['outcome'] | undefined> {
  const { sql, now } = delivering
  const begunAt = now()
  const endpoint = await beginAttempt(sql, requested, { now: begunAt, until: begunAt + lostAfter })
  if (endpoint === undefined) return undefined
  const state = await delivering.loadState(endpoint.program_id)
  const message = endpoint.asked === 'test' ? 'webhook.test' : 'program.changed'
  const startedMs = performance.now()
  const posted = await send(delivering, endpoint, message, state, requested.attempts + 1)
  const attempt: WebhookAttemptRow = {
    attempt: requested.attempts + 1,
    message,
    change: state.change,
    attempted_at: begunAt,
    duration_ms: Math.round(performance.now() - startedMs),
    outcome: posted.outcome,
    status: posted.status,
  }
  await note(delivering, endpoint, attempt, 'retryAfter' in posted ? posted.retryAfter : undefined)
  return attempt.outcome
}

type Sent = Posted | { outcome: 'unsigned'; status: null }

/** Signs and sends a message. Its ID and body are the same in each attempt for the same change; each test has its own. */
async function send(
  { keys, outside, timeZone, now }: Delivering,
  { webhook_endpoint_id, slug, url, secret_name, earlier_secret_name }: BegunEndpoint,
  type: WebhookAttemptRow['message'],
  { changedAt, changeCursor }: ProgramState,
  attempt: number,
): Promise<Sent> {
  const names = earlier_secret_name === null ? [secret_name] : [secret_name, earlier_secret_name]
  const secrets = names.flatMap(name => deriveSecret(keys, name) ?? [])
  if (secrets.length === 0) return { outcome: 'unsigned', status: null }
  const isTest = type === 'webhook.test'
  const happenedAt = isTest ? now() : (changedAt ?? now())
  const timestamp = formatOffsetTime(happenedAt, timeZone)
  const body = JSON.stringify({ type, program: slug, change_cursor: changeCursor, timestamp })
  // The ID always belongs to one event (D44). After a restore, numbers repeat, so a change's ID contains its complete cursor, and a test's its time.
  const event = isTest ? `${attempt}_${happenedAt}` : changeCursor.replaceAll('.', '_')
  const id = `${isTest ? 'test' : 'changed'}_${webhook_endpoint_id}_${event}`
  const headers = signedHeaders(secrets, id, Math.floor(now() / second), body)
  return postMessage(new URL(url), { headers, body }, outside)
}

async function note(
  { sql, now, random }: Delivering,
  endpoint: BegunEndpoint,
  attempt: WebhookAttemptRow,
  retryAfter: string | undefined,
) {
  const { webhook_endpoint_id: id, asked } = endpoint
  const endedAt = now()
  // A tenth of the wait is random. The receiver may request a longer wait.
  const wait = Math.round(backoff(endpoint.failures + 1) * (0.95 + random() / 10))
  const ended = endOf(endpoint, attempt, endedAt, Math.max(wait, askedWait(retryAfter, endedAt)))
  await inTransaction(sql, async tx => {
    if (!(await endAttempt(tx, { id, attempt: attempt.attempt, asked, now: endedAt }, ended))) return
    await insertAttempt(tx, id, attempt, attemptsKept)
    if (ended.disabled_because === undefined) return
    const detail = { webhook: id, because: ended.disabled_because, host: new URL(endpoint.url).host }
    await recordAction(tx, { actor: 'webhooks' }, 'webhook_given_up', endpoint.slug, detail)
  })
}

/** The wait that `Retry-After` requests, in seconds or as a date (RFC 9110, section 10.2.3), up to the maximum wait. */
function askedWait(retryAfter: string | undefined, now: Micros): Micros {
  const text = retryAfter?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * second : Date.parse(text) * 1000 - now
  return Number.isNaN(wait) ? 0 : Math.min(retryMax, wait)
}

/** An endpoint's state after an attempt. A failed test doesn't affect the messages. */
function endOf(
  { failures, first_failed_at }: BegunEndpoint,
  { message, outcome, status, change }: WebhookAttemptRow,
  now: Micros,
  wait: Micros,
): EndedAttempt {
  const as = { failures, first_failed_at, retry_at: undefined, disabled_because: undefined }
  if (message === 'webhook.test') return as
  if (outcome === 'delivered')
    return { ...as, delivered: { change, at: now }, failures: 0, first_failed_at: null, retry_at: now + pause }
  const since = first_failed_at ?? now
  const because = saysGone(status) ? 'gone' : now - since >= givenUpAfter ? 'failing' : undefined
  return {
    failures: failures + 1,
    first_failed_at: since,
    retry_at: now + wait,
    disabled_because: because,
  }
}
