// Copies values of a stored text to CSV cells in the format of `csv-text`, safe in spreadsheets or exactly as they are. Pure.

import { formulaStarts } from '../../../base/csv-text.ts'

const quote = 34
const apostrophe = 39
const comma = 44
const semicolon = 59
const backslash = 92
const letterU = 117

const starts = formulaStarts.map(start => Buffer.from(start))
/** 1 for each byte that starts a formula by itself. */
const byteStarts = new Uint8Array(256)
for (const start of starts) if (start.length === 1) byteStarts[start[0]!] = 1
/** Second and third byte of the wide formula characters, whose first byte is EF. */
const wideStarts = new Set(starts.filter(start => start.length === 3).map(start => start.readUInt16BE(1)))

/** Maximum bytes that a cell is longer than its JSON value: the apostrophe. */
export const cellGrowth = 1

/** A string as a cell, always quoted, to distinguish an empty string from null. Returns the offset after it. */
export function writeText(
  target: Buffer,
  offset: number,
  bytes: Buffer,
  from: number,
  to: number,
  hasEscapes: boolean,
  isExact: boolean,
): number {
  target[offset++] = quote
  const start = offset
  // An escape can decode to the start of a formula, so the written bytes are checked.
  if (hasEscapes) offset = unescaped(target, offset, bytes, from + 1, to - 1, false)
  else offset = copied(target, offset, bytes, from + 1, to - 1)
  return closed(target, start, offset, isExact)
}

/**
 * A list of strings as one cell, separated by semicolons, with semicolons and backslashes escaped by a backslash. An empty list is an
 * empty cell.
 */
export function writeList(
  target: Buffer,
  offset: number,
  bytes: Buffer,
  from: number,
  to: number,
  isExact: boolean,
): number {
  if (to - from <= 2) return offset
  target[offset++] = quote
  const start = offset
  let end = offset
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at]
    if (byte === comma) target[end++] = semicolon
    if (byte !== quote) continue
    let close = at + 1
    let plain = end
    // Most items are option IDs without escapes, so they are copied while searching for their end.
    for (let sign = bytes[close]!; sign !== quote && sign !== backslash && sign !== semicolon; sign = bytes[++close]!)
      target[plain++] = sign
    if (bytes[close] === quote) end = plain
    else {
      while (bytes[close] !== quote) close += bytes[close] === backslash ? 2 : 1
      end = unescaped(target, end, bytes, at + 1, close, true)
    }
    at = close
  }
  return closed(target, start, end, isExact)
}

/** A number as stored. */
export function writeNumber(target: Buffer, offset: number, bytes: Buffer, from: number, to: number): number {
  return copied(target, offset, bytes, from, to)
}

/** For a few bytes, a loop is faster than a call into the runtime. */
function copied(target: Buffer, offset: number, bytes: Buffer, from: number, to: number): number {
  if (to - from > 40) return offset + bytes.copy(target, offset, from, to)
  for (let at = from; at < to; at++) target[offset++] = bytes[at]!
  return offset
}

/** Closes the cell whose text is between `start` and `end`, shifted by one if it needs an apostrophe and is not to be exact. */
function closed(target: Buffer, start: number, end: number, isExact: boolean): number {
  if (!isExact && end > start && startsFormula(target, start) && !isNumber(target, start, end)) {
    target.copyWithin(start + 1, start, end)
    target[start] = apostrophe
    end++
  }
  target[end++] = quote
  return end
}

function startsFormula(target: Buffer, start: number): boolean {
  const first = target[start]!
  if (first === 0xef) return wideStarts.has(target[start + 1]! * 256 + target[start + 2]!)
  return byteStarts[first] === 1
}

/** A sign, digits and an optional fraction. */
function isNumber(target: Buffer, start: number, end: number): boolean {
  const first = target[start]
  if (first !== 43 && first !== 45) return false
  let points = 0
  for (let at = start + 1; at < end; at++) {
    const byte = target[at]!
    if (byte === 46 && at > start + 1 && at < end - 1) points++
    else if (byte < 48 || byte > 57) return false
  }
  return end > start + 1 && points <= 1
}

const shortEscapes = new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(([letter, meant]) => [
    letter.charCodeAt(0),
    meant.charCodeAt(0),
  ]),
)

/** Copies the content of a JSON string to a quoted cell, with escapes resolved. */
function unescaped(target: Buffer, offset: number, bytes: Buffer, from: number, to: number, inList: boolean): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    if (byte !== backslash) {
      if (inList && byte === semicolon) target[offset++] = backslash
      target[offset++] = byte
      continue
    }
    const escaped = bytes[++at]!
    if (escaped === letterU) {
      offset += target.write(shown(Number.parseInt(bytes.toString('latin1', at + 1, at + 5), 16)), offset)
      at += 4
    } else {
      if (escaped === quote || (inList && escaped === backslash)) target[offset++] = escaped
      target[offset++] = shortEscapes.get(escaped) ?? escaped
    }
  }
  return offset
}

/** The character of `\u` and four digits. A NUL becomes the symbol ␀, because many CSV readers do not accept it. */
const shown = (code: number): string => (code === 0 ? '\u2400' : String.fromCharCode(code))
