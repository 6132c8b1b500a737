// The receipt of a walk: its count and digest, with which clients verify that they hold all of it.

import { isOfLostWalk } from '../../../core/export/requests/page-token.ts'
import { parseReceiptRequest, readWalkReceipt, type WalkReceipt } from '../../../core/export/requests/walk-receipt.ts'
import { authorizeExport } from '../../../core/keys/caller.ts'
import { readThroughLoss, type Sql } from '../../../db/client.ts'
import { receiptOperation } from '../openapi/receipt-operation.ts'
import type { Deps } from '../server/deps.ts'
import { enterProgram, sentParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'

/** `GET /api/v1/admin/programs/{programSlug}/receipt`. It can read a whole program, so it counts as one of the key's concurrent exports. */
export const exportReceipt = (deps: Deps) => {
  const answer = async ({ caller, params, request }: AskedByKey): Promise<Response> => {
    const endMs = performance.now() + deps.config.receiptMs
    const programSlug = params.programSlug!
    const { config, exports, limits, lostHistory } = deps
    const { programId, headers, record } = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
    const tokens = { keys: config.pageTokenKeys, now: deps.now(), ttlMs: config.pageTokenTtlMs, programId }
    const begun = parseReceiptRequest(sentParameters(request), tokens)
    record.fields.walk = begun.walk.walkId
    const place = limits.beginExport(caller.api_key_id)
    const limit = { endMs, signal: request.signal }
    const read = (sql: Sql): Promise<WalkReceipt> =>
      readThroughLoss(() => readWalkReceipt(sql, begun, programSlug, tokens, limit))
    await place.granted
    const receipt = exports.read('long', read).catch((error: unknown) => {
      if (isOfLostWalk(error)) lostHistory.suspect(begun.walk)
      throw error
    })
    return Response.json(await receipt.finally(place.end), { headers })
  }
  return readByKey(deps, '/api/v1/admin/programs/:programSlug/receipt', receiptOperation, answer)
}
