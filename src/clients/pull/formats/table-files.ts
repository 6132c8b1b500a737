// Files of tables in any format: their paths, and writing pulled lines to them.

import { basename } from 'node:path'
import { shortName } from '../../../base/tables/short-name.ts'
import { type Table, tableName } from '../../../base/tables/table-plan.ts'
import { type Cell, NoColumn, rowMaker } from '../../../base/tables/table-rows.ts'
import type { FormatJob, Prepared } from '../spool/output-format.ts'
import type { ReadyFile } from '../spool/place-files.ts'
import { pulledApplications } from '../spool/pulled-applications.ts'
import { columnNames, withoutColumn } from './load-tables.ts'

/** File systems allow 255 bytes, Excel 207 letters; files being written end with .spool.part. */
const fileNameBytesMax = 200
/** Bytes left for a table's name if the output itself has a long name. */
const tableBytesMin = 40

/** Parts of file names by table name, as stored in the state. */
type FileParts = Readonly<Record<string, string>>

/** The file of each table: `apps.csv` for the applications, `apps.jobs.csv` and so on for entities. */
export interface TablePlaces {
  paths: string[]
  parts: FileParts
}

export function tablePlaces({ out, state, context }: FormatJob, ending: string, tables: readonly Table[]): TablePlaces {
  const kept = state.read<FileParts>('fileParts') ?? {}
  const stem = out.slice(0, -ending.length)
  const room = fileNameBytesMax - Buffer.byteLength(basename(out)) - 1
  const parts: Record<string, string> = {}
  const paths = tables.map(table => {
    if (table.path.length === 0) return out
    const name = tableName(table)
    parts[name] = kept[name] ?? shortName(name, Math.max(tableBytesMin, room))
    const path = `${stem}.${parts[name]}${ending}`
    if (parts[name] !== name)
      context.say(`The table of ${name} is in ${basename(path)}, because its own name is too long.`)
    return path
  })
  return { paths, parts }
}

/** A table being written, next to its final name. */
interface TableFile {
  add(cells: readonly Cell[]): void
  finish(): ReadyFile
  close(): void
}

/** Fills the files, one for each table, with everything that was pulled, after calling `begin`. They are closed in any case. */
export async function fillTables(
  job: FormatJob,
  tables: readonly Table[],
  files: readonly TableFile[],
  fileParts: FileParts,
  begin?: () => Promise<void>,
): Promise<Prepared> {
  try {
    await begin?.()
    const makeRows = rowMaker(tables)
    const take = (table: number, cells: Cell[]): void => files[table]!.add(cells)
    for await (const applications of pulledApplications(job.spoolPath, job.check)) {
      job.context.signal.throwIfAborted()
      for (const application of applications) makeRows(application, take)
    }
    // The applications come last: once they are there, everything is.
    return { files: files.map(file => file.finish()).reverse(), facts: { columns: columnNames(tables), fileParts } }
  } catch (error) {
    throw error instanceof NoColumn ? withoutColumn(error) : error
  } finally {
    for (const file of files) file.close()
  }
}
