// A new primary whose clock is behind what the old one has given out: what is submitted then must come after it all the same.

import { expect, test } from 'bun:test'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)

test('G5, G6: no window of a poll misses or repeats a submission when the clock falls back by an hour between two of them', async () => {
  const { program_id } = await aProgram(database.sql, { slug: 'polled', questions: [q.text('words')] })
  const key = await createTestKey(database.sql, { programs: ['polled'], mayExport: true, maySubmit: true })
  const frontEnd = new FrontEnd(service, key, 'polled')
  const client = new ExportClient(service, key, 'polled')
  const submit = async (): Promise<number> =>
    (await frontEnd.apply(await frontEnd.register(), { words: { text: 'x' } })).application_id
  const found: number[][] = []
  let from = '1900-01-01T00:00:00Z'
  const poll = async (): Promise<void> => {
    const { response } = await client.page({ pageSize: '1' })
    const toDate = response.headers.get('Snapshot-Time')!
    const { page } = await client.page({ fromDate: from, toDate })
    found.push(page.payload.map(({ application_id }) => application_id))
    from = toDate
  }

  const before = [await submit(), await submit()]
  await poll()
  // What the primary was given last lies an hour ahead of the clock of the one that took over.
  await database.sql`
    update submission_counter set last_submit_time = last_submit_time + interval '1 hour' where program_id = ${program_id}`
  await poll()
  const after = [await submit()]
  await poll()
  after.push(await submit(), await submit())
  await poll()
  await poll()
  expect(found).toEqual([before, [], after.slice(0, 1), after.slice(1), []])
  const { page } = await client.page()
  expect(page.payload.map(({ application_id }) => application_id)).toEqual([...before, ...after])
})
