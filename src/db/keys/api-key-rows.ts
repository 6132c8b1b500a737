// Statements for API keys and their programs. They only handle hashes of secrets.

import type { Static } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import { flag, integer, row, text, textOrNull, texts, time, timeOrNull } from '../row-schemas.ts'

/** The settings of a key that are columns of its row, as `core/keys/key-settings` describes them. */
const settings = {
  name: text,
  /** Null exactly if it may not submit. */
  front_end: textOrNull,
  expires_at: time,
  allowed_subnets: texts,
  /** Admin names of questions hidden from it, sorted. */
  hidden_questions: texts,
  note: text,
}
const settingColumns = Object.keys(settings) as (keyof typeof settings)[]
/** Settings that are a text, and those that are a list of texts. */
export const textColumns = settingColumns.filter(name => settings[name] === text || settings[name] === textOrNull)
export const listColumns = settingColumns.filter(name => settings[name] === texts)

/** A key in lists: everything but the hash. */
export const apiKeyRow = row({
  api_key_id: text,
  ...settings,
  may_export: flag,
  may_submit: flag,
  may_annotate: flag,
  /** Until when the secret before the last rotation is also valid. */
  earlier_secret_until: timeOrNull,
  created_at: time,
  created_by: text,
  retired_at: timeOrNull,
  retired_by: textOrNull,
  /** Since when it has been disabled. */
  disabled_at: timeOrNull,
  disabled_by: textOrNull,
  exposed_at: timeOrNull,
  last_used_at: timeOrNull,
  last_used_address: textOrNull,
  /** Whether the key belongs to the followed origin, where alone it can be changed. */
  followed: flag,
  /** Slugs, sorted. */
  programs: texts,
})
export type ApiKeyRow = Static<typeof apiKeyRow>
export type SettingColumns = Pick<ApiKeyRow, keyof typeof settings>

export async function findApiKey(db: Db, apiKeyId: string): Promise<ApiKeyRow | undefined> {
  const [row] = await readKeys(db, db`where k.api_key_id = ${apiKeyId}`)
  return row
}

/** The newest key that an actor created and that may export this program now. */
export async function findPullingKeyOf(
  db: Db,
  createdBy: string,
  programId: number,
  now: Micros,
): Promise<ApiKeyRow | undefined> {
  const [row] = await readKeys(
    db,
    db`where k.created_by = ${createdBy}
      and k.may_export
      and k.retired_at is null
      and k.disabled_at is null
      and k.expires_at > ${now}
      and exists (select from api_key_program g where g.api_key_id = k.api_key_id and g.program_id = ${programId})
      order by k.created_at desc, k.api_key_id desc
      limit 1`,
  )
  return row
}

/** Like `findApiKey`, with the key locked until the transaction ends. */
export async function lockApiKey(db: Db, apiKeyId: string): Promise<ApiKeyRow | undefined> {
  const [row] = await readKeys(db, db`where k.api_key_id = ${apiKeyId} for update`)
  return row
}

/** Keys, with their `state` if it is given. */
export const readKeys = <Row extends ApiKeyRow = ApiKeyRow>(
  db: Db,
  which: ReturnType<Db>,
  state?: ReturnType<Db>,
): PromiseLike<Row[]> => db<Row[]>`
  select
    k.api_key_id, ${db(settingColumns.map(name => `k.${name}`))},
    k.may_export, k.may_submit, k.may_annotate, k.earlier_secret_until,
    k.created_at, k.created_by, k.retired_at, k.retired_by, k.disabled_at, k.disabled_by, k.exposed_at, k.last_used_at, k.followed,
    host(k.last_used_address) as last_used_address,
    array(
      select p.slug
      from api_key_program g
      join program p using (program_id)
      where g.api_key_id = k.api_key_id
      order by p.slug collate "C"
    ) as programs
    ${state === undefined ? db`` : db`, ${state} as state`}
  from api_key k
  ${which}`

/** The front ends that keys submit as, by name, at most this many. */
export async function readFrontEnds(db: Db, rowsMax: number): Promise<string[]> {
  const rows = await db<{ front_end: string }[]>`
    select distinct front_end
    from api_key
    where front_end is not null
    order by front_end
    limit ${rowsMax}`
  return rows.map(({ front_end }) => front_end)
}

/** Columns that are set at creation and rarely change. */
export type ApiKeyFacts = Pick<
  ApiKeyRow,
  'api_key_id' | 'name' | 'may_export' | 'may_submit' | 'may_annotate' | 'front_end' | 'expires_at'
>

/** An omitted column gets its default. */
type NewApiKeyRow = Pick<ApiKeyRow, 'api_key_id' | 'created_at' | 'created_by' | 'may_export' | 'may_submit'> &
  Partial<SettingColumns & Pick<ApiKeyRow, 'may_annotate'>> & { secret_hash: Buffer }

export async function insertApiKey(db: Db, key: NewApiKeyRow): Promise<void> {
  await db`insert into api_key ${db({ ...key, expiry_set_at: key.created_at })}`
}

/** Changes columns; `now` is when an expiry was set. */
export async function updateApiKey(
  db: Db,
  apiKeyId: string,
  values: Partial<SettingColumns>,
  now: Micros,
): Promise<void> {
  await db`
    update api_key
    set ${db(values.expires_at === undefined ? values : { ...values, expiry_set_at: now })}
    where api_key_id = ${apiKeyId}`
}

