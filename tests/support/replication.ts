// A real primary with two streaming standbys, Debian's PostgreSQL 15, that can be paused, killed, started again and promoted.
// Service and standbys reach the primary through a proxy, as through the address that an operator moves at a failover.

import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/processes/embedded-postgres.ts'
import { isAlive } from '../../scripts/processes/is-alive.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { endWithFile, useServerFolder } from './fixtures.ts'
import { startProxy } from './proxy.ts'
import { outputOf } from './run.ts'
import { until } from './until.ts'

const installation = '/usr/lib/postgresql/15'

export interface ClusterOptions {
  /** Whether a commit waits until one of the standbys has it on its disk. */
  synchronous?: boolean
  /** Server settings of the standbys. */
  standbySettings?: Record<string, string>
}

/** One server of the cluster, as its superuser. */
export class Node {
  sql: Sql

  constructor(
    readonly name: string,
    public server: EmbeddedPostgres,
    private readonly settings: Record<string, string>,
  ) {
    this.sql = adminOf(server)
  }

  get url(): string {
    return this.server.url
  }

  async pause(): Promise<void> {
    await this.#apply(() => this.sql`select pg_wal_replay_pause()`)
    await until(`replay on ${this.name} to pause`, () =>
      this.#apply(async () => {
        const [row] = await this.sql`select pg_get_wal_replay_pause_state() = 'paused' as is_paused`
        return row!.is_paused
      }),
    )
  }

  async resume(): Promise<void> {
    await this.#apply(() => this.sql`select pg_wal_replay_resume()`)
  }

  /** Recovery also cancels requests to continue, which are then repeated. */
  async #apply<T>(statement: () => PromiseLike<T>): Promise<T> {
    try {
      return await statement()
    } catch (error) {
      if ((error as { code?: string }).code !== '40001') throw error
      return this.#apply(statement)
    }
  }

  /** Immediately and silently, as in a power failure. */
  async kill(): Promise<void> {
    await this.sql.end({ timeout: 0 })
    const { pid } = this.server
    process.kill(pid, 'SIGQUIT')
    await until(`${this.name} to be gone`, () => !isAlive(pid))
  }

  async startAgain(): Promise<void> {
    const { dataDirectory, port } = this.server
    this.server = await startEmbeddedPostgres({ ...start(this.settings, dirname(dataDirectory)), dataDirectory, port })
    this.sql = adminOf(this.server)
  }

  /** Like `pg_ctl promote`. */
  async promote(): Promise<void> {
    const { dataDirectory } = this.server
    const command = ['setpriv', '--reuid', String(await ownerOf(dataDirectory)), '--clear-groups']
    const asOwner = process.getuid?.() === 0 ? command : []
    await outputOf([...asOwner, join(installation, 'bin/pg_ctl'), 'promote', '-w', '-D', dataDirectory])
  }

  /** How much of the primary's log it has received, replayed or not. */
  async received(): Promise<number> {
    const [row] = await this.sql<{ bytes: number }[]>`
      select (coalesce(pg_last_wal_receive_lsn(), '0/0') - '0/0')::bigint as bytes`
    return row!.bytes
  }

  async stop(): Promise<void> {
    await this.sql.end({ timeout: 1 })
    await this.server.stop()
  }
}

export interface Cluster {
  primary: Node
  standbys: readonly Node[]
  /** The primary's address, whichever server that is. */
  url: string
  /** Moves the address to another server. */
  pointTo(node: Node): void
  /** From now on, the standbys receive nothing from the primary. */
  cutReplication(): void
}

const start = (settings: Record<string, string>, folder: string) => ({
  unsafeFast: true,
  installation,
  settings,
  removeWhenKilled: folder,
})
const adminOf = ({ url }: EmbeddedPostgres): Sql =>
  openDatabase({ url, connectionsMax: 3, applicationName: 'test-admin' })
const ownerOf = async (path: string): Promise<number> => (await Bun.file(path).stat()).uid

export async function useCluster(options: ClusterOptions = {}, endWith = endWithFile): Promise<Cluster> {
  const folder = await useServerFolder(endWith)
  const running: Node[] = []
  // Nothing is flushed to the disk, but a commit is written before it is acknowledged, as usual.
  const settings: Record<string, string> = {
    shared_buffers: '32MB',
    max_connections: '100',
    max_prepared_transactions: '4',
    synchronous_commit: 'on',
  }
  const first = await startEmbeddedPostgres({ ...start(settings, folder), dataDirectory: join(folder, 'primary') })
  const primary = new Node('primary', first, settings)
  running.push(primary)
  let target = first.port
  let isCut = false
  const proxy = await startProxy(
    () => target,
    () => ({}),
  )
  // The standbys' replication streams, which can be cut.
  const streams = new Set<() => void>()
  const stream = await startProxy(
    () => target,
    ({ client, upstream }) => {
      const cut = (): void => {
        client.destroy()
        upstream.destroy()
      }
      if (isCut) cut()
      streams.add(cut)
      client.on('close', () => streams.delete(cut))
      return {}
    },
  )
  const standbys: Node[] = []
  for (const name of ['a', 'b']) {
    const dataDirectory = join(folder, `standby-${name}`)
    await copyOf(first, dataDirectory)
    const own = {
      ...settings,
      primary_conninfo: `host=127.0.0.1 port=${stream.port} user=tributary application_name=${name}`,
      wal_retrieve_retry_interval: '100ms',
      ...options.standbySettings,
    }
    const node = new Node(name, await startEmbeddedPostgres({ ...start(own, folder), dataDirectory }), own)
    standbys.push(node)
    running.push(node)
  }
  await until('both standbys to stream', async () => {
    const rows = await primary.sql`select 1 from pg_stat_replication where state = 'streaming'`
    return rows.length === 2
  })
  const preparing = openDatabase({ url: first.url, connectionsMax: 1 })
  await prepareDatabase(preparing, 'UTC')
  await preparing.end()
  if (options.synchronous) {
    await primary.sql`alter system set synchronous_standby_names = 'ANY 1 (a, b)'`
    await primary.sql`select pg_reload_conf()`
  }
  await until('both standbys to have the schema', async () => {
    const rows = await primary.sql`select 1 from pg_stat_replication where replay_lsn >= pg_current_wal_lsn()`
    return rows.length === 2
  })
  endWith(async () => {
    await proxy.stop()
    await stream.stop()
    await Promise.all(running.map(node => node.stop()))
  })
  return {
    primary,
    standbys,
    url: proxy.through(first.url),
    pointTo: node => {
      target = node.server.port
    },
    cutReplication: () => {
      isCut = true
      for (const cut of streams) cut()
    },
  }
}

/** A copy of a running server, which becomes its standby when it is started. */
async function copyOf(server: EmbeddedPostgres, dataDirectory: string): Promise<void> {
  const command = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'tributary', '-D', dataDirectory, '-c', 'fast']
  await outputOf([join(installation, 'bin/pg_basebackup'), ...command, '-X', 'stream', '--no-sync'])
  await Bun.write(join(dataDirectory, 'standby.signal'), '')
  await rm(join(dataDirectory, 'server.log'), { force: true })
  if (process.getuid?.() === 0) await Bun.$`chown -R --reference=${server.dataDirectory} ${dataDirectory}`.quiet()
}
