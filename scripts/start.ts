// Starts everything for a demo or for development: database, schema, demo data, a key to try, service and worker. Production runs
// src/main.ts and workers/main.ts directly.

import { openSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Problem } from '../src/base/problem.ts'
import { healthPorts } from '../src/config/listening-settings.ts'
import { type Environment, loadConfig } from '../src/config/load-config.ts'
import { openDatabase, type Sql } from '../src/db/client.ts'
import { prepareDatabase, requireInstanceTimeZone } from '../src/db/instance.ts'
import { findProgram } from '../src/db/programs/programs.ts'
import {
  dataFolder,
  developmentSettings,
  exitCode,
  hostInUrl,
  lastStart,
  listeningAddress,
  runningFile,
  scriptEnvironment,
  showHelpIfAsked,
} from './command-line/environment.ts'
import { endWithParent } from './processes/end-with-parent.ts'
import { freePort } from './processes/free-port.ts'
import { answersInTime } from './processes/until-answering.ts'
import {
  type DemoKey,
  type DemoPerson,
  demoFrontEnd,
  demoKey,
  demoPerson,
  demoPrograms,
} from './seed-program/demo-credentials.ts'
import { demoIntermediary } from './seed-program/demo-intermediary.ts'
import { demoActors, fillConsole } from './seed-program/fill-console.ts'
import { demoShares, seedWithProgress } from './seed-program/seed-programs.ts'

const help = `Usage: scripts/start [--no-seed] [--watch]

Starts Tributary on this machine: its own PostgreSQL (or the one in DATABASE_URL), a demo program with 5,000 applications if the
database is empty, and the service. Prints a command to try. Ctrl-C stops everything.

  --no-seed   leave an empty database empty
  --watch     restart the service when its source changes
  --help      this text`

const root = join(import.meta.dir, '..')
/** The log of service and worker. */
const logFile = join(dataFolder, 'log')
const demoApplications = 5000
/** Settings for features that are off by default. */
const usual = { APPLY: 'on', FILES_DIR: join(dataFolder, 'files') }
const [program, otherProgram] = demoPrograms

showHelpIfAsked(help)

const cleanUps: (() => Promise<unknown>)[] = []
let stopping = false
const code = await exitCode(start)
if (code !== 0 && !stopping) await stop(code)

async function start(): Promise<void> {
  const { values } = parseArgs({ options: { 'no-seed': { type: 'boolean' }, watch: { type: 'boolean' } } })
  const children: Bun.Subprocess[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130)
      void stop(0)
    })
  }
  const isAlone = await beginRun()
  const { environment: found, stop: stopDatabase, wasRunning } = await scriptEnvironment()
  cleanUps.push(stopDatabase)
  if (wasRunning) console.log("PostgreSQL was already running on this checkout's data. It is used and left running.")
  if (wasRunning && !isAlone) console.log('It belongs to another scripts/start and stops with it.')
  const settings = { ...usual, ...(await developmentSettings()), ...found, ...(values['no-seed'] ? {} : demoName()) }
  const config = loadConfig(settings)
  const { host, healthHost } = config
  const port = await usablePort(host, config.port, config.reusePort)
  const healthPort = await usablePort(healthHost, config.healthPort ?? healthPorts.service)
  const workersHealthPort = config.healthPort === undefined ? await usablePort(healthHost, healthPorts.worker) : 0
  const environment = { ...settings, PORT: String(port), HEALTH_PORT: String(healthPort) }

  const sql = openDatabase({
    url: config.databaseUrl,
    connectionsMax: 4,
    prepare: config.databasePrepare,
    applicationName: 'tributary-start',
  })
  await prepareDatabase(sql, config.timeZone)
  await requireInstanceTimeZone(sql, config.timeZone)
  const seeds = !values['no-seed'] && (await isEmpty(sql))
  if (seeds) {
    console.log(`Seeding a demo program with ${demoApplications.toLocaleString('en')} applications …`)
    await seedWithProgress(sql, {
      programs: demoShares(demoApplications),
      now: Date.now() * 1000,
      timeZone: config.timeZone,
      ...demoActors,
      frontEnd: demoFrontEnd,
    })
  }

  cleanUps.unshift(() => Promise.all(children.map(child => end(child))))
  const service = launch('src/main.ts', environment, values.watch ? ['--watch', '--no-clear-screen'] : [])
  children.push(service)
  const baseUrl = config.baseUrl === '' ? listeningAddress({ ...config, port }) : config.baseUrl
  const healthUrl = `http://${hostInUrl(healthHost)}:${healthPort}`
  // A service that exits reports the reason itself.
  if (!(await answersInTime(`${healthUrl}/readyz`, service)))
    throw new Problem('unavailable', { detail: `The service did not start. ${await lastWords()}` })
  children.push(launch('workers/main.ts', { ...environment, HEALTH_PORT: String(workersHealthPort) }))
  if (isAlone) await noteRun(rename, baseUrl)
  const key =
    (await findProgram(sql, program)) === undefined ? undefined : await demoKey(sql, config.apiKeyPepper, baseUrl)
  const person = await demoPerson(sql)
  if (seeds) await fillConsole({ ...config, sql, baseUrl, programs: demoPrograms })
  const intermediary = config.apply ? await demoIntermediary(sql, config.apiKeyPepper, otherProgram) : undefined
  await sql.end({ timeout: 5 })

  console.log(welcome(baseUrl, healthUrl, config.apply, key, person, intermediary))
  const exit = await service.exited
  if (!stopping)
    throw new Problem('internal', {
      detail: `The service stopped unexpectedly (exit status ${exit}). ${await lastWords()}`,
    })
}

