// The export endpoint: one request walks from its caller to the last byte of its page.
// It must hold no rule of its own; each step is a room's.

import { Elysia } from 'elysia'
import { authorizeExport, type Caller } from '../access/caller.ts'
import type { PageTurn } from '../access/limits.ts'
import { readThroughLoss } from '../db/client.ts'
import type { WalkStart } from '../db/walks.ts'
import { isLostPublication, type ProgramKeyMap } from '../derived/program-key-map.ts'
import type { KeyMap } from '../domain/questions/key-map.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { framingOf } from '../export/framings/all-framings.ts'
import { type OpenedWalk, openWalk } from '../export/open-walk.ts'
import { pageLimits } from '../export/page-limits.ts'
import type { Sink } from '../export/page-outlet.ts'
import { questionsAreLost } from '../export/page-token.ts'
import { pageVersion, pageVersionKey } from '../export/page-version.ts'
import { parseExportRequest } from '../export/request.ts'
import { sentQuestions } from '../export/sent-questions.ts'
import { type Serving, servePage } from '../export/serve-page.ts'
import { shownFilters } from '../export/walk.ts'
import type { PageReceipt } from '../export/write-page.ts'
import type { KeyQuota } from '../problem.ts'
import { currentSpan, traced } from '../tracing/current-span.ts'
import { Steps } from '../tracing/span.ts'
import { authenticateRequest } from './authenticate.ts'
import { compressed } from './compressed-sink.ts'
import { type Coding, preferredCoding } from './content-coding.ts'
import { wantedDigest } from './content-digest.ts'
import type { Deps } from './deps.ts'
import { namesTag, weakTag } from './entity-tag.ts'
import { methodNotAllowed } from './errors.ts'
import { acceptedFormat, type OfferedFormat } from './export-formats.ts'
import { onceGranted } from './granted-sink.ts'
import { type HeadStart, HeadStarts } from './head-start.ts'
import { anyExportOperation } from './openapi/export-operations.ts'
import { routeDetail } from './openapi/route-detail.ts'
import { admitToProgram, sentParameters } from './program-request.ts'
import { quotaHeaders } from './quota-headers.ts'
import { type Outcome, type RequestRecord, recordOf } from './request-record.ts'
import { QueueTime, streamResponse } from './stream-response.ts'

const path = '/api/v1/admin/programs/:programSlug/applications'

/** `GET /api/v1/admin/programs/{programSlug}/applications`. Source: spec, "List program applications". */
export const exportApplications = (deps: Deps) => {
  const headStarts = new HeadStarts(deps.exports, deps.keys)
  const versionKey = pageVersionKey(deps.config.apiKeyPepper)
  const answer = async (asked: Asked): Promise<Response> => {
    const { caller, request } = asked
    const turn = deps.limits.takePage(caller.api_key_id, !mayBeEmpty(request))
    if (turn.quota instanceof Promise) turn.quota.catch(ignored)
    try {
      return await answerCounted(asked, turn)
    } catch (error) {
      turn.giveUp()
      // A request over its quota is refused for that, whatever else is wrong with it.
      await turn.quota
      throw error
    }
  }
  /** The answer, made while Redis is still counting the request: nothing is sent before the count is known. */
  const answerCounted = async (
    { caller, headStart, programSlug, request }: Asked,
    turn: PageTurn,
  ): Promise<Response> => {
    const { config, db, keyMaps, oldestRelease, trail } = deps
    const { api_key_id: apiKeyId, address } = caller
    recordOf(request).isPage = request.method === 'GET'
    const { programId, record } = admitToProgram({ caller, programSlug, request }, authorizeExport)

    const offered = acceptedFormat(request.headers.get('accept'))
    const coding = preferredCoding(request.headers.get('accept-encoding'))
    const sent = sentParameters(request)
    const { strict } = sent
    const tokens = { keys: config.pageTokenKeys, now: deps.now(), ttlMs: config.pageTokenTtlMs, programId }
    const asked = parseExportRequest(sent, config, tokens)
    const queueTime = new QueueTime(config.exportQueueTimeoutMs)
    const readStart = (): Promise<WalkStart> =>
      traced('start of walk', () => queueTime.spend(headStart.start(programId)))
    const { hidden } = caller
    const loadSeen = (asOf: Micros, chosen?: readonly number[]): Promise<ProgramKeyMap> =>
      readThroughLoss(() => keyMaps.loadSeen(db, programId, asOf, { hidden: hidden.ids, chosen })).catch(error => {
        throw asked.token !== undefined && isLostPublication(error) ? questionsAreLost(error) : error
      })
    const readSeen = async (asOf: Micros): Promise<KeyMap> => (await loadSeen(asOf)).keyMap
    const { walk, begun } = await openWalk(asked, programId, config, { ...tokens, oldestRelease }, readStart, readSeen)
    record.fields.walk = walk.walkId
    record.fields.filters = shownFilters(walk)
    if (walk.fields !== undefined) record.fields.fields = walk.fields.length
    if (hidden.names.length > 0) record.fields.hidden_questions = hidden.names.length
    const { timeZone } = config
    const { format } = offered
    const sentAs = { format, timeZone, hidden: hidden.ids }
    const head = new PageHead(turn.quota, () => {
      const tag = begun && weakTag(pageVersion(versionKey, walk, begun.lastChangeAt, sentAs))
      return headersOf({ offered, coding, strict, begun, tag })
    })
    if (mayBeEmpty(request)) {
      const tag = head.headers.get('ETag')
      const noneNew = tag !== null && namesTag(request.headers.get('if-none-match'), tag)
      if (noneNew || request.method === 'HEAD') await head.told
      if (noneNew) return nothingNew(head.headers)
      if (request.method === 'HEAD') return headOnly(record, head.headers)
    }

    await trail.settle(apiKeyId)
    const questions = await loadSeen(walk.questionsAsOf, walk.fields)
    const place = turn.begin()
    const granted = bothOf(head.told, place.granted)
    record.fields.format = format
    const page = { walk, after: asked.token?.after, fills: questions.fills, framing: framingOf(format, questions) }
    const span = currentSpan()
    const steps = span === undefined ? undefined : new Steps(span, 'batch')
    const note = (receipt: PageReceipt): void => {
      record.fields.applications = receipt.applications
      record.fields.bytes = receipt.bytes
      steps?.end(receipt.applications, receipt.outcome === 'failed')
      const { after } = page
      const sent = { format, questions: sentQuestions(questions.keyMap, walk.fields, hidden) }
      const beganAt = tokens.now
      void trail.note({ apiKeyId, address, requestId: record.id, programSlug, walk, ...sent, after, beganAt, receipt })
    }
    const serving: Serving = { ...servingOf(deps, coding), note, steps }
    const produce = (sink: Sink): Promise<Outcome> => servePage(page, serving, sink).finally(place.end)
    const digest = wantedDigest(request.headers.get('want-content-digest'))
    const send = (client: Sink): Promise<Outcome> => {
      const sink = onceGranted(granted, client)
      return coding === undefined ? produce(sink) : compressed(coding, sink, produce)
    }
    if (coding !== undefined) record.fields.encoding = coding
    return streamResponse(record, () => head.headers, queueTime, send, digest)
  }
  return new Elysia({ name: 'export-applications', detail: routeDetail(anyExportOperation()) })
    .derive(async ({ request }) => {
      const headStart = headStarts.of(request)
      return { headStart, caller: await authenticateRequest(deps, request, headStart) }
    })
    .get(path, ({ caller, headStart, params, request }) => answer({ caller, headStart, request, ...params }))
    .head(path, ({ caller, headStart, params, request }) => answer({ caller, headStart, request, ...params }))
    .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
}

