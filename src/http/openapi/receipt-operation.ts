// What OpenAPI says about the receipt of a walk.

import { keyRefusals, problemAnswer, programSlugParameter, requestId } from './export-operations.ts'

export const receiptOperation = {
  operationId: 'readWalkReceipt',
  summary: 'Count and digest of a whole walk',
  description:
    'For a client that wants to be sure that what it holds is the walk: as many applications, with these ids, in this order. Read from ' +
    'the database when it is asked for, as often as it is, for as long as page tokens live.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  parameters: [
    programSlugParameter,
    {
      name: 'walk',
      in: 'query',
      required: true,
      description: 'The Walk-Token of the first page, or any nextPageToken of the walk.',
      schema: { type: 'string', pattern: '^[0-9A-Za-z]+$' },
    },
  ],
  responses: {
    200: {
      description: 'The receipt.',
      headers: requestId,
      content: {
        'application/json': {
          schema: {
            title: 'WalkReceipt',
            type: 'object',
            properties: {
              walk: { type: 'string', description: 'Names the walk in the log and the audit trail of the service.' },
              program_name: { type: 'string' },
              filters: { type: 'object', description: 'What the walk was limited to.' },
              applications: { type: 'integer', description: 'How many of the walk are there.' },
              sha256: {
                type: 'string',
                pattern: '^[0-9a-f]{64}$',
                description:
                  'SHA-256 over their ids in the order of the walk, each in decimal digits and followed by a line feed.',
              },
              erased_application_ids: {
                type: 'array',
                items: { type: 'integer' },
                description:
                  'What was erased after the walk began and may have been in it. They are not counted: leave them out of what is compared.',
              },
            },
            required: ['walk', 'program_name', 'filters', 'applications', 'sha256', 'erased_application_ids'],
          },
        },
      },
    },
    400: problemAnswer('The walk is not named, or its token is of no use any more.'),
    409: problemAnswer('So much was erased since that the walk is better begun again.'),
    ...keyRefusals,
  },
}
