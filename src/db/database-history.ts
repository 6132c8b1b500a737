// Identifies the server that writes this database, to detect a failover or restore before the new server assigns IDs.

import { type Db, readValue } from './client.ts'

/**
 * Detects a failover or a restore. All IDs then continue well after those that may have been issued and lost. Returns whether it was a new detection.
 * Submissions, new applicants and changes to applications check this themselves.
 */
export async function noteHistory(db: Db): Promise<boolean> {
  return readValue<boolean>(db)`select note_history() as is_news`
}

export const historyNoted =
  'another server has taken over the database, or it was restored: IDs skip ahead by 10,000,000'
