// What is read and stored in several goes: each application once, in its order, wherever a batch ends.

import { expect, test } from 'bun:test'
import { useFollowing } from '../support/civiform/following.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'

const program = 'rent relief'
const { civiform, database, sql, catchUp, log } = await useFollowing({ batchRows: 3 })
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
// Of one microsecond, in which no batch has to end.
const time = '2024-06-01T00:00:00.123456Z'
const ids: number[] = []
for (let i = 0; i < 8; i++) {
  const applicant = await civiform.applicant()
  ids.push(await civiform.submit({ applicant, program, answers: { job: { text: `${i}` } }, time }))
}
await catchUp()
/** What was found out of its order, and taken in all the same. */
const surprises = log.filter(({ level }) => level !== 'info')
const service = await useService(database)
const key = await createTestKey(sql, { programs: ['rent-relief'] })
const client = new ExportClient(service, key, 'rent-relief')
const firstCopy = (await client.walkAll()).map(one => one.application_id)

test('the first copy has all of them, though they have one time', () => {
  expect(surprises).toEqual([])
  expect(firstCopy).toEqual(ids)
})

test('changes that are seen together all arrive', async () => {
  const texts = ids.map(id => `changed ${id}`)
  for (const id of ids) await civiform.rewrite(id, { job: { text: `changed ${id}` } })
  await catchUp()
  const now = new Map((await client.walkAll()).map(one => [one.application_id, one.application.job!.text]))
  expect(ids.map(id => now.get(id))).toEqual(texts)
})

test('after a loss of history all that were submitted lately are compared at once', async () => {
  const lately: number[] = []
  for (let i = 0; i < 7; i++) {
    const applicant = await civiform.applicant()
    lately.push(await civiform.submit({ applicant, program, answers: { job: { text: `new ${i}` } } }))
  }
  await catchUp()
  // What a server that took over without its last commits would show.
  await civiform.remove(...lately.slice(4))
  await sql`update civiform_source set timeline = timeline + 1`
  await catchUp()
  expect(log.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ lost: 3 }),
  )
  const left = [...ids, ...lately.slice(0, 4)]
  expect((await client.walkAll()).map(one => one.application_id).sort((a, b) => a - b)).toEqual(left)
})
