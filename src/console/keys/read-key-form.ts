// What is said of a key when it is made or changed, and how the forms say it.

import { type Static, Type } from 'typebox'
import { anywhere } from '../../keys/api-key-draft.ts'
import type { ListedApiKey } from '../../keys/api-keys.ts'
import type { ProblemItem } from '../../problem.ts'
import { expiryFrom } from '../requests/expiry-fields.tsx'
import { onField } from '../requests/keyed-forms.ts'
import { closed, text, texts } from '../requests/schemas.ts'
import { addressesOf } from './key-labels.tsx'

const members = {
  name: text('Whose key it is, and what for.'),
  programs: texts('Slugs.'),
  allowed_subnets: texts('Subnets as CIDR, single addresses, or “anywhere” alone.'),
  hidden_questions: texts(
    'Admin names of questions that the key never sees, in whatever program, nor what is repeated under them.',
  ),
  expires_at: text('Days from now (90d), a date (2027-01-31, its end) or an instant; 366 days ahead at most.'),
}
const frontEnd = text('Of a key that may submit: the front end it is a key of.')
export const newKey = Type.Object(
  {
    ...members,
    hidden_questions: Type.Optional(members.hidden_questions),
    may_export: Type.Boolean(),
    may_submit: Type.Boolean(),
    may_annotate: Type.Optional(
      Type.Boolean({ description: 'Whether it sets status and note of the applications it reads.' }),
    ),
    front_end: Type.Optional(frontEnd),
  },
  closed,
)
export const changes = Type.Object(
  {
    based_on: text('The `version` of the key as you read it: if it is another by now, nothing is changed (409).'),
    name: Type.Optional(members.name),
    programs: Type.Optional(members.programs),
    allowed_subnets: Type.Optional(members.allowed_subnets),
    hidden_questions: Type.Optional(members.hidden_questions),
    expires_at: Type.Optional(members.expires_at),
    front_end: Type.Optional(frontEnd),
  },
  closed,
)

export function readNewKey(form: URLSearchParams): Static<typeof newKey> {
  const may = form.getAll('may')
  return {
    name: form.get('name') ?? '',
    programs: form.getAll('programs'),
    expires_at: expiryFrom(form),
    allowed_subnets: subnetsOf(form, []),
    may_export: may.includes('export'),
    may_submit: may.includes('submit'),
    may_annotate: may.includes('annotate'),
    ...frontEndOf(form, may.includes('submit')),
    hidden_questions: hiddenOf(form),
  }
}

export const readChanges = (form: URLSearchParams, found: ListedApiKey): Static<typeof changes> => ({
  // A form without it is not held against what is stored.
  based_on: (form.get('based_on') ?? undefined)!,
  name: form.get('name') ?? '',
  programs: form.getAll('programs'),
  allowed_subnets: subnetsOf(form, addressesOf(found)),
  expires_at: expiryFrom(form),
  ...frontEndOf(form, found.may_submit),
  // A form without the field must not take anything out of hiding.
  ...(form.has('hiding') || form.has('hidden_questions') ? { hidden_questions: hiddenOf(form) } : {}),
})

/** The names of hidden questions: of boxes that are ticked, or one a line. None has a line break. */
export const hiddenOf = (form: URLSearchParams): string[] =>
  form
    .getAll('hidden_questions')
    .flatMap(text => text.split(/\r?\n/))
    .map(name => name.trim())
    .filter(name => name !== '')

/**
 * One subnet a line, or `anywhere`; both where both were entered, which is refused. The addresses that the form was opened with were
 * not entered: they give way to `anywhere`.
 */
function subnetsOf(form: URLSearchParams, stored: readonly string[]): string[] {
  const written = (form.get('allowed_subnets') ?? '').split(/[\s,]+/).filter(text => text !== '')
  if (form.get('from') !== 'anywhere') return written
  return written.join() === stored.join() ? [anywhere] : [anywhere, ...written]
}

/** Of a key that does not submit, none where none was entered. */
function frontEndOf(form: URLSearchParams, maySubmit: boolean): { front_end?: string } {
  const front_end = form.get('front_end') ?? ''
  return maySubmit || front_end.trim() !== '' ? { front_end } : {}
}

/** What the form says in its own words, by field and code. */
const formDetails: Readonly<Record<string, string>> = {
  'allowed_subnets required': 'Write the addresses it may be used from, or choose “Anywhere”.',
  'allowed_subnets anywhere_not_alone':
    'Must be empty where the key may be used from anywhere: clear it, or choose “These addresses only”.',
  'front_end not_allowed': 'Must be empty, or “Submit applications” ticked: only a key that submits has a front end.',
}

/** The form asks for addresses; what takes a list of them calls them subnets. */
const inAddresses = (parameter: string | undefined, detail: string): string =>
  parameter === 'allowed_subnets'
    ? detail.replace(/subnets/g, 'addresses').replace('subnet such as', 'address or range such as')
    : detail

export const onKeyField = (error: ProblemItem): ProblemItem => {
  const { parameter, code, detail } = onField(error)
  return { parameter: parameter!, code, detail: formDetails[`${parameter} ${code}`] ?? inAddresses(parameter, detail) }
}
