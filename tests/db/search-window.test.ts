// That a search finds the same applications whether it looks among the nearest only or among all, in a program with more than it looks among first.

import { expect, test } from 'bun:test'
import type { PendingQuery, Row } from 'postgres'
import type { ListPosition } from '../../src/db/applications/application-lists.ts'
import {
  countFoundApplications,
  findListPosition,
  readFoundApplications,
} from '../../src/db/applications/found-applications.ts'
import type { Transaction } from '../../src/db/client.ts'
import { useDatabase } from '../support/fixtures.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'

const { sql } = await useDatabase()
const program = await insertRawProgram(sql, 'wide')
await insertRawApplications(sql, program, 1, () => 'x')
await multiplyApplications(sql, 10_500)
/** Adds an answer to some applications of a program, and their words. */
const answered = (programId: number, answer: string, which: (tx: Transaction) => PendingQuery<Row[]>) =>
  sql.begin(async tx => {
    await tx`alter table application disable trigger application_snapshot_is_immutable`
    const rows = await tx<{ application_id: number }[]>`
      update application
      set snapshot = snapshot || ${answer}
      where program_id = ${programId}
      and ${which(tx)}
      returning application_id`
    await tx`alter table application enable trigger application_snapshot_is_immutable`
    await tx`
      update application_words w
      set words = applicant_words(a.program_id, a.snapshot)
      from application a
      where (a.program_id, a.submit_time, a.submit_seq) = (w.program_id, w.submit_time, w.submit_seq)
      and a.application_id = any(${rows.map(row => row.application_id)}::bigint[])`
    return rows
  })
const maria = '"own":{"question_type":"NAME","first_name":"Maria","middle_name":null,"last_name":"Lopez","suffix":null}'
// Some among the newest, at either end of the nearest 10,000, and among the oldest.
const marked = await answered(
  program.program_id,
  maria,
  tx =>
    tx`(submit_seq % 10 = 0 and (submit_seq <= 300 or submit_seq > 10200) or submit_seq in (499, 500, 501, 10000, 10001))`,
)
await sql`analyze application, application_words`
const newestFirst = (
  await sql<{ application_id: number }[]>`
    select application_id
    from application
    where application_id = any(${marked.map(row => row.application_id)}::bigint[])
    order by submit_time desc, submit_seq desc`
).map(row => row.application_id)

/** All pages of the search, beginning at a place. */
async function pages(direction: 'older' | 'newer', start: ListPosition | undefined, rowsMax: number) {
  const found: number[] = []
  for (let beyond = start; ; ) {
    const rows = await readFoundApplications(sql, program.program_id, { words: 'mar' }, { direction, beyond }, rowsMax)
    found.push(...rows.map(row => row.application_id))
    beyond = rows.at(-1)
    if (rows.length < rowsMax) return found
  }
}

test.each([7, 30, 51])(
  'every application with a name is found once and in order, in pages of %p in both directions',
  async rowsMax => {
    expect(newestFirst.length).toBe(65)
    expect(await pages('older', undefined, rowsMax)).toEqual(newestFirst)
    const beforeAll: ListPosition = { submit_time: 0, submit_seq: 0, is_own_name: true }
    expect(await pages('newer', beforeAll, rowsMax)).toEqual(newestFirst.toReversed())
  },
)

test('search results are counted up to a limit, those by applicants’ own names first', async () => {
  expect(await countFoundApplications(sql, program.program_id, { words: 'lopez' }, 1001)).toBe(65)
  expect(await countFoundApplications(sql, program.program_id, { words: 'lopez' }, 40)).toBe(40)
  expect(await countFoundApplications(sql, program.program_id, { words: 'nobody' }, 40)).toBe(0)
})

test('an application whose number and phone number both match is found once, alongside others with such a phone number', async () => {
  const phone = (number: number) => `"tel":{"question_type":"PHONE","phone_number":"+1${number}5550144"}`
  const [both, other] = newestFirst.slice(0, 2)
  for (const id of [both!, other!]) await answered(program.program_id, phone(both!), tx => tx`application_id = ${id}`)
  const search = { words: String(both) }
  const place = { direction: 'older', beyond: undefined } as const
  const rows = await readFoundApplications(sql, program.program_id, search, place, 50)
  expect(rows.map(row => row.application_id)).toEqual([both!, other!])
  expect(await countFoundApplications(sql, program.program_id, search, 50)).toBe(2)
})

test('of two applications submitted in the same microsecond, each has its own words', async () => {
  const twins = await insertRawProgram(sql, 'twins')
  const [own, none] = await insertRawApplications(
    sql,
    twins,
    2,
    () => 'x',
    () => 1_700_000_000_000_000,
  )
  await answered(twins.program_id, maria, tx => tx`application_id = ${own!}`)
  const positionOf = async (application_id: number) => {
    const [row] = await sql<{ submit_time: number; submit_seq: number }[]>`
      select submit_time, submit_seq from application where application_id = ${application_id}`
    return findListPosition(sql, twins.program_id, { words: 'maria' }, { ...row!, application_id })
  }
  expect([await positionOf(own!), await positionOf(none!)].map(place => place.is_own_name)).toEqual([true, false])
})
