// What OpenAPI says about what clients read beside the export: programs, one application, its revisions and its history.

import type { JsonSchema } from '../../domain/question-types/field-schema.ts'
import { fieldsParameter, keyRefusals, problemAnswer, programSlugParameter, requestId } from './export-operations.ts'

export const noSuchApplication = problemAnswer('There is no such application in this program.')

export const applicationIdParameter = {
  name: 'applicationId',
  in: 'path',
  required: true,
  description: 'The application_id of an application of this program.',
  schema: { type: 'integer', minimum: 1 },
} as const

const after = {
  name: 'after',
  in: 'query',
  description: 'The nextAfter of the answer before, to go on.',
  schema: { type: 'integer' },
} as const

const nextAfter: JsonSchema = {
  type: ['integer', 'null'],
  description: 'Sent as `after` it gets what comes next; null when nothing does.',
}

const answer = (description: string, schema: JsonSchema) => ({
  description,
  headers: requestId,
  content: { 'application/json': { schema } },
})

const text: JsonSchema = { type: ['string', 'null'] }

export const listProgramsOperation = {
  operationId: 'listReadablePrograms',
  summary: 'The programs a key may read',
  description:
    'With how many applications each has, and how far it has come. Nothing is counted for it, however many there are.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  responses: {
    200: answer('The programs, by name.', {
      title: 'ReadablePrograms',
      type: 'object',
      properties: {
        payload: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              program_name: { type: 'string' },
              display_name: { type: 'string' },
              applications: { type: 'integer', description: 'How many there are, erased ones not among them.' },
              newest_submit_time: { type: ['string', 'null'], format: 'date-time' },
              change_cursor: {
                type: 'string',
                description:
                  'Changes with everything that happens to its applications. Good as `after` of the changes.',
              },
            },
            required: ['program_name', 'display_name', 'applications', 'newest_submit_time', 'change_cursor'],
          },
        },
      },
      required: ['payload'],
    }),
    ...keyRefusals,
  },
}

export const readApplicationOperation = {
  operationId: 'readOneApplication',
  summary: 'One application by its id',
  description: 'As an export that begins now would send it.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  parameters: [programSlugParameter, applicationIdParameter, fieldsParameter],
  responses: {
    200: answer('The application.', { $ref: '#/components/schemas/Application' }),
    400: problemAnswer('A parameter is not valid.'),
    ...keyRefusals,
    404: noSuchApplication,
  },
}

export const readRevisionsOperation = {
  operationId: 'readRevisions',
  summary: 'All applications of the same applicant to the program',
  description: 'Oldest first, the one that is named among them, each as an export that begins now would send it.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  parameters: [programSlugParameter, applicationIdParameter, after, fieldsParameter],
  responses: {
    200: answer('The applications.', {
      title: 'Revisions',
      type: 'object',
      properties: {
        payload: { type: 'array', items: { $ref: '#/components/schemas/Application' } },
        supersededBy: {
          type: 'array',
          items: { type: ['integer', 'null'] },
          description: 'Of each in payload, the id of the application that took its place; null where none did.',
        },
        nextAfter,
      },
      required: ['payload', 'supersededBy', 'nextAfter'],
    }),
    400: problemAnswer('A parameter is not valid.'),
    ...keyRefusals,
    404: noSuchApplication,
  },
}

export const readHistoryOperation = {
  operationId: 'readHistory',
  summary: 'Statuses and notes an application had',
  description: 'Oldest first. Who set them is not told.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  parameters: [programSlugParameter, applicationIdParameter, after],
  responses: {
    200: answer('The history.', {
      title: 'History',
      type: 'object',
      properties: {
        payload: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              changed_at: { type: 'string', format: 'date-time' },
              status: text,
              application_note: text,
              sets: {
                type: 'array',
                items: { enum: ['status', 'note'] },
                description: 'What was set; empty for what an application was loaded with.',
              },
            },
            required: ['changed_at', 'status', 'application_note', 'sets'],
          },
        },
        nextAfter,
      },
      required: ['payload', 'nextAfter'],
    }),
    400: problemAnswer('A parameter is not valid.'),
    ...keyRefusals,
    404: noSuchApplication,
  },
}
