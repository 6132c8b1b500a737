// Tables as Parquet: the same as in CSV, in files that DuckDB, Spark, pandas and Power BI read column by column.
//
// Written by hyparquet-writer: half a megabyte of JavaScript that runs in Bun and in the binary as it is. DuckDB would bring 70 megabytes of
// native code for each system, parquet-wasm 6 and whole tables in memory. It is an optional dependency, loaded when a name ends with .parquet.

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { OutputFormat } from '../output-format.ts'
import { type ReadyFile, sizeOf } from '../place-files.ts'
import { CommandError, fileFault } from '../pull-outcome.ts'
import { loadTables } from './load-tables.ts'
import { fillTables, tablePath } from './table-files.ts'
import type { Column, ColumnKind, Table } from './table-plan.ts'
import type { Cell } from './table-rows.ts'

/** Rows that are in memory at once, and in the file together. */
const groupRows = 5000

type Library = typeof import('hyparquet-writer')

export const parquetFormat: OutputFormat = {
  ending: '.parquet',
  hasTables: true,
  cannotAdd: 'a Parquet file is closed for good when it is written; pull into .csv, .ndjson or a database.',
  spoolPath: out => `${out}.spool.part`,
  prepare: async job => {
    const library = await loadLibrary()
    const { tables } = await loadTables(job)
    const files = tables.map(table => new ParquetFile(library, tablePath(job.out, '.parquet', table), table))
    return fillTables(job, tables, files)
  },
}

async function loadLibrary(): Promise<Library> {
  try {
    return await import('hyparquet-writer')
  } catch (error) {
    const said =
      'Parquet needs the package hyparquet-writer, which is not installed here: bun install --optional adds it.'
    throw new CommandError('failed', said, { cause: error })
  }
}

type Element = ConstructorParameters<Library['ParquetWriter']>[0]['schema'][number]

/** One table that is being written, beside its place; a group of its rows is in memory, and nothing of those before. */
class ParquetFile {
  private readonly next: string
  private readonly descriptor: number
  private readonly writer: InstanceType<Library['ParquetWriter']>
  private columns: unknown[][] = []
  private rows = 0

  constructor(
    library: Library,
    private readonly path: string,
    private readonly table: Table,
  ) {
    this.next = `${path}.part`
    try {
      this.descriptor = openSync(this.next, 'w', 0o600)
    } catch (error) {
      throw fileFault(error, `${this.next} cannot be written`)
    }
    const schema: Element[] = [
      { name: 'root', num_children: table.columns.length },
      ...table.columns.flatMap(column => elementsOf(column)),
    ]
    this.writer = new library.ParquetWriter({ writer: fileWriter(library, this.descriptor), schema })
    this.clear()
  }

  add(cells: readonly Cell[]): void {
    for (const [i, { kind }] of this.table.columns.entries())
      this.columns[i]!.push(parquetValue(cells[i] ?? null, kind))
    if (++this.rows === groupRows) this.flush()
  }

  finish(): ReadyFile {
    this.flush()
    this.writing(() => this.writer.finish())
    fsyncSync(this.descriptor)
    return { from: this.next, to: this.path, bytes: sizeOf(this.next)! }
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private flush(): void {
    const columnData = this.table.columns.map(({ name }, i) => ({ name, data: this.columns[i]! }))
    if (this.rows > 0) this.writing(() => this.writer.write({ columnData, rowGroupSize: groupRows }))
    this.clear()
  }

  private clear(): void {
    this.columns = this.table.columns.map(() => [])
    this.rows = 0
  }

  private writing(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === undefined
        ? error
        : fileFault(error, `${this.next} cannot be written`)
    }
  }
}

/** The library's own writer, whose bytes go to the file after each group of rows. */
function fileWriter({ ByteWriter }: Library, descriptor: number): InstanceType<Library['ByteWriter']> {
  const writer = new ByteWriter()
  const write = (): void => {
    const bytes = Buffer.from(writer.getBytes())
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    writer.index = 0
  }
  return Object.assign(writer, { flush: write, finish: write })
}

const parquetTypes: Readonly<Record<Exclude<ColumnKind, 'list'>, Pick<Element, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

function elementsOf({ name, kind }: Column): Element[] {
  if (kind !== 'list') return [{ name, repetition_type: 'OPTIONAL', ...parquetTypes[kind] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...parquetTypes.text },
  ]
}

function parquetValue(cell: Cell, kind: ColumnKind): unknown {
  if (cell === null) return undefined
  if (kind === 'integer') return BigInt(cell as number)
  return kind === 'date' || kind === 'time' ? new Date(cell as string) : cell
}
