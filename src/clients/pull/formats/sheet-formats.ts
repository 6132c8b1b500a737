// Spreadsheets for people: `apps.xlsx` has a sheet of applications and one for each list of entities, and `apps.zip` the same rows as CSV files.
// The console offers the same files. Every pull rewrites the whole file. Its sheets are written one after another, so the spool is read once
// per sheet.

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { csvArchive } from '../../../base/tables/csv-archive.ts'
import { type Sheet, sheetsOf, TooWide } from '../../../base/tables/sheets.ts'
import type { Table } from '../../../base/tables/table-plan.ts'
import { NoColumn } from '../../../base/tables/table-rows.ts'
import { cellLengthMax, sheetRowsMax, type WorkbookNotes, workbook } from '../../../base/tables/workbook.ts'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import type { FormatJob, OutputFormat } from '../spool/output-format.ts'
import { type ReadyFile, sizeOf } from '../spool/place-files.ts'
import { pulledApplications } from '../spool/pulled-applications.ts'
import { columnNames, loadTables, withoutColumn } from './load-tables.ts'

type Bytes = AsyncIterable<Buffer>

/** `bytesOf` generates the file from its sheets, and adds notes for its reader. */
const sheetFormat = (ending: string, bytesOf: (sheets: Sheet[], notes: WorkbookNotes) => Bytes): OutputFormat => ({
  ending,
  hasTables: true,
  isForPeople: true,
  spoolPath: out => `${out}.spool.part`,
  check: async job => void planned((await loadTables(job)).tables),
  prepare: async job => {
    const { tables } = await loadTables(job)
    const notes: WorkbookNotes = { cutCells: 0, continued: [] }
    const file = await write(job, bytesOf(planned(tables, job), notes)).catch((error: unknown) => {
      throw error instanceof NoColumn ? withoutColumn(error) : error
    })
    for (const text of noteTexts(notes)) job.context.say(text)
    return { files: [file], facts: { columns: columnNames(tables) } }
  },
})

export const xlsxFormat = sheetFormat('.xlsx', workbook)
export const zipFormat = sheetFormat('.zip', csvArchive)

/** The schema is checked once, when the first sheet is written. */
function planned(tables: readonly Table[], job?: FormatJob): Sheet[] {
  try {
    return sheetsOf(tables, async function* (sheet) {
      if (job === undefined) return
      for await (const applications of pulledApplications(job.spoolPath, sheet === 0 ? job.check : undefined)) {
        job.context.signal.throwIfAborted()
        yield applications
      }
    })
  } catch (error) {
    if (!(error instanceof TooWide)) throw error
    throw new CommandError('failed', `${error.message} Choose questions with --fields, or pull into a .csv file.`)
  }
}

async function write({ out }: FormatJob, bytes: Bytes): Promise<ReadyFile> {
  const next = `${out}.part`
  const onDisk = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw fileError(error, `Cannot write ${next}`)
    }
  }
  const descriptor = onDisk(() => openSync(next, 'w', 0o600))
  try {
    for await (const piece of bytes)
      for (let at = 0; at < piece.length; ) at += onDisk(() => writeSync(descriptor, piece, at))
    onDisk(() => fsyncSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
  return { from: next, to: out, bytes: sizeOf(next)! }
}

function noteTexts({ cutCells, continued }: WorkbookNotes): string[] {
  const texts = continued.map(
    name => `A sheet can have at most ${inWords(sheetRowsMax)} rows, so the rest are in the sheet “${name}”.`,
  )
  if (cutCells > 0)
    texts.push(
      `${inWords(cutCells)} cell${cutCells === 1 ? ' was' : 's were'} cut at ${inWords(cellLengthMax)} characters, the maximum for a cell. For the full text, pull into a .zip file.`,
    )
  return texts
}

const inWords = (count: number): string => count.toLocaleString('en-US')
