// One application by its id, the applications of its applicant, and its statuses and notes: for clients that were told an id.
// An application of another program is answered as one that never was.

import { Elysia } from 'elysia'
import { authorizeExport, type Caller } from '../access/caller.ts'
import { findStoredApplication, type StoredApplication } from '../db/application-lists.ts'
import { readThroughLoss } from '../db/client.ts'
import { readAnnotationSteps, readStoredRevisions } from '../db/client-reads.ts'
import { formatOffsetTime } from '../domain/values/offset-time.ts'
import { disclosedReading } from '../export/disclosed-reading.ts'
import { exportedObject } from '../export/exported-object.ts'
import { SentQuery } from '../export/sent-query.ts'
import { Problem } from '../problem.ts'
import { authenticate } from './authenticate.ts'
import type { Deps } from './deps.ts'
import { methodNotAllowed } from './errors.ts'
import { readApplicationOperation, readHistoryOperation, readRevisionsOperation } from './openapi/reading-operations.ts'
import { routeDetail } from './openapi/route-detail.ts'
import { applicationIdIn, enterProgram, sentParameters } from './program-request.ts'
import { recordOf } from './request-record.ts'

const one = '/api/v1/admin/programs/:programSlug/applications/:applicationId'

/** Most in one answer; the rest comes `after` the last. An application may have megabytes, a note 10,000 characters. */
const revisionsMax = 20
const stepsMax = 200

interface Asked {
  caller: Caller
  params: { programSlug: string; applicationId: string }
  request: Request
}

interface Reading {
  programId: number
  applicationId: number
  /** Where a list goes on. */
  after: number | undefined
  headers: Record<string, string>
}

export const readApplications = (deps: Deps) => {
  const { config, db, keyMaps } = deps

  /** Whoever asks is let in to the program first; then what is asked for is read from the address. */
  const begin = async ({ caller, params, request }: Asked): Promise<Reading> => {
    const { programSlug } = params
    const { programId, headers, record } = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
    const query = new SentQuery(sentParameters(request), ['after'])
    const after = query.read('after', (value, fault) =>
      /^[0-9]{1,15}$/.test(value) ? Number(value) : fault('invalid_after', 'must be what nextAfter said.'),
    )
    if (query.faults.length > 0) throw query.problem()
    const applicationId = applicationIdIn(params.applicationId)
    if (applicationId === undefined) throw noSuchApplication()
    record.fields.application_id = applicationId
    await deps.trail.settle(caller.api_key_id)
    return { programId, applicationId, after, headers }
  }

  /** As an export sends it. What is sent is in the audit trail before that. */
  const disclosed = async (asked: Asked, programId: number, stored: StoredApplication): Promise<Buffer> => {
    const { caller, params, request } = asked
    const { fills } = await readThroughLoss(() => keyMaps.load(db, programId, stored.questions_as_of))
    const object = exportedObject(stored, fills.get(stored.program_version_id)!)
    if (request.method === 'GET') {
      const { api_key_id: apiKeyId, address } = caller
      const requestId = recordOf(request).id
      const { programSlug } = params
      await deps.audit(
        disclosedReading({ apiKeyId, address, requestId, programSlug, application: stored, at: deps.now() }),
      )
    }
    return object
  }

  const readOne = async (asked: Asked): Promise<Response> => {
    const { programId, applicationId, headers } = await begin(asked)
    const stored = await readThroughLoss(() => findStoredApplication(db, programId, applicationId))
    if (stored === undefined) throw noSuchApplication()
    return jsonOf([await disclosed(asked, programId, stored)], headers)
  }

  const readRevisions = async (asked: Asked): Promise<Response> => {
    const { programId, applicationId, after, headers } = await begin(asked)
    const rows = await readThroughLoss(() =>
      readStoredRevisions(db, programId, applicationId, { after, rowsMax: revisionsMax + 1 }),
    )
    if (
      rows.length === 0 &&
      (await readThroughLoss(() => findStoredApplication(db, programId, applicationId))) === undefined
    )
      throw noSuchApplication()
    const revisions = rows.slice(0, revisionsMax)
    const pieces: Buffer[] = [Buffer.from('{"payload":[')]
    for (const [i, revision] of revisions.entries()) {
      if (i > 0) pieces.push(Buffer.from(','))
      pieces.push(await disclosed(asked, programId, revision))
    }
    const supersededBy = revisions.map(revision => revision.superseded_by)
    const nextAfter = rows.length > revisionsMax ? revisions.at(-1)!.application_id : null
    pieces.push(Buffer.from(`],"supersededBy":${JSON.stringify(supersededBy)},"nextAfter":${nextAfter}}`))
    return jsonOf(pieces, headers)
  }

  const readHistory = async (asked: Asked): Promise<Response> => {
    const { programId, applicationId, after = 0, headers } = await begin(asked)
    const { caller, request } = asked
    if ((await readThroughLoss(() => findStoredApplication(db, programId, applicationId))) === undefined)
      throw noSuchApplication()
    const rows = await readThroughLoss(() =>
      readAnnotationSteps(db, programId, applicationId, { after, rowsMax: stepsMax + 1 }),
    )
    const steps = rows.slice(0, stepsMax)
    if (request.method === 'GET') {
      await deps.audit({
        actor: `key:${caller.api_key_id}`,
        action: 'application_history_read',
        subject: String(applicationId),
        address: caller.address,
        detail: { program_id: programId, request_id: recordOf(request).id },
      })
    }
    const payload = steps.map(({ changed_at, status, application_note, sets_status, sets_note }) => ({
      changed_at: formatOffsetTime(changed_at, config.timeZone),
      status,
      application_note,
      sets: [...(sets_status ? ['status'] : []), ...(sets_note ? ['note'] : [])],
    }))
    const nextAfter = rows.length > stepsMax ? steps.at(-1)!.annotation_id : null
    return Response.json({ payload, nextAfter }, { headers })
  }

  // HEAD: the server leaves the body out and keeps its length.
  const methods = methodNotAllowed(['GET', 'HEAD'])
  return new Elysia({ name: 'read-applications' })
    .use(authenticate(deps))
    .get(one, readOne, { detail: routeDetail(readApplicationOperation) })
    .head(one, readOne)
    .all(one, methods, { parse: 'none' })
    .get(`${one}/revisions`, readRevisions, { detail: routeDetail(readRevisionsOperation) })
    .head(`${one}/revisions`, readRevisions)
    .all(`${one}/revisions`, methods, { parse: 'none' })
    .get(`${one}/history`, readHistory, { detail: routeDetail(readHistoryOperation) })
    .head(`${one}/history`, readHistory)
    .all(`${one}/history`, methods, { parse: 'none' })
}

/** The same for every id that is none of this program's. */
export const noSuchApplication = (): Problem =>
  new Problem('not_found', { detail: 'There is no such application in this program.' })

const jsonOf = (pieces: readonly Buffer[], headers: Record<string, string>): Response =>
  new Response(Buffer.concat(pieces), { headers: { 'Content-Type': 'application/json', ...headers } })
