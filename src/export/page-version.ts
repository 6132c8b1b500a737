// What a walk's first page depends on, in a few characters: as long as they are the same, nothing has happened that it would tell.

import { createHmac, hkdfSync } from 'node:crypto'
import type { Micros } from '../domain/values/offset-time.ts'
import type { ExportFormat } from './framings/all-framings.ts'
import type { Walk } from './walk.ts'

/** Count it up when the text of a page changes in a release, for what is stored already: then every page is new. */
const textVersion = 1

interface SentAs {
  format: ExportFormat
  /** Times are sent in it. */
  timeZone: string
  /** Ids of questions that are hidden from the key. */
  hidden: ReadonlySet<number>
}

/** What versions are made with, so that no client can try which questions, were they hidden from it, would make the one it got. */
export const pageVersionKey = (pepper: string): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'page version', 32))

/**
 * The version of a first page. The counter of a program moves with everything that happens to its applications: submissions, statuses,
 * notes, erasures (db/walks). When its last change was made, and the last application, tell this history from another one in which the
 * counter has come as far, as after a restore. It is read before the rows are, so a page may be newer than its version says, never older.
 */
export function pageVersion(
  key: Buffer,
  walk: Walk,
  lastChangeAt: Micros | undefined,
  { format, timeZone, hidden }: SentAs,
): string {
  // All that a walk is, so that whatever it comes to be limited to counts, but for its name.
  const { walkId, ...limited } = walk
  const known = [textVersion, limited, lastChangeAt ?? null, format, timeZone, [...hidden].sort((a, b) => a - b)]
  return createHmac('sha256', key).update(JSON.stringify(known)).digest('base64url').slice(0, 22)
}
