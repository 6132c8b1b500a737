// Puts applications into the tables of a transaction: missing tables are created, tables of a program that has grown are widened, and rows
// are copied into temporary tables, from which they take the place of earlier ones.

import type postgres from 'postgres'
import { type ColumnKind, type PlannedColumn, type Table, unansweredIn } from '../../../base/tables/table-plan.ts'
import { type Cell, rowMaker } from '../../../base/tables/table-rows.ts'
import type { PulledMembers } from '../spool/pulled-applications.ts'
import { TextBytes } from '../spool/text-bytes.ts'
import { addCopyLine, columnIdentifiers } from './postgres-text.ts'
import { postgresName, type TargetSql } from './pulled-record.ts'

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Creates missing tables, and replaces the rows of these applications. */
export async function fillTables(
  tx: TargetSql,
  schema: string,
  tables: readonly Table[],
  applications: AsyncIterable<readonly PulledMembers[]>,
  signal: AbortSignal,
): Promise<void> {
  // `if not exists` requires the right to create schemas even if it exists.
  const [found] = await tx`select from pg_namespace where nspname = ${schema}`
  if (found === undefined) await tx`create schema if not exists ${tx(schema)}`
  for (const table of tables) await makeTable(tx, schema, table)
  await copyTables(tx, tables, applications, signal)
  for (const [index, table] of tables.entries()) {
    signal.throwIfAborted()
    await takeOver(tx, schema, table, index)
  }
}

const keyOf = ({ path }: Table): readonly string[] =>
  path.length === 0 ? ['application_id'] : ['application_id', 'entity_path']
/** The temporary tables that hold the rows; the first has the applications. */
export const stageOf = (index: number): string => `tributary_pulled_${index}`

async function makeTable(sql: TargetSql, schema: string, table: Table): Promise<void> {
  const name = postgresName(table)
  const names = columnIdentifiers(table)
  const place = sql`${sql(schema)}.${sql(name)}`
  const key = joined(
    sql,
    keyOf(table).map(column => sql`${sql(column)}`),
  )
  const isOfEntities = table.path.length > 0
  await sql`create table if not exists ${place} (${columnsOf(sql, table.columns.slice(0, 1), names)}
    ${isOfEntities ? sql`references ${sql(schema)}.${sql('applications')} on delete cascade, ${sql('entity_path')} text` : sql``},
    primary key (${key}))`
  const there = await sql<{ attname: string }[]>`
    select attname::text from pg_attribute
    where attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(${name})) and attnum > 0 and not attisdropped`
  const known = new Set(there.map(({ attname }) => attname))
  for (const [i, column] of table.columns.entries())
    if (!known.has(names[i]!)) {
      const own = columnsOf(sql, [column], [names[i]!])
      await sql`alter table ${place} add column ${own} ${defaultOf(sql, unansweredIn(column))}`
    }
}

/** Rows are copied in chunks of this length: a connection handles one COPY at a time, and each table has its own. */
const pieceBytes = 4 * 1024 * 1024

/** The rows of all tables, from one pass over the lines. */
async function copyTables(
  sql: TargetSql,
  tables: readonly Table[],
  applications: AsyncIterable<readonly PulledMembers[]>,
  signal: AbortSignal,
): Promise<void> {
  for (const [i, table] of tables.entries())
    await sql`
      create temporary table ${sql(stageOf(i))} (${columnsOf(sql, table.columns, columnIdentifiers(table))}) on commit drop`
  const makeRows = rowMaker(tables)
  const texts = tables.map(() => new TextBytes())
  const add = (at: number, cells: readonly Cell[]): void => addCopyLine(texts[at]!, cells)
  const send = async (): Promise<void> => {
    for (const [i, text] of texts.entries()) if (text.length > 0) await copyText(sql, stageOf(i), text.take())
  }
  for await (const some of applications) {
    signal.throwIfAborted()
    for (const application of some) makeRows(application, add)
    if (texts.reduce((sum, { length }) => sum + length, 0) >= pieceBytes) await send()
  }
  await send()
}

async function copyText(sql: TargetSql, stage: string, text: Buffer): Promise<void> {
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => {})
  // Errors of the server go to the statement, whose promise has already resolved with its stream.
  const statement = Object.assign(sql`copy ${sql(stage)} from stdin`, { reject: refused.reject })
  const target = await Promise.race([statement.writable(), refused.promise])
  target.on('error', refused.reject)
  await Promise.race([new Promise<void>(done => target.once('finish', done).end(text)), refused.promise])
}

/** The copied rows replace the earlier rows of the same applications. */
async function takeOver(sql: TargetSql, schema: string, table: Table, index: number): Promise<void> {
  const place = sql`${sql(schema)}.${sql(postgresName(table))}`
  const names = columnIdentifiers(table)
  const columns = joined(
    sql,
    names.map(name => sql`${sql(name)}`),
  )
  const insert = sql`insert into ${place} (${columns}) select ${columns} from ${sql(stageOf(index))}`
  if (table.path.length === 0) {
    const others = names.filter(name => name !== 'application_id')
    const changes = joined(
      sql,
      others.map(name => sql`${sql(name)} = excluded.${sql(name)}`),
    )
    // Its entities follow, or are gone with their previous position.
    await sql`${insert} on conflict (application_id) do update set ${changes}`
    return
  }
  await sql`delete from ${place} where application_id in (select application_id from ${sql(stageOf(0))})`
  await sql`${insert}`
}

const columnsOf = (sql: TargetSql, columns: readonly PlannedColumn[], names: readonly string[]): Fragment =>
  joined(
    sql,
    columns.map(({ kind }, i) => sql`${sql(names[i]!)} ${typeOf(sql, kind)}`),
  )

const joined = (sql: TargetSql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, part) => sql`${all}, ${part}`)

function defaultOf(sql: TargetSql, unanswered: ReturnType<typeof unansweredIn>): Fragment {
  if (unanswered === null) return sql``
  return unanswered === false ? sql`default false` : unanswered === 0 ? sql`default 0` : sql`default '{}'`
}

function typeOf(sql: TargetSql, kind: ColumnKind): Fragment {
  switch (kind) {
    case 'integer':
      return sql`bigint`
    case 'number':
    case 'money':
      return sql`numeric`
    case 'boolean':
      return sql`boolean`
    case 'date':
      return sql`date`
    case 'time':
      return sql`timestamptz`
    case 'list':
      return sql`text[]`
    case 'text':
      return sql`text`
  }
}
