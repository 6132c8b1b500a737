// In place of lazy-routes in a program that is built without the console and the docs (scripts/build --without console).

import { Problem } from '../base/problem.ts'
import { absentRoutes } from './http/server/absent-routes.ts'

const withoutPages = (): Problem =>
  new Problem('not_found', { detail: 'This program was built without the console and the docs.' })

export const adminConsole = () => absentRoutes(['/', '/admin', '/admin/*'], withoutPages)

export const apiDocs = () => absentRoutes(['/docs', '/docs/*'], withoutPages)

export const shellAssets = () => absentRoutes(['/assets/*'], withoutPages)

/** A program gets the problem document, and so does a browser here. */
export const refusalPage = (_config: unknown, _request: Request, refusal: Response): Response => refusal
