// The process that supervises the others of a service: it has the health port and the signals, and no request comes to it.

import type { Config } from '../config/all-settings.ts'
import { health } from '../http/health.ts'
import { createLog, type Log } from '../log.ts'
import { ProcessSums } from '../metrics/process-sums.ts'
import { SupervisorMetrics } from '../metrics/supervisor-metrics.ts'
import { Problem } from '../problem.ts'
import { releaseName } from '../release.ts'
import type { ToProcess, ToSupervisor } from './process-messages.ts'
import { type ProcessPlace, placeVariable } from './process-share.ts'
import { type Started, Supervisor } from './supervisor.ts'

/** What a process may take beyond DRAIN_TIMEOUT to end: it writes the audit trail's lines and closes its connections. */
const endingMs = 15_000

/** The program that each process runs. */
interface Program {
  main: string
  environment: Readonly<Record<string, string | undefined>>
}

/** Runs so many processes of the service, until a signal says to end. */
export async function supervise(config: Config, count: number, program: Program): Promise<void> {
  if (process.platform !== 'linux')
    throw new Problem('invalid_request', {
      detail: 'PROCESSES above 1 needs Linux, which shares connections out among processes.',
    })
  const log = createLog(config.logLevel)
  const sums = new ProcessSums()
  let ending = false
  const supervisor = new Supervisor({
    count,
    port: config.port,
    log,
    start: (place, hear) => startProcess(program, place, hear),
    keep: metrics => sums.keep(metrics),
    giveUp: () => void end('a process cannot be started', 1),
  })
  const own = new SupervisorMetrics(supervisor)
  const platform = Bun.serve({
    hostname: config.healthHost,
    port: config.healthPort,
    development: false,
    fetch: health(() => supervisor.readiness(), {
      exposition: async () => sums.exposition([await own.told(), ...(await supervisor.metrics())]),
    }).fetch,
  })
  const end = async (why: string, status: number): Promise<void> => {
    if (ending) {
      supervisor.kill()
      process.exit(130)
    }
    ending = true
    log.info({ signal: why }, 'draining all processes')
    await supervisor.end(config.drainTimeoutMs + endingMs)
    await platform.stop(true)
    log.info('all processes have stopped')
    process.exit(status)
  }
  process.on('SIGTERM', () => void end('SIGTERM', 0))
  process.on('SIGINT', () => void end('SIGINT', 0))
  process.on('SIGHUP', () => void replaceAll(supervisor, log))
  const { url } = await supervisor.begin().catch(() => {
    throw new Problem('unavailable', { detail: 'A process of the service did not start. What it said stands above.' })
  })
  log.info(
    { release: releaseName, url, health: platform.url.href, time_zone: config.timeZone, processes: count },
    'listening',
  )
}

async function replaceAll(supervisor: Supervisor, log: Log): Promise<void> {
  log.info('processes are replaced one after the other')
  await supervisor.replaceAll()
}

/** The same program again, told which one of how many it is. It writes where this one writes. */
export function startProcess(
  { main, environment }: Program,
  place: ProcessPlace,
  hear: (message: ToSupervisor) => void,
): Started {
  const inBinary = main.startsWith('/$bunfs/')
  const command = inBinary ? [process.execPath, 'serve'] : [process.execPath, ...process.execArgv, main]
  const child = Bun.spawn(command, {
    env: { ...environment, [placeVariable]: `${place.number}/${place.of}@${place.port}` },
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'json',
    ipc: message => hear(message as ToSupervisor),
  })
  return {
    pid: child.pid,
    exited: child.exited,
    get endedBy() {
      return child.signalCode
    },
    send(message: ToProcess) {
      try {
        child.send(message)
      } catch {
        // It has ended, or is about to: `exited` tells.
      }
    },
    kill: signal => child.kill(signal),
  }
}
