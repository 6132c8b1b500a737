// What `tributary pull` writes, read by readers that are not ours, and the tables that it must have written.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { csvRecordOf, textOf } from '../support/csv-page.ts'
import { createBareDatabase } from '../support/database.ts'
import type { ExportedApplication } from '../support/export-client.ts'
import { lineEnds } from '../support/ndjson-page.ts'
import type { Question } from './truth.ts'

type Row = Record<string, unknown>
/** Rows in order by the name of the table, which is empty for that of applications. */
export type Tables = Record<string, Row[]>

interface Output {
  /** The words of the command that say where it goes. */
  to: string[]
  /** What is there. */
  read(slug: string): Promise<unknown>
}

export const outputs: Record<string, (folder: string) => Promise<Output>> = {
  ndjson: async folder => {
    const out = join(folder, 'apps.ndjson')
    const lines = () => readFileSync(out, 'utf8').trimEnd().split(lineEnds)
    return { to: ['--out', out], read: async () => lines().map(line => JSON.parse(line)) }
  },
  csv: async folder => {
    const rowsIn = (file: string): Row[] =>
      parse(readFileSync(file, 'utf8'), {
        bom: true,
        columns: true,
        record_delimiter: '\r\n',
        cast: (value, { quoting, header }) => (header ? value : value === '' && !quoting ? null : textOf(value)),
      })
    return { to: ['--out', join(folder, 'apps.csv')], read: async () => tablesIn(folder, 'csv', rowsIn) }
  },
  parquet: async folder => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect()
    const rowsIn = async (file: string): Promise<Row[]> =>
      (await duck.runAndReadAll(`select * from '${file}'`)).getRowObjectsJson() as Row[]
    const read = () => tablesIn(folder, 'parquet', rowsIn).finally(() => duck.disconnectSync())
    return { to: ['--out', join(folder, 'apps.parquet')], read }
  },
  postgres: async folder => {
    const { url, sql, drop } = await createBareDatabase()
    const read = async (slug: string): Promise<Tables> => {
      const schema = slug.replaceAll('-', '_')
      const names = await sql<{ name: string }[]>`
        select table_name as name from information_schema.tables
        where table_schema = ${schema} and table_name <> 'tributary_pull'`
      const tables: Tables = {}
      for (const { name } of names) {
        const rows = await sql<{ row: string }[]>`select to_jsonb(t)::text as row from ${sql(schema)}.${sql(name)} t`
        const named = rows.map(({ row }) =>
          Object.fromEntries(
            Object.entries(JSON.parse(row)).map(([column, cell]) => [column.replaceAll('__', '.'), cell]),
          ),
        )
        tables[name === 'applications' ? '' : name.replaceAll('__', '.')] = inOrder(named)
      }
      return tables
    }
    return { to: ['--to', url, '--state', join(folder, 'state')], read: slug => read(slug).finally(drop) }
  },
}

async function tablesIn(
  folder: string,
  ending: string,
  rowsIn: (file: string) => Row[] | Promise<Row[]>,
): Promise<Tables> {
  const tables: Tables = {}
  for (const file of readdirSync(folder)) {
    const [, name] = new RegExp(`^apps(.*)\\.${ending}$`).exec(file) ?? []
    if (name !== undefined) tables[name.slice(1)] = inOrder(await rowsIn(join(folder, file)))
  }
  return tables
}

/** What an output must have: applications as they are, or a table of them and one for each enumerator. */
export function expectedTables(
  output: string,
  applications: readonly ExportedApplication[],
  questions: readonly Question[],
): unknown {
  if (output === 'ndjson') return applications
  const tables: Tables = { '': inOrder(applications.map(csvRecordOf)) }
  for (const { application_id, application } of applications)
    addEntities(tables, questions, application, { application_id, entity_path: null }, '')
  return tables
}

interface Place extends Row {
  application_id: number
  entity_path: string | null
}

function addEntities(
  tables: Tables,
  questions: readonly Question[],
  answers: Record<string, unknown>,
  { application_id, entity_path }: Place,
  within: string,
): void {
  for (const { key, kind, repeated } of questions) {
    if (kind !== 'ENUMERATOR') continue
    const table = `${within}${key}`
    tables[table] ??= []
    const { entities } = answers[key] as { entities: ({ entity_name: string } & Row)[] }
    for (const [i, { entity_name, ...inner }] of entities.entries()) {
      const place = { application_id, entity_path: entity_path === null ? String(i) : `${entity_path}.${i}` }
      const { application_id: _, ...cells } = csvRecordOf({ application: inner } as unknown as ExportedApplication)
      tables[table].push({ ...place, parent_path: entity_path, entity_index: i, entity_name, ...cells })
      addEntities(tables, repeated, inner, place, `${table}.`)
    }
    tables[table] = inOrder(tables[table])
  }
}

/** In one order, and values of all outputs in one form. */
export const inOrder = (rows: readonly Row[]): Row[] =>
  rows
    .map(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(name, cell)])))
    .sort(
      (a, b) =>
        Number(a.application_id) - Number(b.application_id) ||
        String(a.entity_path).localeCompare(String(b.entity_path)),
    )

const isNumber = (column: string): boolean =>
  /(^|_)id$|^entity_index$|\.(number|currency_dollars|entities|latitude|longitude)$/.test(column)

function plain(column: string, cell: unknown): unknown {
  if (cell === null || cell === undefined) return null
  if (Array.isArray(cell))
    return cell.length === 0 ? null : cell.map(item => String(item).replaceAll(/[\\;]/g, '\\$&')).join(';')
  if (column.endsWith('_time')) return timeOf(String(cell))
  return isNumber(column) ? Number(cell) : String(cell)
}

/** As each of them writes an instant; without a zone it is UTC. */
const timeOf = (text: string): number => {
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`)
}
