// The whole database as text, to search it for what must not be stored.

import type { Sql } from '../../src/db/client.ts'

/** Every row of every table of the schema in PostgreSQL's text format; bytea as hexadecimal. */
export async function storedText(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public'`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`
    texts.push(...rows.map(row => row.text))
  }
  return texts.join('\n')
}

/** A secret in every form in which it could have been stored. */
export function formsOf(secret: string): string[] {
  return [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ]
}
