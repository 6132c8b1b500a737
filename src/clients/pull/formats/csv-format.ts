// Tables as CSV: `apps.csv` has one record per application, `apps.household_members.csv` one per entity of that enumerator, and so on at
// every depth. Written from the spool after the walk, because only then are all columns known.

import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs'
import {
  byteOrderMark,
  csvHeader,
  csvRecord,
  endOfRecord,
  joinedItems,
  looksLikeFormula,
  withinQuotes,
} from '../../../base/csv-text.ts'
import { type KnownColumns, type Table, tableName, unansweredIn } from '../../../base/tables/table-plan.ts'
import type { Cell } from '../../../base/tables/table-rows.ts'
import { fileError } from '../requests/pull-outcome.ts'
import type { OutputFormat } from '../spool/output-format.ts'
import { type ReadyFile, sizeOf } from '../spool/place-files.ts'
import { escapesFor, TextBytes } from '../spool/text-bytes.ts'
import { csvRecords } from './csv-reader.ts'
import { checkTables, loadTables } from './load-tables.ts'
import { fillTables, tablePlaces } from './table-files.ts'

export const csvFormat: OutputFormat = {
  ending: '.csv',
  hasTables: true,
  spoolPath: out => `${out}.spool.part`,
  check: checkTables,
  prepare: async job => {
    const { tables, known } = await loadTables(job)
    const { paths, parts } = tablePlaces(job, '.csv', tables)
    const files = paths.map(path => new CsvFile(path, job.csvExact))
    return fillTables(job, tables, files, parts, async () => {
      for (const [i, file] of files.entries()) await file.begin(tables[i]!, job.walk.adds ? known : {})
    })
  },
  idsIn: async function* (path) {
    // The first record contains the column names.
    let header = 1
    for await (const records of csvRecords(createReadStream(path))) {
      yield records.slice(header).map(idInRecord)
      header = 0
    }
  },
}

/** It is the first column, and a number. */
function idInRecord(record: Buffer): number | undefined {
  const end = record.indexOf(',')
  const digits = record.subarray(0, end === -1 ? record.length : end).toString()
  return /^[0-9]{1,16}$/.test(digits) ? Number(digits) : undefined
}

const bufferBytes = 256 * 1024

const [comma, quote, apostrophe] = [0x2c, 0x22, 0x27]
const escapes = escapesFor(withinQuotes)
const exactEscapes = escapesFor({ '"': withinQuotes['"'] })

/** The bytes of `csvRecord`. */
export function addRecord(bytes: TextBytes, cells: readonly Cell[], exact: boolean): void {
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) bytes.addByte(comma)
    const cell = cells[i]!
    if (typeof cell === 'string') addText(bytes, cell, exact)
    else if (typeof cell !== 'object') bytes.add(String(cell))
    else if (cell !== null && cell.length > 0) addText(bytes, joinedItems(cell), exact)
  }
  bytes.add(endOfRecord)
}

function addText(bytes: TextBytes, text: string, exact: boolean): void {
  bytes.addByte(quote)
  if (!exact && looksLikeFormula(text)) bytes.addByte(apostrophe)
  bytes.add(text, exact ? exactEscapes : escapes)
  bytes.addByte(quote)
}

/** A table being written, next to its final name. */
class CsvFile {
  private readonly next: string
  private readonly descriptor: number
  private readonly waiting = new TextBytes()

  constructor(
    private readonly path: string,
    private readonly exact: boolean,
  ) {
    this.next = `${path}.part`
    try {
      this.descriptor = openSync(this.next, 'w', 0o600)
    } catch (error) {
      throw fileError(error, `Cannot write ${this.next}`)
    }
  }

  /** The header and the earlier rows, with unanswered values where they lack columns. */
  async begin(table: Table, known: KnownColumns): Promise<void> {
    const names = table.columns.map(({ name }) => name)
    this.write((this.exact ? '' : byteOrderMark) + csvHeader(names, this.exact))
    const before = known[tableName(table)]
    if (before === undefined) return
    const missing = table.columns.slice(before.length).map(unansweredIn)
    const end = Buffer.from(missing.length === 0 ? endOfRecord : `,${csvRecord(missing)}`)
    let header = true
    for await (const records of csvRecords(createReadStream(this.path, { highWaterMark: 1024 * 1024 }))) {
      const kept = header ? records.slice(1) : records
      header = false
      this.writeBytes(Buffer.concat(kept.flatMap(record => [record, end])))
    }
  }

  add(cells: readonly Cell[]): void {
    addRecord(this.waiting, cells, this.exact)
    if (this.waiting.length > bufferBytes) this.flush()
  }

  finish(): ReadyFile {
    this.flush()
    fsyncSync(this.descriptor)
    return { from: this.next, to: this.path, bytes: sizeOf(this.next)! }
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private write(text: string): void {
    this.waiting.add(text)
    if (this.waiting.length > bufferBytes) this.flush()
  }

  private flush(): void {
    this.writeBytes(this.waiting.take())
  }

  private writeBytes(bytes: Buffer): void {
    if (this.waiting.length > 0) this.flush()
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at)
    } catch (error) {
      throw fileError(error, `Cannot write ${this.next}`)
    }
  }
}
