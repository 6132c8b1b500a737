// OpenAPI of the two operations for clients: checking a key and exporting. Shared by all documents of the service.

import { filterParameters } from '../../../core/export/filters/all-filters.ts'
import { pageFormats } from '../../../core/export/framings/all-framings.ts'
import type { PageFormat } from '../../../core/export/framings/page-framing.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import {
  byKey,
  headerParameter,
  json,
  listOf,
  object,
  pathParameter,
  queryParameter,
  text,
  textOrNull,
  time,
} from './described-parts.ts'

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
      ...object({
        type: { ...text, description: 'A URN that names the kind of problem.' },
        title: text,
        status: { type: 'integer' },
        detail: { ...text, description: 'What was wrong, for people.' },
        request_id: { ...text, description: 'As in X-Request-Id. The service logs more under it.' },
        errors: {
          description: 'Everything that was wrong with the request, each on its own.',
          ...listOf(
            object(
              {
                parameter: { ...text, description: 'The query parameter or header.' },
                path: { ...text, description: 'JSON Pointer into the body.' },
                code: { ...text, description: 'For programs: does not change.' },
                detail: { ...text, description: 'For people: what was wrong and what would be right.' },
              },
              ['code', 'detail'],
            ),
          ),
        },
      }),
    },
    ApiKey: {
      title: 'API key',
      description: 'The key that was presented.',
      ...object({
        api_key_id: { ...text, description: 'Its Username.' },
        name: text,
        expires_at: time,
        programs: { ...listOf(text), description: 'Slugs of the programs it may access.' },
        notice: { ...textOrNull, description: 'What its owner should do, within 30 days of its expiry; null before.' },
      }),
    },
  },
} as const

export const requestId = {
  'X-Request-Id': { schema: text, description: 'Names this request in the log of the service.' },
}
export const retryAfter = {
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds after which to try again.' },
}

const quota = {
  'RateLimit-Policy': {
    schema: text,
    description: 'The limits of the key, where it has any: requests a minute, and exports at a time.',
  },
  RateLimit: { schema: text, description: 'What is left of one of them.' },
}

/** A refusal as every operation answers it, with the members that this one may have besides. */
export function problemAnswer(
  description: string,
  headers: JsonSchema = {},
  members?: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const problem = { $ref: '#/components/schemas/Problem' }
  const schema = members === undefined ? problem : { allOf: [problem, { type: 'object', properties: members }] }
  const content = { 'application/problem+json': { schema } }
  return { description, headers: { ...requestId, ...headers }, content }
}

/** The refusals of every operation that needs an API key. */
export const keyRefusals = {
  401: problemAnswer(
    'The API key is missing or not valid, may not do this or may not access the program, or a constraint of the key is not met. The reason is in the log of the service alone.',
    { 'WWW-Authenticate': { schema: text, description: 'Basic.' } },
  ),
  429: problemAnswer('The key has made too many requests, or too many concurrent exports.', {
    ...retryAfter,
    ...quota,
  }),
  503: problemAnswer('The service is temporarily unavailable.', retryAfter),
}

/** The refusal of what takes no parameters (contract D10). */
export const noParameters = {
  400: problemAnswer(
    'A parameter was sent that is nearly one of another request, or any with Prefer: handling=strict.',
  ),
}

/** Source: spec, "Check credentials"; contract D5. */
export const checkAuthOperation = {
  operationId: 'checkAuth',
  summary: 'Check that an API key works',
  description: 'The status is the result: 200 means that the key is set up correctly.',
  ...byKey('Export'),
  responses: {
    200: {
      description: 'The key works.',
      headers: requestId,
      content: json({ $ref: '#/components/schemas/ApiKey' }),
    },
    ...noParameters,
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
    schema: text,
    description: 'On the first page: send it as `after` to the changes of this program, to read what happened since.',
  },
  'Questions-As-Of': {
    schema: { type: 'string', format: 'date-time' },
    description:
      'On the first page: when the newest version was published whose questions all pages have. Absent before the first. Later ones are ' +
      'in the changes of this program, as questionsAsOf.',
  },
  ETag: {
    schema: text,
    description:
      'On the first page: stays the same until something happens to the applications of the program, or to what is asked for.',
  },
}
export const applied = {
  'Preference-Applied': { schema: text, description: 'What of Prefer was followed.' },
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
            description: 'On the first page: names the walk when its receipt is asked for.',
          },
          'Content-Digest': {
            schema: text,
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
      400: problemAnswer(
        'A parameter is not valid, is misspelt (from_date for fromDate) or given twice, or differs from the one sent for the first page.',
      ),
      406: problemAnswer('No available format matches the Accept header.'),
      412: problemAnswer('If-Match names a tag: tags of pages are weak, and If-Match compares strongly.'),
      ...keyRefusals,
    },
  }
}

/** What is sent when Accept asks for it. A token of one format is good in all of them. */
const otherFormats = Object.fromEntries(
  Object.values<PageFormat>(pageFormats).flatMap(({ types: [type], description }) =>
    description === undefined ? [] : [[type, { schema: { type: 'string', description } }]],
  ),
)

/** The program slug where it is not fixed. */
export const programSlugParameter = pathParameter(
  'programSlug',
  'The slug of the program; equals program_name of its applications.',
)

/** The same of any program: the slug is a parameter. */
export const anyExportOperation = () => {
  const operation = exportOperation()
  return { ...operation, parameters: [programSlugParameter, ...operation.parameters] }
}

/** Of every operation that sends answers. */
export const fieldsParameter = queryParameter(
  'fields',
  'Only these questions: question keys with commas between. A repeated question follows the keys of its enumerators, with dots: ' +
    '<question>,<enumerator>.<question>. Without it all are sent. What is alongside application is always sent.',
)

/** What stands for a walk. */
export const token = { ...text, pattern: '^[0-9A-Za-z]+$' } as const

const exportParameters = [
  ...filterParameters.map(({ name, description, schema }) => queryParameter(name, description, schema)),
  queryParameter('pageSize', 'Applications on a page at most. The maximum of the service when left out or greater.', {
    type: 'integer',
    minimum: 1,
  }),
  fieldsParameter,
  queryParameter(
    'nextPageToken',
    'The nextPageToken of the page before. The other parameters may then be left out, or must be the same.',
    token,
  ),
  headerParameter(
    'If-None-Match',
    'The ETag of a first page that was sent. Without a nextPageToken, 304 then says that nothing is new.',
  ),
  headerParameter(
    'Prefer',
    '`handling=strict`: a parameter that means nothing here is refused, and not ignored (RFC 7240).',
  ),
] as const
