// Retrieves an application by its ID, with its revisions and its history of statuses and notes.
// An application of another program gets the same 404 as one that never existed.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { disclosedReading } from '../../../core/audit/exported-event.ts'
import { sentQuestions } from '../../../core/audit/sent-questions.ts'
import { exportedObject } from '../../../core/export/pages/exported-object.ts'
import { readChoice } from '../../../core/export/requests/question-choice.ts'
import { type FieldError, SentQuery } from '../../../core/export/requests/sent-query.ts'
import { authorizeExport } from '../../../core/keys/caller.ts'
import { findStoredApplication, type StoredApplication } from '../../../db/applications/application-details.ts'
import { readAnnotationSteps, readStoredRevisions } from '../../../db/applications/client-reads.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { readWalkStart } from '../../../db/walks/walk-start.ts'
import type { QuestionChoice } from '../../../domain/questions/question-view.ts'
import { earliest, formatOffsetTime, type Micros } from '../../../domain/values/offset-time.ts'
import {
  readApplicationOperation,
  readHistoryOperation,
  readRevisionsOperation,
} from '../openapi/reading-operations.ts'
import type { Deps } from '../server/deps.ts'
import { applicationIdIn, enterProgram, sentParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'
import { recordOf } from '../server/request-record.ts'

const applicationRoute = '/api/v1/admin/programs/:programSlug/applications/:applicationId'

/** Page sizes, low because an application can have megabytes and a note 10,000 characters. */
const revisionsMax = 20
const stepsMax = 200

interface Reading {
  programId: number
  applicationId: number
  choice: QuestionChoice
  /** Where the requested page of a list starts. */
  after: number | undefined
  headers: Record<string, string>
}

export const readApplications = (deps: Deps) => {
  const { config, db } = deps

  const readOne = async (request: AskedByKey): Promise<Response> => {
    const reading = await begin(deps, request, choosing)
    const { programId, applicationId, headers } = reading
    const stored = await readThroughLoss(() => findStoredApplication(db, programId, applicationId))
    if (stored === undefined) throw noSuchApplication()
    return jsonOf([await disclosed(deps, request, reading, stored)], headers)
  }

  const readRevisions = async (request: AskedByKey): Promise<Response> => {
    const reading = await begin(deps, request, ['after', ...choosing])
    const { programId, applicationId, after, headers } = reading
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
      pieces.push(await disclosed(deps, request, reading, revision))
    }
    const supersededBy = revisions.map(revision => revision.superseded_by)
    const nextAfter = rows.length > revisionsMax ? revisions.at(-1)!.application_id : null
    pieces.push(Buffer.from(`],"supersededBy":${JSON.stringify(supersededBy)},"nextAfter":${nextAfter}}`))
    return jsonOf(pieces, headers)
  }

  const readHistory = async (query: AskedByKey): Promise<Response> => {
    const { programId, applicationId, after = 0, headers } = await begin(deps, query, ['after'])
    const { caller, request } = query
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

  return new Elysia({ name: 'read-applications' })
    .use(readByKey(deps, applicationRoute, readApplicationOperation, readOne))
    .use(readByKey(deps, `${applicationRoute}/revisions`, readRevisionsOperation, readRevisions))
    .use(readByKey(deps, `${applicationRoute}/history`, readHistoryOperation, readHistory))
}

const loadVisible = (
  { db, keyMaps }: Deps,
  { caller }: AskedByKey,
  programId: number,
  asOf: Micros,
  choice: QuestionChoice,
) => readThroughLoss(() => keyMaps.loadVisible(db, programId, asOf, { ...choice, hidden: caller.hidden.ids }))

const choosing = ['fields', 'questions'] as const

/** Authorizes the caller for the program, then parses the path and the parameters. */
async function begin(
  deps: Deps,
  by: AskedByKey,
  parameters: readonly ('after' | (typeof choosing)[number])[],
): Promise<Reading> {
  const { caller, params, request } = by
  const programSlug = params.programSlug!
  const { programId, headers, record } = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
  const query = new SentQuery(sentParameters(request), parameters)
  const after = parameters.includes('after') ? query.read('after', parseAfter) : undefined
  const loadSeen = async (choice: QuestionChoice) => {
    const start = await readThroughLoss(() => readWalkStart(deps.db, programId))
    return (await loadVisible(deps, by, programId, start.last_published_at ?? earliest, choice)).keyMap
  }
  const choice = parameters.includes('fields') ? await readChoice(query, loadSeen) : {}
  if (query.errors.length > 0) throw query.problem()
  const applicationId = applicationIdIn(params.applicationId!)
  if (applicationId === undefined) throw noSuchApplication()
  record.fields.application_id = applicationId
  await deps.auditLog.settle(caller.api_key_id)
  return { programId, applicationId, choice, after, headers }
}

/** The application as an export sends it. The audit log has its entry before it is sent. */
async function disclosed(
  deps: Deps,
  query: AskedByKey,
  { programId, choice }: Pick<Reading, 'programId' | 'choice'>,
  stored: StoredApplication,
): Promise<Buffer> {
  const { caller, params, request } = query
  const seen = await loadVisible(deps, query, programId, stored.questions_as_of, choice)
  const object = exportedObject(stored, seen)
  if (request.method === 'GET') {
    const { api_key_id: apiKeyId, address } = caller
    const requestId = recordOf(request).id
    const programSlug = params.programSlug!
    const questions = sentQuestions(seen.keyMap, choice, caller.hidden)
    await deps.audit(
      disclosedReading({ apiKeyId, address, requestId, programSlug, questions, beganAt: deps.now() }, stored),
    )
  }
  return object
}

/** The same for every ID outside this program. */
export const noSuchApplication = (): Problem =>
  new Problem('not_found', { detail: 'This program has no application with this ID.' })

const parseAfter = (value: string, error: FieldError): number | undefined =>
  /^[0-9]{1,15}$/.test(value) ? Number(value) : error('invalid_after', 'must be the nextAfter of the previous page.')

const jsonOf = (pieces: readonly Buffer[], headers: Record<string, string>): Response =>
  new Response(Buffer.concat(pieces), { headers: { 'Content-Type': 'application/json', ...headers } })
