// OpenAPI descriptions of checking a key and exporting, and the components that all documents share.

import { acceptedFormats, type ExportFormat, pageFormats } from '../../../core/export/framings/all-framings.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, json, listOf, object, text, textOrNull, time } from './described-parts.ts'
import { describePage, exportParameters, programSlugParameter } from './export-parameters.ts'

/** Components that operations reference as `#/components/…`. */
export const exportComponents = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'basic',
      description:
        'The Username and Password of an API key. The API Secret Token is both, joined by a colon and encoded in Base64.',
    },
  },
  schemas: {
    Problem: {
      title: 'Problem',
      description: 'Describes why a request failed (RFC 9457).',
      ...object({
        type: { ...text, description: 'URN that identifies the kind of problem.' },
        title: text,
        status: { type: 'integer' },
        detail: { ...text, description: 'Human-readable explanation of this problem.' },
        request_id: {
          ...text,
          description: 'Value of X-Request-Id. Administrators can use it to find the request in the log.',
        },
        errors: {
          description: 'One entry for each error in the request.',
          ...listOf(
            object(
              {
                parameter: { ...text, description: 'Name of the query parameter or header.' },
                path: { ...text, description: 'JSON Pointer to the value in the request body.' },
                code: { ...text, description: 'Machine-readable code, stable across releases.' },
                detail: { ...text, description: 'Human-readable explanation of how to fix the value.' },
              },
              ['code', 'detail'],
            ),
          ),
        },
      }),
    },
    ApiKey: {
      title: 'API key',
      description: 'The API key used for this request.',
      ...object({
        api_key_id: { ...text, description: 'Username of the key.' },
        name: text,
        expires_at: time,
        programs: { ...listOf(text), description: 'Slugs of the programs that the key can access.' },
        notice: {
          ...textOrNull,
          description: 'Reminder to renew the key, set during the 30 days before it expires; otherwise null.',
        },
      }),
    },
  },
} as const

export const requestId = {
  'X-Request-Id': { schema: text, description: 'Unique ID of this request, also recorded in the log.' },
}
export const retryAfter = {
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait before retrying.' },
}

const quota = {
  'RateLimit-Policy': {
    schema: text,
    description: 'Limits of the key, if it has any: requests per minute and concurrent exports.',
  },
  RateLimit: { schema: text, description: 'What remains of one of the limits.' },
}

/** Error response in the common problem format, with any additional members of the operation. */
export function problemResponse(
  description: string,
  headers: JsonSchema = {},
  members?: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const problem = { $ref: '#/components/schemas/Problem' }
  const schema = members === undefined ? problem : { allOf: [problem, { type: 'object', properties: members }] }
  const content = { 'application/problem+json': { schema } }
  return { description, headers: { ...requestId, ...headers }, content }
}

/** Error responses shared by every operation that requires an API key. */
export const keyErrors = {
  401: problemResponse(
    'The API key is missing or invalid, lacks permission for this operation or program, or cannot be used from this address. The response does not include the reason; an administrator can look it up by request_id.',
    { 'WWW-Authenticate': { schema: text, description: 'Basic.' } },
  ),
  429: problemResponse('The key has exceeded its request rate or its number of concurrent exports.', {
    ...retryAfter,
    ...quota,
  }),
  503: problemResponse('The service is temporarily unavailable.', retryAfter),
}

/** Error response of operations without parameters (contract D10). */
export const noParameters = {
  400: problemResponse(
    'This operation takes no parameters. A parameter resembles one of another operation, or was sent with Prefer: handling=strict.',
  ),
}

/** Source: spec, "Check credentials"; contract D5. */
export const checkAuthOperation = {
  operationId: 'checkAuth',
  summary: 'Check that an API key works',
  description: 'Returns 200 if the key is set up correctly.',
  ...byKey('Export'),
  responses: {
    200: {
      description: 'The key works.',
      headers: requestId,
      content: json({ $ref: '#/components/schemas/ApiKey' }),
    },
    ...noParameters,
    ...keyErrors,
  },
}

