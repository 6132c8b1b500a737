// What the tests of a cluster share: databases on it, its nodes as a service reads them, and where a program is.

import type { Sql } from '../../src/db/client.ts'
import { citusInstallation } from '../support/citus.ts'
import { createClusterDatabase, type TestDatabase, testCluster } from '../support/database.ts'
import { endWithFile } from '../support/fixtures.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../support/raw-applications.ts'
import { readPoolOf, useBalancer } from '../support/read-address.ts'

const installation = citusInstallation()!
export const cluster = await testCluster(installation)

export async function useCluster(options: { undistributed?: boolean } = {}): Promise<TestDatabase> {
  const database = await createClusterDatabase(installation, { connectionsMax: 30, ...options })
  endWithFile(() => database.drop())
  return database
}

/** The addresses of this database on the workers. */
export function nodesOf(database: TestDatabase, login = 'tributary'): [string, string] {
  const urls = cluster.workers.map(({ port }) => {
    const url = new URL(database.url)
    url.port = String(port)
    url.username = login
    return url.href
  })
  return urls as [string, string]
}

/** Connections by way of a load balancer in front of the workers, until the test ends. */
export const balanced = async (...of: Parameters<typeof nodesOf>): Promise<Sql> =>
  readPoolOf(await useBalancer(nodesOf(...of)), 5000)

/** So many programs with 30 applications each. */
export async function programsIn(sql: Sql, count: number): Promise<RawProgram[]> {
  const programs = []
  for (let n = 0; n < count; n++) {
    const program = await insertRawProgram(sql, `program-${n}`)
    await insertRawApplications(sql, program, 30)
    programs.push(program)
  }
  return programs
}

/** Which shard has the applications of a program, and on which of the workers it is, by the coordinator's word. */
export async function placeOf(sql: Sql, programId: number): Promise<{ shard: number; worker: number }> {
  const [place] = await sql<{ shard: number; nodeport: number }[]>`
    select shardid as shard, nodeport from citus_shards
    where shardid = get_shard_id_for_distribution_column('application', ${programId}::bigint)`
  return { shard: place!.shard, worker: cluster.workers.findIndex(({ port }) => port === place!.nodeport) }
}

/** Moves what lies together with this program to the other worker. */
export async function moveAway(sql: Sql, programId: number, how: string): Promise<void> {
  const { shard, worker } = await placeOf(sql, programId)
  const [from, to] = [cluster.workers[worker]!.port, cluster.workers[1 - worker]!.port]
  await sql`
    select citus_move_shard_placement(
      ${shard}::bigint, '127.0.0.1', ${from}::int, '127.0.0.1', ${to}::int, shard_transfer_mode => ${how}::citus.shard_transfer_mode)`
}
