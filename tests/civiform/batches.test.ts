// What is read and stored in several goes: each application once, in its order, wherever a batch ends.

import { expect, test } from 'bun:test'
import { useFollowedClient, useFollowing } from '../support/civiform/following.ts'

const program = 'rent relief'
const { civiform, database, sql, catchUp, follower, log } = await useFollowing({ batchRows: 3 })
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
// Of one microsecond, in which no batch has to end.
const time = '2024-06-01T00:00:00.123456Z'
const ids: number[] = []
for (let i = 0; i < 8; i++) {
  const applicant = await civiform.applicant()
  ids.push(await civiform.submit({ applicant, program, answers: { job: { text: `${i}` } }, time }))
}
/** A round that is to end takes no step, and is not complete. */
const ended = await follower.round(AbortSignal.abort())
await catchUp()
/** What was found out of its order, and taken in all the same. */
const surprises = log.filter(({ level }) => level !== 'info')
const client = await useFollowedClient({ database, sql })
const firstCopy = (await client.walkAll({ pageSize: '2' })).map(application => application.application_id)

test('89: the first copy has all applications with the same submission time, in the order of their IDs', () => {
  expect(ended).toMatchObject({ stored: 0, more: true, watermark: undefined })
  expect(surprises).toEqual([])
  expect(firstCopy).toEqual(ids)
})

test('94: changes read in the same round are all stored', async () => {
  const texts = ids.map(id => `changed ${id}`)
  for (const id of ids) await civiform.rewrite(id, { job: { text: `changed ${id}` } })
  await follower.round()
  const now = new Map(
    (await client.walkAll()).map(application => [application.application_id, application.application.job!.text]),
  )
  expect(ids.map(id => now.get(id))).toEqual(texts)
})

test('after a loss of history, all recent applications are compared immediately', async () => {
  const lately: number[] = []
  for (let i = 0; i < 7; i++) {
    const applicant = await civiform.applicant()
    lately.push(await civiform.submit({ applicant, program, answers: { job: { text: `new ${i}` } } }))
  }
  await catchUp()
  // What a server that took over without its last commits would show.
  await civiform.remove(...lately.slice(4))
  // Found in the comparison of everything alone, which begins again; and events with low ids are drawn again.
  await sql`update application set application_note = 'lost' where application_id = ${ids[0]!}`
  await sql`update civiform_source set timeline = timeline + 1, scan_after = ${2 ** 52}, event_after = 500`
  await catchUp()
  expect(await sql`select from application where application_note is not null`).toHaveLength(0)
  expect(await sql`select event_after from civiform_source`).toMatchObject([{ event_after: 0 }])
  expect(log.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ lost: 3 }),
  )
  const left = [...ids, ...lately.slice(0, 4)]
  expect((await client.walkAll()).map(application => application.application_id).sort((a, b) => a - b)).toEqual(left)
})
