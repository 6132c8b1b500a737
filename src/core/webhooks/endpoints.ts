// Adds, changes, tests, disables and removes webhook endpoints. Every change is audited.

import { invalidRequest, Problem } from '../../base/problem.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { readChangeNumbers } from '../../db/walks/change-rows.ts'
import {
  countHeldWebhooks,
  deleteWebhook,
  disableWebhookRow,
  enableWebhookRow,
  insertWebhook,
  updateWebhookAsked,
  updateWebhookSecret,
  updateWebhookUrl,
  type WebhookRow,
} from '../../db/webhooks/webhook-rows.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { findAddresses, type Outside } from './post-message.ts'
import { deriveSecret, newSecretName, secretText } from './signatures.ts'

/** How long messages are also signed with the previous secret after a rotation. */
export const overlapHours = 24
const endpointsMax = 10
const urlLengthMax = 2000

/** Derived from WEBHOOK_KEYS and WEBHOOK_ALLOWED_NETWORKS. */
export interface WebhookRules extends Pick<Outside, 'allowedNetworks' | 'resolve'> {
  keys: readonly Buffer[]
}

type Changed = Pick<WebhookRow, 'webhook_endpoint_id' | 'slug' | 'url' | 'state'>

/**
 * The URL in a text, if messages may be sent there. Otherwise throws Problem `invalid_request` with what is expected. Each message is checked again,
 * because the address may change later.
 */
export async function checkWebhookUrl(text: string, rules: Omit<WebhookRules, 'keys'>): Promise<URL> {
  const refused = (code: string, detail: string): Problem =>
    invalidRequest('This URL can’t receive messages.', [{ parameter: 'url', code, detail }])
  const url = text.length > urlLengthMax ? null : URL.parse(text.trim())
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw refused(
      'bad_url',
      `Enter an HTTPS URL such as https://example.org/hooks, with at most ${urlLengthMax.toLocaleString('en-US')} characters and no username or fragment.`,
    )
  const found = await findAddresses(url, rules)
  if (!('unsent' in found)) return url
  throw found.unsent === 'unresolved'
    ? refused('unresolved', `${url.hostname} was not found. Enter a host that the service can reach.`)
    : refused(
        'internal_address',
        `${url.hostname} is not on the public internet. Enter a public host, or add its network to WEBHOOK_ALLOWED_NETWORKS.`,
      )
}

/** Adds an endpoint, whose first message announces the next change. Only this response contains the secret. */
export async function addWebhook(
  sql: Sql,
  { keys }: WebhookRules,
  endpoint: { program_id: number; slug: string; url: URL },
  by: AuditContext,
): Promise<{ id: number; secret: string }> {
  const { name, secret } = newSecret(keys)
  const { program_id, slug, url } = endpoint
  return inTransaction(sql, async tx => {
    if ((await countHeldWebhooks(tx, program_id)) >= endpointsMax)
      throw new Problem('conflict', {
        detail: `A program can have at most ${endpointsMax} webhooks. Remove one first.`,
      })
    const changes = await readChangeNumbers(tx, [program_id])
    const id = await insertWebhook(tx, {
      program_id,
      url: url.href,
      secret_name: name,
      delivered_change: changes.get(program_id) ?? 0,
      created_by: by.actor,
      now: by.now,
    })
    await recordAction(tx, by, 'webhook_added', slug, { webhook: id, host: url.host })
    return { id, secret }
  })
}

/**
 * Changes an endpoint's URL and resets its failures; a disabled endpoint stays disabled. An attempt in progress goes to the previous URL and doesn't
 * count for this one, so its message is sent again.
 */
export async function changeWebhookUrl(sql: Sql, endpoint: Changed, url: URL, by: AuditContext): Promise<void> {
  if (url.href === endpoint.url) return
  await inTransaction(sql, async tx => {
    await updateWebhookUrl(tx, endpoint.webhook_endpoint_id, { url: url.href, now: by.now })
    const detail = { webhook: endpoint.webhook_endpoint_id, host: url.host, host_before: new URL(endpoint.url).host }
    await recordAction(tx, by, 'webhook_changed', endpoint.slug, detail)
  })
}

/** Replaces an endpoint's secret; only this response contains the new one. For a day, messages are also signed with the previous one. */
export async function rotateWebhookSecret(
  sql: Sql,
  { keys }: WebhookRules,
  endpoint: Changed,
  by: AuditContext,
): Promise<string> {
  const { name, secret } = newSecret(keys)
  const earlier_until = by.now + overlapHours * 3_600_000_000
  await inTransaction(sql, async tx => {
    await updateWebhookSecret(tx, endpoint.webhook_endpoint_id, { secret_name: name, earlier_until })
    await record(tx, by, 'webhook_secret_rotated', endpoint)
  })
  return secret
}

/** Requests a message immediately: a test, or the last message again. */
export async function askForMessage(
  sql: Sql,
  endpoint: Changed,
  kind: 'test' | 'resend',
  by: AuditContext,
): Promise<void> {
  if (kind === 'resend' && ['given_up', 'disabled'].includes(endpoint.state))
    throw new Problem('conflict', {
      detail: 'The webhook is disabled. Enable it to send the messages it missed.',
    })
  await inTransaction(sql, async tx => {
    await updateWebhookAsked(tx, endpoint.webhook_endpoint_id, kind)
    await record(tx, by, kind === 'test' ? 'webhook_tested' : 'webhook_resent', endpoint)
  })
}

/** Disables an endpoint, or enables it: then a message about the missed changes is due immediately. */
export async function setWebhookDisabled(
  sql: Sql,
  endpoint: Changed,
  disabled: boolean,
  by: AuditContext,
): Promise<void> {
  const change = disabled ? disableWebhookRow : enableWebhookRow
  await inTransaction(sql, async tx => {
    if (await change(tx, endpoint.webhook_endpoint_id, by.now))
      await record(tx, by, disabled ? 'webhook_disabled' : 'webhook_enabled', endpoint)
  })
}

/** Removes an endpoint with its recorded attempts. */
export async function removeWebhook(sql: Sql, endpoint: Changed, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    await deleteWebhook(tx, endpoint.webhook_endpoint_id)
    await record(tx, by, 'webhook_removed', endpoint)
  })
}

function newSecret([first, ...others]: readonly Buffer[]): { name: string; secret: string } {
  if (first === undefined)
    throw new Problem('conflict', {
      detail: 'Webhooks aren’t set up. Set WEBHOOK_KEYS for the service and the workers.',
    })
  const name = newSecretName([first, ...others])
  return { name, secret: secretText(deriveSecret([first], name)!) }
}

const record = (tx: Transaction, by: AuditContext, action: string, { webhook_endpoint_id, slug, url }: Changed) =>
  recordAction(tx, by, action, slug, { webhook: webhook_endpoint_id, host: new URL(url).host })
