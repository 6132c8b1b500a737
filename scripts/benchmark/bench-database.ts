// The PostgreSQL a benchmark runs on: its own, on this machine, reached as all measured processes reach it.

import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { startEmbeddedPostgres } from '../embedded-postgres.ts'
import type { SocketAddress } from './blocking-socket.ts'
import type { BenchmarkOptions } from './options.ts'

/** One database of the server, and how to get to it. */
export interface DatabaseView {
  /** The harness's own connections, over TCP. */
  sql: Sql
  /** What a process needs in its environment to come in by the asked way: `DATABASE_URL` and libpq's own variables. */
  environment: Record<string, string>
  /** The same for the drain. */
  address: SocketAddress
  user: string
  database: string
  /** The postmaster. */
  readonly pid: number
  dataDirectory: string
}

/** The database that is measured, and the server it is on. */
export interface BenchDatabase extends DatabaseView {
  /** `PostgreSQL 18.4 (embedded), TCP` */
  description: string
  /** Runs `work` on another database, empty, which is gone afterwards. One at a time. */
  scratch<T>(work: (scratch: DatabaseView) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

const user = 'tributary'
const database = 'bench'

/** Starts the server on a kept folder, or on one that `stop` removes. */
export async function startBenchDatabase(options: BenchmarkOptions): Promise<BenchDatabase> {
  const installation = options.postgres === 'debian' ? debianInstallation() : undefined
  const parent = options.keep ?? (await mkdtemp('/var/tmp/tributary-bench-'))
  await mkdir(parent, { recursive: true })
  if (options.keep === undefined) await chmod(parent, 0o755)
  // The server's account is not always ours; anybody may come in over loopback anyway.
  const socketDirectory = await mkdtemp(join(tmpdir(), 'tributary-socket-'))
  await chmod(socketDirectory, 0o777)
  const server = await startEmbeddedPostgres({
    dataDirectory: join(parent, `${options.postgres}-${options.applications}`),
    installation,
    settings: {
      unix_socket_directories: socketDirectory,
      shared_buffers: options.sharedBuffers,
      // A checkpoint or a vacuum in the middle of a round would be somebody's bad luck.
      max_wal_size: '8GB',
      checkpoint_timeout: '1h',
      autovacuum: 'off',
    },
    startTimeoutMs: 120_000,
  })
  if (!server.started) throw new Error(`another PostgreSQL already runs on ${server.dataDirectory}`)
  const admin = openDatabase({ url: server.url, connectionsMax: 1, applicationName: 'bench' })
  const sql = openDatabase({ url: withDatabase(server.url, database), connectionsMax: 4, applicationName: 'bench' })
  const stop = async (): Promise<void> => {
    for (const pool of [sql, admin]) await pool.end({ timeout: 5 }).catch(() => {})
    await server.stop()
    await rm(socketDirectory, { recursive: true, force: true })
    if (options.keep === undefined) {
      await rm(server.dataDirectory, { recursive: true, force: true })
      await rm(parent, { recursive: true, force: true })
    }
  }
  try {
    const [known] = await admin`select from pg_database where datname = ${database}`
    if (known === undefined) await admin`create database ${admin(database)}`
    const [version] = await sql<{ server_version: string }[]>`show server_version`
    const unix = options.socket === 'unix'
    const host = unix ? socketDirectory : '127.0.0.1'
    const view = (name: string, pool: Sql): DatabaseView => ({
      sql: pool,
      environment: {
        // Without a host in the address, postgres.js and pg take it from libpq's variables, which can name a folder.
        DATABASE_URL: unix ? `postgres:///${name}` : withDatabase(server.url, name),
        PGHOST: host,
        PGPORT: String(server.port),
        PGUSER: user,
        PGDATABASE: name,
      },
      address: unix ? { path: join(socketDirectory, `.s.PGSQL.${server.port}`) } : { port: server.port },
      user,
      database: name,
      dataDirectory: server.dataDirectory,
      pid: server.pid,
    })
    const description = `PostgreSQL ${version!.server_version} (${options.postgres}), ${unix ? 'Unix socket' : 'TCP'}`
    return Object.assign(view(database, sql), {
      description,
      async scratch<T>(work: (scratch: DatabaseView) => Promise<T>): Promise<T> {
        const name = 'bench_scratch'
        const pool = openDatabase({ url: withDatabase(server.url, name), connectionsMax: 16, applicationName: 'bench' })
        await admin`drop database if exists ${admin(name)} with (force)`
        try {
          await admin`create database ${admin(name)}`
          return await work(view(name, pool))
        } finally {
          await pool.end({ timeout: 5 })
          await admin`drop database if exists ${admin(name)} with (force)`
        }
      },
      stop,
    })
  } catch (error) {
    await stop()
    throw error
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.toString()
}

/** The newest PostgreSQL that Debian's packages brought. */
function debianInstallation(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root).filter(name => existsSync(join(root, name, 'bin/postgres')))
    : []
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  if (newest === undefined)
    throw new Error(`--postgres debian needs Debian's package postgresql; there is none in ${root}.`)
  return join(root, newest)
}
