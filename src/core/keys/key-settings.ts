// Describes each setting of an API key once. API requests, forms, pages, audit entries and the options of scripts/api-key are derived
// from it. `admission` and `caller` enforce the settings.

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
  /** In the requests that create and change a key. The description is also the option's help text. */
  schema: TSchema & { description: string }
  /** In forms and on pages. */
  label: string
  /** Below its field. */
  hint?: string
  /** For text: maximum length, and number of lines in its field (1 by default). */
  lengthMax?: number
  rows?: number
  /** The option of scripts/api-key and its argument: a comma-separated list, or one option per item if `repeated`. */
  option: string
  takes: string
  repeated?: true
  /** Returns the value to store and any errors. Without a check the value is stored unchanged. */
  check?: (db: Db, given: never) => CheckedSetting | Promise<CheckedSetting>
}

const closed = { additionalProperties: false } as const
const text = (description: string) => ({ ...Type.String(), description })
const texts = (description: string) => ({
  ...Type.Unsafe<readonly string[]>(Type.Array(Type.String(), { maxItems: 1000 })),
  description,
})
const flag = (description: string) => Type.Boolean({ description })

/** All settings, in the order of forms. Optional ones have a default in their column. */
export const keySettings = {
  name: {
    schema: text('The system that uses the key, and its purpose.'),
    label: 'Name',
    hint: 'The system that uses the key and its purpose, such as “County caseworker sync”.',
    lengthMax: nameLengthMax,
    option: 'name',
    takes: '<name>',
    check: checkName,
  },
  front_end: {
    schema: Type.Optional(
      text(
        'The form front end that submits with the key. Only for keys that can submit. Keys of one front end share its applicants.',
      ),
    ),
    label: 'Front end',
    hint: 'Only for keys that submit: the form front end that uses the key. Several keys can share one.',
    lengthMax: nameLengthMax,
    option: 'front-end',
    takes: '<name>',
    check: checkFrontEnd,
  },
  programs: {
    schema: texts('The programs the key has access to, by slug.'),
    label: 'Programs',
    option: 'programs',
    takes: '<slug,…>',
    check: checkPrograms,
  },
  allowed_subnets: {
    schema: texts(
      'The addresses the key can be used from: subnets in CIDR notation, single addresses, or only “anywhere”.',
    ),
    label: 'Allowed addresses',
    option: 'subnets',
    takes: '<cidr,…|anywhere>',
    check: checkSubnets,
  },
  expires_at: {
    schema: text(
      'A number of days from now (90d), a date (2027-01-31, through the end of that day) or a timestamp. At most 366 days ahead.',
    ),
    label: 'Expires',
    option: 'expires',
    takes: '<when>',
  },
  hidden_questions: {
    schema: Type.Optional(
      texts(
        'Admin names of questions to hide from the key in every program, together with the questions repeated under them.',
      ),
    ),
    label: 'Hidden questions',
    hint: 'Hidden in current and future programs, together with the questions repeated under them. Not available for keys that submit.',
    option: 'hide',
    takes: '<question>',
    repeated: true,
    check: checkHidden,
  },
  note: {
    schema: Type.Optional(text('A note for administrators, at most 1,000 characters. Clients never see it.')),
    label: 'Note',
    hint: 'For administrators, such as a contact person or an agreement. Clients never see it.',
    lengthMax: noteLengthMax,
    rows: 2,
    option: 'note',
    takes: '<text>',
    check: checkNote,
  },
} as const satisfies Record<keyof SettingColumns | 'programs', KeySetting>

/** What a key may do: set when it is created and never changed. */
export const permissions = {
  may_export: {
    word: 'export',
    label: 'Export applications',
    schema: flag('Whether the key can export applications.'),
  },
  may_annotate: {
    word: 'annotate',
    label: 'Set status and note',
    hint: 'For the applications it can export.',
    schema: Type.Optional(flag('Whether the key can set the status and note of applications it exports.')),
  },
  may_submit: {
    word: 'submit',
    label: 'Submit applications',
    hint: 'For a form front end. The key has access only to that front end’s applicants.',
    schema: flag('Whether the key can submit applications.'),
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

/** A new key as entered by an administrator; the expiry as an instant, undefined if it is missing. */
export type ApiKeyDraft = Omit<Static<typeof newKey>, 'expires_at'> & { expires_at: Micros | undefined }
/** Absent settings are unchanged. */
export type ApiKeyChanges = Partial<Pick<ApiKeyDraft, KeySettingName>>
/** As stored: trimmed, canonical, without duplicates, sorted. */
export type KeyValues = Partial<Pick<ApiKeyRow, KeySettingName>>

/** The values to store for a new key or for changes, and every error with its JSON pointer (`/name`, `/programs/0`, …). */
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
