// Finds the values of a stored text: walks over the fixed text between them, and over each value to its end. Pure.
//
// This service rendered the text in a fixed order (domain/questions/text-outline), so this compares it and does not parse. It refuses text
// that does not match its version: a broken page is better than an answer under another question's name.

import type { OutlinedText } from '../../../domain/questions/text-outline.ts'

const quote = 34
const comma = 44
const backslash = 92
const openBracket = 91
const closeBracket = 93
const closeBrace = 125
const letterN = 110
const markerStart = 1

/** The values of one kind of text, in their order. */
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

/** How many numbers are noted for each value. */
export const notesOfValue = 3

/**
 * Notes in `notes`, from that of value number `index` on, three numbers for each value: where it starts; where it ends; and of a list of
 * entities how many they are, of a string 1 if it contains escapes. Returns where the outlined text ends, at `to` at the latest.
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

/** The same of a text that is outlined whole. */
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
 * By hand: these are a few bytes each, for which a call into the runtime costs more than comparing them. Words of four bytes, read through
 * a DataView, were faster in a loop of their own and cost a page nearly twice the time in the service, where each piece is another buffer.
 */
function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  const { length } = expected
  if (at + length > bytes.length) return false
  for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}

const otherThanOutlined = (): Error => new Error('a stored text is not as its program version says')

/** The end of the string whose opening quote is at `at`; notes whether it has escapes. */
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

/** The end of null, a number, or a list of strings. */
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
 * The end of the list of entities at `at`; notes their number. Each ends with the enumerator's marker and a brace, and after that
 * of the last the list ends, so that nothing within them has to be looked at: no text has a raw control character.
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
