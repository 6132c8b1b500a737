// A text of SQL taken apart, as migrations of a distributed installation are.

import { expect, test } from 'bun:test'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { statementsOf } from '../../src/db/migrations/statements.ts'
import { useBareDatabase } from '../support/fixtures.ts'

test('a semicolon ends a statement unless it is in a string, a name, a comment or a function body', () => {
  const statements = [
    `select 'a;b', 'it''s; so', "odd;name"`,
    '-- first; of all\ncreate table one ()',
    'do $$ begin perform 1; /* ; */ end $$',
    'create function f() returns void as $body$ begin execute $$ select 1; $$; end $body$ language plpgsql',
    '/* between; two */ select 1',
  ]
  expect(statementsOf(`${statements.join(';\n\n')};\n-- nothing; follows\n`)).toEqual(statements)
})

test('the statements of a migration are all of its text, and each is a single statement to PostgreSQL', async () => {
  const { sql } = await useBareDatabase()
  // The table that remembers migrations.
  await migrate(sql, [])
  // A simple query may be several statements.
  const notSimple = { prepare: false, simple: false }
  const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim()
  await sql.begin(async tx => {
    for (const { text } of allMigrations) {
      const statements = statementsOf(text)
      expect(spaced(statements.map(statement => `${statement};`).join(' '))).toBe(spaced(text))
      // What builds an index outside a transaction is a statement within one, too, but for this word.
      for (const statement of statements) await tx.unsafe(statement.replace(' concurrently ', ' '), [], notSimple)
    }
  })
})
