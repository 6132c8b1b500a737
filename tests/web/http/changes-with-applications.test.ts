// The change feed with the applications themselves (contract D39): what is kept by it equals what a walk gives, with many writers
// alongside the reader; and each application that is sent is on record before.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { findDisclosures } from '../../../src/core/audit/disclosure.ts'
import { tamper } from '../../support/audit-log.ts'
import { unlimited } from '../../support/config.ts'
import type { ExportedApplication } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { seededRandom } from '../../support/random.ts'
import { until } from '../../support/until.ts'
import { aFollowedProgram, type Change, type Feed, type Followed } from './followed-program.ts'

const random = seededRandom(import.meta.file)
const database = await useDatabase({ connectionsMax: 40 })
const { sql } = database
const service = await useService(database, { maxPageSize: 1000, ...unlimited })
const followProgram = (): Promise<Followed> => aFollowedProgram(sql, service)

/** What a consumer makes of changes that it applies in their order. */
class Mirror {
  readonly applications = new Map<number, ExportedApplication>()

  apply({ kind, application_id: id, application }: Change): void {
    if (kind === 'erased') this.applications.delete(id)
    else if (kind === 'superseded') {
      const known = this.applications.get(id)
      if (known !== undefined) this.applications.set(id, { ...known, revision_state: 'OBSOLETE' })
    } else this.applications.set(id, application!)
  }

  /** In the order of a walk. */
  get all(): ExportedApplication[] {
    return [...this.applications.values()].sort((a, b) => a.application_id - b.application_id)
  }
}

const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b)
const walked = async (followed: Followed): Promise<ExportedApplication[]> => {
  const all: ExportedApplication[] = []
  for await (const { page } of followed.client.walk({ pageSize: '50' })) all.push(...page.payload)
  return all.sort((a, b) => a.application_id - b.application_id)
}

