// The servers whose pages are measured: our service and its peers, each a process of its own, and the client that drains them.

import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { DatabaseView } from './bench-database.ts'
import { type ChildProcesses, type Started, untilAnswering } from './child-processes.ts'

const root = join(import.meta.dir, '../..')

/** A running server and how one asks it for a page. */
export interface HttpSubject {
  name: string
  pid: number
  baseUrl: string
  /** The page of the first `pageSize` applications. */
  pageUrl(pageSize: number): string
  headers: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** What the harness's own API key and secrets are; made for each run. */
export interface ServiceAccess {
  slug: string
  authorization: string
  environment: Record<string, string>
}

/**
 * The service as it is run in production, every feature on; only limits are out of the way: they count, and never refuse.
 * `settings` are further variables of its environment.
 */
export async function startService(
  children: ChildProcesses,
  database: DatabaseView,
  access: ServiceAccess,
  settings: Record<string, string> = {},
): Promise<HttpSubject> {
  const [port, healthPort] = [await freePort(), await freePort()]
  const started = children.start([process.execPath, join(root, 'src/main.ts')], {
    env: serviceEnvironment(database, access, port, healthPort, settings),
  })
  await untilAnswering(started, `http://127.0.0.1:${healthPort}/readyz`)
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    name: 'service',
    pid: started.pid,
    baseUrl,
    pageUrl: pageSize => `${baseUrl}/api/v1/admin/programs/${access.slug}/applications?pageSize=${pageSize}`,
    headers: { Authorization: access.authorization },
    stop: () => started.stop(),
  }
}

function serviceEnvironment(
  database: DatabaseView,
  access: ServiceAccess,
  port: number,
  healthPort: number,
  settings: Record<string, string> = {},
): Record<string, string> {
  return {
    ...database.environment,
    ...access.environment,
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    MAX_PAGE_SIZE: '1000000',
    EXPORTS_AT_A_TIME: '10000',
    REQUESTS_PER_MINUTE: '10000000',
    ...settings,
  }
}

export const peerNames = ['bun-naive', 'fastify-whole', 'fastify-stream'] as const
type PeerName = (typeof peerNames)[number]

/** One of the peers in `peers/`; undefined when it needs Node and there is none. */
export async function startPeer(
  children: ChildProcesses,
  database: DatabaseView,
  name: PeerName,
): Promise<HttpSubject | undefined> {
  const onNode = name !== 'bun-naive'
  const node = Bun.which('node')
  if (onNode && node === null) return undefined
  const file = join(import.meta.dir, 'peers', onNode ? `${name}.mjs` : `${name}.ts`)
  const port = await freePort()
  const started = children.start([onNode ? node! : process.execPath, file], {
    env: { ...database.environment, PORT: String(port), NODE_ENV: 'production' },
  })
  return peerSubject(name, started, port)
}

async function peerSubject(name: string, started: Started, port: number): Promise<HttpSubject> {
  const baseUrl = `http://127.0.0.1:${port}`
  await untilAnswering(started, `${baseUrl}/ready`)
  return {
    name,
    pid: started.pid,
    baseUrl,
    pageUrl: pageSize => `${baseUrl}/applications?pageSize=${pageSize}`,
    headers: {},
    stop: () => started.stop(),
  }
}

/** One body fetched to nowhere. */
export interface Transfer {
  firstByteMs: number
  wallMs: number
  bytes: number
}

const transferTimeoutMs = 180_000

/**
 * Fetches an address `repeats` times over one connection that is already open, with curl, to nowhere. Throws when an answer
 * is not 200 or not whole.
 */
async function fetchToNowhere(
  children: ChildProcesses,
  url: string,
  headers: Readonly<Record<string, string>>,
  repeats: number,
  opener: string = url,
): Promise<Transfer[]> {
  const output = await children.run(['curl', '--config', '-'], {
    input: curlConfig([opener, ...Array.from({ length: repeats }, () => url)], headers),
    timeoutMs: transferTimeoutMs,
  })
  return parseTransfers(output).slice(1)
}

/** The page of the first `rows` applications, `repeats` times. */
export const fetchPages = (
  children: ChildProcesses,
  subject: HttpSubject,
  rows: number,
  repeats: number,
): Promise<Transfer[]> => fetchToNowhere(children, subject.pageUrl(rows), subject.headers, repeats, subject.pageUrl(1))

const warmUpPages = 3000

/**
 * Asks for small pages until the code has been compiled as it is after some minutes of work: what runs for weeks is not to be
 * judged by its first hundred requests.
 */
export async function warmUp(children: ChildProcesses, subject: HttpSubject, pages = warmUpPages): Promise<void> {
  await fetchToNowhere(children, subject.pageUrl(1), subject.headers, pages)
}

/** What curl reads on standard input, where no other user of the machine sees a credential. */
export function curlConfig(urls: readonly string[], headers: Readonly<Record<string, string>>): string {
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  return [
    'silent',
    'show-error',
    'fail',
    'noproxy = "*"',
    `max-time = ${transferTimeoutMs / 1000}`,
    'write-out = "%{http_code} %{time_starttransfer} %{time_total} %{size_download}\\n"',
    ...Object.entries(headers).map(([name, value]) => `header = ${quoted(`${name}: ${value}`)}`),
    ...urls.flatMap(url => [`url = ${quoted(url)}`, 'output = "/dev/null"']),
    '',
  ].join('\n')
}

export function parseTransfers(output: string): Transfer[] {
  return output
    .trim()
    .split('\n')
    .map(line => {
      const [status, firstByte, total, bytes] = line.split(' ').map(Number)
      if (status !== 200) throw new Error(`curl was answered with status ${status}`)
      return { firstByteMs: firstByte! * 1000, wallMs: total! * 1000, bytes: bytes! }
    })
}
