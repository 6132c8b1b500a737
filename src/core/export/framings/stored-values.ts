// Finds the values in a stored text by skipping the fixed text between them. Pure.
//
// The text was rendered in a fixed order (domain/questions/text-outline), so it is compared rather than parsed. Text that does not match its
// version is an error, because a broken page is better than an answer under another question's name.

import type { OutlinedText } from '../../../domain/questions/text-outline.ts'

const quote = 34
const comma = 44
const backslash = 92
const openBracket = 91
const closeBracket = 93
const closeBrace = 125
const letterN = 110
const markerStart = 1

/** The values of one kind of text, in order. */
export interface OutlinedBytes {
  values: readonly { before: Buffer; marker: Buffer | undefined }[]
  after: Buffer
}

export const outlineBytes = (outline: OutlinedText): OutlinedBytes => ({
  values: outline.values.map(({ before, marker }) => ({
    before: Buffer.from(before),
    marker: marker === undefined ? undefined : Buffer.from(marker),
  })),
  after: Buffer.from(outline.after),
})

/** Number of positions stored per value. */
export const notesOfValue = 3

/**
 * Writes three numbers per value into `notes`, starting with value number `index`: its start, its end, and for a list of entities their
 * number, or for a string 1 if it contains escapes. Returns the end of the outlined text, at most `to`.
 */
export function findValues(
  bytes: Buffer,
  from: number,
  to: number,
  outline: OutlinedBytes,
  notes: Int32Array,
  index: number,
): number {
  const { values } = outline
  let at = from
  let note = index * notesOfValue
  for (let i = 0; i < values.length; i++) {
    const { before, marker } = values[i]!
    at = pass(bytes, at, before)
    notes[note] = at
    notes[note + 2] = 0
    if (marker !== undefined) at = entitiesEnd(bytes, at, to, marker, notes, note + 2)
    else if (bytes[at] === quote) at = stringEnd(bytes, at, notes, note + 2)
    else at = otherEnd(bytes, at)
    notes[note + 1] = at
    note += notesOfValue
  }
  const end = pass(bytes, at, outline.after)
  if (end > to) throw otherThanOutlined()
  return end
}

/** Like `findValues`, for a text that its outline covers completely. */
export function findAllValues(
  bytes: Buffer,
  from: number,
  to: number,
  outline: OutlinedBytes,
  notes: Int32Array,
  index: number,
): void {
  if (findValues(bytes, from, to, outline, notes, index) !== to) throw otherThanOutlined()
}

function pass(bytes: Buffer, at: number, expected: Buffer): number {
  if (!isAt(bytes, at, expected)) throw otherThanOutlined()
  return at + expected.length
}

/**
 * A loop, because for a few bytes a call into the runtime is slower. Comparing four bytes at a time through a DataView was faster in a
 * microbenchmark but took nearly twice the time per page in the service, where every piece is another buffer.
 */
function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  const { length } = expected
  if (at + length > bytes.length) return false
  for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}

const otherThanOutlined = (): Error => new Error('a stored text does not match its program version')

/** End of the string whose opening quote is at `at`; records whether it has escapes. */
function stringEnd(bytes: Buffer, at: number, notes: Int32Array, note: number): number {
  const { length } = bytes
  for (let i = at + 1; i < length; i++) {
    const byte = bytes[i]!
    if (byte === quote) return i + 1
    if (byte === backslash) {
      notes[note] = 1
      i++
    }
  }
  throw otherThanOutlined()
}

/** End of null, a number, or a list of strings. */
function otherEnd(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  if (first === letterN) return at + 4
  const { length } = bytes
  if (first !== openBracket) {
    let i = at
    while (i < length && bytes[i] !== comma && bytes[i] !== closeBrace) i++
    return i
  }
  let inString = false
  for (let i = at + 1; i < length; i++) {
    const byte = bytes[i]!
    if (byte === quote) inString = !inString
    else if (byte === backslash) i++
    else if (byte === closeBracket && !inString) return i + 1
  }
  throw otherThanOutlined()
}

/**
 * End of the list of entities at `at`; records their number. Each entity ends with the enumerator's marker and a brace, so nothing within
 * them is examined: no other text contains a raw control character.
 */
function entitiesEnd(bytes: Buffer, at: number, to: number, marker: Buffer, notes: Int32Array, note: number): number {
  if (bytes[at + 1] === closeBracket) return at + 2
  let count = 0
  for (let from = bytes.indexOf(markerStart, at); from !== -1 && from < to; ) {
    const end = from + marker.length
    if (isAt(bytes, from, marker)) {
      count++
      if (bytes[end] === closeBrace && bytes[end + 1] === closeBracket) {
        notes[note] = count
        return end + 2
      }
    }
    from = bytes.indexOf(markerStart, from + 1)
  }
  throw otherThanOutlined()
}
