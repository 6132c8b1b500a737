// Checks before the walk that the database can take the tables, so that a walk of hours doesn't fail for a reason that was known at the
// start.

import type { Table } from '../../../base/tables/table-plan.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import { fewerQuestions } from './database-errors.ts'
import { columnIdentifiers } from './postgres-text.ts'
import { postgresName, recordTable, type TargetSql } from './pulled-record.ts'

/** Limits of PostgreSQL. */
const columnsMax = 1600
const rowBytesMax = 8160
/** A text that is stored out of line takes this much of its row. */
const textBytes = 18

export async function checkDatabase(
  sql: TargetSql,
  schema: string,
  tables: readonly Table[],
  say: (line: string) => void,
): Promise<void> {
  const isThere = await checkRights(sql, schema)
  const found = await tablesThere(sql, schema)
  for (const table of tables) {
    const name = postgresName(table)
    const there = found.get(name)
    const missing = columnIdentifiers(table).filter(column => !there?.columns.includes(column))
    const count = (there?.numbered ?? 0) + missing.length
    if (count > columnsMax)
      throw refused(`Table ${name} would have ${count} columns, but PostgreSQL allows ${columnsMax}. ${fewerQuestions}`)
    if (there !== undefined && !(there.may_fill && (there.owns || missing.length === 0)))
      throw refused(
        `Table ${schema}.${name} belongs to the role ${there.owner}, and this role may not write to it or add columns. Use that role in --to, or choose another schema with --schema.`,
      )
    const texts = table.columns.filter(({ kind }) => kind === 'text' || kind === 'list').length
    if (!isThere && texts * textBytes > rowBytesMax)
      say(
        `Table ${name} has ${texts} text columns. A row holds ${rowBytesMax} bytes, or about ${Math.floor(rowBytesMax / textBytes)} longer texts; a pull fails at an application with more of them. ${fewerQuestions}`,
      )
  }
  const record = found.get(recordTable)
  if (record !== undefined && !record.may_fill) throw refused(`This role may not write to ${schema}.${recordTable}.`)
}

/** Whether the schema exists. */
async function checkRights(sql: TargetSql, schema: string): Promise<boolean> {
  const [found] = await sql<
    {
      role: string
      database: string
      encoding: string
      may_stage: boolean
      may_create_schema: boolean
      is_there: boolean
      may_create_tables: boolean | null
    }[]
  >`
    select current_user as role, current_database() as database, current_setting('server_encoding') as encoding,
      has_database_privilege(current_database(), 'TEMPORARY') as may_stage,
      has_database_privilege(current_database(), 'CREATE') as may_create_schema,
      n.oid is not null as is_there,
      has_schema_privilege(n.oid, 'USAGE') and has_schema_privilege(n.oid, 'CREATE') as may_create_tables
    from (select 1) one left join pg_namespace n on n.nspname = ${schema}`
  const { role, database, encoding, may_stage, may_create_schema, is_there, may_create_tables } = found!
  const [own, of, to] = [quoted(schema), quoted(database), quoted(role)]
  // SQL_ASCII accepts any bytes.
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw refused(
      `Database ${database} has the encoding ${encoding}, which cannot store all letters that applicants write. Use a database with UTF8: create database … encoding 'UTF8' template template0.`,
    )
  if (!may_stage)
    throw refused(`Role ${role} may not create temporary tables: grant temporary on database ${of} to ${to}.`)
  if (!is_there && !may_create_schema)
    throw refused(
      `Role ${role} may not create the schema ${schema}: create schema ${own} authorization ${to}; or grant create on database ${of} to ${to}.`,
    )
  if (is_there && may_create_tables !== true)
    throw refused(`Role ${role} may not create tables in ${schema}: grant usage, create on schema ${own} to ${to}.`)
  return is_there
}

/** The schema's tables by name, with their numbers of columns, which include dropped ones. */
async function tablesThere(sql: TargetSql, schema: string) {
  const rows = await sql<
    { name: string; owner: string; owns: boolean; may_fill: boolean; numbered: number; columns: string[] }[]
  >`
    select c.relname::text as name, c.relowner::regrole::text as owner, pg_has_role(c.relowner, 'USAGE') as owns,
      has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
        and has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE') as may_fill,
      max(a.attnum)::integer as numbered, array_agg(a.attname::text) filter (where not a.attisdropped) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where n.nspname = ${schema} group by c.oid, c.relname, c.relowner`
  return new Map(rows.map(row => [row.name, row]))
}

const refused = (why: string): CommandError => new CommandError('failed', why)

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
