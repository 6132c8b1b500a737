// Lines of CSV (RFC 4180) that a spreadsheet shows as they are. Pure.

/** What makes a spreadsheet take a cell for a formula, also as the wide letters of East Asian keyboards. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u

/** One line with its end. Every cell is in quotes, and a spreadsheet takes none of them for a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** A cell that a formula could begin in gets an apostrophe, by which spreadsheets know a text. */
function csvCell(text: string): string {
  const safe = formulaStart.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
