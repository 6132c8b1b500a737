// Stored key maps of programs, in JSON.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'

interface KeptKeyMapRow {
  code_version: number
  content: unknown
}

/** The key map stored for the program's publication at that time; undefined if none is. */
export async function findKeptKeyMap(
  db: Db,
  programId: number,
  publishedAt: Micros,
): Promise<KeptKeyMapRow | undefined> {
  return findRow<KeptKeyMapRow>(db)`
    select k.code_version, k.content
    from program_version v
    join program_key_map k on k.program_version_id = v.program_version_id
    where v.program_id = ${programId}
    and v.published_at = ${formatMicros(publishedAt)}::timestamptz`
}
