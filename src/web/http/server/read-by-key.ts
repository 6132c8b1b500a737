// Read-only routes for API keys: GET, HEAD, and 405 for every other method.

import { Elysia } from 'elysia'
import type { Caller } from '../../../core/keys/caller.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { authenticate } from './authenticate.ts'
import type { Deps } from './deps.ts'
import { methodNotAllowed } from './errors.ts'

/** An authorized request. */
export interface AskedByKey {
  caller: Caller
  params: Readonly<Record<string, string>>
  request: Request
}

/** The routes of a path; `operation` is its OpenAPI description. */
export const readByKey = (
  deps: Deps,
  path: string,
  operation: object,
  answer: (request: AskedByKey) => Promise<Response>,
) =>
  new Elysia({ name: path })
    .use(authenticate(deps))
    .get(path, answer, { detail: routeDetail(operation) })
    // Bun omits the body and keeps its length.
    .head(path, answer)
    .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
