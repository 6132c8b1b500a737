// Tables as sheets for people: their names, headings and rows. Workbooks and archives of CSV files are written from these.

import { fileName, UniqueNames } from './sheet-names.ts'
import { type PlannedColumn, type Table, tableName } from './table-plan.ts'
import { type ApplicationMembers, type Cell, rowMaker } from './table-rows.ts'

export interface Sheet {
  /** Its name in a workbook, and without an extension the name of its file in an archive. */
  name: string
  file: string
  columns: readonly Pick<PlannedColumn, 'name' | 'heading' | 'kind'>[]
  /** Its rows from the first, in batches. */
  rows: () => AsyncIterable<readonly (readonly Cell[])[]>
}

/** Maximum number of columns in a sheet. Source: Excel specifications and limits. */
export const sheetColumnsMax = 16_384

/** A table has more columns than a sheet allows. */
export class TooWide extends Error {
  override name = 'TooWide'
}

/**
 * A sheet for each table. `applications` is read once for each sheet, in the same order, because a sheet's rows are complete before the next sheet
 * begins and memory cannot hold them. It receives the index of the sheet.
 */
export function sheetsOf(
  tables: readonly Table[],
  applications: (sheet: number) => AsyncIterable<readonly ApplicationMembers[]>,
): Sheet[] {
  const wide = tables.find(({ columns }) => columns.length > sheetColumnsMax)
  if (wide !== undefined)
    throw new TooWide(
      `The table ${tableName(wide) || 'of applications'} has ${wide.columns.length} columns, but a sheet can have at most ${sheetColumnsMax}.`,
    )
  const [names, files] = [new UniqueNames(), new UniqueNames(200)]
  const makeRows = rowMaker(tables)
  return tables.map((table, index) => ({
    name: names.take(sheetTitle(table)),
    file: files.take(fileName(tableName(table) || 'applications')),
    columns: table.columns,
    rows: async function* () {
      for await (const batch of applications(index)) {
        const rows: (readonly Cell[])[] = []
        const take = (of: number, cells: Cell[]): void => {
          if (of === index) rows.push(cells)
        }
        for (const application of batch) makeRows(application, take)
        if (rows.length > 0) yield rows
      }
    },
  }))
}

/** `Household members – jobs` for the entities at `household_members.jobs`. */
function sheetTitle({ path }: Table): string {
  if (path.length === 0) return 'Applications'
  const words = path.map(key => key.replaceAll('_', ' ').trim()).join(' – ')
  return words.replace(/^./u, first => first.toUpperCase())
}

/** A list for people. */
export const listText = (items: readonly string[]): string => items.join('; ')
