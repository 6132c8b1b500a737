// The hot path, first half: turns stored rows into bytes of the export. Pure: it works on buffers only.
//
// Design: an application is stored as the text that is sent (domain/questions/application). The parts missing from that text are the same
// for all applications of a program version: unanswered entries for questions that only other versions asked, at the top level and in
// every entity. They are rendered once per version (a VersionFill) and copied in: the entity's fill at each marker; and at the end the
// version's fill, the changeable part and the revision state. Nothing is parsed, decoded or built per row; a row costs a few native
// copies and a native search for a marker byte. `tests/core/export/framings/any-page.test.ts` compares it with a renderer that builds
// objects and calls JSON.stringify.

import { markerStart } from '../../../domain/questions/answers.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'

const markerStartByte = markerStart.charCodeAt(0)
const zero = 48
const currentEnd = Buffer.from(',"revision_state":"CURRENT"}')
const obsoleteEnd = Buffer.from(',"revision_state":"OBSOLETE"}')

/** A stored row: the positions of its two texts in `bytes`, and whether it is CURRENT in the walk. */
export interface StoredRow {
  bytes: Buffer
  snapshotFrom: number
  snapshotTo: number
  annotationsFrom: number
  annotationsTo: number
  isCurrent: boolean
}

/** Exact number of bytes of a row in the export. Searches for markers like `spliceRow`; used only for rows that may not fit. */
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
 * Writes an application object into `target` at `offset` and returns the offset after it, or -1 if it does not fit
 * (the caller then overwrites what was written). `target` must not overlap the row.
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

/** Writes rows as application objects, for the framings that contain them. */
export const splicedRows = { write: spliceRow, bytes: splicedBytes }

/**
 * Offset of the next marker, or -1. The search can run slightly past the text: the row's next bytes are the length of a one-byte column,
 * which contains the marker's byte.
 */
function nextMarker(bytes: Buffer, from: number, to: number): number {
  const at = bytes.indexOf(markerStartByte, from)
  return at < to ? at : -1
}

/** End of the marker at `at`, after its few digits, which are faster to read than to search. */
function markerEndAt(bytes: Buffer, at: number): number {
  let end = at + 1
  while (bytes[end]! >= zero) end++
  return end
}

/** The fill for the marker that starts at `at` and ends at `end`. A marker of an unknown enumerator means that the key map is of another program. */
function entityFill(bytes: Buffer, at: number, end: number, fill: VersionFill): Buffer {
  let enumeratorId = 0
  for (let i = at + 1; i < end; i++) enumeratorId = enumeratorId * 10 + bytes[i]! - zero
  const piece = fill.entity.get(enumeratorId)
  if (piece === undefined)
    throw new Error(`stored text has a marker for enumerator ${enumeratorId}, which its version lacks`)
  return piece
}
