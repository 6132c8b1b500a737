// The OpenAPI document of the service, which @elysiajs/swagger collects from the `detail` of the routes, and the page that shows it.

import { type ElysiaSwaggerConfig, swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import type { ProgramDocs } from '../../core/derived/program-docs.ts'
import { responseDefinitions } from '../../domain/questions/response-schema.ts'
import { common, json, pageResponse } from '../html/docs-response.ts'
import { codedBody } from '../http/headers/coded-body.ts'
import type { Coding } from '../http/headers/negotiation.ts'
import { adminSecuritySchemes, adminTag } from '../http/openapi/admin-operations.ts'
import { exportComponents } from '../http/openapi/export-operations.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import { placeOf } from '../http/server/place.ts'
import { refuseParameters } from '../http/server/program-request.ts'
import { operationSampler, type SeenExample } from './code-samples/operation-sample.ts'
import type { ServiceDocument } from './components/service-document.ts'
import { KeptPages } from './kept-pages.ts'
import { isMarkdown, markdownResponse, wantsJson } from './markdown/markdown-response.ts'
import { scalarPage } from './scalar/scalar-page.tsx'
import { ServicePage } from './service-page.tsx'
import { findFirstProgram, type Viewer, viewDocs } from './viewer.ts'

const page = '/docs/api'
const document = '/docs/api/openapi.json'

const documentation = (baseUrl: string) => ({
  servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
  openapi: '3.1.0',
  info: {
    title: 'Tributary',
    version: '1',
    description:
      'Exports every application submitted to a program, complete and exactly once. For the questions and answers of a program, see its own docs.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  tags: [
    { name: 'Export', description: 'Pull applications.' },
    { name: 'Docs', description: 'Read the generated docs of programs.' },
    { name: 'Intake', description: 'Submit applications from a form front end.' },
    adminTag,
  ],
  components: {
    ...exportComponents,
    securitySchemes: { ...exportComponents.securitySchemes, ...adminSecuritySchemes },
    schemas: {
      ...responseDefinitions([], undefined, { definitionsAt: '#/components/schemas/' }),
      ...exportComponents.schemas,
    },
  },
})

/** Collects the operations of all routes into the document. */
const collecting = (baseUrl: string) =>
  swagger({
    path: page,
    specPath: document,
    // Routes for all methods only return 405, and HEAD is like GET.
    excludeMethods: ['ALL', 'HEAD', 'OPTIONS'],
    excludeStaticFile: false,
    // The plugin has types for OpenAPI 3.0 only.
    documentation: documentation(baseUrl) as unknown as ElysiaSwaggerConfig['documentation'],
  })

/** `GET /docs/api`, `GET /docs/api/openapi.json` and `GET /swagger`, for API keys and people who are signed in. */
export const serviceApi = (deps: Deps, docs: ProgramDocs) => {
  const pages = new KeptPages(keptPagesMax)
  const show = async ({ viewer, request }: { viewer: Viewer; request: Request }): Promise<Response> => {
    const { baseUrl } = placeOf(deps.config, request)
    if (!wantsJson(request)) {
      const example = await loadSeenExample(deps, docs, viewer)
      const isText = isMarkdown(request)
      // The page does not depend on the query, and is compressed only once it is Markdown.
      const context = { ...viewer.context, query: new URLSearchParams(), ...(isText && { coding: undefined }) }
      const rendered = async (): Promise<Response> => {
        const described = gathered()
        const sampleOf = operationSampler(described, baseUrl, example)
        const shown = await pageResponse(
          { context, fields: {} },
          ServicePage({ document: described, documentPath: document, sampleOf }),
        )
        return isText ? markdownResponse(shown, request, context, {}) : shown
      }
      // A person's page contains their name.
      if (viewer.granted === undefined) return rendered()
      const { root, coding } = viewer.context
      return pages.responseFor(JSON.stringify([baseUrl, root, isText, coding, example]), rendered, viewer.fields)
    }
    const links = {
      openapi_url: baseUrl + document,
      programs_url: `${baseUrl}/docs/api/programs`,
      check_auth_url: `${baseUrl}/api/v1/checkAuth`,
    }
    return json(links, viewer.fields)
  }
  const routes = new Elysia({ name: 'service-api' })
    .use(viewDocs(deps))
    .onBeforeHandle(({ request }) => refuseParameters(request))
    .use(collecting(deps.config.baseUrl))
  const gathering = routes.routes.find(route => route.path === document)?.handler as () => ServiceDocument
  const gathered = (): ServiceDocument => gathering()
  const sendDocument = ({ viewer: { context, fields } }: { viewer: Viewer }) =>
    pages.responseFor(`document ${context.coding}`, async () => documentResponse(gathered(), context.coding), fields)
  const sendScalar = ({ viewer: { context, fields } }: { viewer: Viewer }) => scalarPage(context, document, fields)
  const onlyRead = methodNotAllowed(['GET', 'HEAD'])
  // Replaces the plugin's own page, which loads scripts from other sites, and its document, which is 480 kB uncompressed.
  for (const [path, handler] of [
    [page, show],
    [`${page}.md`, show],
    [document, sendDocument],
    ['/swagger', sendScalar],
  ] as const)
    routes.get(path, handler, hiddenRoute).head(path, handler, hiddenRoute).all(path, onlyRead, hiddenRoute)
  return routes
}

function documentResponse(described: ServiceDocument, coding: Coding | undefined): Response {
  const { body, fields } = codedBody(Buffer.from(JSON.stringify(described)), coding)
  const headers = { ...common, 'Content-Type': 'application/json', Vary: 'Accept-Encoding, Cookie', ...fields }
  return new Response(body, { headers })
}

/** Number of cached pages for API keys, each up to a megabyte. Keys need different pages if they see different first programs. */
const keptPagesMax = 16

/** A short example of the first program that the viewer can see. */
async function loadSeenExample({ db }: Deps, docs: ProgramDocs, viewer: Viewer): Promise<SeenExample | undefined> {
  const program = await findFirstProgram(db, viewer)
  if (program === undefined) return undefined
  const { program_id, slug } = program
  const [version] = (await docs.loadShortExamples(db, [program_id], viewer.hidden)).get(program_id) ?? []
  return version === undefined ? undefined : { slug, page: JSON.parse(version.example.page) as SeenExample['page'] }
}