describe('D39: "Each `submitted`, `status` and `note` carries the application as an export that begins now would send it"', () => {
  test('and "`superseded` and `erased` carry none"', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    const ada = await frontEnd.register()
    const { application_id: first } = await frontEnd.apply(ada, answers)
    await followed.annotate(first, { status: 'Received', note: 'seen' })
    const { application_id: second } = await frontEnd.apply(ada, answers)
    const gone = await frontEnd.apply(await frontEnd.register(), answers)
    await followed.erase(gone.application_id)
    const now = new Map((await walked(followed)).map(application => [application.application_id, application]))
    const { payload } = await followed.readWhole({})
    expect(payload.map(({ kind, application_id: id, application }) => [kind, id, application])).toEqual([
      ['submitted', first, now.get(first)],
      ['status', first, now.get(first)],
      ['note', first, now.get(first)],
      ['submitted', second, now.get(second)],
      ['superseded', first, undefined],
      ['erased', gone.application_id, undefined],
    ])
    // Without it, the changes are the same.
    const alone = await followed.read()
    expect(alone.payload).toEqual(payload.map(({ application: _, ...change }) => change))
  })

  test.each([
    { pageSize: 1, submissions: 8 },
    { pageSize: 100, submissions: 25 },
  ])(
    '"A consumer that upserts and deletes by it holds exactly what a walk would give", and every change comes once and in order, with 8 writers who submit, resubmit, annotate and erase (%j)',
    async ({ pageSize, submissions }) => {
      const followed = await followProgram()
      const { frontEnd, answers } = followed
      const applied: number[] = []
      const erased = new Set<number>()
      const statuses = new Map<number, number>()
      const pick = (): number | undefined => applied[Math.floor(random() * applied.length)]
      let stopped = false
      const submit = async (): Promise<void> => {
        const applicant = await frontEnd.register()
        for (let n = 0; n < submissions; n++) applied.push((await frontEnd.apply(applicant, answers)).application_id)
      }
      const give = async (): Promise<void> => {
        for (let n = 0; !stopped; n++) {
          const id = pick()
          if (id === undefined) await Bun.sleep(1)
          else
            await followed.annotate(id, n % 2 === 0 ? { status: 'Received' } : { note: `note ${n}` }).then(
              () => void (n % 2 === 0 && statuses.set(id, (statuses.get(id) ?? 0) + 1)),
              error => expect(error).toMatchObject({ kind: 'not_found' }),
            )
        }
      }
      const erase = async (): Promise<void> => {
        while (!stopped) {
          await Bun.sleep(10)
          const id = pick()
          if (id === undefined || erased.has(id)) continue
          erased.add(id)
          await followed.erase(id)
        }
      }
      const mirror = new Mirror()
      const seen: Change[] = []
      const cursors = { alone: '0', whole: '0' }
      const follow = async (): Promise<boolean> => {
        const size = { pageSize: String(pageSize) }
        const alone = await followed.read({ after: cursors.alone, ...size })
        const whole = await followed.readWhole({ after: cursors.whole, ...size })
        seen.push(...alone.payload)
        for (const change of whole.payload) mirror.apply(change)
        Object.assign(cursors, { alone: alone.nextCursor, whole: whole.nextCursor })
        return alone.hasMore || whole.hasMore || alone.payload.length + whole.payload.length > 0
      }
      const submitting = Promise.all([submit(), submit(), submit(), submit(), submit()])
      const others = Promise.all([give(), give(), erase()])
      let ended = false
      void submitting.finally(() => {
        ended = true
      })
      while (!ended) await follow()
      stopped = true
      await Promise.all([submitting, others])
      while (await follow());
      expect(mirror.all).toEqual(await walked(followed))

      // In order; each once.
      const numbers = seen.map(change => change.change)
      expect(numbers).toEqual(sorted(numbers))
      const names = seen.map(({ change, kind, application_id }) => `${change} ${kind} ${application_id}`)
      expect(new Set(names).size).toBe(names.length)
      // None missing: what is there, and what is not any more.
      const of = (kind: Change['kind']): number[] =>
        sorted(seen.filter(change => change.kind === kind).map(change => change.application_id))
      const there = sorted(applied.filter(id => !erased.has(id)))
      expect(of('submitted').filter(id => !erased.has(id))).toEqual(there)
      expect(of('erased')).toEqual(sorted(erased))
      const superseded = await sql<{ application_id: number }[]>`
        select application_id from application
        where program_id = ${followed.program_id} and superseded_seq is not null order by application_id`
      expect(of('superseded').filter(id => !erased.has(id))).toEqual(superseded.map(row => row.application_id))
      for (const id of there) expect(of('status').filter(other => other === id).length).toBe(statuses.get(id) ?? 0)
      // Nothing of an application after it was erased.
      for (const id of erased) expect(seen.findLast(change => change.application_id === id)?.kind).toBe('erased')
    },
  )

  test('"to this key": without what is hidden from it, and with the questions that it chose', async () => {
    const followed = await followProgram()
    const { frontEnd, answers, slug } = followed
    await frontEnd.apply(await frontEnd.register(), { ...answers, secret: { text: 'zyxqua' } })
    const other = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['secret'] })
    const hidden = await followed.readWhole({}, other)
    expect(Object.keys(hidden.payload[0]!.application!.application)).toEqual(['words', 'members'])
    const chosen = await followed.readWhole({ fields: 'members.job' })
    expect(Object.keys(chosen.payload[0]!.application!.application)).toEqual(['members'])
    const refused = await followed.request({ include: 'application', fields: 'secret', pageSize: '0' }, {}, other)
    const { errors } = (await refused.json()) as { errors: { parameter: string; code: string }[] }
    expect([refused.status, errors.map(({ parameter, code }) => [parameter, code])]).toEqual([
      400,
      [
        ['pageSize', 'invalid_page_size'],
        ['fields', 'unknown_field'],
      ],
    ])
  })
})

