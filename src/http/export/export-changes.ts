// The change feed: what happened to the applications of a program since a cursor, at once or as soon as something does.

import { readThroughLoss } from '../../db/client.ts'
import {
  type ChangesPage,
  parseChangesRequest,
  readChangesPage,
  readLatestCursor,
} from '../../export/changes/change-feed.ts'
import { parseChangeCursor } from '../../export/requests/change-cursor.ts'
import { authorizeExport, type Caller } from '../../keys/caller.ts'
import { preferredWaitSeconds } from '../headers/preference.ts'
import { changesOperation } from '../openapi/changes-operation.ts'
import type { Deps } from '../server/deps.ts'
import { enterProgram, sentParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'

/** `GET /api/v1/admin/programs/{programSlug}/changes`. `Prefer: wait` as RFC 7240, section 4.3, has it. */
export const exportChanges = (deps: Deps) => {
  const answer = async ({ caller, params, request }: AskedByKey): Promise<Response> => {
    const programSlug = params.programSlug!
    const { config, db, watch } = deps
    const { programId, headers, record } = await enterProgram(deps, { caller, programSlug, request }, authorizeExport)
    const sent = sentParameters(request)
    const { after, pageSize } = parseChangesRequest(sent, config)
    const applied: string[] = sent.strict ? ['handling=strict'] : []
    const read = async (): Promise<ChangesPage> => {
      if (after !== undefined)
        return readThroughLoss(() => readChangesPage(db, programId, after, { pageSize, timeZone: config.timeZone }))
      return { payload: [], nextCursor: await readThroughLoss(() => readLatestCursor(db, programId)), hasMore: false }
    }
    let page = await read()
    const wait = preferredWaitSeconds(request.headers.get('prefer'))
    if (wait > 0 && page.payload.length === 0 && after !== undefined && request.method === 'GET' && watch.hasRoom) {
      applied.push(`wait=${wait}`)
      if (await watch.passed(programId, after.change, wait * 1000, request.signal)) page = await read()
    }
    if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ')
    if (page.payload.length > 0 && request.method === 'GET') await note(caller, programSlug, record.id, page)
    return Response.json(page, { headers })
  }

  /** Records who was told of status and note. This is done before the answer is sent: nothing goes out that is not on record. */
  const note = async (caller: Caller, programSlug: string, requestId: string, page: ChangesPage): Promise<void> => {
    const { payload } = page
    await deps.audit({
      actor: `key:${caller.api_key_id}`,
      action: 'changes_read',
      subject: programSlug,
      address: caller.address,
      detail: {
        request_id: requestId,
        changes: payload.length,
        first_change: payload[0]?.change,
        last_change: parseChangeCursor(page.nextCursor)?.change,
      },
    })
  }

  return readByKey(deps, '/api/v1/admin/programs/:programSlug/changes', changesOperation, answer)
}