/** Headers of the first page of a walk, and of its 304 response. */
const firstPage = {
  'Snapshot-Time': {
    schema: { type: 'string', format: 'date-time' },
    description:
      'On the first page: pass it as fromDate of the next export to get everything submitted since. If you also pass it as toDate ' +
      'of the current export, no application is sent twice; without toDate, applications can repeat while a bulk load is running.',
  },
  'Change-Cursor': {
    schema: text,
    description: 'On the first page: pass it as `after` to the change feed of this program to read all later changes.',
  },
  'Questions-As-Of': {
    schema: { type: 'string', format: 'date-time' },
    description:
      'On the first page: publication time of the newest program version whose questions are on the pages. Absent before the first ' +
      'publication. The change feed reports later times as questionsAsOf.',
  },
  ETag: {
    schema: text,
    description: 'On the first page: changes whenever the applications or questions of the program change.',
  },
}
export const applied = {
  'Preference-Applied': { schema: text, description: 'Preferences from Prefer that were applied.' },
}

/**
 * Export operation of the program in the path. `examples` has the form of an OpenAPI media type's `examples`.
 * Source: spec, "List program applications"; contract section 1.
 */
export function exportOperation(examples?: JsonSchema) {
  return {
    operationId: 'exportApplications',
    summary: 'Export a program’s applications',
    description:
      'Returns applications in order of submission, oldest first. Repeat the request with each nextPageToken until it is null. All pages ' +
      'are from one snapshot, taken when the first page was requested: each application appears exactly once, and later ones are not included.',
    ...byKey('Export'),
    parameters: [...exportParameters],
    responses: {
      200: {
        description: 'A page of applications.',
        headers: {
          ...requestId,
          ...firstPage,
          ...quota,
          ...applied,
          'Walk-Token': {
            schema: text,
            description: 'On the first page: identifies the walk when you request its receipt.',
          },
          'Application-Count': {
            schema: { type: 'integer' },
            description: 'With format=exact-csv: number of records on this page. A page with fewer is incomplete.',
          },
          'Next-Page-Token': {
            schema: text,
            description: 'With format=exact-csv: nextPageToken, or none on the last page.',
          },
          'Content-Digest': {
            schema: text,
            description:
              'Digest of the encoded body (RFC 9530). Sent if Want-Content-Digest requests one and the page is small enough to be sent in one piece.',
          },
        },
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/ExportPage' }, ...(examples && { examples }) },
          ...formatsBesideJson(acceptedFormats, describePage),
        },
      },
      304: {
        description: 'The ETag in If-None-Match is current: nothing has changed.',
        headers: { ...requestId, ...firstPage, ...quota, ...applied },
      },
      400: problemResponse(
        'A parameter is invalid, misspelled (from_date instead of fromDate), repeated, or different from the value sent for the first page.',
      ),
      406: notAcceptable,
      412: problemResponse(
        'If-Match was sent with an ETag. Export pages have weak ETags, which never match; use If-None-Match instead.',
      ),
      ...keyErrors,
    },
  }
}

export const notAcceptable = problemResponse('No available format matches the Accept header.')

/** Content of a response in the described formats, by media type. A page token of one format is valid in all of them. */
export const formatsBesideJson = <Format extends ExportFormat>(
  formats: readonly Format[],
  describe: (format: Format) => string | undefined,
): JsonSchema =>
  Object.fromEntries(
    formats.flatMap(format => {
      const description = describe(format)
      return description === undefined
        ? []
        : [[pageFormats[format].types[0], { schema: { type: 'string', description } }]]
    }),
  )

/** Export operation with the program slug as a parameter. */
export const anyExportOperation = () => {
  const operation = exportOperation()
  return { ...operation, parameters: [programSlugParameter, ...operation.parameters] }
}
