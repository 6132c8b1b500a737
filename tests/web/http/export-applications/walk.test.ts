// The promises to those who pull (contract G1 to G6, G8), over HTTP, with writers running alongside the reader.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { unlimited } from '../../../support/config.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { ExportClient, type ExportedApplication, withoutToken } from '../../../support/export-client.ts'
import { endWithTest, useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd, type Submitted } from '../../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { seededRandom } from '../../../support/random.ts'
import type { TestService } from '../../../support/service.ts'

const random = seededRandom(import.meta.file)

const slug = 'walks'
const writers = 8

let database: TestDatabase
let service: TestService
let key: TestKey
let client: ExportClient
let frontEnd: FrontEnd
// Of each test its own: what another has submitted would make its walks longer.
beforeEach(async () => {
  database = await useDatabase({ connectionsMax: 40 }, endWithTest)
  await aProgram(database.sql, { slug, questions: [q.text('words')] })
  // Commits are delayed at random after the sequence was drawn: the row is inserted after the draw.
  await database.sql`
    create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(random() * 0.008); return new; end $$`
  await database.sql`create trigger dawdle after insert on application for each row execute function dawdle()`
  service = await useService(database, { maxPageSize: 1000, ...unlimited }, {}, endWithTest)
  key = await createTestKey(database.sql, { programs: [slug], mayExport: true, maySubmit: true })
  client = new ExportClient(service, key, slug)
  frontEnd = new FrontEnd(service, key, slug)
})

let crowd: Crowd | undefined
afterEach(() => crowd?.leave())

/** Of two who submit for one applicant, the later one finds that what it saved is submitted, and nothing in its place. */
const lostRace = /answered 409|answered 400.*"code":"required"/

/** Writers that submit and resubmit until stopped, and remember what the service said was committed. */
class Crowd {
  readonly committed: Submitted[] = []
  #stopped = false
  #running: Promise<void>[]

