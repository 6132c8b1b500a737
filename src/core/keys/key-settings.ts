// The settings of an API key, each described once: requests, forms, pages, the audit log and the options of scripts/api-key are derived
// from it. What a setting means for a request is decided in `admission` and `caller`.

import { type Static, type TSchema, Type } from 'typebox'
import type { ProblemItem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import type { ApiKeyRow, SettingColumns } from '../../db/keys/api-key-rows.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import {
  type CheckedSetting,
  checkFrontEnd,
  checkHidden,
  checkName,
  checkNote,
  checkPrograms,
  checkSubnets,
  nameLengthMax,
  noteLengthMax,
} from './api-key-draft.ts'

export interface KeySetting {
  /** In the requests that create and change a key. Its description is the help of the option, too. */
  schema: TSchema & { description: string }
  /** In forms and on pages. */
  label: string
  /** Below its field. */
  hint?: string
  /** Of a text: characters at most, and lines of its field, one unless given. */
  lengthMax?: number
  rows?: number
  /** The option of scripts/api-key and what follows it: a list with commas, unless each item has an option of its own. */
  option: string
  takes: string
  repeated?: true
  /** What is stored for what was given, and its errors. Without a check it is stored as it is. */
  check?: (db: Db, given: never) => CheckedSetting | Promise<CheckedSetting>
}

const closed = { additionalProperties: false } as const
const text = (description: string) => ({ ...Type.String(), description })
const texts = (description: string) => ({
  ...Type.Unsafe<readonly string[]>(Type.Array(Type.String(), { maxItems: 1000 })),
  description,
})
const flag = (description: string) => Type.Boolean({ description })

/** What can be set and changed, in the order of forms. What is optional in `schema` may be left out, and has a default in its column. */
export const keySettings = {
  name: {
    schema: text('Whose key it is, and what for.'),
    label: 'Name',
    hint: 'Whose system it is and what for: County caseworker sync.',
    lengthMax: nameLengthMax,
    option: 'name',
    takes: '<name>',
    check: checkName,
  },
  front_end: {
    schema: Type.Optional(
      text('Of a key that may submit: the form front end it is a key of. Keys of one front end share its applicants.'),
    ),
    label: 'Front end',
    hint: 'Of a key that submits: which one does so with it; several keys may share one.',
    lengthMax: nameLengthMax,
    option: 'front-end',
    takes: '<name>',
    check: checkFrontEnd,
  },
  programs: {
    schema: texts('The programs it may reach, by slug.'),
    label: 'Programs',
    option: 'programs',
    takes: '<slug,…>',
    check: checkPrograms,
  },
  allowed_subnets: {
    schema: texts('Where it may be used from: subnets as CIDR, single addresses, or “anywhere” alone.'),
    label: 'May be used from',
    option: 'subnets',
    takes: '<cidr,…|anywhere>',
    check: checkSubnets,
  },
  expires_at: {
    schema: text('Days from now (90d), a date (2027-01-31, its end) or an instant; 366 days ahead at most.'),
    label: 'Expires',
    option: 'expires',
    takes: '<when>',
  },
  hidden_questions: {
    schema: Type.Optional(
      texts('Admin names of questions that it never sees, in whatever program, nor what is repeated under them.'),
    ),
    label: 'Hidden questions',
    hint: 'Each is hidden in every program, now and later, with all that is repeated under it. A key that submits cannot have any.',
    option: 'hide',
    takes: '<question>',
    repeated: true,
    check: checkHidden,
  },
  note: {
    schema: Type.Optional(text('For administrators, 1,000 characters at most. The client of the key never sees it.')),
    label: 'Note',
    hint: 'For administrators: whom to ask, what was agreed. The client never sees it.',
    lengthMax: noteLengthMax,
    rows: 2,
    option: 'note',
    takes: '<text>',
    check: checkNote,
  },
} as const satisfies Record<keyof SettingColumns | 'programs', KeySetting>

/** What a key may do: set when it is created, and never changed. */
export const permissions = {
  may_export: { word: 'export', label: 'Pull applications', schema: flag('Whether it pulls applications.') },
  may_annotate: {
    word: 'annotate',
    label: 'Set status and note',
    hint: 'Of applications that it may pull.',
    schema: Type.Optional(flag('Whether it sets status and note of the applications it pulls.')),
  },
  may_submit: {
    word: 'submit',
    label: 'Submit applications',
    hint: 'For a form front end. It reaches the applicants of that one alone.',
    schema: flag('Whether it submits applications.'),
  },
} as const

export type KeySettingName = keyof typeof keySettings
export const settingNames = Object.keys(keySettings) as KeySettingName[]
export const settingOf = (name: KeySettingName): KeySetting => keySettings[name]
export const isRequired = (name: KeySettingName): boolean => !Type.IsOptional(settingOf(name).schema)

const schemasOf = <S extends Record<string, { schema: TSchema }>>(described: S) =>
  Object.fromEntries(Object.entries(described).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof S]: S[Name]['schema']
  }
/** Bodies of the requests that change a key and that create one. */
export const keyChanges = Type.Partial(Type.Object(schemasOf(keySettings)), closed)
export const newKey = Type.Object({ ...schemasOf(keySettings), ...schemasOf(permissions) }, closed)

/** What an administrator asks for, as it was entered; the expiry as an instant, undefined without one. */
export type ApiKeyDraft = Omit<Static<typeof newKey>, 'expires_at'> & { expires_at: Micros | undefined }
/** What is absent stays as it is. */
export type ApiKeyChanges = Partial<Pick<ApiKeyDraft, KeySettingName>>
/** As they are stored: trimmed, canonical, without repetition, sorted. */
export type KeyValues = Partial<Pick<ApiKeyRow, KeySettingName>>

/** What is to be stored of a draft or of changes, and every error with its place there (`/name`, `/programs/0`, …). */
export async function checkSettings(db: Db, given: ApiKeyChanges) {
  const values: Record<string, unknown> = {}
  const errors: ProblemItem[] = []
  for (const name of settingNames) {
    if (given[name] === undefined) continue
    const checked = (await settingOf(name).check?.(db, given[name] as never)) ?? { value: given[name], errors: [] }
    values[name] = checked.value
    errors.push(...checked.errors.map(error => ({ ...error, path: `/${name}${error.path ?? ''}` })))
  }
  return { values: values as KeyValues, errors }
}

/** A setting's texts, if it is a text or a list of texts. */
export function textsOf(key: KeyValues, name: KeySettingName): string[] {
  const value = key[name]
  return Array.isArray(value) ? value : typeof value === 'string' && value !== '' ? [value] : []
}
