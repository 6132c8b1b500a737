// What a request for a page asks for: the walk that it begins or goes on with, and how its page is to be sent. Whatever is wrong with its
// parameters is found here.

import { authorizeExport, type Caller } from '../access/caller.ts'
import { readThroughLoss } from '../db/client.ts'
import { type Position, readWalkStart, type WalkStart } from '../db/walks.ts'
import { isLostPublication, type ProgramKeyMap } from '../derived/program-key-map.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { type OpenedWalk, openWalk } from '../export/open-walk.ts'
import { questionsAreLost } from '../export/page-token.ts'
import { parseExportRequest } from '../export/request.ts'
import { shownFilters, type Walk } from '../export/walk.ts'
import { traced } from '../tracing/current-span.ts'
import { type Coding, preferredCoding } from './content-coding.ts'
import type { Deps } from './deps.ts'
import { acceptedFormat, type OfferedFormat } from './export-formats.ts'
import { admitToProgram, sentParameters } from './program-request.ts'
import { type RequestRecord, recordOf } from './request-record.ts'
import { QueueTime } from './stream-response.ts'

export interface AskedExport {
  caller: Caller
  programSlug: string
  request: Request
}

export interface OpenedExport extends AskedExport {
  record: RequestRecord
  walk: Walk
  begun: OpenedWalk['begun']
  /** Where the page starts; undefined for the first. */
  after: Position | undefined
  offered: OfferedFormat
  coding: Coding | undefined
  /** `Prefer: handling=strict`. */
  strict: boolean
  beganAt: Micros
  queueTime: QueueTime
  /** The questions of the walk, as far as the caller may see them and asked for them. */
  loadQuestions: () => Promise<ProgramKeyMap>
}

/** Throws a Problem: `unauthenticated`, `not_acceptable`, `invalid_request`, `unavailable`. */
export async function openExport(deps: Deps, { caller, ...asked }: AskedExport): Promise<OpenedExport> {
  const { config, db, exports, keyMaps } = deps
  const { programSlug, request } = asked
  recordOf(request).isPage = request.method === 'GET'
  const { programId, record } = admitToProgram({ caller, programSlug, request }, authorizeExport)
  const offered = acceptedFormat(request.headers.get('accept'))
  const coding = preferredCoding(request.headers.get('accept-encoding'))
  const sent = sentParameters(request)
  const beganAt = deps.now()
  const tokens = { keys: config.pageTokenKeys, now: beganAt, ttlMs: config.pageTokenTtlMs, programId }
  const parsed = parseExportRequest(sent, config, tokens)
  const queueTime = new QueueTime(config.exportQueueTimeoutMs)
  const readStart = (): Promise<WalkStart> =>
    traced('start of walk', () =>
      queueTime.spend(exports.read(sql => readThroughLoss(() => readWalkStart(sql, programId)))),
    )
  const { hidden } = caller
  const loadSeen = (asOf: Micros, chosen?: readonly number[]): Promise<ProgramKeyMap> =>
    readThroughLoss(() => keyMaps.loadSeen(db, programId, asOf, { hidden: hidden.ids, chosen })).catch(error => {
      throw parsed.token !== undefined && isLostPublication(error) ? questionsAreLost(error) : error
    })
  const readSeen = async (asOf: Micros) => (await loadSeen(asOf)).keyMap
  const { walk, begun } = await openWalk(parsed, programId, config, tokens, readStart, readSeen)
  record.fields.walk = walk.walkId
  record.fields.filters = shownFilters(walk)
  if (walk.fields !== undefined) record.fields.fields = walk.fields.length
  if (hidden.names.length > 0) record.fields.hidden_questions = hidden.names.length
  return {
    caller,
    programSlug,
    request,
    record,
    walk,
    begun,
    after: parsed.token?.after,
    offered,
    coding,
    strict: sent.strict,
    beganAt,
    queueTime,
    loadQuestions: () => loadSeen(walk.questionsAsOf, walk.fields),
  }
}
