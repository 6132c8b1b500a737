// Reads ZIP files and XLSX workbooks with code that had no part in writing them: SheetJS, and fflate for other archives.

import { unzipSync } from 'fflate'
import { type CellObject, read } from 'xlsx'

/** A sheet: its rows, with times as their local text and an empty cell as null, and the cells themselves. */
export interface ReadSheet {
  name: string
  rows: unknown[][]
  cells: (CellObject | undefined)[][]
}

/** Throws if a file is incomplete. */
export function sheetsInXlsx(bytes: Uint8Array): ReadSheet[] {
  const { SheetNames, Sheets } = read(bytes, { dense: true, cellNF: true, UTC: true } as object)
  return SheetNames.map(name => {
    const cells = ((Sheets[name] as { '!data'?: CellObject[][] })['!data'] ??
      (Sheets[name] as unknown as CellObject[][])) as CellObject[][]
    return { name, cells, rows: cells.map(row => Array.from(row ?? [], readCell)) }
  })
}

/** Number formats for days and times: 14 and 22. */
const dayFormats = new Set(['m/d/yy', 'm/d/yy h:mm'])

function readCell(cell: CellObject | undefined): unknown {
  if (cell?.v === undefined) return null
  if (cell.t !== 'n' || !dayFormats.has(String(cell.z))) return cell.v
  const ms = Math.round((cell.v as number) * 86_400) * 1000 + Date.UTC(1899, 11, 30)
  return new Date(ms).toISOString().slice(0, 19)
}

/** The files in a ZIP file by name. Throws if it is incomplete. */
export const zipEntries = (bytes: Uint8Array): Map<string, Buffer> =>
  new Map(Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content)]))
