// OpenAPI of the reads other than exports: programs, one application, its revisions and its history.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import {
  byKey,
  json,
  listOf,
  object,
  pathParameter,
  queryParameter,
  text,
  textOrNull,
  time,
} from './described-parts.ts'
import {
  fieldsParameter,
  keyRefusals,
  noParameters,
  problemAnswer,
  programSlugParameter,
  requestId,
} from './export-operations.ts'

export const noSuchApplication = problemAnswer('There is no such application in this program.')

const refusals = { 400: problemAnswer('A parameter is not valid.'), ...keyRefusals, 404: noSuchApplication }

export const applicationIdParameter = pathParameter(
  'applicationId',
  'The application_id of an application of this program.',
  { type: 'integer', minimum: 1 },
)
const after = queryParameter('after', 'The nextAfter of the answer before, to continue.', { type: 'integer' })

const nextAfter: JsonSchema = {
  type: ['integer', 'null'],
  description: 'Sent as `after` it gets what comes next; null when nothing does.',
}

const answer = (description: string, schema: JsonSchema) => ({ description, headers: requestId, content: json(schema) })

export const listProgramsOperation = {
  operationId: 'listReadablePrograms',
  summary: 'The programs a key may read',
  description:
    'With how many applications each has, and how far it has come. Nothing is counted for it, however many there are.',
  ...byKey('Export'),
  responses: {
    200: answer('The programs, by name.', {
      title: 'ReadablePrograms',
      ...object({
        installation_id: {
          ...text,
          description:
            'Stays the same when the service gets another address. Ends with API_KEY_PEPPER, as all keys do.',
        },
        payload: listOf(
          object({
            program_name: text,
            display_name: text,
            applications: { type: 'integer', description: 'How many there are, erased ones not among them.' },
            newest_submit_time: { ...time, ...textOrNull },
            change_cursor: {
              ...text,
              description: 'Changes with everything that happens to its applications. Good as `after` of the changes.',
            },
          }),
        ),
      }),
    }),
    ...noParameters,
    ...keyRefusals,
  },
}

export const readApplicationOperation = {
  operationId: 'readOneApplication',
  summary: 'One application by its id',
  description: 'As an export that begins now would send it.',
  ...byKey('Export'),
  parameters: [programSlugParameter, applicationIdParameter, fieldsParameter],
  responses: {
    200: answer('The application.', { $ref: '#/components/schemas/Application' }),
    ...refusals,
  },
}

export const readRevisionsOperation = {
  operationId: 'readRevisions',
  summary: 'All applications of the same applicant to the program',
  description: 'Oldest first, the one that is named among them, each as an export that begins now would send it.',
  ...byKey('Export'),
  parameters: [programSlugParameter, applicationIdParameter, after, fieldsParameter],
  responses: {
    200: answer('The applications.', {
      title: 'Revisions',
      ...object({
        payload: listOf({ $ref: '#/components/schemas/Application' }),
        supersededBy: {
          ...listOf({ type: ['integer', 'null'] }),
          description: 'Of each in payload, the id of the application that took its place; null where none did.',
        },
        nextAfter,
      }),
    }),
    ...refusals,
  },
}

export const readHistoryOperation = {
  operationId: 'readHistory',
  summary: 'Statuses and notes an application had',
  description: 'Oldest first. Who set them is not included.',
  ...byKey('Export'),
  parameters: [programSlugParameter, applicationIdParameter, after],
  responses: {
    200: answer('The history.', {
      title: 'History',
      ...object({
        payload: listOf(
          object({
            changed_at: time,
            status: textOrNull,
            application_note: textOrNull,
            sets: {
              ...listOf({ enum: ['status', 'note'] }),
              description: 'What was set; empty for what an application was loaded with.',
            },
          }),
        ),
        nextAfter,
      }),
    }),
    ...refusals,
  },
}
