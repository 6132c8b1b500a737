// What one of several service processes gets of what was configured for all of them together. Pure.

import type { Config } from '../config/all-settings.ts'

/** Which of the processes of one service this is. */
export interface ProcessPlace {
  /** From 1 on. */
  number: number
  of: number
  /** The port that all of them listen on; 0 for the first, which picks it. */
  port: number
}

/** Tells a process that it is one of several. Only the supervisor sets it. */
export const placeVariable = 'TRIBUTARY_PROCESS'

/** The place that the variable tells of; undefined for a process that is not one of several. */
export function placeOf(text: string | undefined): ProcessPlace | undefined {
  const match = /^(\d+)\/(\d+)@(\d+)$/.exec(text ?? '')
  if (match === null) return undefined
  const [number, of, port] = match.slice(1).map(Number)
  return { number: number!, of: of!, port: port! }
}

const pools = ['databaseConnections', 'exportConnections', 'intakeConnections', 'consoleConnections'] as const
const limits = ['requestsPerMinute', 'exportsAtATime', 'connectionsPerAddress', 'authFailuresPerMinute'] as const

/**
 * How many processes a service is. As many as there are cores, when it is left to us, but none without a connection of each pool:
 * `loadConfig` has refused a number that is too large for that.
 */
export function processCount(config: Pick<Config, 'processes' | (typeof pools)[number]>, cores: number): number {
  if (config.processes !== 'auto') return config.processes
  return Math.max(1, Math.min(cores, ...pools.map(pool => config[pool])))
}

/**
 * The configuration of one process of several. Connections are shared out, so that all processes together have as many as were
 * configured. Limits are shared out and rounded up: they are what a process goes by where no Redis
 * counts for all.
 */
export function shareOf(config: Config, { number, of, port }: ProcessPlace): Config {
  const share = { ...config, port, reusePort: true }
  for (const pool of pools) share[pool] = Math.floor(config[pool] / of) + (number <= config[pool] % of ? 1 : 0)
  for (const limit of limits) share[limit] = Math.ceil(config[limit] / of)
  return share
}
