// OpenAPI descriptions of listing programs and reading one application, its revisions and its history.

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
import { keyErrors, noParameters, problemResponse, requestId } from './export-operations.ts'
import { fieldsParameter, programSlugParameter, questionsParameter } from './export-parameters.ts'

export const noSuchApplication = problemResponse('The program has no application with this ID.')

const refusals = { 400: problemResponse('A parameter is invalid.'), ...keyErrors, 404: noSuchApplication }

export const applicationIdParameter = pathParameter(
  'applicationId',
  'The application_id of an application in this program.',
  { type: 'integer', minimum: 1 },
)
const after = queryParameter('after', 'The nextAfter of the previous page.', { type: 'integer' })

const nextAfter: JsonSchema = {
  type: ['integer', 'null'],
  description: 'Pass it as `after` to get the next page; null on the last page.',
}

const answer = (description: string, schema: JsonSchema) => ({ description, headers: requestId, content: json(schema) })

export const listProgramsOperation = {
  operationId: 'listReadablePrograms',
  summary: 'List programs that the key can read',
  description:
    'Returns the number of applications and a change cursor for each program. Counts are maintained as applications arrive, so this is fast at any size.',
  ...byKey('Export'),
  responses: {
    200: answer('The programs, sorted by name.', {
      title: 'ReadablePrograms',
      ...object({
        installation_id: {
          ...text,
          description:
            'ID of this installation. It is kept when the address of the service changes, and changes only with API_KEY_PEPPER.',
        },
        payload: listOf(
          object({
            program_name: text,
            display_name: text,
            applications: { type: 'integer', description: 'Number of applications, not counting erased ones.' },
            newest_submit_time: { ...time, ...textOrNull },
            change_cursor: {
              ...text,
              description: 'Changes with every change to an application. Can be passed as `after` to the change feed.',
            },
          }),
        ),
      }),
    }),
    ...noParameters,
    ...keyErrors,
  },
}

export const readApplicationOperation = {
  operationId: 'readOneApplication',
  summary: 'Retrieve an application',
  description: 'Returns the application as an export starting now would.',
  ...byKey('Export'),
  parameters: [programSlugParameter, applicationIdParameter, fieldsParameter, questionsParameter],
  responses: {
    200: answer('The application.', { $ref: '#/components/schemas/Application' }),
    ...refusals,
  },
}

export const readRevisionsOperation = {
  operationId: 'readRevisions',
  summary: 'List all applications of an applicant to the program',
  description:
    'Returns the application and the same applicant’s other applications, oldest first, as an export starting now would.',
  ...byKey('Export'),
  parameters: [programSlugParameter, applicationIdParameter, after, fieldsParameter, questionsParameter],
  responses: {
    200: answer('The applications.', {
      title: 'Revisions',
      ...object({
        payload: listOf({ $ref: '#/components/schemas/Application' }),
        supersededBy: {
          ...listOf({ type: ['integer', 'null'] }),
          description: 'For each application in payload, the ID of the application that replaced it, or null.',
        },
        nextAfter,
      }),
    }),
    ...refusals,
  },
}

export const readHistoryOperation = {
  operationId: 'readHistory',
  summary: 'List earlier statuses and notes of an application',
  description: 'Returns changes to the status and note, oldest first, without who made them.',
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
              description: 'What the change set; empty for the values that an application was loaded with.',
            },
          }),
        ),
        nextAfter,
      }),
    }),
    ...refusals,
  },
}
