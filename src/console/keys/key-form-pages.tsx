// The forms of API keys: a new one, rotating and retiring, and the fields that making and editing share.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { NamedQuestion } from '../../db/programs/program-overviews.ts'
import { Choices, errorOf, TextArea, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { type NamedProgram, ProgramChoices } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { figures } from '../../html/parts.tsx'
import { type ListedApiKey, overlapDaysMax } from '../../keys/api-keys.ts'
import { ExpiryFields } from '../requests/expiry-fields.tsx'
import { addressesOf, pathOfKey } from './key-labels.tsx'
import { hiddenOf } from './read-key-form.ts'

export const crumb = { text: 'API keys', path: '/admin/keys' }

/** What an administrator can grant a key, by name. */
export interface Offered {
  programs: readonly NamedProgram[]
  /** The first of them, where there are more than `hiddenBoxesMax`. */
  questions: readonly NamedQuestion[]
}

/** `children` come after the name. */
export function CommonFields(props: Offered & { apiKey?: ListedApiKey; children: ComponentChildren }) {
  const { programs, questions, apiKey, children } = props
  const addresses = apiKey === undefined ? [] : addressesOf(apiKey)
  const isAnywhere = apiKey !== undefined && addresses.length === 0
  return (
    <>
      {/* Without a question that is ticked a form says nothing of them: this says that it has asked. */}
      {apiKey?.may_submit !== true && <input type="hidden" name="hiding" value="asked" />}
      <TextField
        name="name"
        label="Name"
        hint="Whose system it is and what for: County caseworker sync."
        value={apiKey?.name ?? ''}
        maxLength={100}
      />
      {children}
      <ProgramChoices programs={programs} chosen={apiKey?.programs ?? []} legend="Programs that it sees" />
      <div class="pair">
        <Choices
          name="from"
          legend="May be used from"
          choices={[
            { value: 'subnets', text: 'These addresses only' },
            { value: 'anywhere', text: 'Anywhere', hint: 'Works for anyone who has the password. Prefer addresses.' },
          ]}
          chosen={[isAnywhere ? 'anywhere' : 'subnets']}
        />
        <TextArea
          name="allowed_subnets"
          label="Addresses"
          hint="One a line: 192.0.2.17, 192.0.2.0/24 or 2001:db8:40::/48."
          value={addresses.join('\n')}
          rows={2}
          mono
        />
      </div>
      <ExpiryFields stays={apiKey !== undefined} />
      {apiKey?.may_submit !== true && <HiddenQuestions questions={questions} hidden={apiKey?.hidden_questions ?? []} />}
    </>
  )
}

/** The most questions that a form has a box for. Of more, those that are hidden are named: a page of thousands is megabytes. */
export const hiddenBoxesMax = 300
const hidingHint =
  'Each is hidden in every program, now and later, with all that is repeated under it. A key that submits cannot have any.'

function HiddenQuestions({ questions, hidden }: Pick<Offered, 'questions'> & { hidden: readonly string[] }) {
  const { form } = usePage()
  const chosen = form.values.size > 0 ? hiddenOf(form.values) : hidden
  return (
    <details open={chosen.length > 0 || errorOf(form, 'hidden_questions') !== undefined}>
      <summary>
        <strong>Hidden questions</strong>{' '}
        <span class="soft">{chosen.length === 0 ? 'none' : figures(chosen.length)}</span>
      </summary>
      {questions.length > hiddenBoxesMax ? (
        <TextArea
          form={{ ...form, values: new URLSearchParams({ hidden_questions: chosen.join('\n') }) }}
          name="hidden_questions"
          label="Questions that it never sees"
          hint={
            <>
              One per line, each by its name for administrators, as in the <a href="/admin/questions">question bank</a>.{' '}
              {hidingHint}
            </>
          }
        />
      ) : (
        <HiddenBoxes questions={questions} hidden={hidden} chosen={chosen} />
      )}
    </details>
  )
}

function HiddenBoxes(props: Pick<Offered, 'questions'> & { hidden: readonly string[]; chosen: readonly string[] }) {
  const { questions, hidden, chosen } = props
  const known = new Set(questions.map(({ admin_name }) => admin_name))
  // What was chosen stays to be seen and taken back, whether or not the bank has it any more.
  const gone = [...new Set([...hidden, ...chosen])].filter(name => !known.has(name))
  return (
    <Choices
      name="hidden_questions"
      legend="Questions that it never sees"
      hint={hidingHint}
      choices={[
        ...gone.map(name => ({ value: name, text: name, hint: 'not in the question bank' })),
        ...questions.map(one => ({ value: one.admin_name, text: one.text, hint: placeOf(one) })),
      ]}
      chosen={chosen}
      many
      long
    />
  )
}

/** `applicant_name · Rent Relief, Food Aid and 10 more programs` */
function placeOf({ admin_name, programs, asked_by }: NamedQuestion): string {
  const more = asked_by - programs.length
  const asking = asked_by === 0 ? 'asked by no program now' : programs.join(', ')
  return `${admin_name} · ${asking}${more > 0 ? ` and ${figures(more)} more` : ''}`
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

export function NewKeyPage(offered: Offered) {
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
      <CommonFields {...offered}>
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
            hint="Of a key that submits: which one does so with it; several keys may share one."
            maxLength={100}
          />
        )}
      </CommonFields>
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
        hint={`0 to ${overlapDaysMax}. With 0 the current one ends immediately: use 0 if it is compromised.`}
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
      lead="The key is refused from its next request on, including exports that are under way. This cannot be undone: you would have to create another key."
      path={`${path}/retire`}
      submit="Retire the key"
      look="danger"
      errorTitle="The key is not retired"
    >
      <TextField name="confirmation" label={`Write “${name}” to continue`} />
    </FormPage>
  )
}
