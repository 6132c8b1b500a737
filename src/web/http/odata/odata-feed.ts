// The read-only OData 4.0 feed of a program, for Excel, Power BI and Tableau. Its tables are walks framed as entity sets, with the paging,
// limits, audit entries and snapshots of export pages.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { sentQuestions } from '../../../core/audit/sent-questions.ts'
import type { ProgramKeyMap } from '../../../core/derived/program-key-map.ts'
import { countRows, requireCountable } from '../../../core/export/odata/count-rows.ts'
import { csdlOf } from '../../../core/export/odata/csdl.ts'
import { unsupported } from '../../../core/export/odata/feed-filter.ts'
import { feedFraming } from '../../../core/export/odata/feed-page.ts'
import { type FeedTable, feedTables } from '../../../core/export/odata/feed-tables.ts'
import { SentQuery } from '../../../core/export/requests/sent-query.ts'
import {
  beginWalk,
  holdsStartOfWalk,
  readStartOfWalk,
  reportedFilters,
  snapshotTime,
  type Walk,
} from '../../../core/export/requests/walk.ts'
import { authorizeExport } from '../../../core/keys/caller.ts'
import type { WalkStart } from '../../../db/walks/walk-start.ts'
import type { Position } from '../../../db/walks/walks.ts'
import { earliest, type Micros } from '../../../domain/values/offset-time.ts'
import { loadQuestions } from '../export/opened-export.ts'
import { sendPage } from '../export/send-page.ts'
import { feedType } from '../headers/export-formats.ts'
import { preferredCoding } from '../headers/negotiation.ts'
import {
  feedCountOperation,
  feedMetadataOperation,
  feedServiceOperation,
  feedSetOperation,
} from '../openapi/odata-operations.ts'
import type { Deps } from '../server/deps.ts'
import { placeOf } from '../server/place.ts'
import { enterProgram, sentParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'
import { type RequestRecord, recordOf } from '../server/request-record.ts'
import {
  type FeedOptions,
  openFeedQuery,
  preferredPageSize,
  readCountFilters,
  readFeedOptions,
  requireFeedFormat,
} from './feed-options.ts'

const path = '/odata/v1/:programSlug'

export const odataFeed = (deps: Deps) =>
  new Elysia({ name: 'odata-feed' })
    .use(readByKey(deps, path, feedServiceOperation, by => answerService(deps, by)))
    .use(readByKey(deps, `${path}/$metadata`, feedMetadataOperation, by => answerMetadata(deps, by)))
    .use(readByKey(deps, `${path}/:entitySet`, feedSetOperation, by => answerSet(deps, by)))
    .use(readByKey(deps, `${path}/:entitySet/$count`, feedCountOperation, by => answerCount(deps, by)))
    .use(readByKey(deps, `${path}/:entitySet/*`, { hide: true }, by => answerDeeper(deps, by)))

interface EnteredFeed {
  programId: number
  programSlug: string
  record: RequestRecord
  headers: Record<string, string>
  /** Without a trailing slash. */
  root: string
  deadlineMs: number
}

async function enter(deps: Deps, { caller, params, request }: AskedByKey): Promise<EnteredFeed> {
  const programSlug = params.programSlug!
  const entered = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
  return {
    ...entered,
    programSlug,
    headers: { ...entered.headers, 'OData-Version': '4.0' },
    root: `${placeOf(deps.config, request).baseUrl}/odata/v1/${programSlug}`,
    deadlineMs: performance.now() + deps.config.exportQueueTimeoutMs,
  }
}

/** The snapshot that all tables of a refresh, and their descriptions, share. */
const startOf = (
  { config, exports, feedStarts }: Deps,
  { caller }: AskedByKey,
  { programId, deadlineMs }: EnteredFeed,
) =>
  feedStarts.of(
    `${caller.api_key_id}:${programId}`,
    () => readStartOfWalk(exports, programId, config, deadlineMs),
    start => holdsStartOfWalk(exports, programId, start, deadlineMs),
  )

const walkOf = (programId: number, start: WalkStart) => ({
  walk: { programId, questionsAsOf: start.last_published_at ?? earliest, fields: undefined },
  start,
})

const tablesOf = ({ keyMap, profile }: ProgramKeyMap): FeedTable[] => feedTables(keyMap, profile)

/** The tables that a key can see, for the service and metadata documents. */
async function readTables(deps: Deps, request: AskedByKey, type: 'json' | 'xml') {
  const entered = await enter(deps, request)
  const query = new SentQuery({ ...sentParameters(request.request), strict: true }, ['$format'])
  const format = query.read('$format', value => value)
  if (query.errors.length > 0) throw query.problem()
  requireFeedFormat(request.request, format, type)
  const start = await startOf(deps, request, entered)
  return { ...entered, tables: tablesOf(await loadQuestions(deps, request.caller, walkOf(entered.programId, start))) }
}

async function answerService(deps: Deps, request: AskedByKey): Promise<Response> {
  const { root, tables, headers } = await readTables(deps, request, 'json')
  const value = tables.map(({ name }) => ({ name, kind: 'EntitySet', url: name }))
  const body = { '@odata.context': `${root}/$metadata`, value }
  return new Response(JSON.stringify(body), { headers: { ...headers, 'Content-Type': feedType } })
}

async function answerMetadata(deps: Deps, request: AskedByKey): Promise<Response> {
  const { tables, headers } = await readTables(deps, request, 'xml')
  return new Response(csdlOf(tables), { headers: { ...headers, 'Content-Type': 'application/xml' } })
}

async function answerSet(deps: Deps, by: AskedByKey): Promise<Response> {
  const { caller, params, request } = by
  // For clients that percent-encode the dollar sign of `$metadata`.
  if (params.entitySet === '$metadata') return answerMetadata(deps, by)
  recordOf(request).isPage = request.method === 'GET'
  const { config } = deps
  const entered = await enter(deps, by)
  const { programId } = entered
  const beganAt = deps.now()
  const tokens = { keys: config.pageTokenKeys, now: beganAt, ttlMs: config.pageTokenTtlMs, programId }
  const { query, token } = openFeedQuery(sentParameters(request), tokens)
  requireFeedFormat(
    request,
    query.read('$format', value => value),
    'json',
  )
  const start = token === undefined ? await startOf(deps, by, entered) : undefined
  const of = start === undefined ? { walk: { ...token!, fields: undefined }, start } : walkOf(programId, start)
  const questions = await loadQuestions(deps, caller, of)
  const table = tableOf(tablesOf(questions), params.entitySet!.normalize('NFC'))
  const options = readFeedOptions(query, token, table)
  const { filters, top = Number.POSITIVE_INFINITY } = options
  const pageSizeMax = token?.pageSizeMax ?? config.maxPageSize
  const preferred = preferredPageSize(request.headers.get('prefer'), token?.pageSize ?? pageSizeMax)
  if (preferred.applied !== undefined) entered.headers['Preference-Applied'] = preferred.applied
  const pageSize = Math.min(
    preferred.pageSize,
    // For entities it is unknown how many applications contain that many.
    table.path.length === 0 ? top : Number.POSITIVE_INFINITY,
  )
  const walk: Walk =
    token === undefined
      ? beginWalk(programId, { filters, pageSize, pageSizeMax }, start!)
      : { ...token, pageSize, fields: undefined }
  return sendFeedPage(deps, by, { ...entered, beganAt, walk, after: token?.after, start, questions, table, options })
}

function tableOf(tables: readonly FeedTable[], name: string): FeedTable {
  const found = tables.find(table => table.name === name)
  if (found !== undefined) return found
  if (/^\$/.test(name) || tables.some(table => name.startsWith(`${table.name}(`))) throw notOffered(name)
  throw new Problem('not_found', {
    detail: `The feed has no table with this name. Its tables are ${tables
      .slice(0, 50)
      .map(table => table.name)
      .join(', ')}.`,
  })
}

const notOffered = (part: string): Problem =>
  unsupported(part.slice(0, 100), 'is not supported. Read the whole table, or filter it with $filter.')

async function answerDeeper(deps: Deps, request: AskedByKey): Promise<Response> {
  // For clients that percent-encode the dollar sign.
  if (request.params['*'] === '$count') return answerCount(deps, request)
  await enter(deps, request)
  throw notOffered(request.params['*'] ?? '')
}

/** The number of rows as text, in no other form (section 11.2.9). Counts as one of the key's concurrent exports. */
async function answerCount(deps: Deps, query: AskedByKey): Promise<Response> {
  const { caller, params, request } = query
  const entered = await enter(deps, query)
  const { deadlineMs, programId, record } = entered
  const start = await startOf(deps, query, entered)
  const tables = tablesOf(await loadQuestions(deps, caller, walkOf(programId, start)))
  const table = tableOf(tables, params.entitySet!.normalize('NFC'))
  requireCountable(table)
  const filters = readCountFilters(sentParameters(request), table)
  const { maxPageSize } = deps.config
  const walk = beginWalk(programId, { filters, pageSize: maxPageSize, pageSizeMax: maxPageSize }, start)
  record.fields.filters = reportedFilters(walk)
  const place = await deps.auditLog.beginPage(caller.api_key_id, () => deps.limits.beginExport(caller.api_key_id))
  try {
    await place.granted
    const count = await countRows(deps.exports, walk, deadlineMs)
    const headers = { ...entered.headers, 'Content-Type': 'text/plain', 'Snapshot-Time': snapshotTime(start) }
    return new Response(String(count), { headers })
  } finally {
    place.end()
  }
}

interface FeedPageToSend extends EnteredFeed {
  beganAt: Micros
  walk: Walk
  after: Position | undefined
  start: WalkStart | undefined
  questions: ProgramKeyMap
  table: FeedTable
  options: FeedOptions
}

async function sendFeedPage(deps: Deps, { caller, request }: AskedByKey, page: FeedPageToSend): Promise<Response> {
  const { deadlineMs, options, questions, record, root, start, table, walk } = page
  const { columns, select, top } = options
  record.fields.walk = walk.walkId
  record.fields.filters = reportedFilters(walk)
  const coding = preferredCoding(request.headers.get('accept-encoding'))
  const headers = new Headers({ ...page.headers, 'Content-Type': feedType, Vary: 'Accept, Accept-Encoding' })
  if (coding !== undefined) headers.set('Content-Encoding', coding)
  if (start !== undefined) headers.set('Snapshot-Time', snapshotTime(start))
  if (request.method === 'HEAD') {
    record.lengthUnknown = true
    return new Response(null, { headers })
  }
  const place = await deps.auditLog.beginPage(caller.api_key_id, () => deps.limits.beginExport(caller.api_key_id))
  try {
    await place.granted
    const count = options.count ? await countRows(deps.exports, walk, deadlineMs) : undefined
    const context = `${root}/$metadata#${table.name}${select === undefined ? '' : `(${columns.map(({ name }) => name).join(',')})`}`
    const linkTo = (token: string, rowsMax: number | undefined): string =>
      `${root}/${encodeURIComponent(table.name)}?$skiptoken=${token}` +
      (select === undefined ? '' : `&$select=${encodeURIComponent(select)}`) +
      (rowsMax === undefined ? '' : `&$top=${rowsMax}`)
    const framing = feedFraming({ table, columns, rowsMax: top, context, count, linkTo }, questions)
    const sent = sentQuestions(questions.keyMap, { chosen: sentIds(table, options) }, caller.hidden)
    const sending = { ...page, caller, request, coding, format: 'odata', framing, sent }
    return sendPage(deps, sending, questions, { headers }, undefined, place)
  } catch (error) {
    place.end()
    throw error
  }
}

/** IDs of the questions on a page; undefined for all. */
function sentIds({ path }: FeedTable, { columns, select }: FeedOptions): number[] | undefined {
  if (select !== undefined) return [...new Set(columns.flatMap(({ questionId }) => questionId ?? []))]
  return path.length === 0 ? undefined : [path.at(-1)!.question_id]
}
