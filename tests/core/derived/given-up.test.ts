// A job that cannot be done is failed in the end, not repeated for ever: also one that takes its process down each time, so that
// no process is left to report it.

import { expect, test } from 'bun:test'
import { docsCodeVersion } from '../../../src/core/derived/program-docs.ts'
import { keyMapCodeVersion } from '../../../src/core/derived/program-key-map.ts'
import { regenerateDocs, sweepDerived } from '../../../src/core/derived/sweep.ts'
import { beginRun, failRun, finishRun, giveUpRuns, requestDerived } from '../../../src/db/derived/derived-status.ts'
import { readMissingDerived } from '../../../src/db/derived/missing-derived.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { aComputedProgram as aProgram, q } from '../../support/programs.ts'
import { readDerivedStatus } from '../../support/queue.ts'

const database = await useDatabase()

const job_name = 'refresh-docs-example'
const statusOf = async (program_version_id: number) =>
  (await readDerivedStatus(database.sql, program_version_id)).find(row => row.job_name === job_name)!
/** As the timer does it, when everything on record has not moved for too long. */
const sweep = async (program_version_id: number): Promise<boolean> =>
  (await sweepDerived(database.sql, { overdueMs: 0 })).some(
    thing => thing.job_name === job_name && thing.program_version_id === program_version_id,
  )

test('a job that never ends is requested again five times, then fails with the reason and is not requested again', async () => {
  const { program_version_id } = await aProgram(database.sql, { slug: 'deadly', questions: [q.text('deadly')] })
  const thing = { program_version_id, job_name }
  let runs = 0
  while ((await beginRun(database.sql, thing, docsCodeVersion)) !== undefined) {
    runs++
    await sweep(program_version_id)
    expect(runs).toBeLessThan(10)
  }
  expect(runs).toBe(5)
  expect(await statusOf(program_version_id)).toMatchObject({
    state: 'failed',
    last_error: expect.stringContaining('given up: 5 runs began and none ended') as string,
  })
  expect(await sweep(program_version_id)).toBe(false)
  // Jobs that are still on their way find nothing to do.
  expect(await beginRun(database.sql, thing)).toBeUndefined()

  // "… or an admin forces it": counted from the start.
  const [program] = await database.sql<{ program_id: number }[]>`select program_id from program where slug = 'deadly'`
  await regenerateDocs(database.sql, program!.program_id, { actor: 'operator:test' })
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'queued', attempts: 0 })
  expect(await beginRun(database.sql, thing)).toBeDefined()
})

test('a failed job is requested again by a later release, and not by the same one', async () => {
  const { program_version_id } = await aProgram(database.sql, { slug: 'released', questions: [q.text('released')] })
  const thing = { program_version_id, job_name }
  const request = await beginRun(database.sql, thing, docsCodeVersion)
  await failRun(database.sql, thing, { request, error: 'too hard', final: true })
  const missing = async (docsExample: number) =>
    (await readMissingDerived(database.sql, { keyMap: keyMapCodeVersion, docsExample })).some(
      derivedThing => derivedThing.program_version_id === program_version_id && derivedThing.job_name === job_name,
    )
  expect(await missing(docsCodeVersion)).toBe(false)
  expect(await missing(docsCodeVersion + 1)).toBe(true)
  expect(await missing(docsCodeVersion - 1)).toBe(false)
  expect(await sweep(program_version_id)).toBe(false)
})

test('a request made during a run stays open however the run ends, and a fulfilled one stays fulfilled', async () => {
  const { sql } = database
  const { program_version_id } = await aProgram(sql, { slug: 'overlapping', questions: [q.text('overlapping')] })
  const thing = { program_version_id, job_name }
  const begun = async () => (await beginRun(sql, thing))!
  const first = await begun()
  await requestDerived(sql, [thing])
  await failRun(sql, thing, { request: first, error: 'late', final: true })
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'queued', last_error: 'late' })
  const second = await begun()
  await requestDerived(sql, [thing])
  await finishRun(sql, thing, second)
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'queued', last_error: null })
  await finishRun(sql, thing, await begun())
  await finishRun(sql, thing, second)
  await failRun(sql, thing, { request: second, error: 'late', final: true })
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'done', last_error: null })
  expect(await begun()).toBeUndefined()
})

test('a run that is under way or waits for a retry is not given up', async () => {
  const { program_version_id } = await aProgram(database.sql, { slug: 'slow', questions: [q.text('slow')] })
  const thing = { program_version_id, job_name }
  for (let i = 0; i < 5; i++) await beginRun(database.sql, thing, docsCodeVersion)
  await giveUpRuns(database.sql, 60_000, 5)
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'running', attempts: 5 })
  await failRun(database.sql, thing, { request: 1, error: 'in passing', final: false })
  await giveUpRuns(database.sql, 0, 5)
  expect(await statusOf(program_version_id)).toMatchObject({ state: 'queued', last_error: 'in passing' })
})
