// OpenAPI of reading and setting status and note of one application.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, headerParameter, json, object, text, textOrNull, time } from './described-parts.ts'
import { keyRefusals, noParameters, problemAnswer, programSlugParameter, requestId } from './export-operations.ts'
import { applicationIdParameter, noSuchApplication } from './reading-operations.ts'

const present = {
  description: 'Status and note.',
  headers: {
    ...requestId,
    ETag: { schema: text, description: 'Names this state of both, for If-Match.' },
  },
  content: json({
    title: 'Status',
    ...object({
      status: textOrNull,
      status_last_modified_time: { ...time, ...textOrNull },
      application_note: textOrNull,
    }),
  }),
}

/** A JSON Merge Patch (RFC 7396), under its own name or that of JSON. */
const patchOf = (schema: JsonSchema) => ({ ...json(schema), 'application/merge-patch+json': { schema } })

export const readStatusOperation = {
  operationId: 'readStatus',
  summary: 'Status and note of an application',
  description: 'With the ETag to send in If-Match for a change, and in If-None-Match for 304 when nothing has changed.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    applicationIdParameter,
    headerParameter(
      'If-None-Match',
      'The ETag of status and note that were read before: 304 then says that they are still so.',
    ),
  ],
  responses: {
    200: present,
    304: { description: 'If-None-Match names the ETag that there is.', headers: present.headers },
    ...noParameters,
    ...keyRefusals,
    404: noSuchApplication,
    412: problemAnswer('If-Match does not name the current state.'),
  },
}

export const setStatusOperation = {
  operationId: 'setStatus',
  summary: 'Set status and note of an application',
  description:
    'For a key that may. What is left out stays as it is, null takes away. A status that is set again counts: its time moves. Both are ' +
    'changed together or not at all, and are in the history, the changes and the audit log.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    applicationIdParameter,
    {
      ...headerParameter(
        'If-Match',
        'The ETag of the status and note that this was decided upon; * where it does not matter.',
      ),
      required: true,
    },
  ],
  requestBody: {
    required: true,
    content: patchOf({
      title: 'StatusChange',
      type: 'object',
      properties: {
        status: { ...textOrNull, description: "One of the program's statuses." },
        application_note: { ...textOrNull, maxLength: 10_000 },
      },
      additionalProperties: false,
      minProperties: 1,
    }),
  },
  responses: {
    200: present,
    400: problemAnswer('The body is invalid, or the program has no such status.'),
    ...keyRefusals,
    404: noSuchApplication,
    409: problemAnswer('Status and note are not set here.'),
    412: problemAnswer('If-Match does not name the current state: status or note have changed.'),
    413: problemAnswer('The body is too large.'),
    415: problemAnswer('The body is not sent as JSON.', {
      'Accept-Patch': { schema: text, description: 'The media types of the body that are taken.' },
    }),
    417: problemAnswer('Expect is anything but 100-continue.'),
    428: problemAnswer('If-Match is missing.'),
  },
}
