// What every script needs before it can start: settings, a database, and a way to fail with one clear sentence.

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { failureLines } from '../../src/base/failure.ts'
import { type Config, type OtherConfig, otherSettings, type settings } from '../../src/config/all-settings.ts'
import { type Environment, loadConfig, readSetting } from '../../src/config/load-config.ts'
import { withSettingFiles } from '../../src/config/setting-files.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { runsScript } from '../processes/is-alive.ts'

const root = join(import.meta.dir, '../..')
/** False in the binary of scripts/build, whose settings come only from the environment. */
const inCheckout = existsSync(join(root, 'package.json'))
/** Where a development instance keeps its database and secrets: in the checkout, unless TRIBUTARY_DATA names another folder. */
export const dataFolder = process.env.TRIBUTARY_DATA || join(root, '.data')
const settingsFile = join(dataFolder, 'development.env')

export interface ScriptContext {
  sql: Sql
  config: OtherConfig
  /** A setting that only some scripts need, such as the pepper. Throws a Problem if it is missing. */
  setting: <K extends keyof typeof settings>(key: K) => Config[K]
  /** `operator:<system user>`, for the audit log. */
  actor: string
}

/** What scripts/start records about its run: its process ID and, once it is serving, its address. */
export const runningFile = join(dataFolder, 'running')

/** The last scripts/start on the same data that has not ended normally: whether it is running, and once it is serving, its address. */
export function lastStart(): { isRunning: boolean; address: string | undefined } | undefined {
  if (!existsSync(runningFile)) return undefined
  const [pid, address] = readFileSync(runningFile, 'utf8').split('\n')
  return { isRunning: runsScript(Number(pid), 'start.ts'), address: address || undefined }
}

/**
 * The service's address, without a trailing slash, from the settings; if they name no port, the address of the scripts/start that is running on the
 * same data.
 */
export function serviceAddress(config: OtherConfig): string {
  if (config.baseUrl !== '') return config.baseUrl
  const last = process.env.PORT === undefined ? lastStart() : undefined
  if (last?.isRunning && last.address !== undefined) return last.address
  return listeningAddress(config)
}

/** The address under which this machine reaches the service, from what it listens on. */
export const listeningAddress = ({ tlsCert, host, port }: Pick<OtherConfig, 'tlsCert' | 'host' | 'port'>): string =>
  `${tlsCert === undefined ? 'http' : 'https'}://${hostInUrl(host)}:${port}`

/** The host under which this machine reaches something that listens on an address, as in URLs: loopback for all addresses. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** A usage error: the message is shown with a hint to the script's help, and the exit status is 2. */
export class UsageError extends Error {}

export const usage = (message: string): UsageError => new UsageError(message)

/** Throws if a script gets more arguments than it uses. */
export function refuseMore(words: readonly string[]): void {
  if (words.length > 0) throw usage(`Unexpected argument: ${words.join(' ')}. Put text with spaces in quotes.`)
}

/**
 * Runs a script against the configured database, or the checkout's own PostgreSQL when `DATABASE_URL` is not set (started if necessary, and then
 * stopped again). Migrates first. Exits 0, 1 (a Problem, with its own text) or 2 (usage).
 */
export async function runScript(main: (context: ScriptContext) => Promise<void>): Promise<never> {
  const cleanUps: (() => Promise<void>)[] = []
  const code = await exitCode(async () => {
    const { environment, stop } = await scriptEnvironment()
    cleanUps.push(stop)
    const config = loadConfig(environment, otherSettings)
    const sql = openDatabase({
      url: config.databaseUrl,
      connectionsMax: 4,
      prepare: config.databasePrepare,
      applicationName: 'tributary-script',
    })
    cleanUps.unshift(() => sql.end({ timeout: 5 }))
    await prepareDatabase(sql, config.timeZone)
    const setting: ScriptContext['setting'] = key => readSetting(environment, key)
    await main({ sql, config, setting, actor: `operator:${await systemUser()}` })
  })
  for (const cleanUp of cleanUps) await cleanUp().catch(() => {})
  process.exit(code)
}

