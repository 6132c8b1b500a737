// Debian's PostgreSQL 15 with its own programs (pg_dump, pg_restore, pg_basebackup), for what an operator does with them.

import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/processes/embedded-postgres.ts'
import { endWithFile, useServerFolder } from './fixtures.ts'
import { outputOf } from './run.ts'

const installation = '/usr/lib/postgresql/15'

export interface InstalledPostgres extends EmbeddedPostgres {
  /** Runs one of its programs, and returns its output. Throws with its errors if it fails. */
  run(program: string, ...args: string[]): Promise<string>
  /** The URL of one of its databases. */
  addressOf(database: string): string
}

/** On an existing data folder or a new one. Ends with the test file. */
export async function useInstalledPostgres(
  settings: Record<string, string> = {},
  dataDirectory?: string,
): Promise<InstalledPostgres> {
  const folder = dataDirectory === undefined ? await useServerFolder() : undefined
  const server = await startEmbeddedPostgres({
    dataDirectory: dataDirectory ?? join(folder!, 'pg'),
    unsafeFast: true,
    installation,
    settings,
    removeWhenKilled: folder,
  })
  endWithFile(() => server.stop().catch(() => {}))
  return { ...server, run: runProgram, addressOf: database => server.url.replace(/\/postgres$/, `/${database}`) }
}

const runProgram = async (program: string, ...args: string[]): Promise<string> =>
  (await outputOf([join(installation, 'bin', program), ...args])).trim()
