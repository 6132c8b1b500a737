// Columns of questions that were hidden from the key after they had been filled. They stay, because views and queries may depend on them.
// New rows have null there, and pulling everything again clears them, so that the tables match what the service returns.

import type { MadeColumns, TargetSql } from './pulled-record.ts'

/** Every column that a pull ever created. */
export function allMade(before: MadeColumns, now: MadeColumns): MadeColumns {
  const tables = new Set([...Object.keys(before), ...Object.keys(now)])
  return Object.fromEntries(
    [...tables].map(table => [table, [...new Set([...(before[table] ?? []), ...(now[table] ?? [])])]]),
  )
}

/** Clears columns that earlier pulls created and this one did not fill; those dropped since are ignored. */
export async function emptyHidden(
  sql: TargetSql,
  schema: string,
  made: MadeColumns,
  filled: MadeColumns,
): Promise<void> {
  for (const [table, names] of Object.entries(made)) {
    const hidden = names.filter(name => !filled[table]?.includes(name))
    const there = await sql<{ name: string }[]>`
      select attname::text as name from pg_attribute
      where attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(${table}))
      and attname = any(${hidden}) and attnum > 0 and not attisdropped`
    if (there.length === 0) continue
    const place = sql`${sql(schema)}.${sql(table)}`
    if (filled[table] === undefined) {
      await sql`delete from ${place}`
      continue
    }
    const nulls = there.map(({ name }) => sql`${sql(name)} = null`).reduce((all, item) => sql`${all}, ${item}`)
    const any = there.map(({ name }) => sql`${sql(name)} is not null`).reduce((all, item) => sql`${all} or ${item}`)
    await sql`update ${place} set ${nulls} where ${any}`
  }
}
