// The forms of API keys: a new one, rotating and retiring, and the fields that making and editing share.

/** @jsxImportSource preact */

import { type ListedApiKey, overlapDaysMax } from '../../../access/api-keys.ts'
import { Choices, DeedForm, FaultSummary, type FormState, Submit, TextArea, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { Shell } from '../../shell/shell.tsx'
import { addressesOf, pathOfKey } from './key-words.tsx'

export const crumb = { text: 'API keys', path: '/admin/keys' }
export const expiryHint = 'Days from now, such as 90d, or a day, such as 2027-01-31. At most 366 days ahead.'

export interface FormProps {
  context: PageContext
  form: FormState
  programs: readonly string[]
}

export function CommonFields({ form, programs, apiKey }: FormProps & { apiKey?: ListedApiKey }) {
  const addresses = apiKey === undefined ? [] : addressesOf(apiKey)
  const isAnywhere = apiKey !== undefined && addresses.length === 0
  return (
    <>
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Whose system it is and what for: County caseworker sync."
        value={apiKey?.name ?? ''}
        maxLength={100}
      />
      <Choices
        form={form}
        name="programs"
        legend="Programs"
        choices={programs.map(slug => ({ value: slug, text: slug }))}
        chosen={apiKey?.programs ?? []}
        many
        hint={programs.length === 0 ? 'There is no program yet.' : 'The key sees these, and no others.'}
      />
      <Choices
        form={form}
        name="from"
        legend="May be used from"
        choices={[
          { value: 'subnets', text: 'These addresses only' },
          { value: 'anywhere', text: 'Anywhere', hint: 'Anybody who finds the secret can use it. Prefer addresses.' },
        ]}
        chosen={[isAnywhere ? 'anywhere' : 'subnets']}
      />
      <TextArea
        form={form}
        name="allowed_subnets"
        label="Addresses"
        hint="One a line: 192.0.2.17, 192.0.2.0/24 or 2001:db8:40::/48."
        value={addresses.join('\n')}
        rows={3}
        mono
      />
      {apiKey?.may_submit !== true && (
        <TextArea
          form={form}
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

export function NewKeyPage(props: FormProps) {
  const { context, form } = props
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title="Create a key"
      part="keys"
      crumbs={[crumb, { text: 'Create' }]}
      lead="You see its password once, on the next page."
    >
      <FaultSummary form={form} />
      <div class="card narrow">
        <DeedForm action={`${context.root}/admin/keys/new`}>
          <CommonFields {...props} />
          <TextField form={form} name="expiry" label="Expires" hint={expiryHint} value="90d" />
          <Choices
            form={form}
            name="may"
            legend="May"
            choices={[{ value: 'export', text: 'Pull applications' }, ...(context.following ? [] : writing)]}
            chosen={['export']}
            many
          />
          {!context.following && (
            <TextField
              form={form}
              name="front_end"
              label="Front end"
              optional
              hint="Which one submits with it; several keys may share one."
              maxLength={100}
            />
          )}
          <Submit text="Create the key" />
        </DeedForm>
      </div>
    </Shell>
  )
}

interface DeedProps {
  context: PageContext
  form: FormState
  key: ListedApiKey
}

export function RotatePage({ context, form, key }: DeedProps) {
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title={`Rotate ${key.name}`}
      part="keys"
      crumbs={[crumb, { text: key.name, path: pathOfKey(key.api_key_id) }, { text: 'Rotate' }]}
      lead="The key gets another password; Username, programs and addresses stay. You see the new one once, on the next page."
    >
      <FaultSummary form={form} />
      <div class="card narrow">
        <DeedForm action={`${context.root}${pathOfKey(key.api_key_id)}/rotate`}>
          <TextField
            form={form}
            name="overlap"
            label="Days that both passwords work"
            inputmode="numeric"
            value="7"
            hint={`0 to ${overlapDaysMax}. With 0 the present one ends at once: right when somebody else has it.`}
          />
          <Submit text="Rotate the key" />
        </DeedForm>
      </div>
    </Shell>
  )
}

export function RetirePage({ context, form, key }: DeedProps) {
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title={`Retire ${key.name}`}
      part="keys"
      crumbs={[crumb, { text: key.name, path: pathOfKey(key.api_key_id) }, { text: 'Retire' }]}
      lead="The key lets nobody in from its next request on, walks under way included. This cannot be undone: another key would have to be made."
    >
      <FaultSummary form={form} title="The key is not retired" />
      <div class="card narrow">
        <DeedForm action={`${context.root}${pathOfKey(key.api_key_id)}/retire`}>
          <TextField form={form} name="confirmation" label={`Write ${key.name} to go on`} />
          <Submit look="danger" text="Retire the key" />
        </DeedForm>
      </div>
    </Shell>
  )
}
