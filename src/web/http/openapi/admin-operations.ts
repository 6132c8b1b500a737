// OpenAPI of the console's API, generated from its actions.

import type { TSchema } from 'typebox'
import type { Scope } from '../../../core/people/admin-tokens.ts'
import { type Role, roleNames } from '../../../core/people/roles.ts'
import { pathParameter, queryParameter } from './described-parts.ts'
import { problemAnswer, retryAfter } from './export-operations.ts'

/** What an action says of itself. */
export interface DescribedOperation {
  /** What OpenAPI calls it, without the `admin` that all of them begin with there. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/api/v1`: `/keys/:keyId`. */
  path: string
  summary: string
  description?: string
  /** What its answer is, in a sentence. */
  answers: string
  /** The form of its answer, with every member. */
  answered: TSchema
  /** Whether it makes something: it is answered with 201 then. */
  makes?: boolean
  /** Of one that may go on after its answer, with 202: that answer. */
  later?: { answers: string; answered: TSchema }
  roles: readonly Role[]
  /** What a token must be good for; undefined where any will do. */
  scope: Scope | undefined
  /** Parameters of the address, with what they mean. */
  query?: Readonly<Record<string, string>>
  body?: TSchema
}

/** Meanings of path parameters, where "the id of" and the name would not explain it. */
const meanings: Readonly<Record<string, string>> = {
  keyId: 'The Username of an API key.',
  publicationId: 'The id of a publication in the background.',
  requestId: 'The `X-Request-Id` of the refusal.',
  slug: 'The slug of the program.',
  versionId: 'The id of a version of the program.',
  intermediaryId: 'The id of the person in the organization.',
}
const meaningOf = (name: string): string => meanings[name] ?? `The id of the ${name.replace(/Id$/, '')}.`

const refusals = {
  401: problemAnswer('No valid session or token.', {
    'WWW-Authenticate': { schema: { type: 'string' }, description: 'Bearer.' },
  }),
  403: problemAnswer(
    'The role of the person, or the scope of the token, does not reach this; or the form token is missing.',
  ),
  429: problemAnswer('Too many requests with this token, or too many wrong ones from this address.', retryAfter),
  503: problemAnswer('The service is temporarily unavailable.', retryAfter),
}

export const adminTag = {
  name: 'Administration',
  description:
    'What administrators do in the console, for their programs: with a token made under Account, or with the session of a browser and its X-CSRF-Token. A person may do the same here as there; a token of theirs what its scopes say, also through the keys and people that it makes.',
}

/** The ways in, alongside that of API keys. */
export const adminSecuritySchemes = {
  adminToken: { type: 'http', scheme: 'bearer', description: 'A token of an administrator, `tribat_…`.' },
  consoleSession: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'With the cookie of a session of the console; GET /admin/api/v1/session returns the value.',
  },
}

export function adminOperation(action: DescribedOperation) {
  const places = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const parameters = [
    ...places.map(name => pathParameter(name, meaningOf(name))),
    ...Object.entries(action.query ?? {}).map(([name, description]) => queryParameter(name, description)),
  ]
  const may = action.roles.map(role => roleNames[role]).join(', ')
  const scope = action.scope === undefined ? '' : ` A token needs the scope \`${action.scope}\`.`
  const hasBody = action.body !== undefined
  return {
    // With a prefix, so that no name collides with an operation of clients.
    operationId: `admin${action.name[0]!.toUpperCase()}${action.name.slice(1)}`,
    tags: [adminTag.name],
    security: [{ adminToken: [] }, { consoleSession: [] }],
    summary: action.summary,
    description: `${action.description === undefined ? '' : `${action.description} `}For ${may}.${scope}`,
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
          headers: { Location: { schema: { type: 'string' }, description: 'Where its progress is read.' } },
          content: { 'application/json': { schema: action.later.answered } },
        },
      }),
      ...((hasBody || places.length > 0 || action.query !== undefined) && {
        400: problemAnswer('The request is invalid; every error is named with its place.'),
      }),
      ...refusals,
      ...((places.length > 0 || hasBody) && {
        404: problemAnswer('Not found, or not accessible to this person.'),
      }),
      ...(action.method !== 'GET' && {
        409: problemAnswer('A concurrent change won, or the state does not allow this. Nothing was changed.'),
      }),
      ...(hasBody && {
        413: problemAnswer('The body is too long.'),
        415: problemAnswer('The body is not JSON in UTF-8.'),
      }),
    },
  }
}