describe('a page of it', () => {
  test('is in lines the same as in JSON; its last line has what accompanies the payload, count and digest; any coding', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    for (let n = 0; n < 3; n++) await frontEnd.apply(await frontEnd.register(), answers)
    for (const include of [{ include: 'application' }, {}] as Record<string, string>[]) {
      const json = await followed.read(include)
      const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' }
      const response = await followed.request(include, { headers })
      expect(response.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8')
      const text = await response.text()
      const lines = text.trimEnd().split('\n')
      const { payload, ...facts } = json
      expect(lines.slice(0, -1).map(line => JSON.parse(line))).toEqual(payload)
      const before = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
      const sha256 = createHash('sha256').update(before).digest('hex')
      expect(JSON.parse(lines.at(-1)!)).toEqual({ ...facts, count: payload.length, sha256 })
    }
    const refused = await followed.request({ include: 'application' }, { headers: { Accept: 'text/csv' } })
    expect(refused.status).toBe(406)
  })

  test('says what the head of a walk says that begins then: where the next window begins, the cursor of now, the questions', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    await frontEnd.apply(await frontEnd.register(), answers)
    const headOfNow = async () => {
      const { headers } = (await followed.client.page({ pageSize: '1' })).response
      const [snapshotTime, changeCursor] = [headers.get('Snapshot-Time'), headers.get('Change-Cursor')]
      return { snapshotTime, changeCursor, questionsAsOf: headers.get('Questions-As-Of') }
    }
    const before = await headOfNow()
    expect(await followed.readWhole({})).toMatchObject({ ...before, nextCursor: before.changeCursor, hasMore: false })
    await publish(sql, { slug: followed.slug, questions: [q.text('words'), q.text('later', { optional: true })] })
    const after = await headOfNow()
    expect(after.questionsAsOf).not.toBe(before.questionsAsOf)
    const { payload, ...facts } = await followed.readWhole({ after: before.changeCursor! })
    expect([payload, facts]).toEqual([[], { ...after, nextCursor: before.changeCursor!, hasMore: false } as never])
    const [first] = (await followed.readWhole({})).payload
    expect(first!.application).toEqual((await walked(followed))[0]!)
  })

  test('a page of applications that are larger than any buffer is whole, and sent in pieces', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    for (let n = 0; n < 4; n++)
      await frontEnd.apply(await frontEnd.register(), { ...answers, words: { text: `${n}`.repeat(600_000) } })
    for (const coding of ['identity', 'zstd']) {
      const headers = { 'Accept-Encoding': coding }
      const response = await followed.request({ include: 'application' }, { headers })
      expect(response.headers.has('Content-Length')).toBe(false)
      const { payload } = (await response.json()) as Feed
      expect(payload.map(({ application }) => application)).toEqual(await walked(followed))
      const line = await until('its line', () => service.requestLine(response.headers.get('X-Request-Id')))
      expect(line).toMatchObject({ outcome: 'complete', applications: 4 })
    }
  })

  test('G13: has no application of another history: 503 where the database is set back between its changes and their applications', async () => {
    const followed = await followProgram()
    const { frontEnd, answers } = followed
    await frontEnd.apply(await frontEnd.register(), answers)
    const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
    const waiting = followed.request({ include: 'application' })
    await until('the entry to wait', async () => (await waitingForLocks(sql, 'audit_event')) === 1)
    const newer = `submit_time = just_after(submit_time)`
    await tamper(sql, `update application set ${newer} where program_id = ${followed.program_id}`)
    await release()
    const refused = await waiting
    expect(refused.status).toBe(503)
    expect(service.requestLine(refused.headers.get('X-Request-Id'))).toMatchObject({ applications: 0, bytes: 0 })
  })

  test('refuses to include anything but the application, and says so', async () => {
    const followed = await followProgram()
    const response = await followed.request({ include: 'applications', after: 'x' })
    const { errors } = (await response.json()) as { errors: object[] }
    expect(response.status).toBe(400)
    expect(errors).toMatchObject([
      { parameter: 'after', code: 'invalid_cursor' },
      { parameter: 'include', code: 'invalid_include', detail: expect.stringMatching(/\bapplication\b/) },
    ])
  })
})

test('each application that was sent is on record, and no other: also one that lies between, and one that was erased since', async () => {
  const followed = await followProgram()
  const { frontEnd, answers, slug } = followed
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push((await frontEnd.apply(await frontEnd.register(), answers)).application_id)
  const { nextCursor } = await followed.readWhole({ after: 'latest' })
  for (const [n, id] of [ids[0]!, ids[2]!, ids[0]!].entries()) await followed.annotate(id, { note: `seen ${n}` })
  await followed.readWhole({ after: nextCursor, fields: 'words' })
  await followed.erase(ids[2]!)
  const sentTo = async (id: number) => {
    const [found] = await findDisclosures(sql, id, { slug, rowsMax: 10 })
    return found!.pages.map(({ actor, detail, doubts, questions }) => ({
      actor,
      ids: detail.application_ids,
      doubts,
      questions,
    }))
  }
  const page = {
    actor: `key:${followed.key.api_key_id}`,
    ids: [ids[0], ids[2]] as never,
    doubts: [],
    questions: 'only words',
  }
  expect(await Promise.all(ids.map(sentTo))).toEqual([[page], [], [page], []])
  const days = await sql<{ pages: number; applications: number }[]>`
    select pages, applications from api_key_day where api_key_id = ${followed.key.api_key_id}`
  expect([...days]).toEqual([{ pages: 1, applications: 2 }])
})
