import { expect, test } from 'bun:test'
import { changeUnusedTimeZone, findInstanceTimeZone, requireInstanceTimeZone } from '../../src/db/instance.ts'
import { useDatabase } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

test('D57: the time zone can be changed until the first application exists, and never again', async () => {
  const { sql } = await useDatabase({ timeZone: 'UTC' })
  const program = await insertRawProgram(sql, 'zoned')
  expect(await changeUnusedTimeZone(sql, 'Asia/Tokyo')).toBe(true)
  await expect(requireInstanceTimeZone(sql, 'UTC')).rejects.toThrow('scripts/migrate')
  await requireInstanceTimeZone(sql, 'Asia/Tokyo')
  expect(await changeUnusedTimeZone(sql, 'Asia/Tokyo')).toBe(false)
  // A submission that is not committed yet counts.
  const submitting = await holdTransaction(sql, async tx => {
    await tx`update submission_counter set submit_seq = 1, submissions = 1 where program_id = ${program.program_id}`
  })
  const changing = changeUnusedTimeZone(sql, 'UTC')
  await until('the change to wait', async () => (await waitingForLocks(sql)) === 1)
  await submitting()
  expect(await changing).toBe(false)
  expect(await findInstanceTimeZone(sql)).toBe('Asia/Tokyo')
  await expect(requireInstanceTimeZone(sql, 'UTC')).rejects.toThrow('INSTANCE_TIME_ZONE to Asia/Tokyo')
})

test('D57: erasing the only application does not free the zone', async () => {
  const { sql } = await useDatabase({ timeZone: 'UTC' })
  const program = await insertRawProgram(sql, 'erased')
  const [id] = await insertRawApplications(sql, program, 1)
  await sql`delete from application where application_id = ${id!}`
  expect(await changeUnusedTimeZone(sql, 'Asia/Tokyo')).toBe(false)
})
