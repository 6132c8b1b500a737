// A complete installation on loopback: PostgreSQL, Redis if installed, a network between them, two services and a worker. Each is restarted
// when it ends, as by a service manager.

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey } from '../../../src/core/keys/api-keys.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { prepareDatabase } from '../../../src/db/instance.ts'
import { eachLine } from '../../processes/each-line.ts'
import { endWithParent } from '../../processes/end-with-parent.ts'
import { freePort } from '../../processes/free-port.ts'
import { loopbackCertificate } from '../../processes/loopback-certificate.ts'
import { answersInTime } from '../../processes/until-answering.ts'
import { type KeptPostgres, keepPostgres } from './keep-postgres.ts'
import { Kept } from './kept.ts'
import { type Network, startNetwork } from './network.ts'

const root = join(import.meta.dir, '../../..')
/** Size of the database's disk, if it can have its own. */
const diskBytes = 1_500_000_000
const libfaketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

export interface Installation {
  /** A separate one, for data of the installation's users. */
  folder: string
  /** Addresses of the services; any of them can serve any request. */
  services: readonly { url: string; health: string; process: Kept }[]
  worker: Kept
  network: Network
  /** The database without the network in between. Its connections are lost whenever the database is. */
  sql: Sql
  database: Pick<KeptPostgres, 'kill' | 'failOver'>
  redis: Kept | undefined
  /** For API keys. */
  pepper: string
  /** For webhook secrets. */
  webhookKey: Buffer
  /** Fills the database's disk and frees it again; undefined if it has no disk of its own. */
  disk: { fill(): Promise<void>; free(): Promise<void> } | undefined
  /** Shifts the database's clock by this many seconds; undefined if that is impossible. */
  setClock: ((seconds: number) => Promise<void>) | undefined
  /** Standard error of the processes, and log entries of unexpected failures. */
  complaints: string[]
  stop(): Promise<void>
}

export interface SoakKey {
  username: string
  password: string
  /** Of both. */
  authorization: string
  seesLess: boolean
}

export const slug = 'soaked'

