// What a failed job leaves behind: in the record, in the log, in the queue's store.

import { expect, test } from 'bun:test'
import { enqueue } from '../../../src/core/queue/enqueue.ts'
import { aVersion, keyMapJob, statusOf, useQueue } from '../../support/queue.ts'
import { until } from '../../support/until.ts'

const its = await useQueue('postgres')

/** Everything in the tables of the queue's store, as text. */
async function stored(): Promise<string> {
  const tables = await its.sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'bullmq' and table_type = 'BASE TABLE'`
  const rows = await Promise.all(
    tables.map(({ name }) => its.sql<{ text: string }[]>`select t::text as text from bullmq.${its.sql(name)} t`),
  )
  return rows
    .flat()
    .map(row => row.text)
    .join('\n')
}

test('values quoted by a database error reach neither the record, nor the log, nor the store, while its code does', async () => {
  const canary = 'canary-4711'
  const version = await aVersion(its.sql)
  let runs = 0
  let storedBetween = ''
  await its.relay()
  await its.work({
    'refresh-key-map': async () => {
      // The store keeps what a run threw until the job has ended.
      if (runs++ > 0) storedBetween += await stored()
      await its.sql`select ${canary}::text::bigint`
    },
  })
  await enqueue(its.sql, [keyMapJob(version)])
  const failed = await until('the job to fail', async () => {
    const status = await statusOf(its.sql, version)
    return status?.state === 'failed' && status
  })
  expect(failed.last_error).toMatch(/^PostgresError: .* 22P02$/)
  expect(storedBetween).toContain('22P02')
  const logged = JSON.stringify(its.logLines)
  expect(logged).toContain('"code":"22P02"')
  for (const text of [logged, storedBetween, failed.last_error!, await stored()]) expect(text).not.toContain(canary)
})
