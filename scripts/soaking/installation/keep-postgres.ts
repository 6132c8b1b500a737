// PostgreSQL as an operator runs it: restarted when it ends, and replaced by a standby when its machine is lost.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../processes/embedded-postgres.ts'
import { freePort } from '../../processes/free-port.ts'
import { isAlive } from '../../processes/is-alive.ts'
import { endBackup, followSynchronously, hasAll, promote, standbyName, startBackup } from './soak-statements.ts'

export interface KeptPostgres {
  /** The port of the current primary. */
  port(): number
  kill(): void
  /** Loses the primary and promotes a standby, which has every acknowledged commit. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** In subfolders of `parent`, one for each server. */
export async function keepPostgres(parent: string, environment: Record<string, string>): Promise<KeptPostgres> {
  let servers = 0
  const start = (dataDirectory: string, port: number, more: Record<string, string> = {}): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataDirectory,
      port,
      environment,
      settings: { shared_buffers: '128MB', max_wal_size: '256MB', full_page_writes: 'on', ...more },
    })
  let server = await start(join(parent, `data-${servers++}`), await freePort())
  let isLeft = false
  let stopping = false
  const keeping = (async () => {
    while (!stopping) {
      const { dataDirectory, port, pid } = server
      if (!isLeft && !isAlive(pid)) server = await start(dataDirectory, port).catch(() => server)
      await Bun.sleep(200)
    }
  })()

  async function startStandby(primary: Sql): Promise<EmbeddedPostgres> {
    const dataDirectory = join(parent, `data-${servers++}`)
    await startBackup(primary)
    // Files may vanish meanwhile, which the log makes up for.
    await Bun.$`cp -a ${server.dataDirectory} ${dataDirectory}`.quiet().nothrow()
    await writeFile(join(dataDirectory, 'backup_label'), await endBackup(primary))
    await writeFile(join(dataDirectory, 'standby.signal'), '')
    for (const name of ['postmaster.pid', 'server.log']) await rm(join(dataDirectory, name), { force: true })
    await Bun.$`chown -R --reference=${server.dataDirectory} ${dataDirectory}`.quiet()
    const primary_conninfo = `host=127.0.0.1 port=${server.port} user=tributary application_name=${standbyName}`
    return start(dataDirectory, await freePort(), { primary_conninfo })
  }

  return {
    port: () => server.port,
    kill: () => process.kill(server.pid, 'SIGKILL'),
    failOver: async () => {
      const primary = adminOf(server)
      const standby = await startStandby(primary)
      await followSynchronously(primary)
      while (!(await hasAll(primary))) await Bun.sleep(50)
      await primary.end({ timeout: 0 })
      isLeft = true
      const { dataDirectory, pid } = server
      process.kill(pid, 'SIGKILL')
      const promoted = adminOf(standby)
      await promote(promoted)
      await promoted.end({ timeout: 1 })
      server = standby
      isLeft = false
      await rm(dataDirectory, { recursive: true, force: true })
    },
    stop: async () => {
      stopping = true
      await keeping
      if (isAlive(server.pid)) await server.stop()
    },
  }
}

const adminOf = ({ url }: EmbeddedPostgres): Sql => openDatabase({ url, connectionsMax: 1, applicationName: 'soak' })
