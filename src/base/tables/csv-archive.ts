// Streams a ZIP file of CSV files, one for each sheet, with the same rows as a workbook: headings, keys, values. Unlike
// in a workbook, long texts are complete and times keep their offsets.

import { byteOrderMark, csvRecord } from '../csv-text.ts'
import { listText, type Sheet } from './sheets.ts'
import type { Cell } from './table-rows.ts'
import { type ZipEntry, zipFile } from './zip-file.ts'

export const csvArchive = (sheets: readonly Sheet[]): AsyncGenerator<Buffer, void, undefined> =>
  zipFile(csvFiles(sheets))

async function* csvFiles(sheets: readonly Sheet[]): AsyncGenerator<ZipEntry> {
  for (const sheet of sheets) yield { name: `${sheet.file}.csv`, content: csvContent(sheet) }
}

async function* csvContent({ columns, rows }: Sheet): AsyncGenerator<string> {
  const headings = columns.map(({ heading }) => heading)
  yield byteOrderMark + csvRecord(headings) + csvRecord(columns.map(({ name }) => name))
  for await (const batch of rows()) yield batch.map(cells => csvRecord(cells.map(asText))).join('')
}

const asText = (cell: Cell): Cell => (Array.isArray(cell) && cell.length > 0 ? listText(cell) : cell)
