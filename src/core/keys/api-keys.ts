// Creates, lists, edits, disables and retires API keys. Each change and its audit entry are one transaction.
// No secret is stored: `createApiKey` returns it once and stores only its hash.

import { createHash } from 'node:crypto'
import { invalidRequest, Problem, type ProblemItem } from '../../base/problem.ts'
import type { Db, Sql, Transaction } from '../../db/client.ts'
import {
  type ApiKeyRow,
  disableApiKeyRow,
  insertApiKey,
  lockApiKey,
  replaceApiKeyPrograms,
  retireApiKeyRow,
  rotateApiKeySecret,
  updateApiKey,
} from '../../db/keys/api-key-rows.ts'
import {
  type ApiKeyState,
  apiKeyStates,
  countKeys,
  findListedKey,
  type KeyMoment,
  type KeySearch,
  type ListedApiKey,
  readKeyPage,
  readListedKeys,
} from '../../db/keys/listed-keys.ts'
import { findOrigin } from '../../db/origin.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { combinationErrors, expiryErrors } from './api-key-draft.ts'
import { apiSecretToken, type Credential, hashPassword, isApiKeyId, mintCredential } from './credential.ts'
import { dayMicros, expiringUntil } from './expiry.ts'
import {
  type ApiKeyChanges,
  type ApiKeyDraft,
  checkSettings,
  type KeySettingName,
  type KeyValues,
  settingNames,
} from './key-settings.ts'

/** The lists of keys, and the states in each. */
export const keyGroups = {
  active: ['active', 'expiring', 'exposed'],
  expiring: ['expiring'],
  disabled: ['disabled'],
  expired: ['expired'],
  retired: ['retired'],
} as const satisfies Record<string, readonly ApiKeyState[]>
export type KeyGroup = keyof typeof keyGroups

/** A new key with its credential, which is shown once. */
export interface IssuedApiKey extends Credential {
  key: ListedApiKey
}

/**
 * Creates a key. Only this response contains the credential, which is not stored. Throws `invalid_request` naming every error (`/name`,
 * `/programs/0`, `/expires_at`, …).
 */
export async function createApiKey(sql: Sql, pepper: string, draft: ApiKeyDraft & AuditContext): Promise<IssuedApiKey> {
  const credential = mintCredential()
  const api_key_id = credential.username
  const { now } = draft
  const key = await sql.begin(async tx => {
    const { values, errors } = await checkSettings(tx, draft)
    errors.push(...expiryErrors(draft.expires_at, now), ...combinationErrors(draft))
    if (draft.may_submit) errors.push(...(await submissionErrors(tx)))
    if (errors.length > 0) throw invalidRequest('The key was not created.', errors)
    const { programs = [], ...settings } = values
    const { may_export, may_submit, may_annotate = false } = draft
    const may = { may_export, may_submit, may_annotate }
    const made_by = { created_at: now, created_by: draft.actor, secret_hash: hashPassword(pepper, credential.password) }
    await insertApiKey(tx, { api_key_id, ...settings, ...may, ...made_by })
    await replaceApiKeyPrograms(tx, api_key_id, programs)
    const made = await loadKey(tx, api_key_id, now)
    await recordAction(tx, draft, 'api_key_created', api_key_id, { ...may, ...audited(pick(made, settingNames)) })
    return made
  })
  return { ...credential, key }
}

const momentOf = (now: Micros): KeyMoment => ({ now, soon: expiringUntil(now) })
const anyKey: KeySearch = { search: '', program: '' }

/** Keys of a group, or all, that match; newest first. */
export const listKeys = (
  db: Db,
  now: Micros,
  group: KeyGroup | null = null,
  wanted: KeySearch = anyKey,
): PromiseLike<ListedApiKey[]> =>
  readListedKeys(db, momentOf(now), group === null ? apiKeyStates : keyGroups[group], wanted)

/** A page of the keys of a group. */
export interface KeyPage {
  counts: Readonly<Record<KeyGroup, number>>
  shown: readonly ListedApiKey[]
  /** How many matching keys come before this page, and how many there are in total. */
  before: number
  found: number
}

/**
 * The page after `offset` matching keys; the first, if there are not so many. Keys that expire soonest come first; among expired and
 * retired keys, the most recent.
 */
