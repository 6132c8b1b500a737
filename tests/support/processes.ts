// The processes themselves, started as an operator would start them, with their log read as it is written.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachLine } from '../../scripts/processes/each-line.ts'
import { endWithParent } from '../../scripts/processes/end-with-parent.ts'
import { testPepper, testTokenKey } from './config.ts'
import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

export interface TestProcess {
  child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  /** Every log line so far, parsed. */
  log: Record<string, unknown>[]
  /** Resolves when the last line has been read. */
  reading: Promise<void>
}

export interface TestMain extends TestProcess {
  /** Addresses of the service and of its health port, from its own log, without a trailing slash. */
  url: string
  health: string
}

const running: Bun.Subprocess[] = []

/** For `afterEach`: ends processes that a test has left running. */
export async function endProcesses(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode === null) child.kill('SIGKILL')
    await child.exited
  }
}

/** What to start: a main of this checkout, or a command such as the binary with a subcommand. */
export type Program = 'src/main.ts' | 'workers/main.ts' | readonly string[]

/**
 * Starts `src/main.ts`, `workers/main.ts` or a command on free ports, in development mode by default; with at most `TEST_DESCRIPTORS` descriptors.
 */
export function spawnProcess(
  program: Program,
  database: Pick<TestDatabase, 'url'>,
  { TEST_DESCRIPTORS: descriptors, ...environment }: Record<string, string> = {},
): TestProcess {
  const command =
    typeof program === 'string' ? [process.execPath, join(import.meta.dir, '../..', program)] : [...program]
  // From another folder, like a service manager: nothing may depend on the working directory.
  const child = Bun.spawn(descriptors === undefined ? command : withDescriptors(descriptors, command), {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH ?? '',
      TRIBUTARY_ENV: 'development',
      DATABASE_URL: database.url,
      // Worker and follower don't use the service's secrets.
      ...(typeof program === 'string' && program.startsWith('workers/')
        ? {}
        : { PAGE_TOKEN_KEYS: testTokenKey, API_KEY_PEPPER: testPepper }),
      PORT: '0',
      HEALTH_PORT: '0',
      ...environment,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  endWithParent(child, { signal: 'SIGKILL' })
  running.push(child)
  const log: Record<string, unknown>[] = []
  return { child, log, reading: eachLine(child.stdout, line => log.push(JSON.parse(line))) }
}

/** The command with at most this many descriptors. */
export const withDescriptors = (most: number | string, command: string[]): string[] => [
  ...['sh', '-c', `ulimit -n ${most} && exec "$0" "$@"`],
  ...command,
]

/** A service that is listening. */
export async function startMain(
  database: Pick<TestDatabase, 'url'>,
  environment: Record<string, string> = {},
  program: Program = 'src/main.ts',
): Promise<TestMain> {
  const started = spawnProcess(program, database, environment)
  const line = await logged(started, 'listening')
  return { ...started, url: withoutSlash(line.url), health: withoutSlash(line.health) }
}

/** A worker that is working. */
export async function startWorker(
  database: Pick<TestDatabase, 'url'>,
  environment: Record<string, string> = {},
  program: Program = 'workers/main.ts',
): Promise<TestProcess & Pick<TestMain, 'health'>> {
  const started = spawnProcess(program, database, environment)
  const line = await logged(started, 'working')
  return { ...started, health: withoutSlash(line.health) }
}

/** The first line with this message; fails immediately, with the process's output, if it ended without one. */
export async function logged(started: TestProcess, message: string): Promise<Record<string, unknown>> {
  const found = () => started.log.find(line => line.msg === message)
  const line = await until(`a process to log "${message}"`, () => found() ?? started.child.exitCode !== null)
  if (line !== true) return line
  await started.reading
  const last = found()
  if (last === undefined) throw new Error(`the process ended: ${await new Response(started.child.stderr).text()}`)
  return last
}

/** The standard error of a process that refuses to start; it must exit with 1. */
export async function refusalOf(started: TestProcess): Promise<string> {
  const [code, said] = await Promise.all([started.child.exited, new Response(started.child.stderr).text()])
  if (code !== 1) throw new Error(`the process ended with ${code} instead of refusing to start: ${said}`)
  return said
}

const withoutSlash = (url: unknown): string => String(url).replace(/\/$/, '')
