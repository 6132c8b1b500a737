// The hot path, first half: stored rows in, bytes of the export out. Pure: it knows buffers and nothing of databases or clients.
//
// Why it looks as it does. An application is stored as the very text that is sent (domain/questions/application). What is missing from
// that text when it is read is constant for all applications of one program version: the unanswered forms of questions that
// other versions of the program asked, at the top level and inside every entity. So those are rendered once per version (a
// VersionFill) and copied in: at each marker, the entity's fill; at the end, the version's fill, the changeable part, and the
// revision state. Nothing is parsed, decoded or built per row; a row costs a few native copies and one native search for a
// marker byte. `tests/core/export/framings/any-page.test.ts` holds it against a plain renderer that builds objects and calls JSON.stringify.

import { markerStart } from '../../../domain/questions/answers.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'

const markerStartByte = markerStart.charCodeAt(0)
const zero = 48
const currentEnd = Buffer.from(',"revision_state":"CURRENT"}')
const obsoleteEnd = Buffer.from(',"revision_state":"OBSOLETE"}')

/** A stored row: where in `bytes` its two texts are, and whether it is CURRENT in the walk. */
export interface StoredRow {
  bytes: Buffer
  snapshotFrom: number
  snapshotTo: number
  annotationsFrom: number
  annotationsTo: number
  isCurrent: boolean
}

/** Exact bytes of a row in the export. Looks for markers, as `spliceRow` does; used only for rows that may not fit. */
export function splicedBytes(row: StoredRow, fill: VersionFill): number {
  const { bytes, snapshotFrom, snapshotTo, annotationsFrom, annotationsTo, isCurrent } = row
  const revision = isCurrent ? currentEnd : obsoleteEnd
  let length = snapshotTo - snapshotFrom + fill.end.length + annotationsTo - annotationsFrom + revision.length
  for (let at = nextMarker(bytes, snapshotFrom, snapshotTo); at !== -1; ) {
    const end = markerEndAt(bytes, at)
    length += entityFill(bytes, at, end, fill).length - (end + 1 - at)
    at = nextMarker(bytes, end, snapshotTo)
  }
  return length
}

/**
 * Writes one application object into `target` at `offset` and returns the offset after it, or -1 when it does not fit
 * (what was written up to then is to be overwritten). `target` must not overlap the row.
 */
export function spliceRow(target: Buffer, offset: number, row: StoredRow, fill: VersionFill): number {
  const { bytes, snapshotTo, annotationsFrom, annotationsTo } = row
  const revision = row.isCurrent ? currentEnd : obsoleteEnd
  const tail = fill.end.length + (annotationsTo - annotationsFrom) + revision.length
  const limit = target.length
  let from = row.snapshotFrom
  let at = nextMarker(bytes, from, snapshotTo)
  while (at !== -1) {
    const end = markerEndAt(bytes, at)
    const piece = entityFill(bytes, at, end, fill)
    if (offset + (at - from) + piece.length > limit) return -1
    offset += bytes.copy(target, offset, from, at)
    offset += piece.copy(target, offset)
    from = end + 1
    at = nextMarker(bytes, from, snapshotTo)
  }
  if (offset + (snapshotTo - from) + tail > limit) return -1
  offset += bytes.copy(target, offset, from, snapshotTo)
  offset += fill.end.copy(target, offset)
  offset += bytes.copy(target, offset, annotationsFrom, annotationsTo)
  offset += revision.copy(target, offset)
  return offset
}

/** Rows as application objects, for every framing that has these. */
export const splicedRows = { write: spliceRow, bytes: splicedBytes }

/**
 * Where the next marker starts, or -1. The search may run past the text, but not far: what follows it on the wire is the
 * length of a column of one byte, which holds the marker's byte.
 */
function nextMarker(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf(markerStartByte, from)
  return at < to ? at : -1
}

/** Where the marker that starts at `at` ends: after its few digits, which are sooner read than searched through. */
function markerEndAt(bytes: Buffer, at: number): number {
  let end = at + 1
  while (bytes[end]! >= zero) end++
  return end
}

/** The fill for the marker that starts at `at` and ends at `end`. A marker of an unknown enumerator means the key map is not of this row's program. */
function entityFill(bytes: Buffer, at: number, end: number, fill: VersionFill): Buffer {
  let enumeratorId = 0
  for (let i = at + 1; i < end; i++) enumeratorId = enumeratorId * 10 + bytes[i]! - zero
  const piece = fill.entity.get(enumeratorId)
  if (piece === undefined)
    throw new Error(`stored text has a marker for enumerator ${enumeratorId}, which its version lacks`)
  return piece
}
