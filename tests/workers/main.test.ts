// The worker process itself: how it works, refuses to start, and stops. Runs workers/main.ts as an operator would.

import { afterEach, describe, expect, test } from 'bun:test'
import { freePort } from '../../scripts/processes/free-port.ts'
import { createLog } from '../../src/base/log.ts'
import { startMaintenance } from '../../workers/maintenance.ts'
import { useDatabase } from '../support/fixtures.ts'
import { endProcesses, logged, refusalOf, spawnProcess, startWorker } from '../support/processes.ts'
import { aComputedProgram as aProgram, everyKind } from '../support/programs.ts'
import { portOf, startProxy, throughPort } from '../support/proxy.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()

afterEach(endProcesses)

const docsOf = async (versionId: number): Promise<boolean> =>
  (await database.sql`select 1 from docs_example where program_version_id = ${versionId}`).length === 1

describe('workers/main.ts', () => {
  test('generates what is missing when it starts and what is published while it runs, and SIGTERM ends it with 0', async () => {
    const before = await aProgram(database.sql, { questions: everyKind })
    // As after a loss of both: the outbox does not know that it was asked for.
    await database.sql`delete from outbox`
    await database.sql`delete from derived_status`
    const { child } = spawnProcess('workers/main.ts', database)
    await until('docs of what was there', () => docsOf(before.program_version_id))
    const during = await aProgram(database.sql)
    await until('docs of what came', () => docsOf(during.program_version_id))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('generates lost data at the next sweep, and requests again what stalls for five minutes', async () => {
    const lost = await aProgram(database.sql)
    const stuck = await aProgram(database.sql)
    const waiting = await aProgram(database.sql)
    const worker = await startWorker(database)
    // What a worker does once a minute, more often.
    const tasks = startMaintenance({
      db: database.sql,
      fileStore: undefined,
      log: createLog('fatal'),
      config: { sweepIntervalMs: 1000, storageSilenceMs: 1000 },
      through: () => {},
    })
    await tasks.first
    for (const { program_version_id } of [lost, stuck, waiting])
      await until('docs at first', () => docsOf(program_version_id))
    const ids = [lost, stuck, waiting].map(({ program_version_id }) => program_version_id)
    await until('all to be done', async () => {
      const done = await database.sql`
        select 1 from derived_status
        where program_version_id = any (${ids}::bigint[]) and job_name = 'refresh-docs-example' and state = 'done'`
      return done.length === ids.length
    })
    // As when a store lost the jobs it was handed: one just now, one long ago.
    for (const [{ program_version_id }, minutes] of [
      [waiting, 3],
      [stuck, 6],
    ] as const)
      await database.sql`
        update derived_status
        set state = 'queued', requested = requested + 1, updated_at = now() - ${minutes} * interval '1 minute'
        where program_version_id = ${program_version_id} and job_name = 'refresh-docs-example'`
    await database.sql`delete from docs_example where program_version_id = ${lost.program_version_id}`
    await until('what was lost to be made again', () => docsOf(lost.program_version_id))
    const stateOf = async ({ program_version_id }: { program_version_id: number }) => {
      const rows = await database.sql<{ state: string }[]>`
        select state from derived_status
        where program_version_id = ${program_version_id} and job_name = 'refresh-docs-example'`
      return rows[0]!.state
    }
    await until('what stood still to be done', async () => (await stateOf(stuck)) === 'done')
    expect(await stateOf(waiting)).toBe('queued')
    await tasks.stop()
    worker.child.kill('SIGTERM')
    expect(await worker.child.exited).toBe(0)
  })

  test('waits for a queue that cannot be opened yet', async () => {
    const port = await freePort()
    const direct = throughPort(database.url, port)
    const worker = spawnProcess('workers/main.ts', database, { DATABASE_DIRECT_URL: direct })
    await logged(worker, 'the queue could not be opened; retrying')
    const proxy = await startProxy(portOf(database.url), () => ({}), port)
    await logged(worker, 'working')
    worker.child.kill('SIGTERM')
    expect(await worker.child.exited).toBe(0)
    await proxy.stop()
  })

  test('refuses to start in one clear sentence', async () => {
    expect(await refusalOf(spawnProcess('workers/main.ts', { url: 'postgres://127.0.0.1:1/x' }))).toMatch(
      /^.*127\.0\.0\.1:1 .*\[ECONNREFUSED\]\n$/,
    )
  })
})
