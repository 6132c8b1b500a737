// What happened since: the change feed of a program, over HTTP. With many writers alongside the reader: changes-with-applications.

import { beforeEach, describe, expect, test } from 'bun:test'
import { eraseApplicant } from '../../../src/core/applications/erase.ts'
import { readChangesPage } from '../../../src/core/export/changes/change-feed.ts'
import { ChangeWatch } from '../../../src/core/export/changes/change-watch.ts'
import { parseChangeCursor } from '../../../src/core/export/requests/change-cursor.ts'
import { tamper } from '../../support/audit-log.ts'
import { actingBefore } from '../../support/between-statements.ts'
import { unlimited } from '../../support/config.ts'
import { endWithTest, useDatabase, usePool, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { portOf, startProxy } from '../../support/proxy.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { type RawAnswer, rawRequest } from '../../support/raw-request.ts'
import { until } from '../../support/until.ts'
import { aFollowedProgram, type Feed, type Followed } from './followed-program.ts'

const database = await useDatabase({ connectionsMax: 40 })
const { sql } = database
const service = await useService(database, { maxPageSize: 1000, ...unlimited })
const followProgram = (): Promise<Followed> => aFollowedProgram(sql, service)

async function refusalOf(followed: Followed, after: string) {
  const response = await followed.request({ after })
  const body = (await response.json()) as { errors: { parameter: string; code: string; detail: string }[] }
  return { status: response.status, errors: body.errors }
}

test('changes committed between the two statements of a page are on the next page', async () => {
  const { program_id, frontEnd, answers } = await followProgram()
  const first = (await frontEnd.apply(await frontEnd.register(), answers)).application_id
  let second = 0
  const db = actingBefore(sql, 'annotated as (', async () => {
    second = (await frontEnd.apply(await frontEnd.register(), answers)).application_id
  })
  const read = async (after: string) => {
    const page = (await readChangesPage(db, program_id, parseChangeCursor(after), { pageSize: 10, timeZone: 'UTC' }))
      .page
    return { ...page, payload: page.payload.map(({ application_id }) => application_id) }
  }
  const page = await read('0')
  expect(page).toMatchObject({ payload: [first], hasMore: true })
  expect(second).toBeGreaterThan(first)
  expect(await read(page.nextCursor)).toMatchObject({ payload: [second], hasMore: false })
})

describe('each kind of change', () => {
  let followed: Followed
  let first: number
  let second: number
  beforeEach(async () => {
    followed = await followProgram()
    const { frontEnd, answers } = followed
    const ada = await frontEnd.register()
    first = (await frontEnd.apply(ada, answers)).application_id
    await followed.annotate(first, { status: 'Received' })
    second = (await frontEnd.apply(ada, answers)).application_id
    await followed.annotate(second, { status: 'Approved', note: 'called back' })
    await followed.annotate(second, { note: null })
  })

  test('appears with what it set, oldest first, and a submission has the same number as what it superseded', async () => {
    const { payload, hasMore } = await followed.read()
    expect(payload.map(({ time, ...change }) => change)).toEqual([
      { change: 1, kind: 'submitted', application_id: first },
      { change: 2, kind: 'status', application_id: first, status: 'Received' },
      { change: 3, kind: 'submitted', application_id: second },
      { change: 3, kind: 'superseded', application_id: first, superseded_by: second },
      { change: 4, kind: 'status', application_id: second, status: 'Approved' },
      { change: 4, kind: 'note', application_id: second, application_note: 'called back' },
      { change: 5, kind: 'note', application_id: second, application_note: null },
    ])
    for (const { time } of payload) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
    expect(hasMore).toBe(false)
  })

  test('appears once in pages of any size, and no page ends between changes with the same number', async () => {
    const readAll = async (pageSize: number) => {
      const all: Feed['payload'] = []
      for (let after = '0', more = true; more; ) {
        const { payload, nextCursor, hasMore } = await followed.read({ after, pageSize: String(pageSize) })
        all.push(...payload)
        after = nextCursor
        more = hasMore
      }
      return all
    }
    const whole = await readAll(1000)
    for (const pageSize of [1, 2, 3, 4, 6]) {
      const { payload } = await followed.read({ pageSize: String(pageSize) })
      expect(whole[payload.length]?.change).not.toBe(payload.at(-1)?.change)
      expect(await readAll(pageSize)).toEqual(whole)
    }
  })

  test('is in a page of at most 10,000 changes, whatever MAX_PAGE_SIZE is', async () => {
    const program = await insertRawProgram(sql, 'large')
    const ids = await insertRawApplications(sql, program, 10_005)
    const { authorization } = await createTestKey(sql, { programs: ['large'] })
    const generous = await useService(database, { maxPageSize: 1_000_000 })
    const reported: number[] = []
    const sizes: [number, boolean][] = []
    let after = '0'
    for (const size of ['&pageSize=999999', '', '']) {
      const path = `/api/v1/admin/programs/large/changes?after=${after}${size}`
      const feed = (await (await generous.get(path, { headers: { Authorization: authorization } })).json()) as Feed
      reported.push(...feed.payload.map(({ application_id }) => application_id))
      sizes.push([feed.payload.length, feed.hasMore])
      after = feed.nextCursor
    }
    expect(sizes).toEqual([
      [10_000, true],
      [5, false],
      [0, false],
    ])
    expect(reported).toEqual(ids)
  })

  test('follows the Change-Cursor of a walk’s first page, while latest returns a cursor for now', async () => {
    const { response, page } = await followed.client.page({ pageSize: '1' })
    const cursor = response.headers.get('Change-Cursor')!
    const later = await followed.client.page({ nextPageToken: page.nextPageToken! })
    expect(later.response.headers.has('Change-Cursor')).toBe(false)
    expect(await followed.read({ after: 'latest' })).toEqual({
      payload: [],
      nextCursor: cursor,
      hasMore: false,
      snapshotTime: response.headers.get('Snapshot-Time')!,
      changeCursor: cursor,
      questionsAsOf: response.headers.get('Questions-As-Of')!,
    })
    await followed.annotate(first, { note: 'archived' })
    const { payload } = await followed.read({ after: cursor })
    expect(payload).toMatchObject([{ kind: 'note', application_id: first, application_note: 'archived' }])
  })

  test('of an erased application is only "erased", and its successor stays', async () => {
    await followed.erase(first)
    const { payload } = await followed.read()
    expect(payload.filter(change => change.application_id === first)).toMatchObject([{ kind: 'erased' }])
    expect(payload.filter(change => change.application_id === second).map(change => change.kind)).toEqual([
      'submitted',
      'status',
      'note',
      'note',
    ])
  })
})

test('erasing an applicant who is submitting and whose applications get statuses causes no deadlock', async () => {
  const followed = await followProgram()
  const { frontEnd, answers } = followed
  for (let round = 0; round < 6; round++) {
    const applicant = await frontEnd.register()
    const { application_id } = await frontEnd.apply(applicant, answers)
    const actions = await Promise.allSettled([
      frontEnd.apply(applicant, answers),
      followed.annotate(application_id, { status: 'Received' }),
      followed.annotate(application_id, { note: `round ${round}` }),
      eraseApplicant(sql, applicant, { actor: 'operator:test', reason: undefined }),
    ])
    expect(actions[3].status).toBe('fulfilled')
    for (const action of actions)
      if (action.status === 'rejected') expect(String(action.reason)).not.toContain('deadlock')
    const rows = await sql`select from application where applicant_id = ${applicant}`
    expect(rows.length).toBe(0)
  }
})

describe('"Prefer: wait" (RFC 7240)', () => {
  test('a response without changes waits until there is one or its client disconnects, and HEAD never waits', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    const { nextCursor } = await followed.read({ after: 'latest' })
    const head = await followed.request({ after: nextCursor }, { method: 'HEAD', headers: { Prefer: 'wait=30' } })
    expect([head.status, head.headers.get('Preference-Applied')]).toEqual([200, null])
    let answered = false
    const waiting = followed.request({ after: nextCursor }, { headers: { Prefer: 'wait=30' } }).then(async response => {
      answered = true
      expect(response.headers.get('Preference-Applied')).toBe('wait=30')
      return (await response.json()) as Feed
    })
    const gone = new AbortController()
    const headers = { Prefer: 'wait=30' }
    void followed.request({ after: nextCursor }, { headers, signal: gone.signal }).catch(() => {})
    await until('both to wait', () => service.watch.waiting === 2)
    const lines = service.logLines.length
    gone.abort()
    await until('one to be over', () => service.watch.waiting === 1 && service.logLines.length > lines)
    expect(answered).toBe(false)
    const { application_id } = await frontEnd.apply(await frontEnd.register(), answers)
    expect((await waiting).payload).toMatchObject([{ kind: 'submitted', application_id }])
  })

  test('existing changes are sent immediately, a wait without changes times out, and more than 30 seconds are not granted', async () => {
    const followed = await followProgram()
    expect(await followed.read({ after: '0' }, { headers: { Prefer: 'wait=1' } })).toEqual({
      payload: [],
      nextCursor: '0',
      hasMore: false,
      snapshotTime: '1900-01-01T00:00:00Z',
      changeCursor: '0',
      questionsAsOf: expect.any(String),
    })
    const { frontEnd, answers } = followed
    await frontEnd.apply(await frontEnd.register(), answers)
    const response = await followed.request({ after: '0' }, { headers: { Prefer: 'wait=30' } })
    expect(response.headers.has('Preference-Applied')).toBe(false)
    expect(((await response.json()) as Feed).payload.length).toBe(1)
    const latest = (await followed.read({ after: 'latest' })).nextCursor
    const patient = followed.request({ after: latest }, { headers: { Prefer: 'wait=4000' } })
    await until('it to wait', () => service.watch.waiting === 1)
    await frontEnd.apply(await frontEnd.register(), answers)
    expect((await patient).headers.get('Preference-Applied')).toBe('wait=30')
  })

  test('a process has at most 1,000 waiting requests, and responds to the next immediately without claiming to have waited', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    const latest = (await followed.read({ after: 'latest' })).nextCursor
    // By hand, since fetch has no more than 256 requests under way.
    const lines = [
      `GET ${followed.path}?after=${latest} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${followed.key.authorization}`,
      'Prefer: wait=30',
    ]
    const waiting: Promise<RawAnswer>[] = []
    for (let i = 0; i < 1000; i++) waiting.push(rawRequest(service.port, lines))
    await until('all to wait', () => service.watch.waiting === 1000)
    const next = await rawRequest(service.port, lines)
    expect([next.status, next.headers.get('Preference-Applied')]).toEqual([200, null])
    expect(JSON.parse(next.body)).toMatchObject({ payload: [] })
    expect(service.watch.waiting).toBe(1000)
    await frontEnd.apply(await frontEnd.register(), answers)
    for (const { headers, body } of await Promise.all(waiting)) {
      expect(headers.get('Preference-Applied')).toBe('wait=30')
      expect((JSON.parse(body) as Feed).payload).toHaveLength(1)
    }
  })

  test('all waiting requests get their changes, for any program and after a database outage', async () => {
    // It cannot be reached at first.
    const proxy = await startProxy(portOf(database.url), ({ client }, n) => {
      if (n === 0) client.destroy()
      return {}
    })
    endWithTest(() => proxy.stop())
    const watch = new ChangeWatch(usePool({ url: proxy.through(database.url), connectionsMax: 1 }, endWithTest))
    const { signal } = new AbortController()
    const all = [await followProgram(), await followProgram()]
    const waiting = all.map(({ program_id }) => watch.passed(program_id, 0, 30_000, signal))
    await until('a second connection', () => proxy.made() === 2)
    for (const { frontEnd, answers } of all) await frontEnd.apply(await frontEnd.register(), answers)
    expect(await Promise.all(waiting)).toEqual([true, true])
  })

  test('a process that is stopping lets no request wait and ends the waiting ones', async () => {
    const watch = new ChangeWatch(sql)
    const { signal } = new AbortController()
    expect(await watch.passed(0, 0, 600_000, AbortSignal.abort())).toBe(false)
    const waiting = watch.passed(0, 0, 600_000, signal)
    expect([watch.waiting, watch.hasRoom]).toEqual([1, true])
    watch.close()
    expect(await waiting).toBe(false)
    expect(watch.hasRoom).toBe(false)
    expect(await watch.passed(0, 0, 600_000, signal)).toBe(false)
  })
})