export async function loadKeyPage(
  db: Db,
  now: Micros,
  wanted: KeySearch & { group: KeyGroup; offset: number },
  rowsMax: number,
): Promise<KeyPage> {
  const moment = momentOf(now)
  const { group, offset } = wanted
  const states: readonly ApiKeyState[] = keyGroups[group]
  const counted = await countKeys(db, moment, wanted)
  const total = (of: readonly ApiKeyState[], what: 'keys' | 'matching'): number =>
    counted.filter(({ state }) => of.includes(state)).reduce((sum, count) => sum + count[what], 0)
  const found = total(states, 'matching')
  const before = offset < found ? offset : 0
  const latestFirst = group === 'expired' || group === 'retired'
  const shown = await readKeyPage(db, moment, states, wanted, { before, rowsMax, latestFirst })
  const counts = Object.fromEntries(Object.entries(keyGroups).map(([name, of]) => [name, total(of, 'keys')]))
  return { counts: counts as KeyPage['counts'], shown, before, found }
}

/** One key, or `not_found`. */
export async function loadKey(db: Db, apiKeyId: string, now: Micros): Promise<ListedApiKey> {
  const key = isApiKeyId(apiKeyId) ? await findListedKey(db, apiKeyId, momentOf(now)) : undefined
  if (key === undefined) throw noSuchKey()
  return key
}

/** Maximum time for which two secrets of a key are valid. */
export const overlapDaysMax = 30

/**
 * Gives a key a new secret, which only this response contains. The previous one remains valid for `overlapDays`, so that a client can switch without
 * a gap; with 0, it stops working with the next request. Throws `not_found`, `conflict` if the key is retired or expired, `invalid_request` for
 * `/overlap`.
 */
export async function rotateApiKey(
  sql: Sql,
  pepper: string,
  apiKeyId: string,
  overlapDays: number,
  by: AuditContext,
): Promise<IssuedApiKey> {
  if (!(overlapDays >= 0 && overlapDays <= overlapDaysMax))
    throw invalidRequest('The key was not rotated.', [
      { path: '/overlap', code: 'bad_overlap', detail: `must be from 0 to ${overlapDaysMax} days` },
    ])
  const { password } = mintCredential()
  await sql.begin(async tx => {
    const key = await lockChangeableKey(tx, apiKeyId)
    if (by.now >= key.expires_at)
      throw new Problem('conflict', { detail: 'This key has expired. Create a new key instead.' })
    const earlierUntil = overlapDays === 0 ? null : by.now + overlapDays * dayMicros
    await rotateApiKeySecret(tx, apiKeyId, hashPassword(pepper, password), earlierUntil)
    const detail = { earlier_secret_until: earlierUntil === null ? null : formatMicros(earlierUntil) }
    await recordAction(tx, by, 'api_key_rotated', apiKeyId, detail)
  })
  const key = await loadKey(sql, apiKeyId, by.now)
  return { username: apiKeyId, password, apiSecretToken: apiSecretToken(apiKeyId, password), key }
}

/** Retires a key permanently, effective with its next request. Idempotent. Throws `not_found`. */
export async function retireApiKey(sql: Sql, apiKeyId: string, by: AuditContext): Promise<ListedApiKey> {
  await refuseFollowedKey(sql, await loadKey(sql, apiKeyId, by.now))
  await sql.begin(async tx => {
    if (await retireApiKeyRow(tx, apiKeyId, by.now, by.actor)) await recordAction(tx, by, 'api_key_retired', apiKeyId)
  })
  return loadKey(sql, apiKeyId, by.now)
}

/**
 * Disables a key from its next request on, until it is enabled again; its settings are kept. Idempotent. Throws `not_found`, `conflict` if it is
 * retired.
 */
export const disableApiKey = (sql: Sql, apiKeyId: string, by: AuditContext): Promise<ListedApiKey> =>
  setDisabled(sql, apiKeyId, by.now, by)

/** Enables a disabled key. Throws like `disableApiKey`. */
export const enableApiKey = (sql: Sql, apiKeyId: string, by: AuditContext): Promise<ListedApiKey> =>
  setDisabled(sql, apiKeyId, null, by)

