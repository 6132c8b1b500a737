// Writes names and values in PostgreSQL's syntax. Pure.

import { shortName } from '../../../base/tables/short-name.ts'
import type { ColumnKind, Table } from '../../../base/tables/table-plan.ts'
import type { Cell } from '../../../base/tables/table-rows.ts'

/** PostgreSQL cuts off names that are longer. */
const identifierBytesMax = 63

/** `home_address.zip` becomes `home_address__zip`; a long name ends with a digest of the whole, so it stays its own. */
export function identifierOf(name: string): string {
  // A digest of the name with its points: `a.b` and `a__b` stay two.
  return shortName(name, identifierBytesMax, name.replaceAll('.', '__'))
}

/** Identifiers of the table's columns, in order. Throws if two would be the same. */
export function columnIdentifiers({ columns }: Table): string[] {
  const names = columns.map(({ name }) => identifierOf(name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new Error(`two columns would be named ${twice}`)
  return names
}

/** A line of COPY in its text format. */
export function copyLine(cells: readonly Cell[], kinds: readonly ColumnKind[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? null
    line += i === 0 ? '' : '\t'
    if (cell === null) line += '\\N'
    else if (typeof cell === 'object') line += escaped(arrayText(cell))
    // Only text can contain characters that must be escaped.
    else line += kinds[i] === 'text' || typeof cell === 'string' ? escaped(String(cell)) : String(cell)
  }
  return `${line}\n`
}

/** PostgreSQL has no text with a zero byte in it; it is shown as a sign of its own. */
const escaped = (text: string): string => {
  if (!special.test(text)) return text
  return text
    .replaceAll('\0', '␀')
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
}

const special = /[\0\\\t\n\r]/

const arrayText = (items: readonly string[]): string =>
  `{${items.map(item => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
