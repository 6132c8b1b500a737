// In which partition the applications of a program are, where an operator laid them in partitions (`partition.sql`). A statement that names
// the partition locks it alone; by the table's name it would lock each of them before it finds that one will do.
//
// What is known of them is as of the start of the process. So a statement that names one asks with it whether it still is that partition
// (`isInPlace`); one that is refused is asked again by the names of the tables, which are never wrong. Writing is done by these alone.

import type { Db } from './client.ts'
import { partitionHash } from './program-hash.ts'

/** The tables that a walk through a program reads, by name. */
export interface WalkTables {
  application: string
  submissionCounter: string
  erasedApplication: string
}

export interface Partition extends WalkTables {
  applicationAnnotation: string
  /** Which programs are in it, by their hash. */
  modulus: bigint
  remainder: bigint
}

/** Those that this role may read; none where applications lie in one table. */
export async function readPartitions(db: Db): Promise<Partition[]> {
  type Found = Omit<Partition, 'modulus' | 'remainder' | 'submissionCounter'> & { modulus: number; remainder: number }
  const rows = await db<Found[]>`
    with piece as (
      select c.relname as name, i.inhparent as whole, bounds[1]::integer as modulus, bounds[2]::integer as remainder
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), 'modulus (\\d+), remainder (\\d+)') bounds
      where i.inhparent in (to_regclass('application'), to_regclass('erased_application'), to_regclass('application_annotation'))
      and has_table_privilege(c.oid, 'select')
    )
    select
      modulus,
      remainder,
      min(name) filter (where whole = to_regclass('application')) as application,
      min(name) filter (where whole = to_regclass('erased_application')) as "erasedApplication",
      min(name) filter (where whole = to_regclass('application_annotation')) as "applicationAnnotation"
    from piece
    group by modulus, remainder
    having count(*) = 3`
  return rows.map(row => ({
    ...row,
    submissionCounter: 'submission_counter',
    modulus: BigInt(row.modulus),
    remainder: BigInt(row.remainder),
  }))
}

/** A connection keeps a plan for each partition and each of some statements, an eighth of a megabyte each. With more they are too many. */
const namedMax = 64

const known = new WeakMap<Db, readonly Partition[]>()

/** Says of a pool where the applications of its database are. With more partitions than can be named it reads by the names of the tables. */
export function knowPartitions(sql: Db, partitions: readonly Partition[]): void {
  if (partitions.length <= namedMax) known.set(sql, partitions)
}

/** The partition of a program; undefined where there are none, or none are known. */
export function partitionOf(db: Db, programId: number): Partition | undefined {
  const partitions = known.get(db)
  if (partitions === undefined || partitions.length === 0) return undefined
  const hash = partitionHash(programId)
  return partitions.find(({ modulus, remainder }) => hash % modulus === remainder)
}

/** Runs a read of a program in its partition, and again without one when that is not where its applications are. */
export async function readInPlace<T>(
  db: Db,
  programId: number,
  read: (partition: Partition | undefined) => Promise<T>,
): Promise<T> {
  const partition = partitionOf(db, programId)
  if (partition === undefined) return read(undefined)
  try {
    return await read(partition)
  } catch (error) {
    if (!isMisplaced(error)) throw error
    known.delete(db)
    return read(undefined)
  }
}

/** What `require_place` says; no such table, or type of its rows; one that is not this role's to read. */
const isMisplaced = (error: unknown): boolean =>
  ['TB003', '42P01', '42704', '42501'].includes(String((error as { code?: unknown } | null)?.code))

/** The condition that these are the partitions that PostgreSQL looks for the program in. Refused before anything is read. */
export const isInPlace = (db: Db, programId: number, partition: Partition) => {
  const applications = db`partition_bounds(null::${db(partition.application)}, 'application')`
  const tombstones = db`partition_bounds(null::${db(partition.erasedApplication)}, 'erased_application')`
  const annotations = db`partition_bounds(null::${db(partition.applicationAnnotation)}, 'application_annotation')`
  return db`(
    select require_place(
      satisfies_hash_partition('application'::regclass, (${applications})[1], (${applications})[2], ${programId}::bigint)
      and ${tombstones} = ${applications}
      and ${annotations} = ${applications}))`
}