/** The name on every page, unless given in the arguments. */
function demoName(): Environment {
  return process.env.INSTALLATION_NAME === undefined ? { INSTALLATION_NAME: 'City of Arden (demo)' } : {}
}

/** The end of the log, for an unexpected exit. */
async function lastWords(): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-20)
  return `Its log, ${logFile}, ends with:\n${lines.join('\n')}`
}

/**
 * Records this run and starts its log. If a run is killed, its record remains; the processes it started have ended with it, and PostgreSQL has its
 * data, as after a power failure. Returns false if another run uses the same data: its record and log remain. Throws while that one has not recorded
 * itself completely.
 */
async function beginRun(): Promise<boolean> {
  const last = lastStart()
  if (last !== undefined && !last.isRunning) {
    console.log('The last run was killed. Its processes were stopped, and no data was lost.')
    await rm(runningFile)
  }
  await mkdir(dataFolder, { recursive: true })
  if (!(await noteAlone())) {
    if (lastStart()?.address !== undefined) return false
    throw new Problem('unavailable', {
      detail: 'Another scripts/start is preparing the same data. Start again when it has printed its address.',
    })
  }
  await rm(logFile, { force: true })
  cleanUps.unshift(() => rm(runningFile, { force: true }))
  return true
}

/** Records this run, unless another one is recorded; of two concurrent runs, one succeeds. */
async function noteAlone(): Promise<boolean> {
  try {
    await noteRun(link)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // Some shared folders of virtual machines have no links.
    await noteRun(rename)
  }
  return true
}

/** Records this run and, once it is serving, its address. The file is replaced atomically. */
async function noteRun(put: typeof link, address = ''): Promise<void> {
  const noted = `${runningFile}.${process.pid}`
  await writeFile(noted, `${process.pid}\n${address}\n`)
  try {
    await put(noted, runningFile)
  } finally {
    await rm(noted, { force: true })
  }
}

/**
 * The port to listen on; for 0, a free one. Throws like the service if another process is listening, which could otherwise be mistaken for the
 * service.
 */
async function usablePort(hostname: string, port: number, reusePort = false): Promise<number> {
  if (port === 0) return freePort()
  await Bun.serve({ hostname, port, reusePort, fetch: () => new Response() }).stop(true)
  return port
}

/**
 * Starts a process of the service. A terminal sends Ctrl-C to the whole group; this process only receives it from us, once. It also ends if we are
 * killed.
 */
function launch(main: string, environment: Environment, options: readonly string[] = []): Bun.Subprocess {
  const log = openSync(logFile, 'a', 0o600)
  const child = Bun.spawn([process.execPath, ...options, join(root, main)], {
    cwd: root,
    env: { ...process.env, ...environment },
    detached: true,
    stdin: 'ignore',
    // Not to the terminal, where it would mix with the lines for people. Errors of the process itself do go there.
    stdout: log,
    stderr: 'inherit',
  })
  endWithParent(child, { signal: 'SIGTERM' })
  return child
}

async function isEmpty(sql: Sql): Promise<boolean> {
  const found = await Promise.all(demoPrograms.map(slug => findProgram(sql, slug)))
  return found.every(program => program === undefined)
}

function welcome(
  baseUrl: string,
  healthUrl: string,
  applies: boolean,
  key: DemoKey | undefined,
  person: DemoPerson | undefined,
  intermediary: DemoPerson | undefined,
): string {
  const row = (label: string, value: string) => `  ${label.padEnd(20)}  ${value}`
  const signIn = (label: string, { email, password }: DemoPerson) => [
    row(label, `${baseUrl}/admin/sign-in?email=${encodeURIComponent(email)}`),
    row('', `password ${password}`),
  ]
  const lines = [
    '',
    'Tributary is running. Ctrl-C stops it.',
    '',
    row('Service', baseUrl),
    row('Docs', `${baseUrl}/docs/api/programs`),
    ...(applies ? [row('Apply', `${baseUrl}/apply`)] : []),
    row('Health', `${healthUrl}/readyz`),
    row('Log', logFile),
    ...(person === undefined ? [] : signIn('Console', person)),
    ...(intermediary === undefined ? [] : signIn('Trusted intermediary', intermediary)),
  ]
  if (key !== undefined)
    lines.push(
      row('Username', key.username),
      row('Password', key.password),
      '',
      'The first page of the demo program:',
      '',
      `export TRIBUTARY_USERNAME='${key.username}' TRIBUTARY_PASSWORD='${key.password}'`,
      `curl -sS -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" '${baseUrl}/api/v1/admin/programs/${program}/applications?pageSize=2'`,
    )
  return `${lines.join('\n')}\n`
}

async function stop(exitStatus: number): Promise<void> {
  stopping = true
  for (const cleanUp of cleanUps) await cleanUp().catch(error => console.error(String(error)))
  process.exit(exitStatus)
}

async function end(child: Bun.Subprocess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await child.exited
}
