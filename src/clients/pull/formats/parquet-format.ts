// Tables as Parquet: the same tables as in CSV, in files that DuckDB, Spark, pandas and Power BI read column by column.
//
// Written by hyparquet-writer, half a megabyte of JavaScript that runs in Bun and in the binary without changes. DuckDB would add 70 MB
// of native code per system; parquet-wasm adds 6 MB and holds whole tables in memory. It is an optional dependency, loaded only for names
// that end with .parquet.
//
// A Parquet file ends with the list of its row groups, so it can be extended: the existing groups stay, new groups follow, and then comes
// a new list. Full groups are never read again. The last, partly filled group is rewritten together with the new rows, so a file extended
// every hour has no more groups than one pulled at once.

import { closeSync, constants, copyFileSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { messageOf } from '@tributary/client/tools'
import {
  type ColumnKind,
  type PlannedColumn,
  type Table,
  tableName,
  unansweredIn,
} from '../../../base/tables/table-plan.ts'
import type { Cell } from '../../../base/tables/table-rows.ts'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import type { OutputFormat } from '../spool/output-format.ts'
import { type ReadyFile, sizeOf } from '../spool/place-files.ts'
import { checkTables, loadTables } from './load-tables.ts'
import { fillTables, tablePlaces } from './table-files.ts'

/** Rows in memory at a time, and per row group of the file. */
const groupRows = 5000

type Library = typeof import('hyparquet-writer')
type Reading = typeof import('./parquet-reading.ts')

export const parquetFormat: OutputFormat = {
  ending: '.parquet',
  hasTables: true,
  spoolPath: out => `${out}.spool.part`,
  check: async job => {
    await loadParquet()
    await checkTables(job)
  },
  prepare: async job => {
    const [library, reading] = await loadParquet()
    const { tables, known } = await loadTables(job)
    const { paths, parts } = tablePlaces(job, '.parquet', tables)
    const files = tables.map((table, i) => new ParquetFile(library, paths[i]!, table))
    return fillTables(job, tables, files, parts, async () => {
      if (!job.walk.adds) return
      for (const [i, file] of files.entries()) if (known[tableName(tables[i]!)] !== undefined) await file.begin(reading)
    })
  },
  idsIn: async function* (path) {
    const [, { openParquet, parquetRows }] = await loadParquet()
    try {
      for await (const rows of parquetRows(await openParquet(path), 0, ['application_id']))
        yield rows.map(([id]) => (typeof id === 'bigint' ? Number(id) : undefined))
    } catch (error) {
      throw new CommandError('mismatch', `${path} is not a complete Parquet file: ${messageOf(error)}.`)
    }
  },
}

async function loadParquet(): Promise<[Library, Reading]> {
  try {
    return await Promise.all([import('hyparquet-writer'), import('./parquet-reading.ts')])
  } catch (error) {
    const why = 'Parquet needs the packages hyparquet-writer and hyparquet. Install them with bun install --optional.'
    throw new CommandError('failed', why, { cause: error })
  }
}

type Element = ConstructorParameters<Library['ParquetWriter']>[0]['schema'][number]

/** A table being written, next to its final name; one group of its rows is in memory. */
class ParquetFile {
  private readonly next: string
  private descriptor: number
  private readonly bytes: InstanceType<Library['ByteWriter']>
  private readonly writer: InstanceType<Library['ParquetWriter']>
  private readonly schema: Element[]
  /** Values of the rows in memory. The next group overwrites them, because fresh memory costs more. */
  private readonly columns: unknown[][]
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
      throw fileError(error, `Cannot write ${this.next}`)
    }
    this.schema = [
      { name: 'root', num_children: table.columns.length },
      ...table.columns.flatMap(column => elementsOf(column)),
    ]
    this.bytes = fileWriter(library, () => this.descriptor)
    this.writer = new library.ParquetWriter({ writer: this.bytes, schema: this.schema })
    this.columns = table.columns.map(() => new Array(groupRows))
  }

  /** The earlier rows. If they lack columns, all of them are written again with unanswered values. */
  async begin({ endOfGroup, openParquet, parquetRows, rowsIn }: Reading): Promise<void> {
    try {
      const before = await openParquet(this.path)
      const { schema, row_groups: groups } = before.metadata
      if (!schema.every((element, i) => i === 0 || isSame(element, this.schema[i])))
        throw new CommandError(
          'failed',
          `The columns of ${this.path} have changed since the last pull. Pull everything again.`,
        )
      const had = schema.filter(({ name }) => name !== 'list' && name !== 'element').length - 1
      const missing = this.table.columns.slice(had).map(column => parquetValue(unansweredIn(column), column.kind))
      const full = groups.findIndex(({ num_rows }) => num_rows < groupRows)
      const kept = schema.length < this.schema.length ? [] : full === -1 ? groups : groups.slice(0, full)
      if (kept.length > 0) {
        const end = endOfGroup(kept.at(-1)!)
        closeSync(this.descriptor)
        copyFileSync(this.path, this.next, constants.COPYFILE_FICLONE)
        this.descriptor = openSync(this.next, 'r+')
        ftruncateSync(this.descriptor, end)
        this.bytes.index = 0
        this.bytes.offset = end
        this.writer.row_groups = [...kept]
        this.writer.num_rows = BigInt(rowsIn(kept))
      }
      for await (const rows of parquetRows(before, kept.length))
        for (const values of rows) this.addValues([...values.map(value => value ?? undefined), ...missing])
    } catch (error) {
      throw error instanceof CommandError ? error : fileError(error, `Cannot append to ${this.path}`)
    }
  }

  add(cells: readonly Cell[]): void {
    for (let i = 0; i < this.columns.length; i++)
      this.columns[i]![this.rows] = parquetValue(cells[i] ?? null, this.table.columns[i]!.kind)
    if (++this.rows === groupRows) this.flush()
  }

  private addValues(values: readonly unknown[]): void {
    for (const [i, column] of this.columns.entries()) column[this.rows] = values[i]
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
    const { rows } = this
    this.rows = 0
    if (rows === 0) return
    const columnData = this.table.columns.map(({ name, kind }, i) => ({
      name,
      data: rows === groupRows ? this.columns[i]! : this.columns[i]!.slice(0, rows),
      // Without the page index, which would have to follow all groups although further groups are appended.
      offsetIndex: false,
      // Readers skip groups by minimum and maximum value. For texts, these are costly and rarely exclude a group.
      statistics: kind !== 'text' && kind !== 'list',
    }))
    this.writing(() => this.writer.write({ columnData, rowGroupSize: groupRows }))
  }

  private writing(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === undefined ? error : fileError(error, `Cannot write ${this.next}`)
    }
  }
}

