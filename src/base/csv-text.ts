// Renders CSV records (RFC 4180) that are safe in spreadsheets: null is an empty field, texts are quoted, lists are joined by semicolons.
// `core/export/framings/csv-cells` renders the same from stored bytes. Pure.
//
// Spreadsheets recognize formulas by the first character of a cell, quoted or not. Texts that start with such a character are prefixed with
// an apostrophe (OWASP, "CSV Injection"), and so are texts that start with an apostrophe, so that removing one always restores the text.
// Texts that are numbers, such as phone numbers and coordinates, are unchanged.

export type CsvCell = string | number | boolean | null | readonly string[]

export const byteOrderMark = '\ufeff'
export const endOfRecord = '\r\n'
/** The last four are the full-width characters of a Japanese keyboard. */
export const formulaStarts = [..."=+-@\t\r\n'＝＋－＠"]
const wholeNumber = /^[+-]?[0-9]+(?:\.[0-9]+)?$/

/** `exact` leaves texts unchanged, for programs instead of spreadsheets. */
export function csvRecord(cells: readonly CsvCell[], exact = false): string {
  let record = ''
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) record += ','
    const cell = cells[i]!
    if (cell === null) continue
    if (typeof cell === 'string') record += quoted(cell, exact)
    else if (typeof cell === 'object') record += cell.length === 0 ? '' : quoted(joinedItems(cell), exact)
    else record += String(cell)
  }
  return record + endOfRecord
}

/** Column names are not quoted unless necessary. */
export const csvHeader = (names: readonly string[], exact = false): string =>
  names.map(name => (/^[\p{L}_][^",\r\n]*$/u.test(name) ? name : quoted(name, exact))).join(',') + endOfRecord

/** Characters with another form within quotes. Not every CSV reader accepts a zero byte, so a visible symbol is written instead. */
export const withinQuotes = { '"': '""', '\0': '␀' }

const quoted = (text: string, exact: boolean): string => {
  const shown = exact ? text : forSpreadsheets(text)
  return shown.includes('"') ? `"${shown.replaceAll('"', withinQuotes['"'])}"` : `"${shown}"`
}

const formulaCodes = new Set(formulaStarts.map(start => start.charCodeAt(0)))

/** Whether a text gets an apostrophe for spreadsheets. */
export const looksLikeFormula = (text: string): boolean =>
  formulaCodes.has(text.charCodeAt(0)) && !wholeNumber.test(text)

function forSpreadsheets(text: string): string {
  const visible = text.includes('\0') ? text.replaceAll('\0', withinQuotes['\0']) : text
  return looksLikeFormula(visible) ? `'${visible}` : visible
}

/** A semicolon or backslash within an item is escaped with a backslash. */
export const joinedItems = (items: readonly string[]): string =>
  items.map(item => item.replace(/[;\\]/g, '\\$&')).join(';')
