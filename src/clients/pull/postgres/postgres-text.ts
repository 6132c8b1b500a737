// Writes names and values in PostgreSQL's syntax. Pure.

import { shortName } from '../../../base/tables/short-name.ts'
import type { Table } from '../../../base/tables/table-plan.ts'
import type { Cell } from '../../../base/tables/table-rows.ts'
import { escapesFor, type TextBytes } from '../spool/text-bytes.ts'

/** PostgreSQL cuts off names that are longer. */
const identifierBytesMax = 63

/** `home_address.zip` becomes `home_address__zip`; a long name ends with a digest of the whole, so it stays its own. */
export function identifierOf(name: string): string {
  // A digest of the name with its points: `a.b` and `a__b` stay two.
  return shortName(name, identifierBytesMax, name.replaceAll('.', '__'))
}

/** Of the table's columns, in their order. Throws where two would be one. */
export function columnIdentifiers({ columns }: Table): string[] {
  const names = columns.map(({ name }) => identifierOf(name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new Error(`two columns would be named ${twice}`)
  return names
}

/** PostgreSQL has no text with a zero byte in it; it is shown as a sign of its own. */
const escapes = escapesFor({ '\0': '␀', '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })
const [tab, lineFeed] = [0x09, 0x0a]

/** Adds a line of COPY in its text format. */
export function addCopyLine(bytes: TextBytes, cells: readonly Cell[]): void {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? null
    if (i > 0) bytes.addByte(tab)
    if (cell === null) bytes.add('\\N')
    else if (typeof cell === 'object') bytes.add(arrayText(cell), escapes)
    else bytes.add(String(cell), escapes)
  }
  bytes.addByte(lineFeed)
}

const arrayText = (items: readonly string[]): string =>
  `{${items.map(item => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
