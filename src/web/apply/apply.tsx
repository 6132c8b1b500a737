// The applicants' pages: plain forms, which submit through intake like any front end and work without scripts.

/** @jsxImportSource preact */

import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import { isMultipart } from '../http/forms/read-multipart.ts'
import { readAddress } from '../http/headers/sent-text.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed, problemResponse } from '../http/server/errors.ts'
import { recordOf } from '../http/server/request-record.ts'
import { applyAssets } from './apply-assets.ts'
import { ApplyLimits } from './apply-limits.ts'
import {
  type ApplyHandler,
  type ApplyRequest,
  admitForm,
  clientsPath,
  openApplyRequest,
  readApplyForm,
  redirect,
} from './apply-request.ts'
import { LinkLine, showApply } from './apply-shell.tsx'
import { getCheck, getReceived, postCheck } from './check-pages.tsx'
import { getClients, getNewClient, postNewClient, postOpenClient } from './client-pages.tsx'
import { readUpload } from './form-files.ts'
import { getProgram, getPrograms } from './program-pages.tsx'
import { getApplications, getCode, getReturn, postCode, postFinish, postReturn } from './return-pages.tsx'
import { getScreen, postScreen } from './screen-pages.tsx'

interface ApplyRoute {
  get?: ApplyHandler
  post?: ApplyHandler
  /** Whether its form is accepted in any session, because it ends the current one. */
  inAnySession?: boolean
  /** Whether its form may contain files. */
  takesFiles?: boolean
  /** Whether an intermediary can open it before choosing a client. */
  withoutClient?: boolean
}

const ofIntermediaries = { inAnySession: true, withoutClient: true }

/** No slug is `-`, so pages without a program use it in place of a slug. */
const routes: Readonly<Record<string, ApplyRoute>> = {
  '/apply': { get: getPrograms, withoutClient: true },
  '/apply/:slug': { get: getProgram, withoutClient: true },
  '/apply/:slug/screens/:screen': { get: getScreen, post: postScreen, takesFiles: true },
  '/apply/:slug/check': { get: getCheck, post: postCheck },
  '/apply/:slug/received': { get: getReceived },
  '/apply/-/code': { get: getCode, post: postCode },
  '/apply/-/return': { get: getReturn, post: postReturn },
  '/apply/-/applications': { get: getApplications },
  '/apply/-/clients': { get: getClients, post: getClients, ...ofIntermediaries },
  '/apply/-/clients/new': { get: getNewClient, post: postNewClient, ...ofIntermediaries },
  '/apply/-/clients/open': { post: postOpenClient, ...ofIntermediaries },
  '/apply/-/finish': { post: postFinish, ...ofIntermediaries },
}

export const applicantPages = (deps: Deps) => {
  const limits = new ApplyLimits(deps.countingRedis)
  const app = new Elysia({ name: 'apply' }).use(applyAssets(deps.config))
  for (const [path, route] of Object.entries(routes)) {
    const { get, post } = route
    type Context = { request: Request; params?: Readonly<Record<string, string | null>> }
    const answer = (handler: ApplyHandler) => (context: Context) => enter(deps, limits, route, handler, context)
    if (get !== undefined) app.get(path, answer(get), hiddenRoute).head(path, answer(get), hiddenRoute)
    if (post !== undefined) app.post(path, answer(post), hiddenRoute)
    const offered = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])]
    app.all(path, methodNotAllowed(offered), hiddenRoute)
  }
  return app
}

async function enter(
  deps: Deps,
  limits: ApplyLimits,
  { inAnySession, takesFiles, withoutClient = false }: ApplyRoute,
  handler: ApplyHandler,
  { request, params }: { request: Request; params?: Readonly<Record<string, string | null>> },
): Promise<Response> {
  const pageRequest = await openApplyRequest(deps, limits, request)
  try {
    pageRequest.params = readAddress(pageRequest.url, params)
    if (!recordOf(request).origin.secure)
      throw new Problem('forbidden', {
        detail: 'The applicants’ pages require HTTPS.',
        internal: 'plain_http',
      })
    if (pageRequest.intermediary !== undefined && pageRequest.session === undefined && !withoutClient)
      return redirect(pageRequest, clientsPath)
    if (request.method === 'POST') {
      await admitForm(pageRequest)
      await (takesFiles && isMultipart(request) ? readUpload(pageRequest) : readApplyForm(pageRequest, inAnySession))
    }
    return await handler(pageRequest)
  } catch (error) {
    return refusal(error, pageRequest)
  }
}

/** The error, in words that tell applicants what to do. */
async function refusal(error: unknown, request: ApplyRequest): Promise<Response> {
  const response = problemResponse(error, recordOf(request.request))
  const { type } = (await response.json()) as { type: string }
  const { pages } = request.texts
  const kind = type.slice(type.lastIndexOf(':') + 1).replaceAll('-', '_')
  const text = pages.problems[kind] ?? pages.problems.other
  const body = (
    <>
      <h1>{pages.problem}</h1>
      <p>{text}</p>
      <LinkLine request={request} path="/apply" text={pages.toStart} />
    </>
  )
  const page = showApply(request, { title: pages.problem, body, status: response.status })
  const retry = response.headers.get('retry-after')
  if (retry !== null) page.headers.set('Retry-After', retry)
  return page
}
