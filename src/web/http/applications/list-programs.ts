// Lists the programs that a key can read, with their application counts and change cursors.

import { hkdfSync } from 'node:crypto'
import { formatChangeCursor } from '../../../core/export/requests/change-cursor.ts'
import { unauthenticated } from '../../../core/keys/caller.ts'
import { readReadablePrograms } from '../../../db/applications/client-reads.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import { listProgramsOperation } from '../openapi/reading-operations.ts'
import type { Deps } from '../server/deps.ts'
import { refuseParameters } from '../server/program-request.ts'
import { type AskedByKey, readByKey } from '../server/read-by-key.ts'

/** `GET /api/v1/admin/programs`. */
export const listPrograms = (deps: Deps) => {
  const installation_id = installationId(deps.config.apiKeyPepper)
  const answer = async ({ caller, request }: AskedByKey): Promise<Response> => {
    const { config, db, limits } = deps
    const headers = { 'Cache-Control': 'no-store', ...quotaHeaders(await limits.takeRequest(caller.api_key_id)) }
    if (!caller.may_export) throw unauthenticated('may_not_export')
    refuseParameters(request)
    const programs = await readThroughLoss(() => readReadablePrograms(db, [...caller.programs.values()]))
    const payload = programs.map(({ slug, display_name, applications, newest_submit_time: newest, place }) => ({
      program_name: slug,
      display_name,
      applications,
      newest_submit_time: newest === null ? null : formatOffsetTime(newest, config.timeZone),
      change_cursor: formatChangeCursor(place),
    }))
    return Response.json({ installation_id, payload }, { headers })
  }
  return readByKey(deps, '/api/v1/admin/programs', listProgramsOperation, answer)
}

/**
 * ID of this installation at any address, 32 hexadecimal digits. It is derived from the pepper, which all processes share, which survives
 * restoring the database, and which differs in another installation on a copy of the database.
 */
const installationId = (pepper: string): string =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'installation', 16)).toString('hex')
