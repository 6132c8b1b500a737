// Where a program's applications are: the hash by which Citus divides programs is PostgreSQL's own.

import { expect, test } from 'bun:test'
import { hashOfProgram } from '../../src/db/program-hash.ts'
import { parseShards, shardOf } from '../../src/db/shard-places.ts'
import { useDatabase } from '../support/fixtures.ts'

const { sql } = await useDatabase()

test('a program is hashed as PostgreSQL hashes its id', async () => {
  const rows = await sql<{ id: number; hash: number }[]>`
    select id, hashint8(id) as hash
    from (
      select generate_series(1::bigint, 300) as id
      union all
      select (2::bigint ^ n)::bigint - 1 + k from generate_series(31, 52) n, generate_series(0, 1) k
    ) ids`
  expect(rows.map(({ id }) => hashOfProgram(id))).toEqual(rows.map(({ hash }) => hash))
})

test('a program is in the shard with the greatest first hash that is not above its own', () => {
  const shards = [-2_147_483_648, -1_134_484_726, 1_134_484_726].map((from, i) => [
    from,
    i,
    `application_${i}`,
    `c_${i}`,
    `e_${i}`,
  ])
  const ranges = parseShards(JSON.stringify(shards))
  // By their hashes -1905060026, 1134484726 and -28094569.
  expect([1, 2, 3].map(id => shardOf(ranges, id)!.node)).toEqual([0, 2, 1])
  expect(shardOf(ranges, 2)).toMatchObject({
    application: 'application_2',
    submissionCounter: 'c_2',
    erasedApplication: 'e_2',
  })
  expect(shardOf([], 1)).toBeUndefined()
})
