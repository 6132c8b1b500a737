// The slow and plain exporter that the fast one is held against: builds objects, then calls JSON.stringify.
// Kept in tests only; says by itself what each type of the specification looks like.

import { questionSchema } from '../../src/domain/questions/answer-schema.ts'
import type { Answer, Answers } from '../../src/domain/questions/answers.ts'
import type { Annotations, RevisionState, Submission } from '../../src/domain/questions/application.ts'
import type { KeyMap, KeyNode } from '../../src/domain/questions/key-map.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'

type Json = Record<string, unknown>

/** An application object as described in the specification, with every question the program ever had, at every depth. */
export function plainApplication(
  s: Submission,
  a: Annotations,
  state: RevisionState,
  keyMap: KeyMap,
  timeZone: string,
): Json {
  const intermediary = s.submitter.submitter_type === 'TRUSTED_INTERMEDIARY' ? s.submitter : undefined
  return {
    applicant_id: s.applicant_id,
    application_id: s.application_id,
    create_time: formatOffsetTime(s.create_time, timeZone),
    language: s.language,
    program_name: s.program_name,
    program_version_id: s.program_version_id,
    revision_state: state,
    status: a.status,
    status_last_modified_time:
      a.status_last_modified_time === null ? null : formatOffsetTime(a.status_last_modified_time, timeZone),
    application_note: a.application_note,
    submit_time: formatOffsetTime(s.submit_time, timeZone),
    submitter_type: s.submitter.submitter_type,
    ti_email: intermediary?.ti_email ?? null,
    ti_organization: intermediary?.ti_organization ?? null,
    application: plainAnswers(keyMap, s.answers),
  }
}

function plainAnswers(nodes: readonly KeyNode[], answers: Answers): Json {
  // Object.fromEntries defines own properties, so a key such as __proto__ needs no special care.
  return Object.fromEntries(nodes.map(node => [node.question_key, plainQuestion(node, answers.get(node.question_key))]))
}

function plainQuestion(node: KeyNode, answer: Answer | undefined): Json {
  if (node.unknown_type !== undefined) return { question_type: node.unknown_type }
  const question_type = node.type
  const value = answer as (Answer & Record<string, unknown>) | undefined
  const field = (name: string): unknown => value?.[name] ?? null
  const fields = (...names: string[]): Json => Object.fromEntries(names.map(name => [name, field(name)]))
  switch (question_type) {
    case 'ADDRESS':
      return {
        question_type,
        ...fields(
          'street',
          'line2',
          'city',
          'state',
          'zip',
          'corrected',
          'latitude',
          'longitude',
          'well_known_id',
          'service_area',
        ),
      }
    case 'CURRENCY':
      return {
        question_type,
        currency_dollars: value === undefined ? null : Number((value.currency_cents as number) / 100),
      }
    case 'ENUMERATOR': {
      const entities = answer?.type === 'ENUMERATOR' ? answer.entities : []
      return {
        question_type,
        entities: entities.map(e =>
          Object.fromEntries([
            ['entity_name', e.entity_name],
            ...Object.entries(plainAnswers(node.children, e.answers)),
          ]),
        ),
      }
    }
    case 'FILE_UPLOAD': {
      const urls = answer?.type === 'FILE_UPLOAD' ? answer.file_urls : []
      return { question_type, file_key: urls[0] ?? null, file_urls: urls }
    }
    case 'MAP':
    case 'MULTI_SELECT':
      return { question_type, selections: field('selections') ?? [] }
    case 'NAME':
      return { question_type, ...fields('first_name', 'middle_name', 'last_name', 'suffix') }
    case 'PHONE':
      return { question_type, ...fields('phone_number') }
    case 'SINGLE_SELECT':
      return { question_type, ...fields('selection') }
    case 'DATE':
    case 'EMAIL':
    case 'ID':
    case 'NUMBER':
    case 'TEXT':
      return { question_type, ...fields(question_type.toLowerCase()) }
    default: {
      // A type that is not in the specification: what the published schema contains about it.
      const { question_type: _, ...others } = questionSchema(node, { definitionsAt: '#/$defs/' }).properties as Json
      const empty = (schema: unknown): unknown => ((schema as Json).type === 'array' ? [] : null)
      const members = Object.entries(others).map(([name, schema]) => [name, field(name) ?? empty(schema)])
      return { question_type: node.type, ...Object.fromEntries(members) }
    }
  }
}
