// Where a program's applications are: the hashes by which Citus and PostgreSQL divide programs are PostgreSQL's own.

import { expect, test } from 'bun:test'
import { knowPartitions, type Partition, partitionOf } from '../../src/db/partition-places.ts'
import { hashOfProgram, partitionHash } from '../../src/db/program-hash.ts'
import { parseShards, shardOf } from '../../src/db/shard-places.ts'
import { useDatabase } from '../support/fixtures.ts'

const { sql } = await useDatabase()

test('a program is hashed as PostgreSQL hashes its id', async () => {
  await sql`create table divided (id bigint) partition by hash (id)`
  const rows = await sql<{ id: number; hash: number; remainders: number[] }[]>`
    select id, hashint8(id) as hash, (
      select array_agg(remainder order by modulus)
      from unnest(array[2, 3, 64, 100, 256]) modulus, generate_series(0, modulus - 1) remainder
      where satisfies_hash_partition('divided'::regclass, modulus, remainder, id)
    ) as remainders
    from (
      select generate_series(1::bigint, 300) as id
      union all
      select (2::bigint ^ n)::bigint - 1 + k from generate_series(31, 52) n, generate_series(0, 1) k
    ) ids`
  expect(rows.map(({ id }) => hashOfProgram(id))).toEqual(rows.map(({ hash }) => hash))
  expect(rows.map(({ id }) => [2n, 3n, 64n, 100n, 256n].map(modulus => Number(partitionHash(id) % modulus)))).toEqual(
    rows.map(({ remainders }) => remainders),
  )
})

test('of 64 partitions the one is named that a program is in; of more, none', () => {
  const laid = (count: number): Partition[] =>
    Array.from({ length: count }, (_, i) => ({
      application: `application_${i}`,
      submissionCounter: 'submission_counter',
      erasedApplication: `erased_application_${i}`,
      applicationAnnotation: `application_annotation_${i}`,
      modulus: BigInt(count),
      remainder: BigInt(i),
    }))
  knowPartitions(sql, laid(65))
  expect(partitionOf(sql, 7)).toBeUndefined()
  knowPartitions(sql, laid(64))
  expect(partitionOf(sql, 7)?.application).toBe(`application_${partitionHash(7) % 64n}`)
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
