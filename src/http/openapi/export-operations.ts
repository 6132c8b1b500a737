// What OpenAPI says about the two operations for clients: checking a key and exporting. Shared by all documents of the service.

import type { JsonSchema } from '../../domain/question-types/field-schema.ts'
import type { ExportType } from '../export-formats.ts'

/** Operations refer to these by `#/components/…`. */
export const exportComponents = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'basic',
      description:
        'Username and Password of an API key. The API Secret Token is the two, joined by a colon, in Base64.',
    },
  },
  schemas: {
    Problem: {
      title: 'Problem',
      description: 'Why a request was refused (RFC 9457).',
      type: 'object',
      properties: {
        type: { type: 'string', description: 'A URN that names the kind of problem.' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string', description: 'What was wrong, for people.' },
        request_id: { type: 'string', description: 'As in X-Request-Id. The service logs more under it.' },
        errors: {
          type: 'array',
          description: 'Everything that was wrong with the request, each on its own.',
          items: {
            type: 'object',
            properties: {
              parameter: { type: 'string', description: 'The query parameter or header.' },
              path: { type: 'string', description: 'JSON Pointer into the body.' },
              code: { type: 'string', description: 'For programs: does not change.' },
              detail: { type: 'string', description: 'For people: what was wrong and what would be right.' },
            },
            required: ['code', 'detail'],
          },
        },
      },
      required: ['type', 'title', 'status', 'detail', 'request_id', 'errors'],
    },
    ApiKey: {
      title: 'API key',
      description: 'The key that was presented.',
      type: 'object',
      properties: {
        api_key_id: { type: 'string', description: 'Its Username.' },
        name: { type: 'string' },
        expires_at: { type: 'string', format: 'date-time' },
        programs: { type: 'array', items: { type: 'string' }, description: 'Slugs of the programs it may access.' },
        notice: {
          type: ['string', 'null'],
          description: 'What its owner should do, within 30 days of its expiry; null before.',
        },
      },
      required: ['api_key_id', 'name', 'expires_at', 'programs', 'notice'],
    },
  },
} as const

export const requestId = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Names this request in the log of the service.' },
}
const retryAfter = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds after which to try again.' } }

const quota = {
  'RateLimit-Policy': {
    schema: { type: 'string' },
    description: 'The limits of the key, where it has any: requests a minute, and exports at a time.',
  },
  RateLimit: { schema: { type: 'string' }, description: 'What is left of one of them.' },
}

/** A refusal as every operation answers it. */
export function problemAnswer(description: string, headers: JsonSchema = {}): JsonSchema {
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return { description, headers: { ...requestId, ...headers }, content }
}

/** The refusals of every operation that needs an API key. */
export const keyRefusals = {
  401: problemAnswer(
    'The API key is missing or not valid, may not do this or may not access the program, or a constraint of the key is not met. The reason is in the log of the service alone.',
    { 'WWW-Authenticate': { schema: { type: 'string' }, description: 'Basic.' } },
  ),
  429: problemAnswer('The key has made too many requests, or has too many exports under way.', {
    ...retryAfter,
    ...quota,
  }),
  503: problemAnswer('The service cannot answer just now.', retryAfter),
}

/** Source: spec, "Check credentials"; contract D5. */
export const checkAuthOperation = {
  operationId: 'checkAuth',
  summary: 'Check that an API key works',
  description: 'The status alone tells: 200 means that the key is set up correctly.',
  tags: ['Export'],
  security: [{ apiKey: [] }],
  responses: {
    200: {
      description: 'The key works.',
      headers: requestId,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiKey' } } },
    },
    ...keyRefusals,
  },
}

/** Of a walk's first page, and of the answer that it would be what it was. */
const firstPage = {
  'Snapshot-Time': {
    schema: { type: 'string', format: 'date-time' },
    description:
      'On the first page: use it as the next fromDate to get everything submitted since. As toDate of one walk and fromDate ' +
      'of the next, nothing comes twice either; without toDate, some of it does while a bulk load is under way.',
  },
  'Change-Cursor': {
    schema: { type: 'string' },
    description:
      'On the first page: send it as `after` to the changes of this program, to be told what happened since.',
  },
  ETag: {
    schema: { type: 'string' },
    description:
      'On the first page: stays the same until something happens to the applications of the program, or to what is asked for.',
  },
}
const applied = {
  'Preference-Applied': { schema: { type: 'string' }, description: 'What of Prefer was followed.' },
}

