// OpenAPI descriptions of reading and setting the status and note of an application.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, headerParameter, json, object, text, textOrNull, time } from './described-parts.ts'
import { keyErrors, noParameters, problemResponse, requestId } from './export-operations.ts'
import { programSlugParameter } from './export-parameters.ts'
import { applicationIdParameter, noSuchApplication } from './reading-operations.ts'

const present = {
  description: 'The status and note.',
  headers: {
    ...requestId,
    ETag: { schema: text, description: 'Identifies the current status and note, for If-Match.' },
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

/** JSON Merge Patch (RFC 7396), as its own media type or as plain JSON. */
const patchOf = (schema: JsonSchema) => ({ ...json(schema), 'application/merge-patch+json': { schema } })

export const readStatusOperation = {
  operationId: 'readStatus',
  summary: 'Retrieve the status and note of an application',
  description:
    'Returns an ETag to send in If-Match when you change them, or in If-None-Match to get 304 while they are unchanged.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    applicationIdParameter,
    headerParameter(
      'If-None-Match',
      'ETag of an earlier response; the response is 304 if the status and note are unchanged.',
    ),
  ],
  responses: {
    200: present,
    304: { description: 'The status and note are unchanged.', headers: present.headers },
    ...noParameters,
    ...keyErrors,
    404: noSuchApplication,
    412: problemResponse('The ETag in If-Match is not current.'),
  },
}

export const setStatusOperation = {
  operationId: 'setStatus',
  summary: 'Set the status and note of an application',
  description:
    'Requires permission to set the status. Omitted members are unchanged; null removes a value. Setting the same status again updates its ' +
    'time. Both are changed together, or neither; the change appears in the history, the change feed and the audit log.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    applicationIdParameter,
    {
      ...headerParameter(
        'If-Match',
        'ETag of the status and note that your change is based on, or * to change them unconditionally.',
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
        status: { ...textOrNull, description: 'One of the program’s statuses.' },
        application_note: { ...textOrNull, maxLength: 10_000 },
      },
      additionalProperties: false,
      minProperties: 1,
    }),
  },
  responses: {
    200: present,
    400: problemResponse('The body is invalid, or the program does not have this status.'),
    ...keyErrors,
    404: noSuchApplication,
    409: problemResponse(
      'Applications of this installation are copied from another system; set their status and note there.',
    ),
    412: problemResponse('The status or note has changed since the ETag in If-Match.'),
    413: problemResponse('The body is too large.'),
    415: problemResponse('Content-Type is not a JSON media type.', {
      'Accept-Patch': { schema: text, description: 'Supported media types of the body.' },
    }),
    417: problemResponse('Expect has a value other than 100-continue.'),
    428: problemResponse('If-Match is missing.'),
  },
}
