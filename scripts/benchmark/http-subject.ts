// Starts the servers under test, our service and its peers, each in its own process, and the client that reads from them.

import { join } from 'node:path'
import type { ChildProcesses } from '../processes/child-processes.ts'
import { freePort } from '../processes/free-port.ts'
import { answersInTime } from '../processes/until-answering.ts'
import type { BenchContext } from './bench-context.ts'
import type { DatabaseView } from './bench-database.ts'
import type { Transfer } from './peers/drain.ts'

type Headers = Readonly<Record<string, string>>

/** A running server, and how to request a page from it. */
export interface HttpSubject {
  name: string
  /** The page of the first `pageSize` applications. */
  pageUrl(pageSize: number): string
  headers: Headers
  pid: number
  /** Stops it. Returns its peak memory in bytes. */
  stop(): Promise<number>
}

/** The same pages as pages of a table of its OData feed. */
export const asFeed = (service: HttpSubject): HttpSubject => ({
  ...service,
  pageUrl: rows =>
    service
      .pageUrl(rows)
      .replace('/api/v1/admin/programs/', '/odata/v1/')
      .replace('/applications?pageSize=', '/Applications?$top='),
})

type Prepared = Pick<BenchContext, 'children' | 'data'> & { database: Pick<DatabaseView, 'environment'> }

/** The service as in production, with every feature on, except that limits are counted but never reached. */
export async function startService({ children, database, data }: Prepared): Promise<HttpSubject> {
  const { authorization, environment } = data.access
  const healthPort = String(await freePort())
  const limits = { MAX_PAGE_SIZE: '1000000', EXPORTS_AT_A_TIME: '10000', REQUESTS_PER_MINUTE: '10000000' }
  return serve(children, 'service', [process.execPath, join(import.meta.dir, '../../src/main.ts')], {
    env: { ...database.environment, ...environment, ...limits, HEALTH_PORT: healthPort },
    path: `/api/v1/admin/programs/${data.program.slug}/applications`,
    ready: `http://127.0.0.1:${healthPort}/readyz`,
    headers: { Authorization: authorization },
  })
}

/** Runs `work` with a service of its own, which is stopped afterwards. `peakBytes` is the service's peak memory. */
export async function withService<T>(
  prepared: Prepared,
  work: (service: HttpSubject) => Promise<T>,
): Promise<{ done: T; peakBytes: number }> {
  const service = await startService(prepared)
  const done = await work(service)
  return { done, peakBytes: await service.stop() }
}

export const peerNames = ['bun-naive.ts', 'fastify-whole.mjs', 'fastify-stream.mjs'] as const

/** One of the peers in `peers/`; undefined if it needs Node and Node is missing. */
export async function startPeer(
  { children, database }: Prepared,
  file: (typeof peerNames)[number],
): Promise<HttpSubject | undefined> {
  const runtime = file.endsWith('.ts') ? process.execPath : Bun.which('node')
  if (runtime === null) return undefined
  return serve(children, file.split('.')[0]!, [runtime, join(import.meta.dir, 'peers', file)], {
    env: { ...database.environment, NODE_ENV: 'production' },
    path: '/applications',
    ready: '/ready',
    headers: {},
  })
}

async function serve(
  children: ChildProcesses,
  name: string,
  command: readonly string[],
  { env, path, ready, headers }: { env: Record<string, string>; path: string; ready: string; headers: Headers },
): Promise<HttpSubject> {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const started = children.start(command, { env: { ...env, PORT: port } })
  if (!(await answersInTime(new URL(ready, origin).href, started.process)))
    throw new Error(`${name} does not respond: ${started.complaint()}`)
  return {
    name,
    pageUrl: pageSize => `${origin}${path}?pageSize=${pageSize}`,
    headers,
    pid: started.process.pid,
    stop: started.stop,
  }
}

export interface Page {
  text: string
  payload: unknown[]
  nextPageToken: string | null
}

/** Fetches a whole page, for checks before and between measurements. Throws unless it is a 200. */
export async function readPage(url: string, headers: Headers): Promise<Page> {
  const response = await fetch(url, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}: ${text.slice(0, 500)}`)
  return { text, ...(JSON.parse(text) as Omit<Page, 'text'>) }
}

const transferSecondsMax = 180

/**
 * Fetches the page of the first `rows` applications `repeats` times and discards it, with curl, over one open connection. Throws if a response is not
 * 200 or incomplete.
 */
export async function fetchPages(
  children: ChildProcesses,
  { pageUrl, headers }: Pick<HttpSubject, 'pageUrl' | 'headers'>,
  rows: number,
  repeats: number,
): Promise<Transfer[]> {
  const urls = [pageUrl(1), ...Array.from({ length: repeats }, () => pageUrl(rows))]
  const output = await children.run(['curl', '--config', '-'], { input: curlConfig(urls, headers) })
  return parseTransfers(output).slice(1)
}

const warmUpPages = 3000

/**
 * Requests small pages until the code is compiled as after some minutes of work: a service that runs for weeks should not be judged by its first
 * hundred requests.
 */
export async function warmUp(children: ChildProcesses, subject: HttpSubject): Promise<void> {
  await fetchPages(children, subject, 1, warmUpPages)
}

/** curl's configuration, on standard input, where no other user of the machine sees the credentials. */
export function curlConfig(urls: readonly string[], headers: Headers): string {
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  return [
    'silent',
    'show-error',
    'fail',
    'noproxy = "*"',
    `max-time = ${transferSecondsMax}`,
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
      if (status !== 200) throw new Error(`curl received status ${status}`)
      return { firstByteMs: firstByte! * 1000, wallMs: total! * 1000, bytes: bytes! }
    })
}
