// Tables in a database of whoever pulls: made where they are missing, widened when the program has grown, and filled in one transaction, so
// that whoever reads them sees all of a pull or nothing. What is there already is replaced by its application_id, so doing it twice
// changes nothing.

import { once } from 'node:events'
import postgres from 'postgres'
import { fileLines } from '../file-lines.ts'
import { type Column, type ColumnKind, type Table, tableName } from '../tables/table-plan.ts'
import { type Cell, rowMaker } from '../tables/table-rows.ts'
import { columnIdentifiers, copyLine, identifierOf } from './postgres-text.ts'

export interface PostgresLoad {
  url: string
  schema: string
  tables: readonly Table[]
  /** Applications, one a line. */
  spoolPath: string
  signal: AbortSignal
}

type Sql = postgres.Sql | postgres.TransactionSql
type Fragment = postgres.PendingQuery<postgres.Row[]>

export async function loadPostgres({ url, schema, tables, spoolPath, signal }: PostgresLoad): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 30,
    onnotice: () => {},
    connection: { application_name: 'tributary pull' },
  })
  try {
    await sql.begin(async tx => {
      // Two pulls into one schema take turns.
      await tx`select pg_advisory_xact_lock(hashtextextended(${`tributary ${schema}`}, 0))`
      await tx`create schema if not exists ${tx(schema)}`
      for (const [index, table] of tables.entries()) {
        signal.throwIfAborted()
        await makeTable(tx, schema, table)
        await copyRows(tx, tables, index, spoolPath, signal)
        await takeOver(tx, schema, table)
      }
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const postgresName = (table: Table): string => identifierOf(table.path.length === 0 ? 'applications' : tableName(table))
const keyOf = ({ path }: Table): readonly string[] =>
  path.length === 0 ? ['application_id'] : ['application_id', 'entity_path']
const stage = 'tributary_pulled'

async function makeTable(sql: Sql, schema: string, table: Table): Promise<void> {
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
    if (!known.has(names[i]!)) await sql`alter table ${place} add column ${columnsOf(sql, [column], [names[i]!])}`
}

/** One pass over the lines for a table: a connection takes one COPY at a time. */
async function copyRows(
  sql: Sql,
  tables: readonly Table[],
  index: number,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const table = tables[index]!
  const names = columnIdentifiers(table)
  await sql`drop table if exists ${sql(stage)}`
  await sql`create temporary table ${sql(stage)} (${columnsOf(sql, table.columns, names)}) on commit drop`
  const target = await sql`copy ${sql(stage)} from stdin`.writable()
  const failed = new Promise<never>((_, reject) => target.once('error', reject))
  const work = (async () => {
    const makeRows = rowMaker(tables)
    const kinds = table.columns.map(({ kind }) => kind)
    for await (const lines of fileLines(path)) {
      signal.throwIfAborted()
      let text = ''
      const take = (at: number, cells: readonly Cell[]): void => {
        if (at === index) text += copyLine(cells, kinds)
      }
      for (const line of lines) makeRows(JSON.parse(line.toString()), take)
      if (text !== '' && !target.write(text)) await once(target, 'drain')
    }
    target.end()
    await once(target, 'finish')
  })()
  try {
    await Promise.race([work, failed])
  } catch (error) {
    target.destroy(error as Error)
    await work.catch(() => {})
    throw error
  }
}

/** What was copied takes the place of what was there of the same applications. */
async function takeOver(sql: Sql, schema: string, table: Table): Promise<void> {
  const place = sql`${sql(schema)}.${sql(postgresName(table))}`
  const names = columnIdentifiers(table)
  const columns = joined(
    sql,
    names.map(name => sql`${sql(name)}`),
  )
  const insert = sql`insert into ${place} (${columns}) select ${columns} from ${sql(stage)}`
  if (table.path.length === 0) {
    const others = names.filter(name => name !== 'application_id')
    const changes = joined(
      sql,
      others.map(name => sql`${sql(name)} = excluded.${sql(name)}`),
    )
    // Its entities follow, or are gone with their old place.
    await sql`${insert} on conflict (application_id) do update set ${changes}`
    await sql`create temporary table if not exists tributary_applications (application_id bigint) on commit drop`
    await sql`insert into tributary_applications select application_id from ${sql(stage)}`
    return
  }
  await sql`delete from ${place} where application_id in (select application_id from tributary_applications)`
  await sql`${insert}`
}

const columnsOf = (sql: Sql, columns: readonly Column[], names: readonly string[]): Fragment =>
  joined(
    sql,
    columns.map(({ kind }, i) => sql`${sql(names[i]!)} ${typeOf(sql, kind)}`),
  )

const joined = (sql: Sql, parts: readonly Fragment[]): Fragment => parts.reduce((all, part) => sql`${all}, ${part}`)

function typeOf(sql: Sql, kind: ColumnKind): Fragment {
  switch (kind) {
    case 'integer':
      return sql`bigint`
    case 'number':
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
