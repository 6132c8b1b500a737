// Keeps each application on one line for every reader (contract D47): besides at line feeds, which JSON text never contains raw, many readers
// end a line at U+2028, U+2029 or U+0085. These are written as escapes, which leaves the JSON value unchanged.
//
// Stored texts contain them unescaped, so every row is searched natively, which takes 0.2 to 0.8 µs for 4 KB, as long as a copy. The rare
// rows that contain one are written again.

import type { RowWriter } from './page-framing.ts'

const separators = ['\u2028', '\u2029', '\u0085'].map(character => ({
  character,
  bytes: Buffer.from(character),
  escaped: `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
}))
const escapeBytes = 6

/** JSON text as one line. */
export const inOneLine = (json: string): string =>
  separators.reduce((text, { character, escaped }) => text.replaceAll(character, escaped), json)

/** Writes each row as one line. */
export const rowsInOneLine = (rows: RowWriter): RowWriter => ({
  write(target, offset, row, fill, index) {
    const end = rows.write(target, offset, row, fill, index)
    if (end === -1) return -1
    const written = target.subarray(offset, end)
    if (separators.every(({ bytes }) => written.indexOf(bytes) === -1)) return end
    const line = Buffer.from(inOneLine(written.toString()))
    return offset + line.length > target.length ? -1 : offset + line.copy(target, offset)
  },
  bytes(row, fill) {
    const stored = [
      row.bytes.subarray(row.snapshotFrom, row.snapshotTo),
      row.bytes.subarray(row.annotationsFrom, row.annotationsTo),
    ]
    return rows.bytes(row, fill) + stored.reduce((sum, text) => sum + growth(text), 0)
  },
})

/** Bytes that escaping adds to a text. */
function growth(text: Buffer): number {
  let more = 0
  for (const { bytes } of separators)
    for (let at = text.indexOf(bytes); at !== -1; at = text.indexOf(bytes, at + bytes.length))
      more += escapeBytes - bytes.length
  return more
}
