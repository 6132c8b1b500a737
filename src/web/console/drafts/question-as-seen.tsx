// A question as an applicant meets it: its label, help and fields.

/** @jsxImportSource preact */

import { fieldLabel } from '../../../domain/definitions/condition-text.ts'
import type { QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import {
  type ExportedType,
  exportedType,
  type QuestionKind,
  questionTypes,
} from '../../../domain/questions/question.ts'
import { Choices, Optional, SelectField, TextArea, TextField } from '../../html/fields.tsx'

/** What the service makes of an address itself. */
const found = new Set(['corrected', 'latitude', 'longitude', 'well_known_id', 'service_area'])

/** The fields that an applicant fills in. */
export const inputsOf = (type: ExportedType) =>
  Object.entries(questionTypes[type].fields)
    .map(([name, { form }]) => ({ name, form }))
    .filter(({ name }) => type !== 'FILE_UPLOAD' && !(type === 'ADDRESS' && found.has(name)))

interface FieldsProps {
  kind: QuestionKind
  settings: Pick<QuestionDefinition, 'help' | 'options'>
  optional: boolean
  /** The names of its fields begin with it. */
  path: string
  label: string
}

export function QuestionFields({ kind, settings, optional, path, label }: FieldsProps) {
  const { help = '', options = [] } = settings
  const type = exportedType(kind)
  if (type === undefined) return <p>{label}</p>
  if (type === 'ENUMERATOR')
    return (
      <TextArea
        name={`${path}/entities`}
        label={label}
        optional={optional}
        rows={3}
        hint={`${help} One a line.`.trim()}
      />
    )
  if (type === 'FILE_UPLOAD')
    return (
      <p>
        <strong>{label}</strong> <span class="soft">Files are chosen here.</span>
      </p>
    )
  const inputs = inputsOf(type)
  if (inputs.length > 1)
    return (
      <fieldset class="field">
        <legend dir="auto">
          {label}
          <Optional is={optional} />
        </legend>
        {help !== '' && <p class="hint">{help}</p>}
        {inputs.map(({ name }) => (
          <TextField name={`${path}/${name}`} label={labelOf(name)} optional={!optional && isLeftOut.has(name)} />
        ))}
      </fieldset>
    )
  return inputs.map(({ name, form }) => {
    const choices = options.map(({ admin_id, text }) => ({ value: admin_id, text }))
    const field = { name: `${path}/${name}`, label, ...(help !== '' && { hint: help }), optional }
    if (kind === 'DROPDOWN') return <SelectField {...field} value="" choices={[{ value: '', text: '' }, ...choices]} />
    if (form === 'option' || form === 'option_list')
      return <Choices {...field} legend={label} many={form === 'option_list'} chosen={[]} choices={choices} />
    return <TextField {...field} type={form === 'date' ? 'date' : 'text'} />
  })
}

/** Fields that may stay empty in an answer that is asked for. */
const isLeftOut = new Set(['middle_name', 'suffix', 'line2'])

/** `First name`. */
const labelOf = (field: string): string => fieldLabel(field).replace(/^./, first => first.toUpperCase())