/** `scripts/<name>`, once its help is known. */
let script: string | undefined

/** Prints the help and exits if the arguments request it, in any position. */
export function showHelpIfAsked(help: string): void {
  script = /scripts\/[a-z-]+/.exec(help)?.[0]
  if (!process.argv.slice(2).some(arg => arg === '--help' || arg === '-h')) return
  console.log(asCalled(help))
  process.exit(0)
}

/** Parses the command line before any database is opened: prints the help, or the error that `parse` throws, and exits in both cases. */
export async function readCommandLine<T>(help: string, parse: (args: string[]) => T | Promise<T>): Promise<T> {
  showHelpIfAsked(help)
  let read: { asked: T } | undefined
  const code = await exitCode(async () => {
    read = { asked: await parse(process.argv.slice(2)) }
  })
  return read === undefined ? process.exit(code) : read.asked
}

/** Runs `main` and turns whatever it throws into lines on standard error and an exit status. */
export async function exitCode(main: () => Promise<void>): Promise<number> {
  try {
    await main()
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError || isParseArgsError(error)
    const hint = error instanceof UsageError && script !== undefined ? ` See ${script} --help.` : ''
    for (const line of isUsage ? [(error as Error).message + hint] : failureLines(error)) console.error(asCalled(line))
    return isUsage ? 2 : 1
  }
}

/** A text that mentions scripts, rewritten to the binary's commands. */
const asCalled = (text: string): string =>
  inCheckout ? text : text.replace(/\bscripts\/(?=[a-z-]+\b(?!\.))/g, 'tributary ')

/**
 * The process's environment; in a checkout where scripts/start has run, completed with its development settings, and with its own PostgreSQL if
 * `DATABASE_URL` is not set.
 */
export async function scriptEnvironment(): Promise<{
  environment: Environment
  /** Whether this checkout's own PostgreSQL was running already. */
  wasRunning: boolean
  stop: () => Promise<void>
}> {
  const own = { wasRunning: false, stop: async () => {} }
  const given = withSettingFiles(process.env)
  if (!inCheckout) return { environment: given, ...own }
  if (given.DATABASE_URL) {
    const development = existsSync(settingsFile) ? await developmentSettings() : {}
    return { environment: { ...development, ...given }, ...own }
  }
  const development = await developmentSettings()
  const { startEmbeddedPostgres } = await import('../processes/embedded-postgres.ts')
  const server = await startEmbeddedPostgres({ dataDirectory: join(dataFolder, 'postgres') })
  return {
    environment: { ...development, DATABASE_URL: server.url, ...given },
    wasRunning: !server.started,
    stop: async () => {
      if (server.started) await server.stop()
    },
  }
}

/** Secrets of this checkout's development instance, generated once and readable only by their owner. */
export async function developmentSettings(): Promise<Record<string, string>> {
  const text = await readFile(settingsFile, 'utf8').catch(() => undefined)
  if (text !== undefined) {
    return parseEnv(text) as Record<string, string>
  }
  const random = (bytes: number): string =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')
  const made = {
    TRIBUTARY_ENV: 'development',
    PAGE_TOKEN_KEYS: random(32),
    API_KEY_PEPPER: random(48),
    WEBHOOK_KEYS: random(32),
  }
  await mkdir(dirname(settingsFile), { recursive: true })
  await writeFile(
    settingsFile,
    `${Object.entries(made)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n')}\n`,
    { mode: 0o600 },
  )
  return made
}

function isParseArgsError(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS')
}

/** Who runs this process, according to the system's user IDs; the environment could contain anything. */
async function systemUser(): Promise<string> {
  const uid = String(process.getuid?.() ?? 'unknown')
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const entry = accounts.split('\n').find(line => line.split(':')[2] === uid)
  return entry?.split(':')[0] ?? `uid-${uid}`
}
