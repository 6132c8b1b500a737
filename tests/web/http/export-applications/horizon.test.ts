// A page is never short because the database behind it is (contract G13), and a walk continues wherever that is right.
// The database is set back under a service that runs, as a restore or a failover to a standby that had not got everything does it.

import { describe, expect, test } from 'bun:test'
import { formatMicros } from '../../../../src/domain/values/offset-time.ts'
import { tamper } from '../../../support/audit-log.ts'
import { ExportClient, type ExportPage, withoutToken } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'

/** Of pages of one, of pages of which the last is not full, and of one that takes several batches of rows, with one left over. */
const walks = [
  { pageSize: 1, count: 15 },
  { pageSize: 7, count: 15 },
  { pageSize: 209, count: 210 },
]
const database = await useDatabase()
const service = await useService(database)
let slug: string
let program: RawProgram
let client: ExportClient
let ids: number[]
let programs = 0

async function begin(count: number): Promise<void> {
  slug = `history-${++programs}`
  program = await insertRawProgram(database.sql, slug)
  ids = await insertRawApplications(database.sql, program, count)
  client = new ExportClient(service, await createTestKey(database.sql, { programs: [slug] }), slug)
}

/** Sets the program back to its first `submissions` submissions, as if the others had never come. */
const rollBack = (submissions: number) =>
  tamper(
    database.sql,
    `delete from application where program_id = ${program.program_id} and submit_seq > ${submissions};
     delete from erased_application where program_id = ${program.program_id} and submit_seq > ${submissions};
     update submission_counter set submit_seq = ${submissions} where program_id = ${program.program_id}`,
  )

/** The tokens of a walk's first and last pages, and what they give when nothing is wrong. */
async function tokensOf(pageSize: number) {
  const pages: { token: string; ids: number[]; text: string }[] = []
  let { page } = await client.page({ pageSize: String(pageSize) })
  while (page.nextPageToken !== null) {
    const token = page.nextPageToken
    const fetched = await client.page({ nextPageToken: token })
    page = fetched.page
    pages.push({ token, ids: page.payload.map(a => a.application_id), text: withoutToken(fetched.text) })
  }
  return { first: pages[0]!, last: pages.at(-1)! }
}

test.each(walks)(
  'G13: a database behind the walk, by one submission or nearly all, causes a 503 with Retry-After on the first and last pages until it has caught up (%j)',
  async ({ pageSize, count }) => {
    await begin(count)
    const { first, last } = await tokensOf(pageSize)
    const rows = await database.sql`select * from application where program_id = ${program.program_id}`
    for (const reached of [count - 1, 3]) {
      await rollBack(reached)
      for (const { token } of [first, last]) {
        const response = await client.request({ nextPageToken: token })
        expect(response.status).toBe(503)
        expect(response.headers.get('Retry-After')).toBe('5')
        const line = service.requestLine(response.headers.get('X-Request-Id'))
        expect(line).toMatchObject({ reason: 'behind_walk', status: 503 })
      }
    }
    // The standby catches up: every submission is what it was.
    const missing = rows.filter(row => Number(row.submit_seq) > 3)
    for (let i = 0; i < missing.length; i += 100)
      await database.sql`insert into application ${database.sql(missing.slice(i, i + 100))}`
    await database.sql`update submission_counter set submit_seq = ${count} where program_id = ${program.program_id}`
    for (const { token, text } of [first, last])
      expect(withoutToken((await client.page({ nextPageToken: token })).text)).toBe(text)
  },
)

test.each(walks)(
  'G13: a database that continued from an earlier state ends the walk with a 400 that says so, on its first and last pages (%j)',
  async ({ pageSize, count }) => {
    await begin(count)
    const { first, last } = await tokensOf(pageSize)
    await rollBack(count - 5)
    // As many as were lost, and then more than were lost, come in their place.
    for (const more of [5, 20]) {
      await insertRawApplications(
        database.sql,
        program,
        more,
        i => `after the restore ${i}`,
        i => 1_800_000_000_000_000 + i,
      )
      for (const { token } of [first, last]) {
        const { status, codes } = await client.refusal({ nextPageToken: token })
        expect([status, codes]).toEqual([400, { nextPageToken: 'walk_of_another_history' }])
      }
    }
    expect((await client.walkAll({ pageSize: '100' })).length).toBe(count + 20)
  },
)

