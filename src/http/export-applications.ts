// The export endpoint: one request walks from its caller to the last byte of its page.
// It must hold no rule of its own; each step is a room's.

import { Elysia } from 'elysia'
import { authorizeExport, type Caller } from '../access/caller.ts'
import { readThroughLoss } from '../db/client.ts'
import { readWalkStart, type WalkStart } from '../db/walks.ts'
import { earliest } from '../domain/values/offset-time.ts'
import type { Sink } from '../export/page-outlet.ts'
import { parseExportRequest, planWalk } from '../export/request.ts'
import { type Serving, servePage } from '../export/serve-page.ts'
import { beginWalk, shownFilters, snapshotTime, type Walk } from '../export/walk.ts'
import { pageLimits } from '../export/write-page.ts'
import { authenticate } from './authenticate.ts'
import { compressed } from './compressed-sink.ts'
import { preferredCoding } from './content-coding.ts'
import type { Deps } from './deps.ts'
import { methodNotAllowed } from './errors.ts'
import { anyExportOperation } from './openapi/export-operations.ts'
import { routeDetail } from './openapi/route-detail.ts'
import { prefersStrictHandling } from './preference.ts'
import { parseQueryString } from './query-string.ts'
import { type Outcome, recordOf } from './request-record.ts'
import { QueueTime, streamResponse } from './stream-response.ts'

const path = '/api/v1/admin/programs/:programSlug/applications'

/** `GET /api/v1/admin/programs/{programSlug}/applications`. Source: spec, "List program applications". */
export const exportApplications = (deps: Deps) => {
  const answer = async (caller: Caller, slug: string, request: Request): Promise<Response> => {
    const { config, db, exportDb, exports, keyMaps, limits, trail } = deps
    const record = recordOf(request)
    // First, so that what is refused for want of a grant counts too.
    const headers = new Headers(limits.takeRequest(caller.api_key_id))
    const programId = authorizeExport(caller, slug)
    record.fields.program = slug
    headers.set('Content-Type', 'application/json')
    headers.set('Cache-Control', 'no-store')
    headers.set('Vary', 'Accept-Encoding')
    const coding = preferredCoding(request.headers.get('accept-encoding'))
    if (coding !== undefined) headers.set('Content-Encoding', coding)

    const strict = prefersStrictHandling(request.headers.get('prefer'))
    const tokens = { keys: config.pageTokenKeys, now: deps.now(), ttlMs: config.pageTokenTtlMs, programId }
    const asked = parseExportRequest({ ...parseQueryString(rawQuery(request.url)), strict }, config, tokens)
    const filters = planWalk(asked, config)
    const queueTime = new QueueTime(config.exportQueueTimeoutMs)
    const startNow = (): Promise<WalkStart> =>
      queueTime.spend(exports.read(() => readThroughLoss(() => readWalkStart(exportDb, programId))))
    let walk: Walk
    const { token } = asked
    if (token === undefined) {
      const start = await startNow()
      walk = beginWalk(programId, filters, start, newWalkId())
      headers.set('Snapshot-Time', snapshotTime(start))
    } else {
      walk = { ...token, questionsAsOf: token.questionsAsOf ?? (await startNow()).last_published_at ?? earliest }
    }
    if (strict) headers.set('Preference-Applied', 'handling=strict')
    record.fields.walk = walk.walkId
    record.fields.filters = shownFilters(walk)
    if (request.method === 'HEAD') {
      record.lengthUnknown = true
      return new Response(null, { headers })
    }

    await trail.settle(caller.api_key_id)
    const { fills } = await readThroughLoss(() => keyMaps.load(db, programId, walk.questionsAsOf))
    const endExport = limits.beginExport(caller.api_key_id)
    const { letGoAfterMs, stallTimeoutMs, pageTokenKeys } = config
    const serving: Serving = {
      sql: exportDb,
      limits: { ...pageLimits, letGoAfterMs, stallTimeoutMs },
      exports,
      buffers: coding === undefined ? exports.buffers : exports.compressedBuffers,
      pageTokenKeys,
      now: deps.now,
      note: receipt => {
        record.fields.applications = receipt.applications
        record.fields.bytes = receipt.bytes
        const { api_key_id: apiKeyId, address } = caller
        void trail.note({ apiKeyId, address, requestId: record.id, programSlug: slug, walk, receipt })
      },
    }
    const produce = (sink: Sink): Promise<Outcome> =>
      servePage({ walk, after: token?.after, fills }, serving, sink).finally(endExport)
    if (coding !== undefined) record.fields.encoding = coding
    return streamResponse(record, headers, queueTime, client =>
      coding === undefined ? produce(client) : compressed(coding, client, produce),
    )
  }
  return new Elysia({ name: 'export-applications', detail: routeDetail(anyExportOperation()) })
    .use(authenticate(deps))
    .get(path, ({ caller, params, request }) => answer(caller, params.programSlug, request))
    .head(path, ({ caller, params, request }) => answer(caller, params.programSlug, request))
    .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
}

const newWalkId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')

const rawQuery = (url: string): string => {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}
