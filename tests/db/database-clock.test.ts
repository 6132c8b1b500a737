import { expect, test } from 'bun:test'
import type { Db } from '../../src/db/client.ts'
import { DatabaseClock, readPresentTime } from '../../src/db/database-clock.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const { sql } = await useDatabase()

/** The database of a server whose clock differs by so many seconds. */
const aheadBy = (seconds: () => number): Db =>
  new Proxy(sql, {
    apply: () => sql`select clock_timestamp() + make_interval(secs => ${seconds()}) as now`,
  })

test('D46: the database clock is used, whatever the clock of this process shows', async () => {
  const real = Date.now
  endWithTest(() => {
    Date.now = real
  })
  Date.now = () => real() + 3_600_000
  const clock = await DatabaseClock.open(sql)
  endWithTest(() => clock.stop())
  const [before, said, after] = [await readPresentTime(sql), clock.now(), await readPresentTime(sql)]
  // An answer is half as old as the question took.
  expect(said).toBeWithin(before - 1_000_000, after + 1_000_000)
  expect(Number.isInteger(said)).toBe(true)
})

test('D46: the database clock follows a server that takes over, and continues while no server responds', async () => {
  let ahead = 0
  let away = false
  const db = aheadBy(() => {
    if (away) throw new Error('the database is away')
    return ahead
  })
  const clock = await DatabaseClock.open(db, 5)
  endWithTest(() => clock.stop())
  ahead = 7200
  await until('the clock to follow', async () => clock.now() - (await readPresentTime(sql)) > 7_000_000_000)
  away = true
  const from = clock.now()
  await until('time to go on', () => clock.now() - from > 50_000)
  away = false
  ahead = -3600
  await until('the clock to go back', async () => clock.now() - (await readPresentTime(sql)) < -3_000_000_000)
})
