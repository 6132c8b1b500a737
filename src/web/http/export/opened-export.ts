// Parses a page request: the walk that it starts or continues, and the format of the response. Finds all errors in the parameters.

import { isLostPublication, type ProgramKeyMap } from '../../../core/derived/program-key-map.ts'
import { questionsAreLost } from '../../../core/export/requests/page-token.ts'
import { type ExportRequest, parseExportRequest, planWalk } from '../../../core/export/requests/request.ts'
import {
  beginWalk,
  type PageToken,
  readStartOfWalk,
  reportedFilters,
  type Walk,
} from '../../../core/export/requests/walk.ts'
import { authorizeExport, type Caller } from '../../../core/keys/caller.ts'
import { readThroughLoss } from '../../../db/client.ts'
import type { WalkStart } from '../../../db/walks/walk-start.ts'
import type { Position } from '../../../db/walks/walks.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { earliest, type Micros } from '../../../domain/values/offset-time.ts'
import { type OfferedFormat, requestedFormat } from '../headers/export-formats.ts'
import { type Coding, preferredCoding } from '../headers/negotiation.ts'
import type { Deps } from '../server/deps.ts'
import { admitToProgram, sentParameters } from '../server/program-request.ts'
import { type RequestRecord, recordOf } from '../server/request-record.ts'

export interface AskedExport {
  caller: Caller
  programSlug: string
  request: Request
}

interface OpenedWalk {
  walk: Walk
  /** Loaded for the first page of a walk only. */
  start: WalkStart | undefined
}

export interface OpenedExport extends AskedExport, OpenedWalk {
  record: RequestRecord
  /** Position after which the page starts; undefined for the first page. */
  after: Position | undefined
  /** Whether the request has a page size or a token. */
  knowsPages: boolean
  offered: OfferedFormat
  coding: Coding | undefined
  /** `Prefer: handling=strict`. */
  strict: boolean
  beganAt: Micros
  /** `performance.now()` by which the first bytes must come from the database. */
  deadlineMs: number
}

/** Throws a Problem: `unauthenticated`, `invalid_request`, `not_acceptable`, `unavailable`. */
export async function openExport(deps: Deps, query: AskedExport): Promise<OpenedExport> {
  const { config } = deps
  const { caller, request } = query
  recordOf(request).isPage = request.method === 'GET'
  const { programId, record } = admitToProgram(query, authorizeExport)
  const coding = preferredCoding(request.headers.get('accept-encoding'))
  const sent = sentParameters(request)
  const beganAt = deps.now()
  const tokens = { keys: config.pageTokenKeys, now: beganAt, ttlMs: config.pageTokenTtlMs, programId }
  const parsed = parseExportRequest(sent, config, tokens)
  const offered = requestedFormat(parsed.format ?? parsed.token?.format, request)
  const deadlineMs = performance.now() + config.exportQueueTimeoutMs
  const { walk, start } = await openWalk(deps, { caller, parsed, programId, deadlineMs })
  record.fields.walk = walk.walkId
  record.fields.filters = reportedFilters(walk)
  if (walk.fields !== undefined) record.fields.fields = walk.fields.length
  if (walk.questions !== undefined) record.fields.questions = walk.questions
  if (caller.hidden.names.length > 0) record.fields.hidden_questions = caller.hidden.names.length
  const { strict } = sent
  const after = parsed.token?.after
  const knowsPages = parsed.pageSize !== undefined || parsed.token !== undefined
  return { ...query, record, walk, start, after, knowsPages, offered, coding, strict, beganAt, deadlineMs }
}

/** The walk that a request starts, or continues if it has a token. Throws a Problem: `invalid_request`, `unavailable`. */
async function openWalk(
  deps: Deps,
  {
    caller,
    parsed,
    programId,
    deadlineMs,
  }: { caller: Caller; parsed: ExportRequest; programId: number; deadlineMs: number },
): Promise<OpenedWalk> {
  const { config, exports } = deps
  const { fields, questions, token } = parsed
  // Without `fields`, all errors are found before anything is read.
  const filters = fields === undefined ? planWalk(parsed, config) : undefined
  if (token !== undefined) {
    const opened = { walk: token, start: undefined }
    if (filters === undefined) {
      const chosen = token.fields === undefined ? undefined : await loadQuestions(deps, withoutHidden, opened)
      planWalk(parsed, config, await loadVisible(deps, caller, opened), chosen?.keyMap)
    }
    return opened
  }
  const start = await readStartOfWalk(exports, programId, config, deadlineMs)
  const walk = { programId, questionsAsOf: start.last_published_at ?? earliest, questions }
  const planned = filters ?? planWalk(parsed, config, await loadVisible(deps, caller, { walk, start }))
  return { walk: beginWalk(programId, planned, start), start }
}

/** The questions of a walk that a caller can see, which are the ones `fields` can choose from. */
async function loadVisible(deps: Deps, caller: Caller, { walk, start }: QuestionsOf): Promise<KeyMap> {
  const { keyMap } = await loadQuestions(deps, caller, { walk: { ...walk, fields: undefined }, start })
  return keyMap
}

const withoutHidden = { hidden: { ids: new Set<number>() } }

interface QuestionsOf {
  /** The walk; from a token, with the token's sealed contents. */
  walk: Pick<Walk, 'programId' | 'questionsAsOf' | 'fields' | 'questions'> & Partial<PageToken>
  start: WalkStart | undefined
}

/** The questions of a walk that the caller can see and has requested. */
export async function loadQuestions(
  { db, keyMaps, lostHistory }: Deps,
  { hidden }: { hidden: Pick<Caller['hidden'], 'ids'> },
  { walk, start }: QuestionsOf,
): Promise<ProgramKeyMap> {
  const { programId, questionsAsOf, fields, questions } = walk
  try {
    return await readThroughLoss(() =>
      keyMaps.loadVisible(db, programId, questionsAsOf, { hidden: hidden.ids, chosen: fields, questions }),
    )
  } catch (error) {
    if (start !== undefined || !isLostPublication(error)) throw error
    lostHistory.suspect(walk)
    throw questionsAreLost(error)
  }
}
