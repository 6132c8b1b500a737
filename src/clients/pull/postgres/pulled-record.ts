// The record of a pull inside the target database: one row, written in the same transaction as the tables. It stays correct whatever
// happens to the pull, its folder or the database, even after a restore.

import type postgres from 'postgres'
import { type Table, tableName } from '../../../base/tables/table-plan.ts'
import type { PulledBefore, PullOrigin } from '../spool/pulled-before.ts'

import { identifierOf } from './postgres-text.ts'

export type TargetSql = postgres.Sql | postgres.TransactionSql

export type PulledRecord = Pick<PulledBefore, 'origin' | 'watermark' | 'changeCursor' | 'followsFrom' | 'questionsAsOf'>

/** Names of columns by table, as in the database. */
export type MadeColumns = Readonly<Record<string, readonly string[]>>

/** Including every column that pulls have created, which no other pull needs to know. */
export type KeptRecord = PulledRecord & { made: MadeColumns }

export const recordTable = 'tributary_pull'

/** Keys contain no digits, so an enumerator with the name of one of our tables gets a unique name. */
export function postgresName(table: Table): string {
  if (table.path.length === 0) return 'applications'
  const name = identifierOf(tableName(table))
  return name === 'applications' || name === recordTable ? `${name}_2` : name
}

export async function readRecord(sql: TargetSql, schema: string): Promise<KeptRecord | undefined> {
  const [found] = await sql`select to_regclass(quote_ident(${schema}) || ${`.${recordTable}`}) as place`
  if (found!.place === null) return undefined
  const [row] = await sql<
    {
      origin: string
      made: string
      watermark: string | null
      change_cursor: string | null
      follows_from: string | null
      questions_as_of: string | null
    }[]
  >`
    select origin::text, made, watermark, change_cursor, follows_from, questions_as_of from ${sql(schema)}.${sql(recordTable)}`
  if (row === undefined) return undefined
  const { origin, made, watermark, change_cursor, follows_from, questions_as_of } = row
  return {
    origin: JSON.parse(origin) as PullOrigin,
    made: JSON.parse(made) as MadeColumns,
    watermark: watermark ?? undefined,
    changeCursor: change_cursor ?? undefined,
    followsFrom: follows_from ?? undefined,
    questionsAsOf: questions_as_of ?? undefined,
  }
}

export async function writeRecord(
  sql: TargetSql,
  schema: string,
  { origin, made, watermark, changeCursor, followsFrom, questionsAsOf }: KeptRecord,
): Promise<void> {
  const place = sql`${sql(schema)}.${sql(recordTable)}`
  await sql`
    create table if not exists ${place} (
      program text primary key,
      origin text not null,
      made text not null,
      watermark text,
      change_cursor text,
      follows_from text,
      questions_as_of text,
      pulled_at timestamptz not null default now()
    )`
  await sql`delete from ${place}`
  await sql`
    insert into ${place} (program, origin, made, watermark, change_cursor, follows_from, questions_as_of)
    values (${origin.program}, ${JSON.stringify(origin)}, ${JSON.stringify(made)}, ${watermark ?? null}, ${changeCursor ?? null},
      ${followsFrom ?? null}, ${questionsAsOf ?? null})`
}
