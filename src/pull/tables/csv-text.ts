// Records of CSV (RFC 4180), in the way of the service's own: null is nothing, every text is quoted, lists are joined by semicolons, and
// no spreadsheet takes a text for a formula. Pure, and back again as far as the tool needs it.

import type { Cell } from './table-rows.ts'

export const byteOrderMark = '\ufeff'
const endOfRecord = '\r\n'

/** What makes a spreadsheet take a text for a formula, also as the wide letters of East Asian keyboards; and what such a text begins with. */
const formulaStart = /^[=+\-@\t\r\n'＝＋－＠]/u
/** Phone numbers and coordinates are none. */
const wholeNumber = /^[+-]?[0-9]+(?:\.[0-9]+)?$/

/** `exact` leaves texts as they are, for programs and not for spreadsheets. */
export function csvRecord(cells: readonly Cell[], exact: boolean): string {
  let record = ''
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) record += ','
    const cell = cells[i]!
    if (cell === null) continue
    if (typeof cell === 'string') record += quoted(cell, exact)
    else if (typeof cell === 'object') record += cell.length === 0 ? '' : quoted(joined(cell), exact)
    else record += String(cell)
  }
  return record + endOfRecord
}

/** Names of columns stand without quotes, where they can. */
export const csvHeader = (names: readonly string[]): string =>
  names.map(name => (/[",\r\n]/.test(name) ? quoted(name, true) : name)).join(',') + endOfRecord

const quoted = (text: string, exact: boolean): string =>
  `"${(exact ? text : forSpreadsheets(text)).replaceAll('"', '""')}"`

function forSpreadsheets(text: string): string {
  const visible = text.replaceAll('\0', '␀')
  return formulaStart.test(visible) && !wholeNumber.test(visible) ? `'${visible}` : visible
}

/** A semicolon or backslash within an item has a backslash before it. */
const joined = (items: readonly string[]): string => items.map(item => item.replace(/[;\\]/g, '\\$&')).join(';')

const [quote, lineFeed] = [0x22, 0x0a]

/** Records in pieces of a file, as bytes without their line ends. */
export async function* csvRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let scanned = 0
  let inQuotes = false
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
    const records: Buffer[] = []
    let from = 0
    for (let i = scanned; i < rest.length; i++) {
      const byte = rest[i]
      if (byte === quote) inQuotes = !inQuotes
      else if (byte === lineFeed && !inQuotes) {
        records.push(rest.subarray(from, i - 1))
        from = i + 1
      }
    }
    rest = rest.subarray(from)
    scanned = rest.length
    if (records.length > 0) yield records
  }
  if (rest.length > 0) yield [rest]
}
