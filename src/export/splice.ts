// The hot path, first half: stored rows in, bytes of the export out. Pure: it knows buffers and nothing of databases or clients.
//
// Why it looks as it does. An application is stored as the very text that is sent (domain/application). What is missing from
// that text when it is read is constant for all applications of one program version: the unanswered forms of questions that
// other versions of the program asked, at the top level and inside every entity. So those are rendered once per version (a
// VersionFill) and copied in: at each marker, the entity's fill; at the end, the version's fill, the changeable part, and the
// revision state. Nothing is parsed, decoded or built per row; a row costs a few native copies and one native search for a
// marker byte. `tests/export/splice.test.ts` holds it against a plain renderer that builds objects and calls JSON.stringify.

import { markerEnd, markerStart } from '../domain/answers.ts'
import type { VersionFill } from '../domain/version-fill.ts'

const markerStartByte = markerStart.charCodeAt(0)
const markerEndByte = markerEnd.charCodeAt(0)
const zero = 48
const currentEnd = Buffer.from(',"revision_state":"CURRENT"}')
const obsoleteEnd = Buffer.from(',"revision_state":"OBSOLETE"}')

/** Exact bytes of a row in the export. Looks for markers, as `spliceRow` does; used only for rows that may not fit. */
export function splicedBytes(snapshot: Buffer, annotations: Buffer, isCurrent: boolean, fill: VersionFill): number {
  let bytes = snapshot.length + fill.end.length + annotations.length + (isCurrent ? currentEnd : obsoleteEnd).length
  for (let at = snapshot.indexOf(markerStartByte); at !== -1; ) {
    const end = snapshot.indexOf(markerEndByte, at)
    bytes += entityFill(snapshot, at, end, fill).length - (end + 1 - at)
    at = snapshot.indexOf(markerStartByte, end)
  }
  return bytes
}

/**
 * Writes one application object into `target` at `offset` and returns the offset behind it, or -1 when it does not fit
 * (what was written up to then is to be overwritten). `target` must not overlap the row.
 */
export function spliceRow(
  target: Buffer,
  offset: number,
  snapshot: Buffer,
  annotations: Buffer,
  isCurrent: boolean,
  fill: VersionFill,
): number {
  const revision = isCurrent ? currentEnd : obsoleteEnd
  const tail = fill.end.length + annotations.length + revision.length
  const limit = target.length
  let from = 0
  let at = snapshot.indexOf(markerStartByte)
  while (at !== -1) {
    const end = snapshot.indexOf(markerEndByte, at)
    const piece = entityFill(snapshot, at, end, fill)
    if (offset + (at - from) + piece.length > limit) return -1
    offset += snapshot.copy(target, offset, from, at)
    offset += piece.copy(target, offset)
    from = end + 1
    at = snapshot.indexOf(markerStartByte, from)
  }
  if (offset + (snapshot.length - from) + tail > limit) return -1
  offset += snapshot.copy(target, offset, from)
  offset += fill.end.copy(target, offset)
  offset += annotations.copy(target, offset)
  offset += revision.copy(target, offset)
  return offset
}

/** The fill for the marker that starts at `at` and ends at `end`. A marker of an unknown enumerator means the key map is not of this row's program. */
function entityFill(snapshot: Buffer, at: number, end: number, fill: VersionFill): Buffer {
  let enumeratorId = 0
  for (let i = at + 1; i < end; i++) enumeratorId = enumeratorId * 10 + snapshot[i]! - zero
  const piece = fill.entity.get(enumeratorId)
  if (piece === undefined)
    throw new Error(`stored text has a marker for enumerator ${enumeratorId}, which its version lacks`)
  return piece
}
