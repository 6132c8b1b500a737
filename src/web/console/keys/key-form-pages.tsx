// Forms to create, rotate and retire an API key, and the fields that the create and edit forms share.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { overlapDaysMax } from '../../../core/keys/api-keys.ts'
import {
  isRequired,
  type KeySettingName,
  keySettings,
  permissions,
  settingNames,
  settingOf,
} from '../../../core/keys/key-settings.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import type { NamedQuestion } from '../../../db/programs/program-overviews.ts'
import { figures, When } from '../../html/components.tsx'
import { Choices, errorOf, TextArea, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { type NamedProgram, ProgramChoices } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { ExpiryFields } from '../requests/expiry-fields.tsx'
import { addressesOf, pathOfKey } from './key-labels.tsx'
import { hiddenOf } from './read-key-form.ts'

export const crumb = { text: 'API keys', path: '/admin/keys' }

/** The programs and questions to choose from. */
export interface Offered {
  programs: readonly NamedProgram[]
  /** Only the first few, if there are more than `hiddenBoxesMax`. */
  questions: readonly NamedQuestion[]
  /** The first front ends that keys submit as. A new key may name another. */
  frontEnds: readonly string[]
  /** The address of the person's own requests, as the service sees it. */
  address: string | undefined
}

interface FieldProps extends Offered {
  /** Undefined for a new key. */
  apiKey: ListedApiKey | undefined
}

/** Fields that aren't a plain text field. */
const fields: Partial<Record<KeySettingName, (props: FieldProps) => ComponentChildren>> = {
  front_end: ({ apiKey, frontEnds }) =>
    (apiKey === undefined ? usePage().origin === undefined : apiKey.may_submit) && (
      <PlainField name="front_end" apiKey={apiKey} suggestions={frontEnds} />
    ),
  programs: ({ programs, apiKey }) => (
    <ProgramChoices programs={programs} chosen={apiKey?.programs ?? usePage().query.getAll('programs')} />
  ),
  allowed_subnets: Addresses,
  expires_at: ({ apiKey }) => <ExpiryFields stays={apiKey !== undefined} />,
  hidden_questions: ({ questions, apiKey }) =>
    apiKey?.may_submit !== true && <HiddenQuestions questions={questions} hidden={apiKey?.hidden_questions ?? []} />,
}

/** Settings that stay collapsed until they have a value, so that the whole form of a new key fits on a screen. */
const isFolded = (name: KeySettingName): boolean => name === 'hidden_questions' || settingOf(name).rows !== undefined

/** The fields of a key's settings. A new key's permissions come after its name. */
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

function PlainField(props: {
  name: KeySettingName
  optional?: boolean
  apiKey: ListedApiKey | undefined
  suggestions?: readonly string[]
}) {
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

/** In an installation that follows another system, keys can only export. */
function Permissions() {
  const choices = Object.values(permissions).map(({ word, label, ...rest }) => ({ value: word, text: label, ...rest }))
  const offered = usePage().origin === undefined ? choices : choices.slice(0, 1)
  return <Choices name="may" legend="Permissions" choices={offered} chosen={['export']} many />
}

function Addresses({ apiKey, address }: FieldProps) {
  const addresses = apiKey === undefined ? [] : addressesOf(apiKey)
  const isAnywhere = apiKey !== undefined && addresses.length === 0
  return (
    <div class="pair">
      <Choices
        name="from"
        legend={keySettings.allowed_subnets.label}
        choices={[
          { value: 'subnets', text: 'These addresses only' },
          ...(address === undefined
            ? []
            : [
                {
                  value: 'current',
                  text: `Your current address, ${address}`,
                },
              ]),
          {
            value: 'anywhere',
            text: 'Anywhere',
            hint: 'Anyone with the password can use the key.',
          },
        ]}
        chosen={[isAnywhere ? 'anywhere' : 'subnets']}
      />
      <TextArea
        name="allowed_subnets"
        label="Addresses"
        hint="One per line, such as 192.0.2.17, 192.0.2.0/24 or 2001:db8:40::/48."
        value={addresses.join('\n')}
        rows={2}
        mono
      />
    </div>
  )
}

/** Maximum number of checkboxes. Beyond that the names are typed in, since a page with thousands of questions takes megabytes. */
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
      {/* A form without a ticked box doesn't mention the field at all. This tells it apart from a form without the field. */}
      <input type="hidden" name="hiding" value="asked" />
      {questions.length > hiddenBoxesMax ? (
        <TextArea
          form={{ ...form, values: new URLSearchParams({ hidden_questions: chosen.join('\n') }) }}
          name="hidden_questions"
          label="Hidden questions"
          hint={
            <>
              One admin name per line, as in the <a href="/admin/questions">question bank</a>. {hiding.hint}
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
  // Chosen questions stay visible so that they can be cleared, even if they're no longer in the bank.
  const gone = [...new Set([...hidden, ...chosen])].filter(name => !known.has(name))
  return (
    <Choices
      name="hidden_questions"
      legend="Hidden questions"
      hint={hiding.hint}
      choices={[
        ...gone.map(name => ({ value: name, text: name, hint: 'not in the question bank' })),
        ...questions.map(question => ({ value: question.admin_name, text: question.text, hint: placeOf(question) })),
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
  const asking = asked_by === 0 ? 'not in any program' : programs.join(', ')
  return `${admin_name} · ${asking}${more > 0 ? ` and ${figures(more)} more` : ''}`
}

export const NewKeyPage = (offered: Offered) => (
  <FormPage
    title="Create an API key"
    part="keys"
    crumbs={[crumb, { text: 'Create' }]}
    lead="The password is shown once, on the next page."
    path="/admin/keys/new"
    submit="Create key"
  >
    <SettingFields {...offered} apiKey={undefined} />
  </FormPage>
)

export function RotatePage({ apiKey: { api_key_id, name, expires_at } }: { apiKey: ListedApiKey }) {
  const path = pathOfKey(api_key_id)
  return (
    <FormPage
      title={`Rotate ${name}`}
      part="keys"
      crumbs={[crumb, { text: name, path }, { text: 'Rotate' }]}
      lead="The key gets a new password, shown once on the next page. Its username, programs, addresses and expiry don’t change."
      path={`${path}/rotate`}
      submit="Rotate key"
    >
      <TextField
        name="overlap"
        label="Overlap in days"
        inputmode="numeric"
        value="7"
        hint={`Both passwords work for this long: 0 to ${overlapDaysMax} days. Enter 0 if the current password is compromised; it then stops working immediately.`}
      />
      <p>
        The key expires on <When at={expires_at} until />, and so do both passwords.{' '}
        <a href={`${path}#expiry`}>Change the expiry</a>
      </p>
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
      lead="The key stops working immediately, including for exports in progress. You can’t undo this, but you can create a new key."
      path={`${path}/retire`}
      submit="Retire key"
      look="danger"
      errorTitle="The key was not retired"
    >
      <TextField name="confirmation" label={`Type “${name}” to confirm`} />
    </FormPage>
  )
}
