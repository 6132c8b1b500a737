// The forms of API keys: a new one, rotating and retiring, and the fields that making and editing share.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { type ListedApiKey, overlapDaysMax } from '../../../core/keys/api-keys.ts'
import {
  isRequired,
  type KeySettingName,
  keySettings,
  permissions,
  settingNames,
  settingOf,
} from '../../../core/keys/key-settings.ts'
import type { NamedQuestion } from '../../../db/programs/program-overviews.ts'
import { figures } from '../../html/components.tsx'
import { Choices, errorOf, TextArea, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { type NamedProgram, ProgramChoices } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
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

interface FieldProps extends Offered {
  /** Undefined of a new key. */
  apiKey: ListedApiKey | undefined
}

/** Fields that are more than a text. */
const fields: Partial<Record<KeySettingName, (props: FieldProps) => ComponentChildren>> = {
  front_end: ({ apiKey }) =>
    (apiKey === undefined ? usePage().origin === undefined : apiKey.may_submit) && (
      <PlainField name="front_end" apiKey={apiKey} />
    ),
  programs: ({ programs, apiKey }) => <ProgramChoices programs={programs} chosen={apiKey?.programs ?? []} />,
  allowed_subnets: Addresses,
  expires_at: ({ apiKey }) => <ExpiryFields stays={apiKey !== undefined} />,
  hidden_questions: ({ questions, apiKey }) =>
    apiKey?.may_submit !== true && <HiddenQuestions questions={questions} hidden={apiKey?.hidden_questions ?? []} />,
}

/** Settings that are folded until a key has them, so that the form of a new one is seen at once. */
const isFolded = (name: KeySettingName): boolean => name === 'hidden_questions' || settingOf(name).rows !== undefined

/** The fields of a key's settings; of a new one, what it may do comes after its name. */
export function SettingFields(props: FieldProps) {
  const fieldsOf = (names: readonly KeySettingName[]) =>
    names.map(name => fields[name]?.(props) ?? <PlainField name={name} optional={!isRequired(name)} {...props} />)
  const others = settingNames.filter(name => name !== 'name')
  return (
    <>
      <PlainField name="name" {...props} />
      {props.apiKey === undefined && <Permissions />}
      {fieldsOf(others.filter(name => !isFolded(name)))}
      <div class="pair">{fieldsOf(others.filter(isFolded))}</div>
    </>
  )
}

function PlainField(props: { name: KeySettingName; optional?: boolean; apiKey: ListedApiKey | undefined }) {
  const { form } = usePage()
  const { label, hint, lengthMax, rows } = settingOf(props.name)
  const field = { ...props, label, hint, value: String(props.apiKey?.[props.name] ?? '') }
  if (rows === undefined) return <TextField {...field} maxLength={lengthMax} />
  return (
    <details open={(form.values.get(props.name) ?? field.value) !== '' || errorOf(form, props.name) !== undefined}>
      <summary>
        <strong>{label}</strong>
      </summary>
      <TextArea {...field} rows={rows} />
    </details>
  )
}

/** Where an origin is followed, keys write nothing. */
function Permissions() {
  const choices = Object.values(permissions).map(({ word, label, ...rest }) => ({ value: word, text: label, ...rest }))
  const offered = usePage().origin === undefined ? choices : choices.slice(0, 1)
  return <Choices name="may" legend="What it may do" choices={offered} chosen={['export']} many />
}

function Addresses({ apiKey }: FieldProps) {
  const addresses = apiKey === undefined ? [] : addressesOf(apiKey)
  const isAnywhere = apiKey !== undefined && addresses.length === 0
  return (
    <div class="pair">
      <Choices
        name="from"
        legend={keySettings.allowed_subnets.label}
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
  )
}

/** The most questions that a form has a box for. Of more, those that are hidden are named: a page of thousands is megabytes. */
export const hiddenBoxesMax = 300
const hiding = keySettings.hidden_questions

function HiddenQuestions({ questions, hidden }: Pick<Offered, 'questions'> & { hidden: readonly string[] }) {
  const { form } = usePage()
  const chosen = form.values.size > 0 ? hiddenOf(form.values) : hidden
  return (
    <details open={chosen.length > 0 || errorOf(form, 'hidden_questions') !== undefined}>
      <summary>
        <strong>{hiding.label}</strong>{' '}
        <span class="soft">{chosen.length === 0 ? 'none' : figures(chosen.length)}</span>
      </summary>
      {/* Without a question that is ticked a form says nothing of them: this says that it has asked. */}
      <input type="hidden" name="hiding" value="asked" />
      {questions.length > hiddenBoxesMax ? (
        <TextArea
          form={{ ...form, values: new URLSearchParams({ hidden_questions: chosen.join('\n') }) }}
          name="hidden_questions"
          label="Questions that it never sees"
          hint={
            <>
              One per line, each by its name for administrators, as in the <a href="/admin/questions">question bank</a>.{' '}
              {hiding.hint}
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
      hint={hiding.hint}
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

export const NewKeyPage = (offered: Offered) => (
  <FormPage
    title="Create a key"
    part="keys"
    crumbs={[crumb, { text: 'Create' }]}
    lead="You see its password once, on the next page."
    path="/admin/keys/new"
    submit="Create the key"
  >
    <SettingFields {...offered} apiKey={undefined} />
  </FormPage>
)

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
