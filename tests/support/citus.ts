// A Citus cluster for tests: a coordinator and two workers on loopback, of the PostgreSQL that TRIBUTARY_CITUS names. `scripts/test-citus`
// runs the ordinary test files on one, so whatever they hold is held of a distributed installation too.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/processes/embedded-postgres.ts'
import { isAlive } from '../../scripts/processes/is-alive.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { until } from './until.ts'

/** The folder with the `bin` of a PostgreSQL that has the extension, or undefined. */
export const citusInstallation = (): string | undefined => process.env.TRIBUTARY_CITUS || undefined

export interface CitusCluster {
  coordinator: EmbeddedPostgres
  workers: EmbeddedPostgres[]
  /** Creates a database with this name on every node, and registers the nodes with one another. */
  createDatabase(name: string): Promise<void>
  dropDatabase(name: string): Promise<void>
  /** Runs something while one worker, or the coordinator, is stopped, or was killed as in a power failure. */
  without(which: number | 'coordinator', work: () => Promise<unknown>, how?: 'stopped' | 'killed'): Promise<void>
  stop(): Promise<void>
}

const settings = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '200',
  wal_level: 'logical',
  max_connections: '300',
  'citus.node_conninfo': 'sslmode=disable',
  // Tests use many databases, and each has a daemon.
  max_worker_processes: '300',
  shared_buffers: '128MB',
}

/** Unless `durable`, commits may be lost with the machine, which is cheaper. */
export async function startCitusCluster(installation: string, durable = false): Promise<CitusCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-citus-'))
  await chmod(folder, 0o755)
  const nodes = await Promise.all(
    ['coordinator', 'worker-1', 'worker-2'].map(name =>
      startEmbeddedPostgres({
        dataDirectory: join(folder, name),
        unsafeFast: !durable,
        installation,
        settings,
        removeWhenKilled: folder,
      }),
    ),
  )
  const [coordinator, ...workers] = nodes as [EmbeddedPostgres, ...EmbeddedPostgres[]]
  return {
    coordinator,
    workers,
    createDatabase: async name => {
      await Promise.all(
        nodes.map(async node => {
          await on(node, 'postgres', sql => sql`create database ${sql(name)}`)
          await on(node, name, sql => sql`create extension citus`)
        }),
      )
      await on(coordinator, name, async sql => {
        await sql`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port}::int)`
        for (const worker of workers) await sql`select citus_add_node('127.0.0.1', ${worker.port}::int)`
      })
    },
    dropDatabase: async name => {
      for (const node of nodes)
        await on(node, 'postgres', sql => sql`drop database if exists ${sql(name)} with (force)`)
    },
    without: async (which, work, how = 'stopped') => {
      const { dataDirectory, port, stop, pid } = which === 'coordinator' ? coordinator : workers[which]!
      if (how === 'stopped') await stop()
      else process.kill(pid, 'SIGQUIT')
      await until('the node to be gone', () => !isAlive(pid))
      try {
        await work()
      } finally {
        const again = { dataDirectory, port, unsafeFast: !durable, installation, settings }
        // The others keep what they know of the node: it comes back under the same port.
        Object.assign(which === 'coordinator' ? coordinator : workers[which]!, await startEmbeddedPostgres(again))
      }
    },
    stop: async () => {
      await Promise.all([coordinator, ...workers].map(node => node.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function on(
  node: EmbeddedPostgres,
  database: string,
  statement: (sql: Sql) => PromiseLike<unknown>,
): Promise<void> {
  const sql = openDatabase({ url: node.url.replace(/\/postgres$/, `/${database}`), connectionsMax: 1, prepare: false })
  try {
    await statement(sql)
  } finally {
    await sql.end()
  }
}
