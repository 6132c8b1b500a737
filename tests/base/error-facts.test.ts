// What is written about an error. PostgreSQL quotes values in messages, rows in details, and drivers keep statement and parameters.

import { expect, test } from 'bun:test'
import pg from 'pg'
import { errorFacts, errorLine, errorStack } from '../../src/base/error-facts.ts'
import { failureLines } from '../../src/base/failure.ts'
import { createLog } from '../../src/base/log.ts'
import { useDatabase } from '../support/fixtures.ts'

const canary = 'canary-4711'
const database = await useDatabase()
await database.sql`create table cage (bird text primary key check (bird <> 'canary-4711'), weight integer not null)`
await database.sql`insert into cage values ('canary-4711-twice', 1)`

/** Statements that PostgreSQL refuses, each in another way, with the canary in what it says. */
const refused: [string, Record<string, string>, string, unknown[]][] = [
  ['23514', { table: 'cage', constraint: 'cage_bird_check' }, 'insert into cage values ($1, 1)', [canary]],
  ['23505', { table: 'cage', constraint: 'cage_pkey' }, 'insert into cage values ($1, 1)', [`${canary}-twice`]],
  ['23502', { table: 'cage', column: 'weight' }, 'insert into cage values ($1, null)', [`${canary}-2`]],
  ['22P02', {}, 'select $1::text::bigint', [canary]],
  ['22003', {}, `select '${canary}' from generate_series(1, (1e9)::bigint::smallint)`, []],
  [
    'P0001',
    {},
    `do $$ begin raise exception 'refused: ${canary}' using detail = '${canary}', hint = '${canary}'; end $$`,
    [],
  ],
  ['42601', {}, `selct '${canary}'`, []],
]

async function raised(text: string, values: unknown[]): Promise<Error[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const ofPg = await client.query(text, values).catch(error => error)
  await client.end()
  const ofPostgres = await database.sql.unsafe(text, values as string[]).catch(error => error)
  return [ofPostgres, ofPg]
}

test.each(refused)(
  'a database error (%s) is logged with its code, table, column and constraint, but without any values it quotes',
  async (code, place, text, values) => {
    for (const error of await raised(text, values)) {
      const lines: string[] = []
      createLog('info', { write: line => void lines.push(line) }).error(
        { err: new Error('outer', { cause: error }) },
        'x',
      )
      createLog('info', { write: line => void lines.push(line) }).error({ err: error }, 'x')
      const written = [...lines, errorLine(error), errorStack(error), ...failureLines(error)].join('\n')
      expect(written).not.toContain(canary)
      expect(written).not.toContain('cage values')
      expect(JSON.parse(lines[1]!).err).toMatchObject({ code, ...place, severity: 'ERROR' })
      expect(JSON.parse(lines[0]!).err.cause).toMatchObject({ code, ...place })
      expect(Object.keys(JSON.parse(lines[1]!).err)).toEqual(
        expect.arrayContaining(['type', 'message', 'code', 'severity', 'routine', 'stack']),
      )
      expect(errorLine(error)).toContain(` ${code}`)
    }
  },
)

test('any other error is logged with its message, stack and cause, but without its other fields', () => {
  const error = Object.assign(new TypeError('first line\n    at canary', { cause: 'why' }), {
    code: 'ESOME',
    row: canary,
  })
  const facts = errorFacts(error) as Record<string, unknown>
  expect(facts).toMatchObject({
    type: 'TypeError',
    message: 'first line\n    at canary',
    code: 'ESOME',
    cause: { type: 'string', message: 'why' },
  })
  expect(JSON.stringify(facts)).not.toContain(canary)
  expect(facts.stack).toContain('error-facts.test.ts')
  expect(facts.stack).not.toContain('canary')
  expect(errorStack(error)).toStartWith('TypeError: first line\n    at canary\n')
})

test('an endless chain of causes is cut off', () => {
  const error: Error = new Error('round and round')
  error.cause = error
  expect(JSON.stringify(errorFacts(error)).split('round and round').length - 1).toBeLessThan(10)
})
