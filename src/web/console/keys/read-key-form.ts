// Reads a key's settings from the create and edit forms.

import type { Static } from 'typebox'
import { anywhere } from '../../../core/keys/api-key-draft.ts'
import {
  isRequired,
  type KeySettingName,
  type keyChanges,
  type newKey,
  permissions,
  settingNames,
} from '../../../core/keys/key-settings.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import { expiryFrom } from '../requests/expiry-fields.tsx'
import { addressesOf } from './key-labels.tsx'

/** The value of a setting in a form sent from `address`; undefined if the form doesn't contain it. */
type Reader = (form: URLSearchParams, found: ListedApiKey | undefined, address: string | undefined) => unknown

const readers: Partial<Record<KeySettingName, Reader>> = {
  programs: form => form.getAll('programs'),
  expires_at: form => expiryFrom(form),
  allowed_subnets: (form, found, address) => subnetsOf(form, found === undefined ? [] : addressesOf(found), address),
  front_end: (form, found) => {
    const maySubmit = found?.may_submit ?? form.getAll('may').includes('submit')
    const frontEnd = form.get('front_end') ?? ''
    return maySubmit || frontEnd.trim() !== '' ? frontEnd : undefined
  },
  // A form without this field must not unhide any questions.
  hidden_questions: (form, found) =>
    found === undefined || form.has('hiding') || form.has('hidden_questions') ? hiddenOf(form) : undefined,
}

/** The settings in a form. */
export const readSettings = (
  form: URLSearchParams,
  address: string | undefined,
  found?: ListedApiKey,
): Static<typeof keyChanges> =>
  Object.fromEntries(
    settingNames
      .map(name => [name, (readers[name] ?? fieldOf(name))(form, found, address)] as const)
      .filter(([, value]) => value !== undefined),
  )

/** Reads a setting that has no reader of its own. */
const fieldOf =
  (name: KeySettingName): Reader =>
  form =>
    form.get(name) ?? (isRequired(name) ? '' : undefined)

export function readNewKey(form: URLSearchParams, address: string | undefined): Static<typeof newKey> {
  const may = Object.entries(permissions).map(([name, { word }]) => [name, form.getAll('may').includes(word)])
  return { ...readSettings(form, address), ...Object.fromEntries(may) }
}

/** The names of hidden questions, from ticked boxes or one per line. Names contain no line breaks. */
export const hiddenOf = (form: URLSearchParams): string[] =>
  form
    .getAll('hidden_questions')
    .flatMap(text => text.split(/\r?\n/))
    .map(name => name.trim())
    .filter(name => name !== '')

/** One subnet per line, or `anywhere`, or both if both were entered, which is an error. Addresses that were already in the form when it
 * was opened don't count as entered: `anywhere` replaces them.
 * The person's current address is added to those in the form.
 */
function subnetsOf(form: URLSearchParams, stored: readonly string[], address: string | undefined): string[] {
  const written = (form.get('allowed_subnets') ?? '').split(/[\s,]+/).filter(text => text !== '')
  if (form.get('from') === 'current' && address !== undefined) return [...new Set([...written, address])]
  if (form.get('from') !== 'anywhere') return written
  return written.join() === stored.join() ? [anywhere] : [anywhere, ...written]
}