/**
 * Of the program that the address names. `examples` as OpenAPI has them for a media type.
 * Source: spec, "List program applications"; contract section 1.
 */
export function exportOperation(examples?: JsonSchema) {
  return {
    operationId: 'exportApplications',
    summary: 'Export the applications of one program',
    description:
      'Applications come oldest submission first. Repeat the request with each nextPageToken until it is null. All pages show ' +
      'the applications as they were when the first page was served: each one exactly once, and none submitted later.',
    tags: ['Export'],
    security: [{ apiKey: [] }],
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
            schema: { type: 'string' },
            description: 'On the first page: names the walk when its receipt is asked for.',
          },
          'Content-Digest': {
            schema: { type: 'string' },
            description:
              'Digest of the body as it is sent (RFC 9530), when Want-Content-Digest asks for one and the page is small enough to be sent in one piece.',
          },
        },
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/ExportPage' }, ...(examples && { examples }) },
          ...otherFormats,
        },
      },
      304: {
        description: 'If-None-Match names the ETag of the first page that would be sent: nothing has happened since.',
        headers: { ...requestId, ...firstPage, ...quota, ...applied },
      },
      400: problemAnswer('A parameter is not valid, or differs from the one sent for the first page.'),
      406: problemAnswer('The Accept header takes none of the formats that are offered.'),
      ...keyRefusals,
    },
  }
}

/** What is sent when Accept asks for it. A token of one format is good in all of them. */
const otherFormats = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description:
        'One application a line, as in payload, and a last line {"nextPageToken": …, "count": …} with the number of applications before ' +
        'it. A page without that last line is not whole.',
    },
  },
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'RFC 4180 in UTF-8, with a byte order mark and a header record. Columns: next_page_token, the fields of an application, and ' +
        'question_key.field for each field of each top-level answer; lists are joined by semicolons, and of an enumerator there is ' +
        'the number of its entities. The last record has nothing but next_page_token: the token, or none on the last page. A page ' +
        'without that record is not whole. A text that a spreadsheet could take for a formula, or that begins with an apostrophe, ' +
        'has an apostrophe before it.',
    },
  },
} as const satisfies Record<Exclude<ExportType, 'application/json'>, object>

/** The program slug where it is not fixed. */
export const programSlugParameter = {
  name: 'programSlug',
  in: 'path',
  required: true,
  description: 'The slug of the program; equals program_name of its applications.',
  schema: { type: 'string' },
} as const

/** The same of any program: the slug is a parameter. */
export const anyExportOperation = () => {
  const operation = exportOperation()
  return { ...operation, parameters: [programSlugParameter, ...operation.parameters] }
}

const dateForms =
  'A date or a date with a time: 2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00Z, 2026-01-31T09:30:00-08:00. ' +
  "Without a time it is the beginning of the day; without a zone it is in the service's own."

/** Of every operation that sends answers. */
export const fieldsParameter = {
  name: 'fields',
  in: 'query',
  description:
    'Only these questions: question keys with commas between, such as applicant_name,household_members.jobs.employer, where a repeated question stands ' +
    'after the keys of its enumerators. Without it all are sent. What stands beside application is always sent.',
  schema: { type: 'string' },
} as const

const exportParameters = [
  {
    name: 'fromDate',
    in: 'query',
    description: `Only applications submitted at this instant or after it. ${dateForms}`,
    schema: { type: 'string' },
  },
  {
    name: 'toDate',
    in: 'query',
    description: `Only applications submitted before this instant. ${dateForms}`,
    schema: { type: 'string' },
  },
  {
    name: 'revisionState',
    in: 'query',
    description: 'Only applications in this revision state; all when left out.',
    schema: { type: 'string', enum: ['CURRENT', 'OBSOLETE'] },
  },
  {
    name: 'pageSize',
    in: 'query',
    description: 'Applications on a page at most. The maximum of the service when left out or greater.',
    schema: { type: 'integer', minimum: 1 },
  },
  fieldsParameter,
  {
    name: 'nextPageToken',
    in: 'query',
    description:
      'The nextPageToken of the page before. The other parameters may then be left out, or must be the same.',
    schema: { type: 'string', pattern: '^[0-9A-Za-z]+$' },
  },
  {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a first page that was sent. Without a nextPageToken, 304 then says that nothing is new.',
    schema: { type: 'string' },
  },
] as const
