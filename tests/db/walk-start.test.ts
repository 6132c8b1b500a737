// Where a walk starts after whatever was last: as one looks it up in the tables.
// Contract G13: the change with the number of the horizon is what a walk is recognised by, "erased or not".

import { expect, test } from 'bun:test'
import { annotate } from '../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../src/core/applications/erase.ts'
import { type ChangePlace, readChanges } from '../../src/db/walks/change-rows.ts'
import { countWalk } from '../../src/db/walks/walk-count.ts'
import { noFilters } from '../../src/db/walks/walk-filters.ts'
import { readWalkIds } from '../../src/db/walks/walk-ids.ts'
import { isBehindWalk, isOtherHistory, readWalkStart } from '../../src/db/walks/walk-start.ts'
import { useDatabase } from '../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { failureOf } from '../support/refusal.ts'

const everything = { filters: noFilters, after: undefined, rowsMax: 100 }

test('G13: a walk starts at the last change, whatever has been erased since', async () => {
  const { sql } = await useDatabase()
  const { program_id, ...program } = await insertRawProgram(sql, 'starts')
  const submit = (count: number) => insertRawApplications(sql, { program_id, ...program }, count)
  const note = (application_id: number) =>
    annotate(sql, { program_id, application_id, note: 'seen', actor: 'operator:test', timeZone: 'UTC', now: 1e15 })
  const erase = (application_id: number) =>
    eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined })

  /** The horizon, the number of the last submission, and whether the last change was it. */
  const start = async (): Promise<[number, number | undefined, boolean]> => {
    const found = await readWalkStart(sql, program_id)
    const [last] = await sql<{ submit_seq: number; submit_time: number }[]>`
      select submit_seq, submit_time from application where program_id = ${program_id}
      union all
      select submit_seq, submit_time from erased_application where program_id = ${program_id}
      order by submit_seq desc
      limit 1`
    places.push(found.last_change)
    return [found.horizon, last?.submit_seq, found.last_change.mark?.time === last?.submit_time]
  }
  const places: ChangePlace[] = []

  expect((await start()).slice(0, 2)).toEqual([0, undefined])
  const [a, b, c] = (await submit(3)) as [number, number, number]
  expect(await start()).toEqual([3, 3, true])
  await note(a)
  expect(await start()).toEqual([4, 3, false])
  await erase(c)
  expect(await start()).toEqual([5, 3, false])
  await erase(b)
  expect(await start()).toEqual([6, 3, false])
  const [d] = (await submit(1)) as [number]
  expect(await start()).toEqual([7, 7, true])
  await erase(d)
  await erase(a)
  expect(await start()).toEqual([9, 7, false])

  // Each place is known for ever, whatever was erased since; and no other change is taken for it.
  expect(places.map(({ change, mark }) => [change, mark?.application_id])).toEqual([
    [0, undefined],
    [3, c],
    [4, a],
    [5, c],
    [6, b],
    [7, d],
    [9, a],
  ])
  const scope = { programId: program_id, questionsAsOf: 1, ...everything }
  const walkFrom = async ({ change: horizon, mark: lastChange }: ChangePlace) => {
    const { count } = await readWalkIds(sql, { ...scope, horizon, lastChange }, () => {})
    // No publication is of that time: what counts a walk asks for none, which are not where distributed applications are.
    expect(await countWalk(sql, { ...scope, horizon, lastChange }, 10_000)).toBe(count)
  }
  for (const place of places) {
    const { change, mark } = place
    expect((await readChanges(sql, program_id, place, 100)).every(row => row.change > change)).toBe(true)
    await walkFrom(place)
    if (mark === undefined) continue
    for (const other of [
      { ...mark, time: mark.time + 1 },
      { ...mark, application_id: mark.application_id + 1 },
    ]) {
      expect(isOtherHistory(await failureOf(readChanges(sql, program_id, { change, mark: other }, 100)))).toBe(true)
      expect(isOtherHistory(await failureOf(walkFrom({ change, mark: other })))).toBe(true)
    }
  }
  const further = await failureOf(readChanges(sql, program_id, { change: 10, mark: undefined }, 100))
  expect(isBehindWalk(further)).toBe(true)
  expect(isBehindWalk(await failureOf(walkFrom({ change: 10, mark: undefined })))).toBe(true)
})
