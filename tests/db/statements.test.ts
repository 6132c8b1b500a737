// A text of SQL taken apart, as migrations of a distributed installation are.

import { expect, test } from 'bun:test'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { statementsOf } from '../../src/db/statements.ts'
import { useBareDatabase, useDatabase } from '../support/fixtures.ts'
import { dumpSchema } from '../support/schema-dump.ts'

test('a semicolon ends a statement where it is none of a text, a name, a comment or the body of a function', () => {
  const statements = [
    `select 'a;b', 'it''s; so', "odd;name"`,
    '-- first; of all\ncreate table one ()',
    'do $$ begin perform 1; /* ; */ end $$',
    'create function f() returns void as $body$ begin execute $$ select 1; $$; end $body$ language plpgsql',
    '/* between; two */ select 1',
  ]
  expect(statementsOf(`${statements.join(';\n\n')};\n-- nothing; follows\n`)).toEqual(statements)
})

test('the migrations, statement by statement, make the same schema as whole', async () => {
  const [whole, apart] = [await useDatabase(), await useBareDatabase()]
  // The table that remembers migrations.
  await migrate(apart.sql, [])
  await apart.sql.begin(async tx => {
    for (const { text } of allMigrations)
      for (const statement of statementsOf(text)) await tx.unsafe(statement).simple()
  })
  expect(await dumpSchema(apart.sql)).toBe(await dumpSchema(whole.sql))
})
