// Parses the arguments of a benchmark. Pure.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { usage } from '../command-line/environment.ts'
import { wholeNumber } from '../command-line/script-commands.ts'

export interface BenchmarkOptions {
  /** Number of applications in the exported program. */
  applications: number
  small: boolean
  rounds: number
  /** Folder whose `bin` has a PostgreSQL other than the embedded one. */
  postgres: string | undefined
  /** How the service, the drain and the peers reach PostgreSQL. */
  socket: 'tcp' | 'unix'
  /** Folder that keeps the loaded database between runs; undefined for a temporary one. */
  keep: string | undefined
  /** In the order of execution. */
  sections: readonly string[]
}

export const help = (
  sectionNames: readonly string[],
): string => `Usage: scripts/bench [--small] [--only <section,…>] [--rounds <n>] [--postgres <folder>]
                     [--socket tcp|unix] [--keep <folder>]

Starts its own PostgreSQL, loads 300,000 sample applications, and measures the export against the minimum that any client must do and
against simpler implementations. Prints tables, writes .bench/<time>.json, and exits. Uses loopback only.

  --small     30,000 applications, for trying it out; targets apply to the full run only
  --only      ${sectionNames.join(', ')}; default: all
  --rounds    repetitions of each measurement, 1 to 50; default: 5; fewer are not conclusive
  --postgres  folder of an installation, such as /usr/lib/postgresql/18; default: the embedded one
  --socket    tcp (default) or unix, between PostgreSQL and its clients
  --keep      folder that keeps the loaded database for the next run
  --help      this text`

/** `sectionNames`: the known sections, in order. Throws a usage error naming an invalid argument. */
export function parseOptions(args: readonly string[], sectionNames: readonly string[]): BenchmarkOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      small: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      postgres: { type: 'string' },
      socket: { type: 'string', default: 'tcp' },
      keep: { type: 'string' },
    },
  })
  return {
    applications: values.small ? 30_000 : 300_000,
    small: values.small,
    rounds: wholeNumber('--rounds', values.rounds, 50),
    postgres: values.postgres,
    socket: oneOf('--socket', values.socket, ['tcp', 'unix']),
    keep: values.keep === undefined ? undefined : resolve(values.keep),
    sections: sectionsOf(values.only ?? sectionNames.join(','), sectionNames),
  }
}

function sectionsOf(only: string, sectionNames: readonly string[]): string[] {
  const asked = only.split(',').map(name => oneOf('--only', name.trim(), sectionNames))
  return sectionNames.filter(name => asked.includes(name))
}

function oneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find(value => value === text)
  if (found === undefined) throw usage(`${option} must be ${allowed.join(', ')}, not "${text}".`)
  return found
}
