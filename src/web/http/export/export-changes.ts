// The change feed: changes to the applications of a program since a cursor, optionally with the applications, and optionally waiting for the
// next change. Every response has its audit entry before it is sent.

import { disclosedChanges } from '../../../core/audit/exported-event.ts'
import { sentQuestions } from '../../../core/audit/sent-questions.ts'
import type { ProgramKeyMap } from '../../../core/derived/program-key-map.ts'
import { type ChangesPage, isWithApplication, readChangesPage } from '../../../core/export/changes/change-feed.ts'
import { type ChangesRequest, parseChangesRequest } from '../../../core/export/changes/changes-request.ts'
import { type ChangesFormat, changesAlone } from '../../../core/export/changes/feed-framings.ts'
import { type ChangesToServe, serveChanges } from '../../../core/export/changes/serve-changes.ts'
import { parseChangeCursor } from '../../../core/export/requests/change-cursor.ts'
import { authorizeExport } from '../../../core/keys/caller.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { readSpanOf } from '../../../db/walks/change-rows.ts'
import { readWalkStart, type WalkStart } from '../../../db/walks/walk-start.ts'
import type { QuestionChoice } from '../../../domain/questions/question-view.ts'
import { earliest } from '../../../domain/values/offset-time.ts'
import { type OfferedFormat, requestedChangesFormat, varyOf } from '../headers/export-formats.ts'
import { preferredCoding } from '../headers/negotiation.ts'
import { preferredWaitSeconds } from '../headers/preference.ts'
import { changesOperation } from '../openapi/changes-operation.ts'
import type { Deps } from '../server/deps.ts'
import { enterProgram, sentParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'
import type { RequestRecord } from '../server/request-record.ts'
import { sendStream } from './send-page.ts'

/** A page of changes, and the request for it. */
interface OpenedChanges extends AskedByKey {
  programId: number
  programSlug: string
  record: RequestRecord
  parsed: ChangesRequest
  page: ChangesPage
  start: WalkStart
  offered: OfferedFormat<ChangesFormat>
  headers: Headers
}

/** `GET /api/v1/admin/programs/{programSlug}/changes`. `Prefer: wait` as in RFC 7240, section 4.3. */
export const exportChanges = (deps: Deps) => {
  const { config, db, watch } = deps

  const answer = async (by: AskedByKey): Promise<Response> => {
    const { caller, params, request } = by
    const programSlug = params.programSlug!
    const entered = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
    const { programId, record } = entered
    const sent = sentParameters(request)
    const parsed = await parseChangesRequest(sent, config, async choice => {
      const start = await readThroughLoss(() => readWalkStart(db, programId))
      return (await loadQuestions(deps, by, programId, start, choice)).keyMap
    })
    const offered = requestedChangesFormat(parsed.format, request)
    const { after, format, pageSize } = parsed
    const applied: string[] = sent.strict ? ['handling=strict'] : []
    const read = () =>
      readThroughLoss(() => readChangesPage(db, programId, after, { pageSize, timeZone: config.timeZone }))
    let found = await read()
    const wait = preferredWaitSeconds(request.headers.get('prefer'))
    if (
      wait > 0 &&
      found.page.payload.length === 0 &&
      after !== undefined &&
      request.method === 'GET' &&
      watch.hasRoom
    ) {
      applied.push(`wait=${wait}`)
      if (await watch.passed(programId, after.change, wait * 1000, request.signal)) found = await read()
    }
    const headers = new Headers({ 'Content-Type': offered.contentType, ...entered.headers })
    if (format === undefined) headers.set('Vary', 'Accept')
    if (applied.length > 0) headers.set('Preference-Applied', applied.join(', '))
    const opened = { ...by, programId, programSlug, record, parsed, ...found, offered, headers }
    if (!parsed.withApplications || !found.page.payload.some(isWithApplication)) return sendAlone(deps, opened)
    if (request.method === 'GET') return sendWithApplications(deps, opened)
    record.lengthUnknown = true
    return new Response(null, { headers })
  }

  return readByKey(deps, '/api/v1/admin/programs/:programSlug/changes', changesOperation, answer)
}

const loadQuestions = (
  { db, keyMaps }: Deps,
  { caller }: AskedByKey,
  programId: number,
  { last_published_at }: WalkStart,
  choice: QuestionChoice,
): Promise<ProgramKeyMap> =>
  readThroughLoss(() =>
    keyMaps.loadVisible(db, programId, last_published_at ?? earliest, { ...choice, hidden: caller.hidden.ids }),
  )

async function sendAlone(deps: Deps, opened: OpenedChanges): Promise<Response> {
  const { request, page, offered, headers } = opened
  if (page.payload.length > 0 && request.method === 'GET') await recordChanges(deps, opened)
  return new Response(changesAlone(offered.format, page), { headers })
}

/** Records who reads statuses and notes. */
const recordChanges = (deps: Deps, { caller, record, programSlug, page: { payload, nextCursor } }: OpenedChanges) =>
  deps.audit({
    actor: `key:${caller.api_key_id}`,
    action: 'changes_read',
    subject: programSlug,
    address: caller.address,
    detail: {
      request_id: record.id,
      changes: payload.length,
      first_change: payload[0]?.change,
      last_change: parseChangeCursor(nextCursor)?.change,
    },
  })

/** Counts as one of the key's concurrent exports, like a page of a walk. The audit entry is stored before anything is sent. */
async function sendWithApplications(deps: Deps, opened: OpenedChanges): Promise<Response> {
  const { caller, request, programId, record, parsed, page, start, headers } = opened
  const { format } = opened.offered
  const deadlineMs = performance.now() + deps.config.exportQueueTimeoutMs
  const questions = await loadQuestions(deps, opened, programId, start, parsed.choice)
  const place = await deps.auditLog.beginPage(caller.api_key_id, () => deps.limits.beginExport(caller.api_key_id))
  const served: ChangesToServe = { programId, page, start, questions, format }
  try {
    await place.granted
    await recordApplications(deps, opened, questions)
  } catch (error) {
    place.end()
    throw error
  }
  const coding = preferredCoding(request.headers.get('accept-encoding'))
  headers.set('Vary', varyOf(parsed.format))
  if (coding !== undefined) headers.set('Content-Encoding', coding)
  const stream = { request, record, coding, deadlineMs, format }
  return sendStream(deps, stream, { headers }, undefined, (sink, serving) =>
    serveChanges(served, serving, sink).finally(place.end),
  )
}

async function recordApplications(deps: Deps, opened: OpenedChanges, { keyMap }: ProgramKeyMap): Promise<void> {
  const { caller, programId, programSlug, record, parsed, page, offered } = opened
  const ids = page.payload.filter(isWithApplication).map(change => change.application_id)
  const applicationIds = [...new Set(ids)]
  const span = await readThroughLoss(() => readSpanOf(deps.db, programId, applicationIds))
  // All of them have just been erased.
  if (span === undefined) return recordChanges(deps, opened)
  await deps.audit(
    disclosedChanges(
      {
        apiKeyId: caller.api_key_id,
        address: caller.address,
        requestId: record.id,
        programSlug,
        format: offered.format,
        questions: sentQuestions(keyMap, parsed.choice, caller.hidden),
        beganAt: deps.now(),
      },
      {
        changes: page.payload.length,
        pageSize: parsed.pageSize,
        lastChange: page.payload.at(-1)!.change,
        applicationIds,
        span,
      },
    ),
  )
}
