// All routes of the docs: programs, the service, the front page, and the usual addresses that redirect to them.

import { Elysia } from 'elysia'
import { ProgramDocs } from '../../core/derived/program-docs.ts'
import { htmlResponse } from '../html/html-response.ts'
import { pageContext } from '../html/page-context.ts'
import { preferredType } from '../http/headers/negotiation.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import { placeOf } from '../http/server/place.ts'
import { FrontPage } from './front-page.tsx'
import { llmsText } from './markdown/llms-text.ts'
import { programDocsRoutes } from './program-docs-routes.ts'
import { serviceApi } from './service-api.ts'

/** Addresses that people and tools try first. */
const redirects = {
  '/docs': '/docs/api/programs',
  '/swagger/json': '/docs/api/openapi.json',
  '/openapi.json': '/docs/api/openapi.json',
} as const

export const apiDocs = (deps: Deps) => {
  const { config, now } = deps
  const redirect = (request: Request, path: string): Response =>
    new Response(null, { status: 307, headers: { Location: `${placeOf(config, request).root}${path}` } })
  /** Browsers get a page, other clients the docs. */
  const front = ({ request }: { request: Request }): Response | Promise<Response> => {
    if (preferredType(request.headers.get('accept'), ['application/json', 'text/html']) !== 'text/html')
      return redirect(request, '/docs/api/programs')
    const { apply, exportOnly } = config
    const page = FrontPage({ hasConsole: !exportOnly, hasApply: apply && !exportOnly })
    return htmlResponse(pageContext(placeOf(config, request), config, request, now()), page)
  }
  const docs = new ProgramDocs(config, now)
  const routes = new Elysia({ name: 'api-docs' }).use(programDocsRoutes(deps, docs)).use(serviceApi(deps, docs))
  const add = (path: string, answer: (context: { request: Request }) => Response | Promise<Response>) =>
    routes
      .get(path, answer, hiddenRoute)
      .head(path, answer, hiddenRoute)
      .all(path, methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
  add('/', front)
  add('/llms.txt', ({ request }) => {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
    return new Response(llmsText(placeOf(config, request).baseUrl), { headers })
  })
  for (const [path, target] of Object.entries(redirects)) add(path, ({ request }) => redirect(request, target))
  return routes
}