test('G13: another application under the number of the walk’s last one ends the walk, though none is missing', async () => {
  const count = 15
  await begin(count)
  const { first, last } = await tokensOf(7)
  const [row] = await database.sql<{ create_time: number; submit_time: number }[]>`
    select create_time, submit_time from application where program_id = ${program.program_id} and submit_seq = ${count}`
  // Computed here: a cluster changes rows only by what it need not compute for each.
  await tamper(
    database.sql,
    `update application
     set create_time = '${formatMicros(row!.create_time - 1)}', submit_time = '${formatMicros(row!.submit_time - 1)}'
     where program_id = ${program.program_id} and submit_seq = ${count}`,
  )
  for (const { token } of [first, last])
    expect((await client.refusal({ nextPageToken: token })).codes).toEqual({ nextPageToken: 'walk_of_another_history' })
  // Of what was refused nothing was sent, and nothing is on record.
  const sent = (await client.page({ pageSize: '1' })).response.headers.get('X-Request-Id')
  const recorded = await until('the entry of what was sent', async () => {
    const entries = await database.sql<{ of: string; outcome: string }[]>`
      select detail->>'request_id' as of, detail->>'outcome' as outcome from audit_event where subject = ${slug}`
    return entries.some(entry => entry.of === sent) && entries
  })
  expect([...new Set(recorded.map(({ outcome }) => outcome))]).toEqual(['complete'])
})

test.each(walks)(
  'G13: a database that lost the walk’s last application and gave its number to another kind of change ends the walk (%j)',
  async ({ pageSize, count }) => {
    await begin(count)
    const { first, last } = await tokensOf(pageSize)
    await rollBack(count - 1)
    // A status of another application takes the number.
    await database.sql`update submission_counter set submit_seq = ${count} where program_id = ${program.program_id}`
    for (const { token } of [first, last]) {
      const { status, codes } = await client.refusal({ nextPageToken: token })
      expect([status, codes]).toEqual([400, { nextPageToken: 'walk_of_another_history' }])
    }
    expect((await client.walkAll({ pageSize: '100' })).length).toBe(count - 1)
  },
)

describe('erased applications, each with a tombstone', () => {
  async function remove(afterSeq: number): Promise<void> {
    await database.sql`delete from application where program_id = ${program.program_id} and submit_seq > ${afterSeq}`
    const [erased] = await database.sql`
      select count(*) from erased_application where program_id = ${program.program_id} and submit_seq > ${afterSeq}`
    expect(erased!.count).toBeGreaterThan(0)
  }

  test.each(walks)('G13: do not end a walk, even at its last position (%j)', async ({ pageSize, count }) => {
    await begin(count)
    const { first, last } = await tokensOf(pageSize)
    for (const gone of [1, 4]) {
      await remove(count - gone)
      const stillThere = new Set(ids.slice(0, count - gone))
      for (const { token, ids: were } of [first, last])
        expect((await client.page({ nextPageToken: token })).page.payload.map(a => a.application_id)).toEqual(
          were.filter(id => stillThere.has(id)),
        )
    }
    // Nor do later submissions, now that the last one has gone.
    await insertRawApplications(database.sql, program, 3)
    expect((await client.request({ nextPageToken: first.token })).status).toBe(200)
  })

  test('G13: leave a walk empty if all are erased, without ending it, and a new walk begins after the erasures', async () => {
    await begin(15)
    const { first } = await tokensOf(7)
    await remove(2)
    const { page: begun } = await client.page({ pageSize: '1' })
    await remove(0)
    for (const token of [first.token, begun.nextPageToken!])
      expect((await client.page({ nextPageToken: token })).page).toEqual({ payload: [], nextPageToken: null })
  })
})

test.each<Record<string, string>>([{}, { fields: 'words' }])(
  'G13: a walk that began with a publication which the database lost since gets a 503 that says so, and a 400 once another was published (%j)',
  async filters => {
    const { sql } = database
    const optional = { optional: true }
    const slug = `lost-publication-${Object.keys(filters).length}`
    const first = await aProgram(sql, { slug, questions: [q.text('words', optional)] })
    const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
    const desk = new FrontEnd(service, key, slug)
    for (let i = 0; i < 3; i++) await desk.apply(await desk.register(), { words: { text: 'answered' } })
    const lost = await aProgram(sql, { slug, questions: [q.text('words', optional), q.text('lost', optional)] })
    const begun = await new ExportClient(service, key, slug).request({ ...filters, pageSize: '1' })
    const { nextPageToken } = (await begun.json()) as ExportPage
    // As a standby has it that took over without the last commits.
    await tamper(
      sql,
      `delete from program_version_question where program_version_id = ${lost.program_version_id};
       delete from program_version where program_version_id = ${lost.program_version_id};
       update program_version set state = 'ACTIVE' where program_version_id = ${first.program_version_id}`,
    )
    // What one process remembers, another has to read.
    const other = await useService(database)
    const client = new ExportClient(other, key, slug)
    const behind = await client.refusal({ nextPageToken: nextPageToken! })
    expect(behind.status).toBe(503)
    expect(other.logLines.findLast(line => line.msg === 'request')).toMatchObject({ reason: 'publication_missing' })
    await aProgram(sql, { slug, questions: [q.text('words', optional), q.text('instead', optional)] })
    const over = await client.refusal({ nextPageToken: nextPageToken! })
    expect([over.status, over.codes]).toEqual([400, { nextPageToken: 'walk_of_another_history' }])
    expect((await client.walkAll({ pageSize: '1' })).length).toBe(3)
  },
)
