// The benchmark's own PostgreSQL, on this machine, to which every measured process connects in the same way.

import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { startEmbeddedPostgres } from '../processes/embedded-postgres.ts'
import type { BenchmarkOptions } from './options.ts'
import type { DrainRequest } from './peers/drain.ts'

/** A database of the server, and how to connect to it. */
export interface DatabaseView {
  /** The benchmark's own connections, over TCP. */
  sql: Sql
  /** The environment that a process needs to connect in the chosen way: `DATABASE_URL` and libpq's own variables. */
  environment: Record<string, string>
  /** The same for the drain. */
  drain: Pick<DrainRequest, 'address' | 'user' | 'database'>
}

/** The measured database and its server. */
export interface BenchDatabase extends DatabaseView {
  /** `PostgreSQL 18.4 (embedded), TCP` */
  description: string
  dataDirectory: string
  /** The postmaster's. */
  pid: number
  /** Runs `work` on another, empty database, which is dropped afterwards. One at a time. */
  scratch<T>(work: (scratch: DatabaseView) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

const user = 'tributary'

/** Starts the server on a kept folder, or on one that `stop` removes. */
export async function startBenchDatabase(options: BenchmarkOptions): Promise<BenchDatabase> {
  const installation = basename(options.postgres ?? 'embedded')
  const parent = options.keep ?? (await mkdtemp('/var/tmp/tributary-bench-'))
  await mkdir(parent, { recursive: true })
  // The server may run under another account; loopback connections are trusted anyway.
  const sockets = await mkdtemp(join(tmpdir(), 'tributary-socket-'))
  await Promise.all([chmod(sockets, 0o777), options.keep === undefined && chmod(parent, 0o755)])
  const { dataDirectory, pid, port, started, stop, url } = await startEmbeddedPostgres({
    dataDirectory: join(parent, `${installation}-${options.applications}`),
    installation: options.postgres,
    settings: {
      unix_socket_directories: sockets,
      // Enough for everything that is read.
      shared_buffers: options.small ? '512MB' : '2GB',
      // A checkpoint or vacuum in the middle of a round would distort it.
      max_wal_size: '8GB',
      checkpoint_timeout: '1h',
      autovacuum: 'off',
    },
    startTimeoutMs: 120_000,
  })
  if (!started) throw new Error(`another PostgreSQL already runs on ${dataDirectory}`)
  const unix = options.socket === 'unix'
  const pools: Sql[] = []
  const pool = (name: string, connectionsMax: number): Sql => {
    const opened = openDatabase({ url: withDatabase(url, name), connectionsMax, applicationName: 'bench' })
    pools.push(opened)
    return opened
  }
  const view = (name: string): DatabaseView => ({
    sql: pool(name, 16),
    environment: {
      // If the address has no host, postgres.js and pg take it from libpq's variables, which can name a folder.
      DATABASE_URL: unix ? `postgres:///${name}` : withDatabase(url, name),
      PGHOST: unix ? sockets : '127.0.0.1',
      PGPORT: String(port),
      PGUSER: user,
      PGDATABASE: name,
    },
    drain: {
      address: unix ? { unix: join(sockets, `.s.PGSQL.${port}`) } : { hostname: '127.0.0.1', port },
      user,
      database: name,
    },
  })
  const admin = pool('postgres', 1)
  const drop = (name: string) => admin`drop database if exists ${admin(name)} with (force)`
  const [known] = await admin`select from pg_database where datname = 'bench'`
  if (known === undefined) await admin`create database bench`
  const [version] = await admin<{ server_version: string }[]>`show server_version`
  return {
    ...view('bench'),
    description: `PostgreSQL ${version!.server_version} (${installation}), ${unix ? 'Unix socket' : 'TCP'}`,
    dataDirectory,
    pid,
    async scratch(work) {
      await drop('scratch')
      await admin`create database scratch`
      const scratch = view('scratch')
      try {
        return await work(scratch)
      } finally {
        await drop('scratch')
      }
    },
    async stop() {
      for (const each of pools) await each.end({ timeout: 5 }).catch(() => {})
      await stop()
      for (const path of options.keep === undefined ? [sockets, dataDirectory, parent] : [sockets])
        await rm(path, { recursive: true, force: true })
    },
  }
}

const withDatabase = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href