/** Grants access to exactly these programs. */
export async function replaceApiKeyPrograms(db: Db, apiKeyId: string, slugs: readonly string[]): Promise<void> {
  // Queried first: on Citus, a statement that changes two tables of the coordinator cannot use a table that is on all nodes.
  const programs = await db<{ program_id: number }[]>`
    select program_id
    from program
    where slug = any (${[...slugs]}::text[])`
  const ids = programs.map(({ program_id }) => program_id)
  await db`
    with withdrawn as (
      delete from api_key_program
      where api_key_id = ${apiKeyId}
      and program_id <> all (${ids}::bigint[])
    )
    insert into api_key_program (api_key_id, program_id)
    select ${apiKeyId}, granted.program_id
    from unnest(${ids}::bigint[]) as granted (program_id)
    on conflict do nothing`
}

/** The texts that are slugs of programs, sorted. */
export async function readKnownSlugs(db: Db, slugs: readonly string[]): Promise<string[]> {
  const rows = await db<{ slug: string }[]>`
    select slug
    from program
    where slug = any (${[...slugs]}::text[])
    order by slug collate "C"`
  return rows.map(({ slug }) => slug)
}

/** True if this call retired it; false if it was already retired or does not exist. */
export async function retireApiKeyRow(db: Db, apiKeyId: string, at: Micros, by: string): Promise<boolean> {
  const { count } = await db`
    update api_key
    set retired_at = ${at}, retired_by = ${by}
    where api_key_id = ${apiKeyId}
    and retired_at is null`
  return count === 1
}

/** True if this call disabled it, or enabled it without `at`; false if nothing changed. */
export async function disableApiKeyRow(db: Db, apiKeyId: string, at: Micros | null, by: string): Promise<boolean> {
  const { count } = await db`
    update api_key
    set disabled_at = ${at}, disabled_by = ${at === null ? null : by}
    where api_key_id = ${apiKeyId}
    and (disabled_at is null) = ${at !== null}`
  return count === 1
}

/** True if this call was the first to record it as exposed. */
export async function markApiKeyExposed(db: Db, apiKeyId: string, at: Micros): Promise<boolean> {
  const { count } = await db`
    update api_key
    set exposed_at = ${at}
    where api_key_id = ${apiKeyId}
    and exposed_at is null`
  return count === 1
}

/** Records a use, unless a later one, or one within the last `atLeastMicros`, is already recorded. */
export async function noteApiKeyUse(
  db: Db,
  apiKeyId: string,
  at: Micros,
  address: string,
  atLeastMicros: number,
): Promise<void> {
  await db`
    update api_key
    set last_used_at = ${at}, last_used_address = ${address}
    where api_key_id = ${apiKeyId}
    and (last_used_at is null or last_used_at <= ${at - atLeastMicros})`
}

/** Gives a key a new secret. Its previous secret remains valid until this time at most; the one before that becomes invalid. */
export async function rotateApiKeySecret(
  db: Db,
  apiKeyId: string,
  secretHash: Buffer,
  earlierUntil: Micros | null,
): Promise<void> {
  await db`
    update api_key
    set
      earlier_secret_hash = ${earlierUntil === null ? null : db`secret_hash`},
      earlier_secret_until = ${earlierUntil},
      secret_hash = ${secretHash}
    where api_key_id = ${apiKeyId}`
}

/** A key's exports on one day, in UTC. */
export const apiKeyDay = row({
  api_key_id: text,
  /** `2026-01-31`. */
  day: text,
  pages: integer,
  applications: integer,
})
export type ApiKeyDay = Static<typeof apiKeyDay>

/** Exports by these keys on the last days, oldest first. */
export async function readApiKeyDays(db: Db, days: number, apiKeyIds: readonly string[]): Promise<ApiKeyDay[]> {
  return db<ApiKeyDay[]>`
    select api_key_id, day, pages, applications
    from api_key_day
    where day > (clock_timestamp() at time zone 'UTC')::date - ${days}::integer
    and api_key_id = any(${[...apiKeyIds]}::text[])
    order by api_key_id, day`
}

/** The names of these keys by ID; unknown IDs are omitted. */
export async function readApiKeyNames(db: Db, apiKeyIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ api_key_id: string; name: string }[]>`
    select api_key_id, name
    from api_key
    where api_key_id = any(${apiKeyIds}::text[])`
  return new Map(rows.map(({ api_key_id, name }) => [api_key_id, name]))
}

/** The names of keys by ID, in alphabetical order, retired ones last. */
export async function readKeyChoices(db: Db, rowsMax: number): Promise<Map<string, string>> {
  const rows = await db<{ api_key_id: string; name: string }[]>`
    select api_key_id, name
    from api_key
    order by retired_at is not null, lower(name), api_key_id
    limit ${rowsMax}`
  return new Map(rows.map(({ api_key_id, name }) => [api_key_id, name]))
}

/** Number of active keys that expire soon. */
export interface KeyExpiries {
  within_30_days: number
  within_7_days: number
}

export async function readKeyExpiries(db: Db): Promise<KeyExpiries> {
  const [row] = await db<KeyExpiries[]>`
    select
      count(*) filter (where expires_at <= now() + interval '30 days') as within_30_days,
      count(*) filter (where expires_at <= now() + interval '7 days') as within_7_days
    from api_key
    where retired_at is null
    and disabled_at is null
    and expires_at > now()`
  return row!
}
