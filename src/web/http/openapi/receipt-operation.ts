// OpenAPI of the receipt of a walk.

import { byKey, json, listOf, object, queryParameter, text } from './described-parts.ts'
import { keyRefusals, problemAnswer, programSlugParameter, requestId } from './export-operations.ts'

/** A page token, with what was read so far. */
const receiptToken = { ...text, pattern: '^[0-9A-Za-z]+(-[0-9A-Za-z]+)?$' } as const

export const receiptOperation = {
  operationId: 'readWalkReceipt',
  summary: 'Count and digest of a whole walk',
  description:
    'For a client that wants to be sure that what it holds is the walk: as many applications, with these ids, in this order. Read from ' +
    'the database when it is asked for, as often as it is, for as long as page tokens live. The receipt of a walk with millions of ' +
    'applications takes several requests: as long as next_token is not null, send it as walk.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    {
      ...queryParameter(
        'walk',
        'The Walk-Token of the first page, or any nextPageToken of the walk; then next_token.',
        receiptToken,
      ),
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
          applications: {
            type: 'integer',
            description: 'How many of the walk are there, of those that were counted so far.',
          },
          sha256: {
            type: ['string', 'null'],
            pattern: '^[0-9a-f]{64}$',
            description:
              'SHA-256 over their ids in the order of the walk, each in decimal digits and followed by a line feed. Null while next_token is not.',
          },
          erased_application_ids: {
            ...listOf({ type: 'integer' }),
            description:
              'What was erased after the walk began and may have been in it. They are not counted: leave them out of what is compared. Of a ' +
              'receipt that takes several requests, each answer names others.',
          },
          next_token: {
            ...receiptToken,
            type: ['string', 'null'],
            description: 'To be sent as walk, for what was not read yet; null when the receipt is complete.',
          },
        }),
      }),
    },
    400: problemAnswer('The walk is missing, or its token is no longer valid.'),
    409: problemAnswer('Too many applications were erased since; start a new walk.'),
    ...keyRefusals,
  },
}
