// Where each table lies when applications are distributed: none is forgotten, and what lies by program can.

import { expect, test } from 'bun:test'
import { distributedTables, tablePlacements } from '../../src/db/table-placements.ts'
import { useDatabase } from '../support/fixtures.ts'

const { sql } = await useDatabase()

test('every table of the schema has its place in table-placements, and nothing else has', async () => {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname not in ('program_retention', 'commit_mark')`
  expect(Object.keys(tablePlacements).sort()).toEqual(tables.map(({ name }) => name).sort())
})

test('what lies by program has the program in each of its keys and unique indexes, or no worker could keep them', async () => {
  const without = await sql<{ index: string }[]>`
    select indexrelid::regclass::text as index
    from pg_index i
    where indrelid = any(${distributedTables as string[]}::regclass[])
    and indisunique
    and not exists (
      select from pg_attribute a
      where a.attrelid = i.indrelid and a.attname = 'program_id' and a.attnum = any(i.indkey::int2[])
    )`
  expect([...without]).toEqual([])
})
