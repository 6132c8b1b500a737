// OpenAPI descriptions of the administration API, generated from the actions of the console.

import type { TSchema } from 'typebox'
import type { Scope } from '../../../core/people/admin-tokens.ts'
import { type Role, roleNames } from '../../../core/people/roles.ts'
import { pathParameter, queryParameter } from './described-parts.ts'
import { problemResponse, retryAfter } from './export-operations.ts'

/** The declaration of an action for its OpenAPI operation. */
export interface DescribedOperation {
  /** Operation ID without the prefix `admin`. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/api/v1`: `/keys/:keyId`. */
  path: string
  summary: string
  description?: string
  /** Description of the response, one sentence. */
  answers: string
  /** Schema of the response. */
  answered: TSchema
  /** Whether it creates something and returns 201. */
  makes?: boolean
  /** The 202 response, for actions that can continue in the background. */
  later?: { answers: string; answered: TSchema }
  roles: readonly Role[]
  /** Scope that a token needs; undefined if any token will do. */
  scope: Scope | undefined
  /** Query parameters with their descriptions. */
  query?: Readonly<Record<string, string>>
  body?: TSchema
}

/** Descriptions of path parameters. */
const meanings: Readonly<Record<string, string>> = {
  applicationId: 'ID of the application.',
  eventId: 'ID of the event.',
  intermediaryId: 'ID of the intermediary in the organization.',
  keyId: 'Username of the API key.',
  organizationId: 'ID of the organization.',
  personId: 'ID of the person.',
  publicationId: 'ID of the publication that runs in the background.',
  questionId: 'ID of the question.',
  requestId: '`X-Request-Id` of the failed request.',
  slug: 'Slug of the program.',
  tokenId: 'ID of the token.',
  versionId: 'ID of the program version.',
  webhookId: 'ID of the webhook.',
}

function meaningOf(name: string): string {
  const meaning = meanings[name]
  if (meaning === undefined) throw new Error(`path parameter ${name} has no description`)
  return meaning
}

const refusals = {
  401: problemResponse('The session or token is missing or invalid.', {
    'WWW-Authenticate': { schema: { type: 'string' }, description: 'Bearer.' },
  }),
  403: problemResponse('The person’s role or the token’s scopes do not allow this, or X-CSRF-Token is missing.'),
  429: problemResponse('Too many requests with this token, or too many invalid tokens from this address.', retryAfter),
  503: problemResponse('The service is temporarily unavailable.', retryAfter),
}

export const adminTag = {
  name: 'Administration',
  description:
    'Everything that people can do in the console, for scripts. Authenticate with a token created under Account, or with a browser session and its X-CSRF-Token. Permissions are those of the person; the scopes of a token limit them further, including for keys and people created with it.',
}

/** Security schemes of administrators, in addition to API keys. */
export const adminSecuritySchemes = {
  adminToken: { type: 'http', scheme: 'bearer', description: 'An administrator’s token, `tribat_…`.' },
  consoleSession: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description:
      'The header `X-CSRF-Token` with the console’s session cookie. `GET /admin/api/v1/session` returns the value of the header.',
  },
}

export function adminOperation(action: DescribedOperation) {
  const places = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const parameters = [
    ...places.map(name => pathParameter(name, meaningOf(name))),
    ...Object.entries(action.query ?? {}).map(([name, description]) => queryParameter(name, description)),
  ]
  const may = action.roles.map(role => roleNames[role]).join(', ')
  const scope = action.scope === undefined ? '' : ` Tokens need the scope \`${action.scope}\`.`
  const hasBody = action.body !== undefined
  return {
    // The prefix avoids collisions with operations for clients.
    operationId: `admin${action.name[0]!.toUpperCase()}${action.name.slice(1)}`,
    tags: [adminTag.name],
    security: [{ adminToken: [] }, { consoleSession: [] }],
    summary: action.summary,
    description: `${action.description === undefined ? '' : `${action.description} `}Available to: ${may}.${scope}`,
    parameters,
    ...(hasBody && {
      requestBody: { required: true, content: { 'application/json': { schema: action.body } } },
    }),
    responses: {
      [action.makes ? 201 : 200]: {
        description: action.answers,
        content: { 'application/json': { schema: action.answered } },
      },
      ...(action.later !== undefined && {
        202: {
          description: action.later.answers,
          headers: { Location: { schema: { type: 'string' }, description: 'Address that reports its progress.' } },
          content: { 'application/json': { schema: action.later.answered } },
        },
      }),
      ...((hasBody || places.length > 0 || action.query !== undefined) && {
        400: problemResponse('The request is invalid; errors lists each invalid value with its path.'),
      }),
      ...refusals,
      ...((places.length > 0 || hasBody) && {
        404: problemResponse('Not found, or not accessible to the person.'),
      }),
      ...(action.method !== 'GET' && {
        409: problemResponse(
          'Another change was made first, or the current state does not allow this. Nothing was changed.',
        ),
      }),
      ...(hasBody && {
        413: problemResponse('The body is too large.'),
        415: problemResponse('The body is not JSON encoded in UTF-8.'),
      }),
    },
  }
}
