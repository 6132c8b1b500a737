// Replaces lazy-routes in a binary built without the console and the docs (scripts/build --without console).

import { Problem } from '../base/problem.ts'
import { absentRoutes } from './http/server/absent-routes.ts'

const withoutPages = (): Problem =>
  new Problem('not_found', { detail: 'This build does not include the console and the docs.' })

export const adminConsole = () => absentRoutes(['/', '/admin', '/admin/*'], withoutPages)

export const apiDocs = () => absentRoutes(['/docs', '/docs/*'], withoutPages)

export const shellAssets = () => absentRoutes(['/assets/*'], withoutPages)

/** Browsers get the problem document too. */
export const refusalPage = (_config: unknown, _request: Request, refusal: Response): Response => refusal
