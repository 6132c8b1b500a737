// Detects that this database has lost a change it once had.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue } from '../client.ts'
import type { ChangeMark } from './change-rows.ts'

/**
 * Detects a database that was restored on the same server, by a change that a token sealed here names and the database lacks. Returns whether it was
 * a new detection.
 */
export async function noteLostChange(
  db: Db,
  lost: { programId: number; change: number; mark: ChangeMark | undefined; sealedAt: Micros },
): Promise<boolean> {
  const { programId, change, mark, sealedAt } = lost
  return readValue<boolean>(db)`
    select note_lost_change(${programId}, ${change}, ${mark === undefined ? null : formatMicros(mark.time)}::timestamptz,
      ${mark?.application_id ?? null}::bigint, ${formatMicros(sealedAt)}::timestamptz) as is_news`
}
