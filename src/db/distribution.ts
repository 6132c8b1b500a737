// Distributes an installation over a cluster of PostgreSQL servers (Citus), and grants the rights that each role has.

import { Problem } from '../base/problem.ts'
import { type Db, inTransaction, readValue, type Sql, type Transaction } from './client.ts'
import distribute from './distribute.sql' with { type: 'text' }
import distributedFunctions from './distributed-functions.sql' with { type: 'text' }
import distributedRoles from './distributed-roles.sql' with { type: 'text' }
import roles from './roles.sql' with { type: 'text' }
import { distributedTables, referenceTables } from './table-placements.ts'

/**
 * Grants the group roles of service and worker exactly the rights in `roles.sql`, and creates the roles if missing, in one transaction.
 * Needs the schema owner with the right to create roles.
 */
export async function grantRoles(sql: Sql): Promise<void> {
  await inTransaction(sql, async tx => {
    if (await isDistributed(tx)) {
      await placeTables(tx)
      await tx.unsafe(distributedRoles).simple()
    }
    await tx.unsafe(roles).simple()
  })
}

/** Whether this database's applications are distributed over a cluster. */
export async function isDistributed(db: Db): Promise<boolean> {
  return readValue<boolean>(db)`select to_regclass('commit_mark') is not null as distributed`
}

/** Places every table that isn't yet in its place on the cluster, and creates the functions that differ there. */
export async function placeTables(tx: Transaction, shards = 0): Promise<void> {
  await tx`
    select
      set_config('statement_timeout', '0', true),
      set_config('tributary.distributed', ${distributedTables.join(',')}, true),
      set_config('tributary.reference', ${referenceTables.join(',')}, true),
      set_config('tributary.shards', ${String(shards)}, true)`
  await tx.unsafe(distribute).simple()
  await tx.unsafe(distributedFunctions).simple()
}

/**
 * Distributes applications and their data over this number of shards by program (`distribute.sql`), in one transaction. Submissions and
 * exports wait meanwhile. Throws a Problem if the database is already distributed or cannot be, and another if only the rights could not
 * be granted afterwards.
 */
export async function distributeApplications(sql: Sql, shards: number): Promise<void> {
  await refuseDistributed(sql, 'The applications are already distributed (SCALE.md). Nothing was changed.')
  try {
    await inTransaction(sql, tx => placeTables(tx, shards))
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!distributeRefusals.includes(code)) throw error
    throw new Problem('conflict', { detail: `Nothing was changed: ${message}.`, cause: error })
  }
  const [roles] = await sql<{ exist: boolean }[]>`select to_regrole('tributary_service') is not null as exist`
  if (!roles!.exist) return
  try {
    await grantRoles(sql)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    throw new Problem('conflict', {
      detail: `The applications are now distributed, but rights could not be granted: ${message} (SQLSTATE ${code}). Run scripts/migrate --roles as a user who may grant them, then restart the service and the worker.`,
      cause: error,
    })
  }
}

/** SQLSTATEs with which `distribute.sql` reports that distribution is impossible. */
const distributeRefusals = ['22023', '55006']

/** Throws a Problem with this detail on a distributed installation, for an action that it doesn't support. */
export async function refuseDistributed(db: Db, detail: string): Promise<void> {
  if (await isDistributed(db)) throw new Problem('conflict', { detail, internal: 'distributed' })
}