export async function startInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-soak-'))
  await chmod(folder, 0o755)
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const end of undo.splice(0).reverse()) await end()
  }
  try {
    const disk = await ownDisk(join(folder, 'disk'), undo)
    const clock = join(folder, 'clock')
    const hasClock = await Bun.file(libfaketime).exists()
    if (hasClock) {
      await writeFile(clock, '+0')
      await chmod(clock, 0o644)
    }
    const fake = { LD_PRELOAD: libfaketime, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' }
    const postgres = await keepPostgres(join(folder, 'disk'), hasClock ? fake : {})
    undo.push(postgres.stop)
    const [network, direct] = await Promise.all([startNetwork(postgres.port), startNetwork(postgres.port)])
    undo.push(network.stop, direct.stop)
    const sql = openDatabase({ url: addressOf(direct), connectionsMax: 4, applicationName: 'soak' })
    undo.push(() => sql.end({ timeout: 1 }))
    await prepareDatabase(sql, 'UTC')

    const redis = await keepRedis()
    if (redis !== undefined) undo.push(() => redis.kept.stop('SIGKILL'))
    const pepper = crypto.randomUUID() + crypto.randomUUID()
    const complaints: string[] = []
    const webhookKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
    const own = {
      DATABASE_URL: addressOf(network),
      API_KEY_PEPPER: pepper,
      WEBHOOK_KEYS: webhookKey.toString('base64'),
    }
    const environment = { ...own, ...(await settingsIn(folder)), ...(redis && { REDIS_URL: redis.url }) }
    const services = await Promise.all([1, 2].map(() => keepService(environment, complaints)))
    undo.push(() => Promise.all(services.map(service => service.process.stop())))
    const workerPort = String(await freePort())
    const worker = new Kept(async () =>
      launch('workers/main.ts', { ...environment, HEALTH_PORT: workerPort }, complaints),
    )
    undo.push(() => worker.stop())
    for (const { health } of services)
      if (!(await answersInTime(`${health}/readyz`))) throw new Error(`${health} does not respond. ${lastWord}`)
    return {
      folder,
      services,
      worker,
      network,
      sql,
      database: postgres,
      redis: redis?.kept,
      pepper,
      webhookKey,
      disk,
      setClock: hasClock ? seconds => writeFile(clock, `${seconds < 0 ? '' : '+'}${seconds}`) : undefined,
      complaints,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A key that can export the program, and submit to it unless questions are hidden from the key. */
export async function issueKey({ sql, pepper }: Installation, hidden_questions: string[] = []): Promise<SoakKey> {
  const seesLess = hidden_questions.length > 0
  const now = Date.now() * 1000
  const credentials = await createApiKey(sql, pepper, {
    name: 'Soak',
    programs: [slug],
    expires_at: now + 86_400_000_000,
    allowed_subnets: ['127.0.0.0/8'],
    may_export: true,
    may_submit: !seesLess,
    ...(seesLess ? { hidden_questions } : { front_end: 'soak' }),
    actor: 'operator:soak',
    now,
  })
  const { username, password } = credentials
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return { username, password, authorization, seesLess }
}

/** Settings that do not depend on what else is running. */
async function settingsIn(folder: string): Promise<Record<string, string>> {
  const certificate = join(folder, 'certificate.pem')
  await writeFile(certificate, loopbackCertificate.cert)
  return {
    TRIBUTARY_ENV: 'development',
    PAGE_TOKEN_KEYS: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
    INSTANCE_TIME_ZONE: 'UTC',
    REQUESTS_PER_MINUTE: '0',
    EXPORTS_AT_A_TIME: '0',
    STALL_TIMEOUT: '3s',
    STATEMENT_TIMEOUT: '4500ms',
    DRAIN_TIMEOUT: '5s',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: certificate,
  }
}

/** A small file system in memory, if the account may create one. */
async function ownDisk(path: string, undo: (() => Promise<unknown>)[]): Promise<Installation['disk']> {
  await mkdir(path)
  const mounted = await Bun.$`mount -t tmpfs -o size=${diskBytes},mode=755 tmpfs ${path}`.quiet().nothrow()
  if (mounted.exitCode !== 0) return undefined
  undo.push(() => Bun.$`umount ${path}`.quiet().nothrow())
  const filler = join(path, 'filler')
  return {
    // As much as fits: the command ends with an error.
    fill: async () => void (await Bun.$`dd if=/dev/zero of=${filler} bs=64k`.quiet().nothrow()),
    free: () => rm(filler, { force: true }),
  }
}

async function keepRedis(): Promise<{ url: string; kept: Kept } | undefined> {
  const program = Bun.which('redis-server') ?? Bun.which('valkey-server')
  if (program === null) return undefined
  const port = await freePort()
  const command = [program, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const kept = new Kept(async () => {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    endWithParent(child, { signal: 'SIGKILL' })
    return child
  })
  return { url: `redis://127.0.0.1:${port}`, kept }
}

async function keepService(environment: Record<string, string>, complaints: string[]) {
  const [port, health] = [await freePort(), await freePort()]
  const own = { ...environment, PORT: String(port), HEALTH_PORT: String(health) }
  const process = new Kept(async () => launch('src/main.ts', own, complaints))
  return { url: `http://127.0.0.1:${port}`, health: `http://127.0.0.1:${health}`, process }
}

const addressOf = ({ port }: Network): string => `postgres://tributary@127.0.0.1:${port}/postgres`

let lastWord = ''

export function launch(
  main: string,
  environment: Record<string, string>,
  complaints: string[],
  args: readonly string[] = [],
): Bun.Subprocess {
  const child = Bun.spawn([process.execPath, join(root, main), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  endWithParent(child, { signal: 'SIGKILL' })
  const isUnforeseen = (line: string): boolean =>
    /uncaught exception|unhandled rejection|a stored text is not as its program version says/.test(line)
  void eachLine(child.stdout, line => isUnforeseen(line) && complaints.push(line))
  // Why a process could not start, which is expected while the database is unavailable.
  void eachLine(child.stderr, line => {
    lastWord = line
  })
  return child
}