async function setDisabled(sql: Sql, apiKeyId: string, at: Micros | null, by: AuditContext): Promise<ListedApiKey> {
  await sql.begin(async tx => {
    await lockChangeableKey(tx, apiKeyId)
    if (await disableApiKeyRow(tx, apiKeyId, at, by.actor))
      await recordAction(tx, by, at === null ? 'api_key_enabled' : 'api_key_disabled', apiKeyId)
  })
  return loadKey(sql, apiKeyId, by.now)
}

/**
 * Changes settings, effective with the key's next request. Throws `not_found`, `conflict` if it is retired, `invalid_request` naming every error.
 * Unchanged values leave no audit event. With `basedOn`, the `keyVersion` that was displayed when this was decided, it also throws `conflict` if the
 * key has been changed since.
 */
export async function editApiKey(
  sql: Sql,
  apiKeyId: string,
  changes: ApiKeyChanges,
  by: AuditContext,
  basedOn?: string,
): Promise<ListedApiKey> {
  await sql.begin(async tx => {
    const key = await lockChangeableKey(tx, apiKeyId)
    if (basedOn !== undefined && basedOn !== keyVersion(key))
      throw new Problem('conflict', {
        detail: 'Someone else changed this key, so your changes were not saved.',
        internal: 'based_on_is_old',
      })
    const { errors, values } = await checkSettings(tx, changes)
    const changed = settingNames.filter(
      name => values[name] !== undefined && JSON.stringify(values[name]) !== JSON.stringify(key[name]),
    )
    if (changed.includes('expires_at')) errors.push(...expiryErrors(changes.expires_at, by.now))
    errors.push(...combinationErrors({ ...key, ...pick(values, changed) }))
    if (errors.length > 0) throw invalidRequest('The key was not changed.', errors)
    if (changed.length === 0) return
    const { programs, ...settings } = pick(values, changed)
    if (Object.keys(settings).length > 0) await updateApiKey(tx, apiKeyId, settings, by.now)
    if (programs !== undefined) await replaceApiKeyPrograms(tx, apiKeyId, programs)
    await recordAction(tx, by, 'api_key_edited', apiKeyId, {
      before: audited(pick(key, changed)),
      after: audited(pick(values, changed)),
    })
  })
  return loadKey(sql, apiKeyId, by.now)
}

/** Identifies a revision of a key's settings. Unset settings don't count, so adding a setting in a release changes no revision. */
export function keyVersion(key: ApiKeyRow): string {
  const values = settingNames.filter(name => String(key[name] ?? '') !== '').map(name => [name, key[name]])
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16)
}

const pick = (settings: KeyValues, names: readonly KeySettingName[]): KeyValues =>
  Object.fromEntries(names.map(name => [name, settings[name]]))

/** As in the audit log: times as text. */
const audited = ({ expires_at, ...values }: KeyValues) =>
  expires_at === undefined ? values : { ...values, expires_at: formatMicros(expires_at) }

/** If an origin is followed, only it can create applicants and applications: their IDs are its own. */
async function submissionErrors(db: Db): Promise<ProblemItem[]> {
  const origin = await findOrigin(db)
  const detail = `must be false; this installation follows ${origin}, which receives the submissions`
  return origin === undefined ? [] : [{ path: '/may_submit', code: 'submitted_elsewhere', detail }]
}

/** Locks a key that is neither retired nor followed until the transaction ends. Throws `not_found`, `conflict`. */
async function lockChangeableKey(tx: Transaction, apiKeyId: string): Promise<ApiKeyRow> {
  const key = isApiKeyId(apiKeyId) ? await lockApiKey(tx, apiKeyId) : undefined
  if (key === undefined) throw noSuchKey()
  await refuseFollowedKey(tx, key)
  if (key.retired_at !== null)
    throw new Problem('conflict', { detail: 'This key is retired. Create a new key instead.' })
  return key
}

/** Throws `conflict`: a change here would be undone, and a key retired here would still work in the origin. */
async function refuseFollowedKey(db: Db, { followed, name }: ApiKeyRow): Promise<void> {
  if (!followed) return
  throw new Problem('conflict', {
    detail: `"${name}" belongs to the ${await findOrigin(db)} that this installation follows. Change or retire it there; the change arrives here within seconds.`,
    internal: 'followed',
  })
}

const noSuchKey = (): Problem => new Problem('not_found', { detail: 'There is no API key with this ID.' })
