// Debian's PgBouncer before the PostgreSQL of the tests, in transaction mode, as OPERATIONS.md describes it.

import { join } from 'node:path'
import { freePort } from '../../scripts/processes/free-port.ts'
import { endWithFile, useFolder } from './fixtures.ts'
import { findNeeded } from './needs.ts'
import { throughPort } from './proxy.ts'
import { until } from './until.ts'

export interface TestPooler {
  /** The URL of a database through the pooler. */
  through(url: string): string
}

export async function usePgbouncer(databaseUrl: string, endWith = endWithFile): Promise<TestPooler> {
  const folder = await useFolder(endWith)
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
  // PgBouncer refuses to run as root.
  const asAnonymous = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  const child = Bun.spawn([...asAnonymous, findNeeded('pgbouncer')!, files.settings], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const kill = (): void => child.kill('SIGKILL')
  process.once('exit', kill)
  endWith(async () => {
    process.off('exit', kill)
    kill()
    await child.exited
  })
  await until('pgbouncer to listen', () => isListening(port))
  return { through: url => throughPort(url, port) }
}

const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {}, error() {} } }).then(
    socket => {
      socket.end()
      return true
    },
    () => false,
  )
