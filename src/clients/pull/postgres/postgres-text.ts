// Writes names and values in PostgreSQL's syntax. Pure.

import { shortName } from '../../../base/tables/short-name.ts'
import type { Table } from '../../../base/tables/table-plan.ts'
import type { Cell } from '../../../base/tables/table-rows.ts'
import { escapesFor, type TextBytes } from '../spool/text-bytes.ts'

/** PostgreSQL truncates longer names. */
const identifierBytesMax = 63

/** `home_address.zip` becomes `home_address__zip`; a long name ends with a digest of the whole name, so that it stays unique. */
export function identifierOf(name: string): string {
  // A digest of the name with its dots, so that `a.b` and `a__b` remain different.
  return shortName(name, identifierBytesMax, name.replaceAll('.', '__'))
}

/** The names of the table's columns, in order. Throws if two would be equal. */
export function columnIdentifiers({ columns }: Table): string[] {
  const names = columns.map(({ name }) => identifierOf(name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new Error(`two columns would be named ${twice}`)
  return names
}

/** PostgreSQL cannot store a zero byte in text; it becomes a visible symbol. */
const escapes = escapesFor({ '\0': '␀', '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })
const [tab, lineFeed] = [0x09, 0x0a]

/** Adds a line in COPY's text format. */
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
