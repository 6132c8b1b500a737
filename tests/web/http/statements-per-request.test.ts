// How many statements PostgreSQL is sent for a request: a fixed list, whatever the number of rows, counted on the wire.

import { describe, expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, ensureTestPrograms, type TestKey } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { multiplyApplications } from '../../support/raw-applications.ts'
import { useRecorder } from '../../support/statement-recorder.ts'
import { until } from '../../support/until.ts'

/** How many are enough: what need not be sent any more may be struck off, and nothing may be sent twice. */
const most = {
  // Look up the key, start the walk, read the rows, note it in the audit log.
  'first page': 4,
  // Whether the database is the walk's is asked by the statement that reads the rows.
  'later page': 3,
  checkAuth: 1,
  // In a transaction: limit the wait for locks, name the active version, find the applicant, make a place for the answers, read the last
  // application for those to start from, keep them.
  saving: 9,
  // In a transaction: the wait, the idempotency key, the saved answers, number and time, the application (what is expected of its version,
  // the one it supersedes, the row; sent together), the audit log.
  submission: 12,
}

/** Sent by timers, for all requests since: of none. */
const notOfARequest = /^(update api_key set last_used_at|insert into api_key_request_day)\b/

const slug = 'counted'
let key: TestKey
let frontEnd: FrontEnd

const database = await useDatabase()
const { recorder, recorded } = await useRecorder(database.url)
const service = await useService(
  { ...database, url: recorder.url, sql: recorded },
  // A reader of this test is never slow on purpose.
  { maxPageSize: 5000, releaseAfterMs: 60_000, stallTimeoutMs: 60_000 },
)

/** 10,500 applications of three versions that ask different questions, with 0 to 12 entities each. */
async function manyVersionsAndApplications(): Promise<void> {
  const growing = [
    everyKind,
    [...everyKind, q.text('more', { optional: true })],
    [q.name('applicant name'), q.text('last', { optional: true })],
  ]
  for (const [version, questions] of growing.entries()) {
    await aProgram(database.sql, { slug, questions })
    key ??= await createTestKey(database.sql, { programs: [slug], mayExport: true, maySubmit: true })
    frontEnd ??= new FrontEnd(service, key, slug)
    await frontEnd.apply(await frontEnd.register(), answersWith(version < 2 ? 12 * version : undefined))
  }
  await multiplyApplications(database.sql, 3500)
}

const name = { applicant_name: { first_name: 'Ada', last_name: 'Lovelace' } }

/** Answers with so many entities; undefined where the question is not asked. */
const answersWith = (entities: number | undefined): Record<string, unknown> =>
  entities === undefined
    ? name
    : {
        ...name,
        household_member: {
          entities: Array.from({ length: entities }, (_, i) => ({
            entity_name: `member ${i}`,
            member_job: { entities: [{ entity_name: 'job' }] },
          })),
        },
      }

await manyVersionsAndApplications()

/** The statements since the recorder was cleared, sorted. */
const sent = (): string[] =>
  recorder.statements
    .map(({ text }) => text.replace(/\s+/g, ' ').trim())
    .filter(text => !notOfARequest.test(text))
    .sort()

/** Exports a page and waits for its line in the audit log, which may be written alongside the answer. */
async function exportPage(parameters: Record<string, string>): Promise<{ rows: number; token: string | null }> {
  const noted = async (): Promise<number> =>
    (
      await database.sql<{ count: number }[]>`select count(*) from audit_event where action = 'applications_exported'`
    )[0]!.count
  const before = await noted()
  const path = `/api/v1/admin/programs/${slug}/applications?${new URLSearchParams(parameters)}`
  const response = await service.get(path, { headers: { Authorization: key.authorization } })
  expect(response.status).toBe(200)
  const { payload, nextPageToken } = (await response.json()) as { payload: unknown[]; nextPageToken: string | null }
  await until('the export to be noted', async () => (await noted()) === before + 1)
  return { rows: payload.length, token: nextPageToken }
}

describe('statements sent to PostgreSQL', () => {
  test('are the same few for a page of 1, 100 and 5,000 applications of several versions, and for a later page', async () => {
    // The first export of a process finds out what each version lacks; from then on that is known.
    await exportPage({ pageSize: '1' })
    const lists: { pageSize: number; page: 'first page' | 'later page'; list: string[] }[] = []
    for (const pageSize of [1, 100, 5000]) {
      let parameters: Record<string, string> = { pageSize: String(pageSize) }
      for (const page of ['first page', 'later page'] as const) {
        recorder.clear()
        const { rows, token } = await exportPage(parameters)
        expect(rows).toBe(pageSize)
        lists.push({ pageSize, page, list: sent() })
        const fetches = recorder.statements.reduce((most, statement) => Math.max(most, statement.fetches), 0)
        // Rows come in batches of hundreds, not one by one.
        expect(fetches).toBeLessThanOrEqual(2 + rows / 100)
        parameters = { nextPageToken: token! }
      }
    }
    for (const { pageSize, page, list } of lists) {
      expect([pageSize, page, list]).toEqual([pageSize, page, lists.find(list => list.page === page)!.list])
      expect(list).toContainEqual(expect.stringMatching(/^select snapshot, annotations,.* from application where/))
      expect(list.length).toBeLessThanOrEqual(most[page])
    }
  })

  test('are one for checkAuth, however many programs the key has', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `reachable-${i}`)
    await ensureTestPrograms(database.sql, many)
    for (const programs of [[slug], many]) {
      const { authorization } = await createTestKey(database.sql, { programs })
      const check = () => service.get('/api/v1/checkAuth', { headers: { Authorization: authorization } })
      expect((await check()).status).toBe(200)
      recorder.clear()
      expect((await check()).status).toBe(200)
      expect(sent()).toHaveLength(most.checkAuth)
    }
  })

  test('are the same for saving and submitting few and many entities, and for a first and a later submission', async () => {
    await aProgram(database.sql, { slug, questions: everyKind })
    // The first to come reads the version that was published just now; from then on the process knows it.
    await frontEnd.apply(await frontEnd.register(), answersWith(0))
    const lists: { saving: string[]; submission: string[] }[] = []
    for (const entities of [0, 1, 60]) {
      const applicant = await frontEnd.register()
      for (const _ of ['first', 'later']) {
        recorder.clear()
        await frontEnd.save(applicant, answersWith(entities))
        const saving = sent()
        recorder.clear()
        await frontEnd.submit(applicant)
        lists.push({ saving, submission: sent() })
      }
    }
    for (const list of lists) {
      expect(list).toEqual(lists[0]!)
      expect(list.saving.length).toBeLessThanOrEqual(most.saving)
      expect(list.submission).toContainEqual(expect.stringContaining('insert into application ('))
      expect(list.submission.length).toBeLessThanOrEqual(most.submission)
    }
  })
})
