// Debian's PgBouncer before the PostgreSQL of the tests, in transaction mode, as OPERATIONS.md describes it.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { findNeeded } from './needs.ts'
import { until } from './until.ts'

export interface TestPooler {
  /** The address of a database, through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

export async function startPgbouncer(databaseUrl: string): Promise<TestPooler> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-pgbouncer-'))
  const port = await freePort()
  const server = new URL(databaseUrl)
  const files = { settings: join(folder, 'pgbouncer.ini'), users: join(folder, 'users') }
  await Bun.write(files.users, `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`)
  await Bun.write(
    files.settings,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${files.users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`,
  )
  // PgBouncer refuses to run as root, and the account it runs as must be able to read this.
  await chmod(folder, 0o755)
  const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  const child = Bun.spawn([...asNobody, findNeeded('pgbouncer')!, files.settings], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const kill = (): void => child.kill('SIGKILL')
  process.once('exit', kill)
  await until('pgbouncer to listen', () => isListening(port))
  return {
    through(url) {
      const changed = new URL(url)
      changed.port = String(port)
      return changed.href
    },
    stop: async () => {
      process.off('exit', kill)
      child.kill('SIGTERM')
      child.kill('SIGKILL')
      await child.exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {}, error() {} } }).then(
    socket => {
      socket.end()
      return true
    },
    () => false,
  )
