// The forms of API keys: a new one, rotating and retiring, and the fields that making and editing share.

/** @jsxImportSource preact */

import { Choices, type NamedProgram, ProgramChoices, TextArea, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { type ListedApiKey, overlapDaysMax } from '../../keys/api-keys.ts'
import { addressesOf, pathOfKey } from './key-labels.tsx'

export const crumb = { text: 'API keys', path: '/admin/keys' }
export const expiryHint = 'Days from now, such as 90d, or a day, such as 2027-01-31. At most 366 days ahead.'
export const expiriesOffered = [30, 90, 180, 365].map(days => ({ value: `${days}d`, text: `${days} days` }))

export function CommonFields({ programs, apiKey }: { programs: readonly NamedProgram[]; apiKey?: ListedApiKey }) {
  const addresses = apiKey === undefined ? [] : addressesOf(apiKey)
  const isAnywhere = apiKey !== undefined && addresses.length === 0
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Whose system it is and what for: County caseworker sync."
        value={apiKey?.name ?? ''}
        maxLength={100}
      />
      <ProgramChoices programs={programs} chosen={apiKey?.programs ?? []} hint="The key sees these, and no others." />
      <Choices
        name="from"
        legend="May be used from"
        choices={[
          { value: 'subnets', text: 'These addresses only' },
          { value: 'anywhere', text: 'Anywhere', hint: 'Works for anyone who has the secret. Prefer addresses.' },
        ]}
        chosen={[isAnywhere ? 'anywhere' : 'subnets']}
      />
      <TextArea
        name="allowed_subnets"
        label="Addresses"
        hint="One a line: 192.0.2.17, 192.0.2.0/24 or 2001:db8:40::/48."
        value={addresses.join('\n')}
        rows={3}
        mono
      />
      {apiKey?.may_submit !== true && (
        <TextArea
          name="hidden_questions"
          label="Questions that it never sees"
          optional
          hint="Admin names as in the question bank, one a line. Each is hidden in every program, now and later, with all that is repeated under it. A key that submits cannot have any."
          value={apiKey?.hidden_questions.join('\n') ?? ''}
          rows={3}
        />
      )}
    </>
  )
}

/** What a key may do to applications that are made here. */
const writing = [
  { value: 'annotate', text: 'Set status and note', hint: 'Of applications that it may pull.' },
  {
    value: 'submit',
    text: 'Submit applications',
    hint: 'For a form front end. It reaches the applicants of that one alone.',
  },
]

export function NewKeyPage({ programs }: { programs: readonly NamedProgram[] }) {
  const { origin } = usePage()
  return (
    <FormPage
      title="Create a key"
      part="keys"
      crumbs={[crumb, { text: 'Create' }]}
      lead="You see its password once, on the next page."
      path="/admin/keys/new"
      submit="Create the key"
    >
      <CommonFields programs={programs} />
      <TextField name="expiry" label="Expires" hint={expiryHint} value="90d" offered={expiriesOffered} />
      <Choices
        name="may"
        legend="What it may do"
        choices={[{ value: 'export', text: 'Pull applications' }, ...(origin === undefined ? writing : [])]}
        chosen={['export']}
        many
      />
      {origin === undefined && (
        <TextField
          name="front_end"
          label="Front end"
          optional
          hint="Which one submits with it; several keys may share one."
          maxLength={100}
        />
      )}
    </FormPage>
  )
}

export function RotatePage({ apiKey: { api_key_id, name } }: { apiKey: ListedApiKey }) {
  const path = pathOfKey(api_key_id)
  return (
    <FormPage
      title={`Rotate ${name}`}
      part="keys"
      crumbs={[crumb, { text: name, path }, { text: 'Rotate' }]}
      lead="The key gets another password; Username, programs and addresses stay. You see the new one once, on the next page."
      path={`${path}/rotate`}
      submit="Rotate the key"
    >
      <TextField
        name="overlap"
        label="Days that both passwords work"
        inputmode="numeric"
        value="7"
        hint={`0 to ${overlapDaysMax}. With 0 the present one ends immediately: use 0 if it is compromised.`}
      />
    </FormPage>
  )
}

export function RetirePage({ apiKey: { api_key_id, name } }: { apiKey: ListedApiKey }) {
  const path = pathOfKey(api_key_id)
  return (
    <FormPage
      title={`Retire ${name}`}
      part="keys"
      crumbs={[crumb, { text: name, path }, { text: 'Retire' }]}
      lead="The key is refused from its next request on, including running walks. This cannot be undone: you would have to create another key."
      path={`${path}/retire`}
      submit="Retire the key"
      look="danger"
      faultTitle="The key is not retired"
    >
      <TextField name="confirmation" label={`Write ${name} to go on`} />
    </FormPage>
  )
}