  constructor(private readonly applicants: number[]) {
    this.#running = Array.from({ length: writers }, (_, i) => this.#write(i))
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      // Half of the submissions are of applicants who have submitted before, some of them raced for by several writers.
      const fresh = n % 2 === 0
      const applicant = fresh
        ? await frontEnd.register()
        : this.applicants[Math.floor(random() * this.applicants.length)]!
      if (fresh) this.applicants.push(applicant)
      try {
        this.committed.push(await frontEnd.apply(applicant, { words: { text: `writer ${writer}, ${n}` } }))
      } catch (error) {
        // Two writers for one applicant: the other one has submitted what this one saved.
        if (!lostRace.test(String(error))) throw error
      }
    }
  }

  async until(count: number): Promise<void> {
    while (this.committed.length < count) {
      // A test that was given up continues: nothing that it waits for comes any more.
      if (this.#stopped) throw new Error('the crowd has left')
      await Promise.race([Bun.sleep(2), ...this.#running])
    }
  }

  async leave(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }
}

const idsOf = (applications: readonly ExportedApplication[]): number[] => applications.map(a => a.application_id)
const sorted = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b)

async function applicantsWith(count: number): Promise<number[]> {
  const applicants = await Promise.all(Array.from({ length: count }, () => frontEnd.register()))
  await Promise.all(applicants.map(applicant => frontEnd.apply(applicant, { words: { text: 'first' } })))
  return applicants
}

describe('a walk alongside 8 writers who submit and resubmit', () => {
  test('G1, G2, G3: has each application committed before page 1 exactly once, none later, and states as of page 1, with page sizes 1, 7, 100 and 1000', async () => {
    crowd = new Crowd(await applicantsWith(40))
    await crowd.until(40)
    for (const pageSize of [1, 7, 100, 1000, 7, 100, 1000]) {
      const committedBefore = crowd.committed.map(s => s.application_id)
      const seen: ExportedApplication[] = []
      let watermark = ''
      for await (const { page, response } of client.walk({ pageSize: String(pageSize) })) {
        seen.push(...page.payload)
        watermark ||= response.headers.get('Snapshot-Time') ?? ''
        expect(page.payload.length).toBeLessThanOrEqual(pageSize)
      }
      const ids = idsOf(seen)
      expect(new Set(ids).size).toBe(ids.length)
      const missing = committedBefore.filter(id => !ids.includes(id))
      expect(missing).toEqual([])
      // What the database says was submitted before the watermark is what was seen, to the row.
      const snapshot = await database.sql<{ application_id: number }[]>`
        select application_id from application where submit_time < ${watermark}::timestamptz`
      expect(sorted(ids)).toEqual(sorted(snapshot.map(row => row.application_id)))
      // One CURRENT each, and it is the applicant's newest within the snapshot.
      const newest = new Map(seen.map(a => [a.applicant_id, a.application_id]))
      for (const application of seen) {
        expect(application.revision_state).toBe(
          newest.get(application.applicant_id) === application.application_id ? 'CURRENT' : 'OBSOLETE',
        )
      }
    }
  })

  test('G3: has each applicant exactly once with CURRENT, although the last one seen resubmits between pages', async () => {
    crowd = new Crowd(await applicantsWith(20))
    await crowd.until(30)
    const seen: ExportedApplication[] = []
    let resubmitted = 0
    const walk = client.walk({ pageSize: '5', revisionState: 'CURRENT' }, async () => {
      try {
        await frontEnd.apply(seen.at(-1)!.applicant_id, { words: { text: 'again' } })
        resubmitted++
      } catch (error) {
        if (!lostRace.test(String(error))) throw error
      }
    })
    let asOf = ''
    for await (const { page, response } of walk) {
      seen.push(...page.payload)
      asOf ||= response.headers.get('Snapshot-Time') ?? ''
    }
    expect(resubmitted).toBeGreaterThan(2)
    expect(seen.every(a => a.revision_state === 'CURRENT')).toBe(true)
    const applicants = seen.map(a => a.applicant_id)
    expect(new Set(applicants).size).toBe(applicants.length)
    const [{ count }] = (await database.sql`
      select count(distinct applicant_id) from application where submit_time < ${asOf}::timestamptz`) as unknown as [
      { count: number },
    ]
    expect(applicants.length).toBe(count)
  })

  test('G6: neither loses nor repeats anything when polling with Snapshot-Time as the next fromDate and toDate, even what commits during a walk', async () => {
    crowd = new Crowd(await applicantsWith(10))
    const collected: number[] = []
    let fromDate: string | undefined
    for (let round = 0; round < 25; round++) {
      await crowd.until(crowd.committed.length + 3)
      const probe = await client.page({ pageSize: '1' })
      const toDate = probe.response.headers.get('Snapshot-Time')!
      const window: Record<string, string> = fromDate === undefined ? { toDate } : { fromDate, toDate }
      collected.push(...idsOf(await client.walkAll({ pageSize: '13', ...window })))
      fromDate = toDate
    }
    await crowd.leave()
    collected.push(...idsOf(await client.walkAll({ fromDate: fromDate! })))
    expect(new Set(collected).size).toBe(collected.length)
    const all = await database.sql<
      { application_id: number }[]
    >`select application_id from application order by submit_seq`
    expect(collected).toEqual(all.map(row => row.application_id))
  })
})

describe('a walk', () => {
  /** Enough for several pages, some of them superseded; each test stands by itself. */
  beforeEach(async () => {
    for (const applicant of (await applicantsWith(62)).slice(0, 20))
      await frontEnd.apply(applicant, { words: { text: 'second' } })
  })

  test('D1: is in ascending order of (submit_time, submit_seq) within and across pages', async () => {
    const all = await database.sql<{ application_id: number }[]>`
      select application_id from application order by submit_time, submit_seq`
    expect(all.length).toBeGreaterThanOrEqual(82)
    for (const pageSize of ['3', '50', '1000']) {
      expect(idsOf(await client.walkAll({ pageSize }))).toEqual(all.map(row => row.application_id))
    }
  })

  test('G4: has the same applications with byte-identical answers for the same token, even after resubmissions, "after a program was published (D34)" and from another process', async () => {
    const pages: { token: string; text: string }[] = []
    let token: string | null = (await client.page({ pageSize: '20' })).page.nextPageToken
    while (token !== null && pages.length < 5) {
      const { page, text } = await client.page({ nextPageToken: token })
      pages.push({ token, text: withoutToken(text) })
      token = page.nextPageToken
    }
    await applicantsWith(5)
    for (const applicant of (await client.walkAll()).slice(0, 60).map(a => a.applicant_id)) {
      await frontEnd.apply(applicant, { words: { text: 'later' } })
    }
    const more = q.enumerator('more', [q.text('of them', { optional: true })], { optional: true })
    await aProgram(database.sql, { slug, questions: [more, q.text('words')] })
    const restarted = new ExportClient(await useService(database, unlimited, {}, endWithTest), key, slug)
    expect(pages.length).toBeGreaterThanOrEqual(2)
    for (const { token, text } of pages) {
      for (const of of [client, restarted, client])
        expect(withoutToken((await of.page({ nextPageToken: token })).text)).toBe(text)
    }
    expect(Object.keys((await client.page({ pageSize: '1' })).page.payload[0]!.application)).toEqual(['words', 'more'])
  })

  test('G5: has windows where [a,b) + [b,c) = [a,c) without overlap, up to the watermark', async () => {
    const { response } = await client.page({ pageSize: '1' })
    const c = response.headers.get('Snapshot-Time')!
    const times = await database.sql<
      { submit_time: number }[]
    >`select submit_time from application order by submit_time`
    const a = new Date(times[3]!.submit_time / 1000).toISOString()
    const whole = idsOf(await client.walkAll({ fromDate: a, toDate: c, pageSize: '90' }))
    expect(whole.length).toBeGreaterThan(70)
    for (let i = 0; i < 15; i++) {
      const at = times[Math.floor(random() * times.length)]!.submit_time
      const b = Temporal.Instant.fromEpochNanoseconds(BigInt(at) * 1000n).toString()
      const left = idsOf(await client.walkAll({ fromDate: a, toDate: b, pageSize: '90' }))
      const right = idsOf(await client.walkAll({ fromDate: b, toDate: c, pageSize: '90' }))
      if (at >= times[3]!.submit_time) expect([...left, ...right]).toEqual(whole)
    }
  })

  test('G8: survives a restart, rotation of the token key, deletion of the row at the cursor, and a publication between pages', async () => {
    const all = idsOf(await client.walkAll())
    const first = await client.page({ pageSize: '10' })
    const seen = idsOf(first.page.payload)
    // The row at the cursor goes.
    const last = seen.at(-1)!
    await database.sql`delete from application where application_id = ${last}`
    // Another process, with a new current key and the old one still known.
    const newKey = Buffer.alloc(32, 9)
    const restarted = await useService(
      database,
      { pageTokenKeys: [newKey, ...service.config.pageTokenKeys] },
      {},
      endWithTest,
    )
    const other = new ExportClient(restarted, key, slug)
    const second = await other.page({ nextPageToken: first.page.nextPageToken! })
    seen.push(...idsOf(second.page.payload))
    // A version that asks more is published.
    await aProgram(database.sql, {
      slug,
      questions: [q.text('words'), q.number('more', { optional: true })],
    })
    const third = await other.page({ nextPageToken: second.page.nextPageToken! })
    seen.push(...idsOf(third.page.payload))
    // The questions are those the walk began with (D34).
    expect(Object.keys(third.page.payload[0]!.application)).not.toContain('more')
    let token = third.page.nextPageToken
    // The old key is withdrawn; tokens since the rotation are of the new one.
    const withoutOld = await useService(database, { pageTokenKeys: [newKey] }, {}, endWithTest)
    const rest = new ExportClient(withoutOld, key, slug)
    while (token !== null) {
      const { page } = await rest.page({ nextPageToken: token })
      seen.push(...idsOf(page.payload))
      token = page.nextPageToken
    }
    expect(seen).toEqual(all)
  })
})

// As after a failover to a primary whose clock is behind what the old one has given out.
test('G5, G6: no polling window misses or repeats a submission when clocks go back by an hour between two of them', async () => {
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
  await database.sql`update submission_counter set last_submit_time = now() + interval '1 hour'`
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
