// All of the docs: of each program, of the service, and the files their pages are shown with.
// It must not know what any of them answers.

import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { docsAssets } from './docs-assets.ts'
import { programDocsRoutes } from './program-docs-routes.ts'
import { serviceApi } from './service-api.tsx'

export const apiDocs = (deps: Deps) =>
  new Elysia({ name: 'api-docs' }).use(docsAssets()).use(programDocsRoutes(deps)).use(serviceApi(deps))