/** The library's own writer, whose bytes go to the file after each group of rows. */
function fileWriter({ ByteWriter }: Library, descriptor: () => number): InstanceType<Library['ByteWriter']> {
  const writer = new ByteWriter()
  const write = (): void => {
    const bytes = Buffer.from(writer.getBytes())
    const start = writer.offset - bytes.length
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor(), bytes, at, bytes.length - at, start + at)
    writer.index = 0
  }
  return Object.assign(writer, { flush: write, finish: write })
}

type ElementType = Pick<Element, 'type' | 'converted_type' | 'logical_type' | 'scale' | 'precision'>

const parquetTypes: Readonly<Record<Exclude<ColumnKind, 'list'>, ElementType>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  money: { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  // With only the older type, some readers take it for a time without a zone.
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

function elementsOf({ name, kind }: PlannedColumn): Element[] {
  if (kind !== 'list') return [{ name, repetition_type: 'OPTIONAL', ...parquetTypes[kind] }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...parquetTypes.text },
  ]
}

const isSame = (element: Element, other: Element | undefined): boolean =>
  element.name === other?.name && element.type === other.type && element.converted_type === other.converted_type

const dayMs = 86_400_000

function parquetValue(cell: Cell, kind: ColumnKind): unknown {
  if (cell === null) return undefined
  if (kind === 'integer') return BigInt(cell as number)
  // Whole cents, computed from the decimal digits: multiplying by 100 would sometimes change the number.
  if (kind === 'money') return BigInt((cell as number).toFixed(2).replace('.', ''))
  // As stored: the library would create objects for dates, several for each.
  if (kind === 'date') return Date.parse(cell as string) / dayMs
  return kind === 'time' ? BigInt(Date.parse(cell as string)) : cell
}
