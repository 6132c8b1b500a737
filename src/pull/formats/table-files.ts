// Files of tables, whatever their format: where each is, and how the lines that were pulled get into them.

import { CommandError } from '../requests/pull-outcome.ts'
import { type Table, tableName } from '../requests/table-plan.ts'
import { fileLines } from '../spool/file-lines.ts'
import type { FormatJob, Prepared } from '../spool/output-format.ts'
import type { ReadyFile } from '../spool/place-files.ts'
import { columnNames } from './load-tables.ts'
import { type Cell, NoColumn, rowMaker } from './table-rows.ts'

/** `apps.csv` of the applications, `apps.jobs.csv` and the like of entities. */
export const tablePath = (out: string, ending: string, table: Table): string =>
  table.path.length === 0 ? out : `${out.slice(0, -ending.length)}.${tableName(table)}${ending}`

/** One table that is being written, alongside its place. */
interface TableFile {
  add(cells: readonly Cell[]): void
  finish(): ReadyFile
  close(): void
}

/** Fills the files, one for each table, with all that was pulled; `begin` first. They are closed however it ends. */
export async function fillTables(
  job: FormatJob,
  tables: readonly Table[],
  files: readonly TableFile[],
  begin?: () => Promise<void>,
): Promise<Prepared> {
  try {
    await begin?.()
    const makeRows = rowMaker(tables)
    for await (const lines of fileLines(job.spoolPath)) {
      job.context.signal.throwIfAborted()
      for (const line of lines) makeRows(JSON.parse(line.toString()), (table, cells) => files[table]!.add(cells))
    }
    // The applications come last: when they are there, all of it is.
    return { files: files.map(file => file.finish()).reverse(), facts: { columns: columnNames(tables) } }
  } catch (error) {
    throw error instanceof NoColumn ? new CommandError('mismatch', error.message) : error
  } finally {
    for (const file of files) file.close()
  }
}