interface Asked {
  caller: Caller
  headStart: HeadStart
  programSlug: string
  request: Request
}

/** What can be said in the head, before the first row is read. A token cannot: whether one follows is known after the last row. */
interface KnownBefore {
  offered: OfferedFormat
  coding: Coding | undefined
  strict: boolean
  begun: OpenedWalk['begun']
  tag: string | undefined
}

function headersOf({ offered, coding, strict, begun, tag }: KnownBefore): Headers {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  headers.set('Content-Type', offered.contentType)
  headers.set('Vary', 'Accept, Accept-Encoding')
  if (coding !== undefined) headers.set('Content-Encoding', coding)
  if (begun !== undefined) {
    headers.set('Snapshot-Time', begun.snapshotTime)
    headers.set('Change-Cursor', begun.changeCursor)
    headers.set('Walk-Token', begun.walkToken())
  }
  if (tag !== undefined) headers.set('ETag', tag)
  if (strict) headers.set('Preference-Applied', 'handling=strict')
  return headers
}

/** For a promise that the request awaits later. If it fails first, nothing awaits the promise any more. */
const ignored = (): void => {}

/** Whether the answer may turn out to have no body. */
const mayBeEmpty = ({ method, headers }: Request): boolean => method === 'HEAD' || headers.has('if-none-match')

/** The head of a page, made when it is first asked for, and what is left to the key: told in it at once, or when Redis has counted. */
class PageHead {
  readonly told: Promise<void> | undefined
  #headers: Headers | undefined

  constructor(
    private readonly counted: KeyQuota | Promise<KeyQuota>,
    private readonly make: () => Headers,
  ) {
    if (!(counted instanceof Promise)) return
    this.told = counted.then(quota => tellQuota(this.headers, quota))
    this.told.catch(ignored)
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = this.make()
      if (!(this.counted instanceof Promise)) tellQuota(this.#headers, this.counted)
    }
    return this.#headers
  }
}

function tellQuota(headers: Headers, quota: KeyQuota): void {
  for (const [name, value] of Object.entries(quotaHeaders(quota))) headers.set(name, value)
}

/** Both, or undefined when there is none to wait for. */
function bothOf(...waits: (Promise<void> | undefined)[]): Promise<unknown> | undefined {
  if (waits.every(wait => wait === undefined)) return undefined
  const both = Promise.all(waits)
  both.catch(ignored)
  return both
}

/** The client already has this page. The head is the page’s, without the fields about its body and about a walk that begins. */
function nothingNew(headers: Headers): Response {
  for (const name of ['Content-Type', 'Content-Encoding', 'Walk-Token']) headers.delete(name)
  return new Response(null, { status: 304, headers })
}

/** The answer to HEAD: no page is read for it, so how long one would be is not known. */
function headOnly(record: RequestRecord, headers: Headers): Response {
  record.lengthUnknown = true
  return new Response(null, { headers })
}

function servingOf(
  { config, exports, now, oldestRelease }: Deps,
  coding: Coding | undefined,
): Omit<Serving, 'note' | 'steps'> {
  const { letGoAfterMs, stallTimeoutMs, pageTokenKeys } = config
  return {
    limits: { ...pageLimits, letGoAfterMs, stallTimeoutMs },
    exports,
    buffers: coding === undefined ? exports.buffers : exports.compressedBuffers,
    pageTokenKeys,
    oldestRelease,
    now,
  }
}