describe('rejected requests', () => {
  test('refuses an invalid cursor with what is valid', async () => {
    const followed = await followProgram()
    for (const after of ['x', '-1', '1.2', '1.2.3.4', '1e3', '99999999999999999', '1.1.x', '1.1.-1', 'LATEST'])
      expect(await refusalOf(followed, after)).toMatchObject({
        status: 400,
        errors: [{ parameter: 'after', code: 'invalid_cursor', detail: expect.stringContaining('latest') }],
      })
    expect(await refusalOf(followed, '')).toMatchObject({ errors: [{ code: 'missing_value' }] })
  })

  test('G13: refuses the cursor after the database was restored, whether or not there are changes', async () => {
    const slug = 'set-back'
    const program = await insertRawProgram(sql, slug)
    const ids = await insertRawApplications(sql, program, 20)
    const own = await createTestKey(sql, { programs: [slug] })
    const ask = async (after: string) => {
      const response = await service.get(`/api/v1/admin/programs/${slug}/changes?after=${after}`, {
        headers: { Authorization: own.authorization },
      })
      return { status: response.status, body: (await response.json()) as Feed & { errors: { code: string }[] } }
    }
    const cursor = (await ask('latest')).body.nextCursor
    expect((await ask(cursor)).status).toBe(200)
    await tamper(
      sql,
      `delete from application where program_id = ${program.program_id} and submit_seq > 15;
       update submission_counter set submit_seq = 15 where program_id = ${program.program_id}`,
    )
    // Lagging, without changes; then further than the cursor, another way.
    expect(await ask(cursor)).toMatchObject({ status: 400, body: { errors: [{ code: 'cursor_of_another_history' }] } })
    await insertRawApplications(sql, program, 10, undefined, i => 1_700_000_500_000_000 + i)
    expect(await ask(cursor)).toMatchObject({ status: 400, body: { errors: [{ code: 'cursor_of_another_history' }] } })
    expect((await ask('0')).body.payload.length).toBe(25)
    expect(ids.length).toBe(20)
  })

  test('D36: refuses a cursor if its number belongs to another change, of any kind, while a cursor of only a number is a position', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    const { application_id } = await frontEnd.apply(await frontEnd.register(), answers)
    const other = await frontEnd.apply(await frontEnd.register(), answers)
    await followed.annotate(application_id, { status: 'Received' })
    await followed.annotate(application_id, { note: 'seen' })
    await followed.erase(other.application_id)
    const { payload, nextCursor } = await followed.read()
    expect(payload.length).toBe(4)
    expect(nextCursor).toMatch(new RegExp(`^5\\.\\d{16}\\.${other.application_id}$`))
    for (let n = 1; n <= 5; n++) {
      const { nextCursor: cursor } = await followed.read({ after: String(n - 1), pageSize: '1' })
      const [change, time, id] = cursor.split('.').map(Number)
      await followed.read({ after: cursor })
      for (const lost of [`${change}.${time! - 1}.${id}`, `${change}.${time}.${id! + 99}`]) {
        const refused = await refusalOf(followed, lost)
        expect([refused.status, refused.errors[0]!.code]).toEqual([400, 'cursor_of_another_history'])
      }
    }
    expect((await followed.read({ after: '5' })).payload).toEqual([])
    expect(await refusalOf(followed, '6')).toMatchObject({ errors: [{ code: 'cursor_of_another_history' }] })
  })

  test('D4: a program that is not granted or does not exist gets the same 401; D25: other methods get a 405', async () => {
    const followed = await followProgram()
    await followed.read()
    const headers = { Authorization: followed.key.authorization }
    for (const slug of [(await followProgram()).slug, 'no-such-program'])
      expect((await service.get(`/api/v1/admin/programs/${slug}/changes`, { headers })).status).toBe(401)
    expect((await followed.request({}, { method: 'POST' })).status).toBe(405)
    const head = await followed.request({}, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

test('the audit log records which changes were sent to whom, and no response without changes', async () => {
  const followed = await followProgram()
  const { frontEnd, answers } = followed
  await followed.read()
  await frontEnd.apply(await frontEnd.register(), answers)
  const response = await followed.request()
  await response.json()
  const events = await sql<{ actor: string; detail: object }[]>`
    select actor, detail from audit_event where action = 'changes_read' and subject = ${followed.slug}`
  expect(events).toMatchObject([
    {
      actor: `key:${followed.key.api_key_id}`,
      detail: { request_id: response.headers.get('X-Request-Id'), changes: 1, first_change: 1, last_change: 1 },
    },
  ])
})
