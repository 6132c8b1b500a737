// The worker process itself: how it works, refuses to start, and stops. Runs workers/main.ts as an operator would.

import { afterEach, describe, expect, test } from 'bun:test'
import { setRetention } from '../../src/upkeep/erase.ts'
import { useDatabase } from '../support/fixtures.ts'
import { endProcesses, refusalOf, spawnProcess } from '../support/processes.ts'
import { aProgram, everyKind } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()

afterEach(endProcesses)

const docsOf = async (versionId: number): Promise<boolean> =>
  (await database.sql`select 1 from docs_example where program_version_id = ${versionId}`).length === 1

describe('workers/main.ts', () => {
  test('makes what is missing when it starts, and what is published while it runs; SIGTERM ends it with 0', async () => {
    const before = await aProgram(database.sql, { questions: everyKind })
    // Nobody asked, as far as the outbox knows: as after a loss of both.
    await database.sql`delete from outbox`
    await database.sql`delete from derived_status`
    const { child } = spawnProcess('workers/main.ts', database)
    await until('docs of what was there', () => docsOf(before.program_version_id))
    const during = await aProgram(database.sql)
    await until('docs of what came', () => docsOf(during.program_version_id))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('kill -9 loses nothing: the next worker makes it', async () => {
    const { child: first } = spawnProcess('workers/main.ts', database)
    const warm = await aProgram(database.sql)
    await until('the worker to work', () => docsOf(warm.program_version_id))
    first.kill('SIGKILL')
    await first.exited
    const meanwhile = await aProgram(database.sql)
    spawnProcess('workers/main.ts', database)
    await until('docs of what was published meanwhile', () => docsOf(meanwhile.program_version_id))
  })

  test('erases what a program keeps no longer', async () => {
    const raw = await insertRawProgram(database.sql, 'kept-a-while')
    const yesterday = (Date.now() - 86_400_000) * 1000
    await insertRawApplications(
      database.sql,
      raw,
      3,
      i => `answer ${i}`,
      i => yesterday - i * 86_400_000_000,
    )
    await setRetention(database.sql, raw.slug, 2, 'operator:test')
    spawnProcess('workers/main.ts', database)
    const left = () => database.sql`select from application where program_id = ${raw.program_id}`
    await until('what has expired to be gone', async () => (await left()).length === 1)
  })

  test('refuses to start in one clear sentence', async () => {
    expect(await refusalOf(spawnProcess('workers/main.ts', { url: 'postgres://127.0.0.1:1/x' }))).toMatch(
      /^The database at 127\.0\.0\.1:1 cannot be reached/,
    )
  })
})
