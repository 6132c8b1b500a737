// Identifies the server that writes this database, to detect a failover or restore before the new server assigns IDs.

import { type Db, readValue } from './client.ts'

/**
 * Detects a failover or a restore: all ids then continue well after those that may have been
 * given out and lost. Whether that was news. Submissions, new applicants and changes of an application ask so by themselves.
 */
export async function noteHistory(db: Db): Promise<boolean> {
  return readValue<boolean>(db)`select note_history() as is_news`
}

export const historyNoted =
  'another server has taken over the database, or it was restored: IDs skip ahead by 10,000,000'
