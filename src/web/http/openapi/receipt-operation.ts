// OpenAPI description of walk receipts.

import { byKey, json, listOf, object, queryParameter, text } from './described-parts.ts'
import { keyErrors, problemResponse, requestId } from './export-operations.ts'
import { programSlugParameter } from './export-parameters.ts'

/** A page token, optionally followed by the progress of the receipt. */
const receiptToken = { ...text, pattern: '^[0-9A-Za-z]+(-[0-9A-Za-z]+)?$' } as const

export const receiptOperation = {
  operationId: 'readWalkReceipt',
  summary: 'Get the receipt of a walk: count and digest',
  description:
    'Lets a client verify that it holds the complete walk: the same number of applications, with the same IDs, in the same order. Each ' +
    'request reads from the database, for as long as page tokens are valid. The receipt of a walk with millions of applications takes ' +
    'several requests: while next_token is not null, repeat the request with next_token as walk.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    {
      ...queryParameter(
        'walk',
        'The Walk-Token of the first page or any nextPageToken of the walk. To continue a receipt, its next_token.',
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
          walk: { type: 'string', description: 'ID of the walk in the log and the audit log.' },
          program_name: text,
          filters: { type: 'object', description: 'Filters of the walk.' },
          applications: {
            type: 'integer',
            description: 'Number of applications in the walk, as far as they have been counted.',
          },
          sha256: {
            type: ['string', 'null'],
            pattern: '^[0-9a-f]{64}$',
            description:
              'SHA-256 of the application IDs in walk order, each in decimal digits followed by a line feed. Null until next_token is null.',
          },
          erased_application_ids: {
            ...listOf({ type: 'integer' }),
            description:
              'Applications erased since the walk began that may have been part of it. They are not counted: exclude them from the comparison. ' +
              'If a receipt takes several requests, collect these IDs from all responses.',
          },
          next_token: {
            ...receiptToken,
            type: ['string', 'null'],
            description: 'Pass it as walk to continue; null when the receipt is complete.',
          },
        }),
      }),
    },
    400: problemResponse('walk is missing, or its token is invalid or has expired.'),
    409: problemResponse('Too many applications were erased since the walk began; start a new walk.'),
    ...keyErrors,
  },
}
