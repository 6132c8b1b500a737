// Reads keys with their states: all that match, or a page of the console's list.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import { containing } from '../programs/programs.ts'
import { type ApiKeyRow, listColumns, readKeys, textColumns } from './api-key-rows.ts'

/** `expiring`: soon. `exposed`: sent without encryption, and still valid. `disabled`: until it is enabled again. */
export const apiKeyStates = ['active', 'expiring', 'exposed', 'disabled', 'expired', 'retired'] as const
export type ApiKeyState = (typeof apiKeyStates)[number]

export interface ListedApiKey extends ApiKeyRow {
  state: ApiKeyState
}

/** When states are determined: a key that expires by `soon` is expiring. */
export interface KeyMoment {
  now: Micros
  soon: Micros
}

/** Matches a part of a key's ID, texts, programs or last address, and one of its programs. Empty texts match every key. */
export interface KeySearch {
  search: string
  program: string
}

const stateOf = (db: Db, { now, soon }: KeyMoment): ReturnType<Db> => db`
  case
    when k.retired_at is not null then 'retired'
    when k.expires_at <= ${now}::timestamptz then 'expired'
    when k.disabled_at is not null then 'disabled'
    when k.exposed_at is not null then 'exposed'
    when k.expires_at <= ${soon}::timestamptz then 'expiring'
    else 'active'
  end`

const hasProgram = (db: Db, which: ReturnType<Db>): ReturnType<Db> => db`
  exists (
    select
    from api_key_program g
    join program p using (program_id)
    where g.api_key_id = k.api_key_id
    and ${which}
  )`

function matches(db: Db, { search, program }: KeySearch): ReturnType<Db> {
  const sought = search.trim()
  const isGranted: ReturnType<Db> = program === '' ? db`true` : hasProgram(db, db`p.slug = ${program}`)
  if (sought === '') return isGranted
  const pattern = containing(sought)
  const lists = listColumns.map(name => db`array_to_string(${db(`k.${name}`)}, chr(10))`)
  const texts = [db`k.api_key_id`, db`host(k.last_used_address)`, db(textColumns.map(name => `k.${name}`)), ...lists]
  const all = texts.reduce((before, column) => db`${before}, ${column}`)
  return db`
    ${isGranted}
    and (concat_ws(chr(10), ${all}) ilike ${pattern} or ${hasProgram(db, db`p.slug ilike ${pattern}`)})`
}

/** The key with this ID. */
export async function findListedKey(db: Db, apiKeyId: string, moment: KeyMoment): Promise<ListedApiKey | undefined> {
  const [key] = await readKeys<ListedApiKey>(db, db`where k.api_key_id = ${apiKeyId}`, stateOf(db, moment))
  return key
}

/** All keys in these states that match, newest first. */
export const readListedKeys = (
  db: Db,
  moment: KeyMoment,
  states: readonly ApiKeyState[],
  wanted: KeySearch,
): PromiseLike<ListedApiKey[]> =>
  readKeys<ListedApiKey>(
    db,
    db`where ${stateOf(db, moment)} = any(${[...states]}::text[]) and ${matches(db, wanted)}
      order by k.created_at desc, k.api_key_id desc`,
    stateOf(db, moment),
  )

/** Position of a page: `before` keys come first. */
export interface KeyPlace {
  before: number
  rowsMax: number
  /** Keys that ended last come first, otherwise those that expire soonest. */
  latestFirst: boolean
}

/** A page of the keys that match. */
export const readKeyPage = (
  db: Db,
  moment: KeyMoment,
  states: readonly ApiKeyState[],
  wanted: KeySearch,
  { before, rowsMax, latestFirst }: KeyPlace,
): PromiseLike<ListedApiKey[]> =>
  readKeys<ListedApiKey>(
    db,
    db`where ${stateOf(db, moment)} = any(${[...states]}::text[]) and ${matches(db, wanted)}
      order by ${latestFirst ? db`coalesce(k.retired_at, k.expires_at) desc` : db`k.expires_at`}, k.api_key_id collate "C"
      limit ${rowsMax} offset ${before}`,
    stateOf(db, moment),
  )

/** Numbers of keys in each state, and of those that match. */
export const countKeys = (
  db: Db,
  moment: KeyMoment,
  wanted: KeySearch,
): PromiseLike<{ state: ApiKeyState; keys: number; matching: number }[]> => db`
  select ${stateOf(db, moment)} as state, count(*) as keys, count(*) filter (where ${matches(db, wanted)}) as matching
  from api_key k
  group by 1`
