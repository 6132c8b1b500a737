// Reads and sets the status and note of an application. Setting them requires If-Match, so when two clients change them concurrently, the
// second gets 412.

import { Elysia } from 'elysia'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { annotate, noteLengthMax } from '../../../core/applications/annotate.ts'
import { authorizeAnnotation, authorizeExport, type Caller } from '../../../core/keys/caller.ts'
import { type PresentAnnotations, readPresentAnnotations } from '../../../db/applications/client-reads.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { isJsonObject, type Json } from '../../../domain/values/json-text.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { namesTag, strongTags } from '../headers/entity-tag.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { readStatusOperation, setStatusOperation } from '../openapi/status-operations.ts'
import { authenticate } from '../server/authenticate.ts'
import type { Deps } from '../server/deps.ts'
import { methodNotAllowed } from '../server/errors.ts'
import { readJsonBody } from '../server/json-body.ts'
import { applicationIdIn, enterProgram, refuseParameters } from '../server/program-request.ts'
import { recordOf } from '../server/request-record.ts'
import { noSuchApplication } from './read-applications.ts'

const path = '/api/v1/admin/programs/:programSlug/applications/:applicationId/status'

/** Clients can write each UTF-16 unit of a note as an escape of six bytes. */
const bodyLimits = {
  bytesMax: 6 * noteLengthMax + 4096,
  arrivalMs: 10_000,
  depthMax: 8,
  valuesMax: 100,
  // The correct media type (RFC 7396), and the one that most clients send.
  types: ['application/merge-patch+json', 'application/json'],
} as const

interface StatusRequest {
  caller: Caller
  params: { programSlug: string; applicationId: string }
  request: Request
}

export const applicationStatus = (deps: Deps) => {
  const { config, consoleDb, db } = deps

  const read = async (statusRequest: StatusRequest): Promise<Response> => {
    const { programId, applicationId, headers } = await begin(deps, statusRequest, authorizeExport)
    const present = await readThroughLoss(() => readPresentAnnotations(db, programId, applicationId))
    if (present === undefined) throw noSuchApplication()
    const { caller, request } = statusRequest
    const ifMatch = request.headers.get('if-match')
    if (ifMatch !== null && seenOf(strongTags(ifMatch), present) === -1) throw seenIsOld()
    const tag = tagOf(present)
    if (namesTag(request.headers.get('if-none-match'), tag))
      return new Response(null, { status: 304, headers: { ...headers, ETag: tag } })
    if (request.method === 'GET') {
      await deps.audit({
        actor: `key:${caller.api_key_id}`,
        action: 'application_status_read',
        subject: String(applicationId),
        address: caller.address,
        detail: { program_id: programId, request_id: recordOf(request).id },
      })
    }
    return show(present, headers, config.timeZone)
  }

  const set = async (statusRequest: StatusRequest): Promise<Response> => {
    const { programId, applicationId, headers } = await begin(deps, statusRequest, authorizeAnnotation)
    const { caller, request } = statusRequest
    const change = changeOf(await readJsonBody(request, bodyLimits))
    const ifMatch = request.headers.get('if-match')
    if (ifMatch === null) throw preconditionRequired()
    const present = await readPresentAnnotations(consoleDb, programId, applicationId)
    if (present === undefined) throw noSuchApplication()
    const seen = seenOf(strongTags(ifMatch), present)
    try {
      await annotate(consoleDb, {
        program_id: programId,
        application_id: applicationId,
        ...change,
        seen,
        actor: `key:${caller.api_key_id}`,
        address: caller.address,
        now: deps.now(),
        timeZone: config.timeZone,
      })
    } catch (error) {
      throw refusalOf(error)
    }
    // Another client may have changed the state since; the response and its tag then show that change.
    const after = await readPresentAnnotations(consoleDb, programId, applicationId)
    if (after === undefined) throw noSuchApplication()
    return show(after, headers, config.timeZone)
  }

  const routes = new Elysia({ name: 'application-status' })
    .use(authenticate(deps))
    .get(path, read, { detail: routeDetail(readStatusOperation) })
    // Bun omits the body and keeps its length.
    .head(path, read)
  if (config.exportOnly) return routes.all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
  return routes
    .patch(path, set, { parse: 'none', detail: routeDetail(setStatusOperation) })
    .all(path, methodNotAllowed(['GET', 'HEAD', 'PATCH']), { parse: 'none' })
}

/** Authorizes the caller for the program, then parses the application ID in the path. */
async function begin(deps: Deps, { caller, params, request }: StatusRequest, authorize: typeof authorizeExport) {
  const { programSlug } = params
  const { programId, headers, record } = await enterProgram(deps, { caller, programSlug, request }, authorize)
  refuseParameters(request)
  // An invalid ID gets the same response as one that does not exist.
  const applicationId = applicationIdIn(params.applicationId) ?? 0
  record.fields.application_id = applicationId
  return { programId, applicationId, headers }
}

function show(present: PresentAnnotations, headers: Record<string, string>, timeZone: string): Response {
  const { status, status_last_modified_time: time, application_note } = present
  const body = {
    status,
    status_last_modified_time: time === null ? null : formatOffsetTime(time, timeZone),
    application_note,
  }
  return Response.json(body, { headers: { ...headers, ETag: tagOf(present) } })
}

interface StatusChange {
  status?: string | null
  note?: string | null
}

/** Parses a JSON Merge Patch: omitted members are unchanged. */
function changeOf(body: Json): StatusChange {
  if (!isJsonObject(body)) throw refused([{ path: '', code: 'wrong_type', detail: 'Must be an object.' }])
  const errors: ProblemItem[] = []
  const change: StatusChange = {}
  for (const [name, value] of body) {
    const path = `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (name !== 'status' && name !== 'application_note')
      errors.push({ path, code: 'unknown_member', detail: 'Must be status or application_note.' })
    else if (value !== null && typeof value !== 'string')
      errors.push({ path, code: 'wrong_type', detail: 'Must be a string, or null to remove the value.' })
    else change[name === 'status' ? 'status' : 'note'] = value
  }
  if (body.size === 0)
    errors.push({ path: '', code: 'required', detail: 'Must contain status, application_note or both.' })
  if (errors.length > 0) throw refused(errors)
  return change
}

/** The annotation ID in If-Match: the current one if named, -1 if not, undefined for `*`. */
function seenOf(tags: readonly string[] | '*', { annotation_id }: PresentAnnotations): number | undefined {
  if (tags === '*') return undefined
  return tags.includes(String(annotation_id)) ? annotation_id : -1
}

/** ETag of the current status and note. */
const tagOf = ({ annotation_id }: PresentAnnotations): string => `"${annotation_id}"`

const seenIsOld = (): Problem =>
  new Problem('precondition_failed', {
    detail:
      'The status or note has changed since the ETag in If-Match, so nothing was changed. Read them again and retry with the new ETag.',
    internal: 'seen_is_old',
  })

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  if (error.internal === 'seen_is_old') return seenIsOld()
  if (error.kind !== 'invalid_request') return error
  return refused(error.errors.map(item => (item.path === '/note' ? { ...item, path: '/application_note' } : item)))
}

const refused = (errors: readonly ProblemItem[]): Problem =>
  invalidRequest('The status and note were not changed.', errors)

const preconditionRequired = (): Problem => {
  const detail =
    'must be the ETag of the status and note that your change is based on, or * to change them unconditionally.'
  return new Problem('precondition_required', {
    detail: 'Send If-Match when you change the status or note, so that you do not overwrite a concurrent change.',
    errors: [{ parameter: 'If-Match', code: 'required', detail }],
  })
}
