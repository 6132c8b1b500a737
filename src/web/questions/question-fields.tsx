// A question as applicants see it: its text, its help, and its fields. Shared by the applicants' pages and the console's preview.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { stateCodes } from '../../domain/question-types/address.ts'
import { suffixes } from '../../domain/question-types/name.ts'
import { exportedType, type QuestionKind, type QuestionSettings } from '../../domain/questions/question.ts'
import {
  Choices,
  type FieldProps,
  Group,
  joined,
  Said,
  Select,
  TextBlock,
  TextInput,
  type Typing,
} from './field-parts.tsx'
import { FileField } from './file-field.tsx'
import { dateParts } from './form-values.ts'
import { ListField } from './list-field.tsx'

interface QuestionProps extends Pick<FieldProps, 'view'> {
  kind: QuestionKind
  settings: QuestionSettings
  optional: boolean
  /** The JSON Pointer of its answer, with which the names of its fields begin. */
  path: string
  /** Its text; for a repeated question, with the name of its entity. */
  label: string
}

interface TypeProps extends FieldProps {
  kind: QuestionKind
  settings: QuestionSettings
  path: string
}

/** Its return type makes a question type without fields an error. */
export function QuestionFields({ view, kind, settings, optional, path, label: text }: QuestionProps): VNode {
  const type = exportedType(kind)
  const { help } = settings
  const label = <Said text={text} language={view.languageOf?.(settings.text)} />
  const hint = help && <Said text={help} language={view.languageOf?.(help)} />
  if (type === undefined)
    return (
      <div class="field static" dir="auto">
        <p>{label}</p>
        {hint && <p class="hint">{hint}</p>}
      </div>
    )
  const props: TypeProps = { view, kind, settings, path, label, hint, optional, name: path }
  switch (type) {
    case 'NAME':
      return <NameFields {...props} />
    case 'ADDRESS':
      return <AddressFields {...props} />
    case 'DATE':
      return <DateFields {...props} />
    case 'SINGLE_SELECT':
    case 'MULTI_SELECT':
    case 'MAP':
      return <OptionFields {...props} />
    case 'ENUMERATOR':
      return <ListField {...props} path={path} />
    case 'FILE_UPLOAD':
      return <FileField {...props} path={path} settings={settings} />
    case 'TEXT':
      return (settings.max_length ?? 0) > longText ? (
        <TextBlock {...props} name={`${path}/text`} rows={4} />
      ) : (
        <TextInput {...props} name={`${path}/text`} />
      )
    case 'CURRENCY':
      return (
        <TextInput
          {...props}
          name={`${path}/currency_dollars`}
          hint={joined(hint, view.words.amountHint)}
          typing={{ inputMode: 'decimal', size: 'medium' }}
        />
      )
    case 'EMAIL':
    case 'ID':
    case 'NUMBER':
    case 'PHONE': {
      const { field, ...typing } = plainFields[type]
      return (
        <TextInput
          {...props}
          name={`${path}/${field}`}
          typing={{ ...typing, autocomplete: ownAutocomplete(path, typing.autocomplete) }}
        />
      )
    }
  }
}

/** Answers longer than this get a multi-line field. */
const longText = 120

const plainFields: Readonly<Record<'EMAIL' | 'ID' | 'NUMBER' | 'PHONE', Typing & { field: string }>> = {
  EMAIL: { field: 'email', type: 'email', autocomplete: 'email' },
  ID: { field: 'id', inputMode: 'numeric', size: 'medium' },
  NUMBER: { field: 'number', size: 'short' },
  PHONE: { field: 'phone_number', type: 'tel', autocomplete: 'tel', size: 'medium' },
}

/** The value a browser may fill in: none if the question is about one of several people. */
const ownAutocomplete = (path: string, token: string | undefined): string | undefined =>
  path.lastIndexOf('/') > 0 ? undefined : token

function NameFields({ kind, settings, path, ...props }: TypeProps) {
  const { view, optional } = props
  const labels = view.words.fields
  const text = (field: 'first_name' | 'middle_name' | 'last_name', autocomplete: string) => (
    <TextInput
      view={view}
      name={`${path}/${field}`}
      label={labels[field]}
      optional={!optional && field === 'middle_name'}
      typing={{ autocomplete: ownAutocomplete(path, autocomplete) }}
    />
  )
  return (
    <Group {...props}>
      {text('first_name', 'given-name')}
      {text('middle_name', 'additional-name')}
      {text('last_name', 'family-name')}
      <Select
        view={view}
        name={`${path}/suffix`}
        label={labels.suffix}
        optional={!optional}
        options={suffixes.map(suffix => ({ value: suffix, text: suffix }))}
      />
    </Group>
  )
}

function AddressFields({ kind, settings, path, ...props }: TypeProps) {
  const { view, optional } = props
  const labels = view.words.fields
  const text = (field: 'street' | 'line2' | 'city' | 'zip', autocomplete: string, size?: 'short') => (
    <TextInput
      view={view}
      name={`${path}/${field}`}
      label={labels[field]}
      optional={!optional && field === 'line2'}
      typing={{ autocomplete: ownAutocomplete(path, autocomplete), ...(size && { size }) }}
    />
  )
  return (
    <Group {...props}>
      {text('street', 'address-line1')}
      {text('line2', 'address-line2')}
      {text('city', 'address-level2')}
      <Select
        view={view}
        name={`${path}/state`}
        label={labels.state}
        autocomplete={ownAutocomplete(path, 'address-level1') ?? 'off'}
        options={[...stateCodes].sort().map(code => ({ value: code, text: code }))}
      />
      {text('zip', 'postal-code', 'short')}
    </Group>
  )
}

/** Three fields, because typing a date is more reliable than picking it from a calendar. Error links lead to the first. */
function DateFields({ kind, settings, path, ...props }: TypeProps) {
  const { view, hint } = props
  const name = `${path}/date`
  return (
    <Group {...props} name={name} hint={joined(hint, view.words.dateHint)}>
      <div class="row">
        {dateParts.map(part => (
          <TextInput
            view={view}
            name={`${name}/${part}`}
            label={view.words[part]}
            typing={{ inputMode: 'numeric', size: 'short' }}
          />
        ))}
      </div>
    </Group>
  )
}

function OptionFields({ kind, path, settings, ...props }: TypeProps) {
  const options = (settings.options ?? []).map(({ admin_id, text }) => ({ value: admin_id, text }))
  const many = kind === 'CHECKBOX' || kind === 'MAP'
  const name = `${path}/${many ? 'selections' : 'selection'}`
  if (kind === 'DROPDOWN') return <Select {...props} name={name} options={options} />
  const hint = many ? joined(props.hint, props.view.words.manyHint) : props.hint
  return <Choices {...props} name={name} hint={hint} many={many} options={options} />
}
