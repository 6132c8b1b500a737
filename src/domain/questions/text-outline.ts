// The layout of an application's stored text: the text before each value, in order. It describes the output of `application` and `answers`
// as data, so that values can be found without parsing.

import type { FieldForm } from '../fields/question-type.ts'
import { markedEntityEnd } from './answers.ts'
import { type ExportProfile, exportedFields, type KeyNode } from './key-map.ts'

/** A value of the application, or of an answer to one of its top-level questions. */
export interface OutlinedValue {
  /** The text between the previous value, or the beginning, and this value. */
  before: string
  /** `status`, or the key and field of an answer: `home_address.zip`. Keys contain no dot. */
  name: string
  form: FieldForm
  /** For a list of entities: the marker at the end of each. */
  marker?: string
}

export interface OutlinedText {
  values: readonly OutlinedValue[]
  /** The text after the last value. */
  after: string
}

const fixed: readonly (readonly [name: string, form: FieldForm])[] = [
  ['create_time', 'text'],
  ['submit_time', 'text'],
  ['applicant_id', 'number'],
  ['application_id', 'number'],
  ['language', 'text'],
  ['program_name', 'text'],
  ['program_version_id', 'number'],
  ['submitter_type', 'text'],
  ['ti_email', 'text'],
  ['ti_organization', 'text'],
]

/**
 * The outline of `renderSnapshot` for a version of this shape, or of text copied from an origin under this profile. An enumerator's value is its
 * complete list of entities.
 */
export function outlineSnapshot(shape: readonly KeyNode[], profile: ExportProfile = 'contract'): OutlinedText {
  const values: OutlinedValue[] = fixed.map(([name, form], i) => ({
    before: `${i === 0 ? '{' : ','}"${name}":`,
    name,
    form,
  }))
  return outlineMembers(values, shape, ',"application":{', profile)
}

/** The outline of an entity of this enumerator in this version. Its name is the first value. */
export function outlineEntity(enumerator: KeyNode, profile: ExportProfile = 'contract'): OutlinedText {
  const { children } = enumerator
  const name: OutlinedValue = { before: '{"entity_name":', name: 'entity_name', form: 'text' }
  const { values, after } = outlineMembers([name], children, children.length > 0 ? ',' : '', profile)
  return { values, after: `${after}${markedEntityEnd(enumerator)}}` }
}

function outlineMembers(
  values: OutlinedValue[],
  shape: readonly KeyNode[],
  first: string,
  profile: ExportProfile,
): OutlinedText {
  let before = first
  for (const [i, node] of shape.entries()) {
    const { question_key, type, unknown_type = type } = node
    before += `${i === 0 ? '' : ','}${JSON.stringify(question_key)}:{"question_type":${JSON.stringify(unknown_type)}`
    for (const [field, { form }] of exportedFields(node, profile)) {
      const value = { before: `${before},"${field}":`, name: `${question_key}.${field}`, form }
      values.push(form === 'entities' ? { ...value, marker: markedEntityEnd(node) } : value)
      before = ''
    }
    before += '}'
  }
  return { values, after: before }
}

/** The outline of `renderAnnotations`. */
export const annotationsOutline: OutlinedText = {
  values: [
    { before: '"status":', name: 'status', form: 'text' },
    { before: ',"status_last_modified_time":', name: 'status_last_modified_time', form: 'text' },
    { before: ',"application_note":', name: 'application_note', form: 'text' },
  ],
  after: '',
}
