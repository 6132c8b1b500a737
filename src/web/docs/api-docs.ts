// All routes of the docs: programs, the service, and the redirect from `/`.

import { Elysia } from 'elysia'
import { ProgramDocs } from '../../core/derived/program-docs.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import { placeOf } from '../http/server/place.ts'
import { programDocsRoutes } from './program-docs-routes.ts'
import { serviceApi } from './service-api.ts'

export const apiDocs = (deps: Deps) => {
  const toDocs = ({ request }: { request: Request }): Response =>
    new Response(null, {
      status: 307,
      headers: { Location: `${placeOf(deps.config, request).root}/docs/api/programs` },
    })
  const docs = new ProgramDocs(deps.config, deps.now)
  return new Elysia({ name: 'api-docs' })
    .use(programDocsRoutes(deps, docs))
    .use(serviceApi(deps, docs))
    .get('/', toDocs, hiddenRoute)
    .head('/', toDocs, hiddenRoute)
    .all('/', methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
}
