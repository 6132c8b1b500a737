// A short fingerprint of everything that a walk's first page depends on: an equal fingerprint means an equal page.

import { createHmac, hkdfSync } from 'node:crypto'
import type { ExportFormat } from '../framings/all-framings.ts'
import type { Walk } from './walk.ts'

/** Increase it when a release changes how stored applications are sent: then every page counts as new. */
const textVersion = 1

interface SentAs {
  format: ExportFormat
  /** Times are sent in it. */
  timeZone: string
  /** Ids of questions that are hidden from the key. */
  hidden: ReadonlySet<number>
}

/** Secret, so that a client cannot find out which questions are hidden from it by trying which would give its version. */
export const pageVersionKey = (pepper: string): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'page version', 32))

/**
 * The version of a first page. The counter of a program moves with everything that happens to its applications: submissions, statuses,
 * notes, erasures (db/walks/walks). The cursor of its last change distinguishes this history from another with the same counter, as
 * after a restore. It is read before the rows are, so a page may be newer than its version says, never older.
 */
export function pageVersion(
  key: Buffer,
  walk: Walk,
  changeCursor: string,
  { format, timeZone, hidden }: SentAs,
): string {
  // Everything in the walk but its name, so that a filter that is added later counts too.
  const { walkId, ...limited } = walk
  const known = [textVersion, limited, changeCursor, format, timeZone, [...hidden].sort((a, b) => a - b)]
  return createHmac('sha256', key).update(JSON.stringify(known)).digest('base64url').slice(0, 22)
}
