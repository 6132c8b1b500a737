// OpenAPI of the receipt of a walk.

import { byKey, json, listOf, object, queryParameter, text } from './described-parts.ts'
import { keyRefusals, problemAnswer, programSlugParameter, requestId, token } from './export-operations.ts'

export const receiptOperation = {
  operationId: 'readWalkReceipt',
  summary: 'Count and digest of a whole walk',
  description:
    'For a client that wants to be sure that what it holds is the walk: as many applications, with these ids, in this order. Read from ' +
    'the database when it is asked for, as often as it is, for as long as page tokens live.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    {
      ...queryParameter('walk', 'The Walk-Token of the first page, or any nextPageToken of the walk.', token),
      required: true,
    },
  ],
  responses: {
    200: {
      description: 'The receipt.',
      headers: requestId,
      content: json({
        title: 'WalkReceipt',
        ...object({
          walk: { type: 'string', description: 'Names the walk in the log and the audit log of the service.' },
          program_name: text,
          filters: { type: 'object', description: 'What the walk was limited to.' },
          applications: { type: 'integer', description: 'How many of the walk are there.' },
          sha256: {
            type: 'string',
            pattern: '^[0-9a-f]{64}$',
            description:
              'SHA-256 over their ids in the order of the walk, each in decimal digits and followed by a line feed.',
          },
          erased_application_ids: {
            ...listOf({ type: 'integer' }),
            description:
              'What was erased after the walk began and may have been in it. They are not counted: leave them out of what is compared.',
          },
        }),
      }),
    },
    400: problemAnswer('The walk is missing, or its token is no longer valid.'),
    409: problemAnswer('Too many applications were erased since; start a new walk.'),
    ...keyRefusals,
  },
}
