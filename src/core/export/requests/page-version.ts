// A fingerprint of everything that the first page of a walk depends on; equal fingerprints mean equal pages.

import { createHmac, hkdfSync } from 'node:crypto'
import type { ExportFormat } from '../framings/all-framings.ts'
import type { Walk } from './walk.ts'

/** Increase it when a release changes how stored applications are rendered, so that every page counts as new. */
const textVersion = 1

interface SentAs {
  format: ExportFormat
  /** Time zone of rendered times. */
  timeZone: string
  /** IDs of questions hidden from the key. */
  hidden: ReadonlySet<number>
}

/** Key of the fingerprint, secret so that a client cannot find hidden questions by computing fingerprints. */
export const pageVersionKey = (pepper: string): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'page version', 32))

/**
 * Version of a first page. A program's counter moves with every change to its applications (db/walks/walks). The cursor of the last change
 * distinguishes histories with the same counter, as after a restore. It is read before the rows, so a page can be newer than its version
 * but never older.
 */
export function pageVersion(
  key: Buffer,
  walk: Walk,
  changeCursor: string,
  { format, timeZone, hidden }: SentAs,
): string {
  // Everything in the walk except its ID, so that filters added later count too.
  const { walkId, ...limited } = walk
  const known = [textVersion, limited, changeCursor, format, timeZone, [...hidden].sort((a, b) => a - b)]
  return createHmac('sha256', key).update(JSON.stringify(known)).digest('base64url').slice(0, 22)
}
