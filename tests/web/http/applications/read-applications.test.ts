// What clients read alongside the export: the programs of their key, one application, its revisions and its history.

import { describe, expect, test } from 'bun:test'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../../src/core/applications/erase.ts'
import { findApplicationPlaces, readPagesWith } from '../../../../src/db/audit/disclosures.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'

const database = await useDatabase({ timeZone: 'America/New_York' })
const { sql } = database
const timeZone = 'America/New_York'
const service = await useService(database, { timeZone })
const slug = 'read-one'
const questions = [
  q.text('read words'),
  q.enumerator('read member', [q.text('member words', { optional: true })], { optional: true }),
]
const { program_id } = await aProgram(sql, { slug, questions, statuses: ['Approved', 'Denied'] })
await aProgram(sql, { slug: 'read-empty' })
const key = await createTestKey(sql, { programs: [slug, 'read-empty'], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)
const answers = (text: string) => ({ read_words: { text }, read_member: { entities: [{ entity_name: text }] } })
const applicant = await frontEnd.register()
const ids: number[] = []
for (const text of ['first', 'second', 'third'])
  ids.push((await frontEnd.apply(applicant, answers(text))).application_id)
const other = (await frontEnd.apply(await frontEnd.register(), answers('of another'))).application_id
await annotate(sql, {
  program_id,
  application_id: ids[2]!,
  status: 'Approved',
  actor: 'admin:test',
  now: 1_790_000_000_123_456,
  timeZone,
})
// A question more than the stored texts have.
await aProgram(sql, {
  slug,
  questions: [...questions, q.number('read number', { optional: true })],
  statuses: ['Approved', 'Denied'],
})
// biome-ignore format: as it was
const order = { actor: 'operator:test', reason: 'test' } as never

const get = (path: string, of: Pick<TestKey, 'authorization'> = key, init: RequestInit = {}) =>
  service.get(`/api/v1/admin/programs${path}`, { ...init, headers: { Authorization: of.authorization } })
interface Item extends Record<string, unknown> {
  application_id: number
}
interface Answer {
  payload: Item[]
  supersededBy: (number | null)[]
  nextAfter: number | null
}
const jsonOf = async (path: string) => {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('Cache-Control')).toBe('no-store')
  return response.json() as Promise<Answer>
}

describe('GET /api/v1/admin/programs', () => {
  test('lists exactly the programs that the key may export, by name, with counts and newest submission', async () => {
    await aProgram(sql, { slug: 'read-by-others' })
    const { payload } = await jsonOf('')
    const all = await client.walkAll()
    const newest = all.at(-1)!.submit_time
    const cursor = (await client.page()).response.headers.get('Change-Cursor')!
    const empty = { program_name: 'read-empty', display_name: 'read-empty', applications: 0, newest_submit_time: null, change_cursor: '0' }
    const full = { program_name: slug, display_name: `Program ${slug}`, applications: all.length, newest_submit_time: newest, change_cursor: cursor }
    expect(payload as unknown[]).toEqual([{ ...empty, display_name: expect.any(String) }, full])
  }) // biome-ignore format: long

  test('counts the existing applications after submissions, resubmissions, annotations and erasures', async () => {
    const slug = 'read-counted'
    const { program_id } = await aProgram(sql, { slug, questions: [q.text('counted words')], statuses: ['Approved'] })
    const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
    const frontEnd = new FrontEnd(service, key, slug)
    const counted = async () => {
      const { payload } = (await (await get('', key)).json()) as { payload: { applications: number }[] }
      const [row] = await sql<{ n: number }[]>`select count(*) as n from application where program_id = ${program_id}`
      expect(payload[0]!.applications).toBe(row!.n)
      return row!.n
    }
    const applicant = await frontEnd.register()
    const made: number[] = []
    for (let i = 0; i < 4; i++)
      made.push((await frontEnd.apply(applicant, { counted_words: { text: 'x' } })).application_id)
    expect(await counted()).toBe(4)
    await annotate(sql, { program_id, application_id: made[3]!, status: 'Approved', note: 'x', actor: 'a', now: 1_790_000_000_000_000, timeZone })
    expect(await counted()).toBe(4)
    await eraseApplication(sql, { program_id, application_id: made[1]! }, order)
    expect(await counted()).toBe(3)
  }) // biome-ignore format: long

  test('a key that may not export gets the same 401 as for every other cause', async () => {
    const submitting = await createTestKey(sql, { programs: [slug], mayExport: false, maySubmit: true })
    expect((await get('', submitting)).status).toBe(401)
    expect((await service.get('/api/v1/admin/programs')).status).toBe(401)
  })
})

describe('one application', () => {
  test('is byte for byte the object of an export, with every question ever in the program', async () => {
    const { text } = await client.page()
    for (const id of [...ids, other]) {
      const response = await get(`/${slug}/applications/${id}`)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json'])
      const object = await response.text()
      expect(JSON.parse(object).application_id).toBe(id)
      expect(text).toContain(`${object}`)
      expect(object).toContain('"read_number":{"question_type":"NUMBER","number":null}')
    }
  })

  test('of another program, erased or unknown gets the same 404', async () => {
    const elsewhere = await insertRawProgram(sql, 'read-elsewhere')
    const [foreign] = await insertRawApplications(sql, elsewhere, 1)
    const { application_id: erased } = await frontEnd.apply(await frontEnd.register(), answers('x'))
    await eraseApplication(sql, { program_id, application_id: erased }, order)
    for (const path of ['', '/revisions', '/history']) {
      const bodies = await Promise.all(
        [String(foreign), String(erased), '999999999', '0', '-1', '1e3', '01', 'x', '%00', '9'.repeat(40), '٣'].map(
          async id => {
            const response = await get(`/${slug}/applications/${id}${path}`)
            const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
            return [response.status, body]
          },
        ),
      )
      expect(bodies[0]![0]).toBe(404)
      for (const body of bodies) expect(body).toEqual(bodies[0]!)
    }
  })

  test("of a program outside the key's set, or with a key that may not export, gets a 401 whether it exists or not", async () => {
    const stranger = await createTestKey(sql, { programs: ['read-empty'] })
    const submitting = await createTestKey(sql, { programs: [slug], mayExport: false, maySubmit: true })
    for (const path of ['', '/revisions', '/history']) {
      for (const of of [stranger, submitting]) {
        expect((await get(`/${slug}/applications/${ids[0]}${path}`, of)).status).toBe(401)
        expect((await get(`/no-such/applications/${ids[0]}${path}`, of)).status).toBe(401)
      }
    }
  })

  test('is in the audit log before it is sent, where a search for its recipients finds it, and HEAD sends nothing', async () => {
    const reader = await createTestKey(sql, { programs: [slug] })
    expect((await get(`/${slug}/applications/${ids[0]}`, reader, { method: 'HEAD' })).status).toBe(200)
    const pagesOf = async (id: number) => {
      const [place] = await findApplicationPlaces(sql, id)
      const pages = await readPagesWith(sql, place!, { beforeId: undefined, rowsMax: 100 })
      return pages.filter(page => page.actor === `key:${reader.api_key_id}`)
    }
    expect(await pagesOf(ids[0]!)).toHaveLength(0)
    const response = await get(`/${slug}/applications/${ids[0]}`, reader)
    const [page, ...more] = await pagesOf(ids[0]!)
    expect(more).toHaveLength(0)
    expect(page).toMatchObject({ subject: slug, address: '127.0.0.1', was_there: true, meets_filters: true })
    expect(page!.detail).toMatchObject({
      application_id: ids[0],
      applications: 1,
      request_id: response.headers.get('X-Request-Id'),
    })
    expect(await pagesOf(ids[1]!)).toHaveLength(0)
    await get(`/${slug}/applications/${ids[0]}/revisions`, reader)
    for (const id of ids) expect(await pagesOf(id)).not.toHaveLength(0)
    expect(await pagesOf(other)).toHaveLength(0)
  })
})

describe('revisions', () => {
  test('are all applications of the applicant to the program, oldest first, as exported, with the successor of each', async () => {
    const { text } = await client.page()
    for (const id of ids) {
      const response = await get(`/${slug}/applications/${id}/revisions`)
      const body = await response.text()
      const { payload, supersededBy, nextAfter } = JSON.parse(body) as Answer
      expect(payload.map((a: Item): unknown[] => [a.application_id, a.revision_state])).toEqual([
        [ids[0], 'OBSOLETE'],
        [ids[1], 'OBSOLETE'],
        [ids[2], 'CURRENT'],
      ])
      expect(supersededBy).toEqual([ids[1]!, ids[2]!, null])
      expect(nextAfter).toBeNull()
      for (const object of payload) expect(text).toContain(JSON.stringify(object))
    }
    expect((await jsonOf(`/${slug}/applications/${other}/revisions`)).payload).toHaveLength(1)
  })

  test.each([
    [19, [19]],
    [20, [20]],
    [21, [20, 1]],
    [44, [20, 20, 4]],
  ])(
    'of %d come in parts of %j, each once, and the successor of an application stays known after its erasure',
    async (count, sizes) => {
      const applicant = await frontEnd.register()
      const made: number[] = []
      for (let i = 0; i <= count; i++) made.push((await frontEnd.apply(applicant, answers(String(i)))).application_id)
      await eraseApplication(sql, { program_id, application_id: made[7]! }, order)
      const parts: number[][] = []
      const supersededBy: (number | null)[] = []
      const path = `/${slug}/applications/${made[3]}/revisions`
      for (let after: number | null | undefined; after !== null; ) {
        const answer: Answer = await jsonOf(`${path}${after === undefined ? '' : `?after=${after}`}`)
        parts.push(answer.payload.map((a: Item) => a.application_id))
        supersededBy.push(...answer.supersededBy)
        after = answer.nextAfter
      }
      expect(parts.map(part => part.length)).toEqual(sizes)
      expect(parts.flat()).toEqual(made.filter(id => id !== made[7]))
      expect(supersededBy[6]).toBe(made[7]!)
      expect(supersededBy.at(-1)).toBeNull()
      const none = await jsonOf(`${path}?after=${made.at(-1)}`)
      expect([none.payload, none.nextAfter]).toEqual([[], null])
      expect((await get(`${path}?after=x`)).status).toBe(400)
    },
  )
})

describe('history', () => {
  test.each([200, 201, 401])('with %i steps comes in parts of 200, each step once', async count => {
    const { application_id } = await frontEnd.apply(await frontEnd.register(), answers('often annotated'))
    await sql`
      insert into application_annotation (program_id, application_id, changed_at, changed_by, application_note)
      select ${program_id}, ${application_id}, now(), 'admin:test', 'note ' || n from generate_series(1, ${count}) as n`
    const sizes: number[] = []
    const notes: unknown[] = []
    for (let after: number | null | undefined; after !== null; ) {
      const path = `/${slug}/applications/${application_id}/history${after === undefined ? '' : `?after=${after}`}`
      const answer: Answer = await jsonOf(path)
      sizes.push(answer.payload.length)
      notes.push(...answer.payload.map(step => step.application_note))
      after = answer.nextAfter
      expect(sizes.length).toBeLessThan(4)
    }
    expect(sizes).toEqual(count === 200 ? [200] : count === 201 ? [200, 1] : [200, 200, 1])
    expect(notes).toEqual(Array.from({ length: count }, (_, i) => `note ${i + 1}`))
  })

  test('has every status and note, oldest first, without who set them', async () => {
    const id = other
    const change = (n: number, what: object) =>
      annotate(sql, {
        program_id,
        application_id: id,
        actor: 'admin:kim@example.org',
        now: 1_790_000_000_000_000 + n * 1_000_000,
        timeZone,
        ...what,
      })
    await change(0, { status: 'Approved' })
    await change(1, { note: 'called' })
    await change(2, { status: 'Denied', note: '' })
    await change(3, { status: null })
    const answer: Answer = await jsonOf(`/${slug}/applications/${id}/history`)
    expect(answer as unknown).toEqual({
      payload: [
        { changed_at: '2026-09-21T10:13:20-04:00', status: 'Approved', application_note: null, sets: ['status'] },
        { changed_at: '2026-09-21T10:13:21-04:00', status: 'Approved', application_note: 'called', sets: ['note'] },
        { changed_at: '2026-09-21T10:13:22-04:00', status: 'Denied', application_note: '', sets: ['status', 'note'] },
        { changed_at: '2026-09-21T10:13:23-04:00', status: null, application_note: '', sets: ['status'] },
      ],
      nextAfter: null,
    })
    expect(JSON.stringify(answer)).not.toContain('kim@')
    expect((await jsonOf(`/${slug}/applications/${ids[0]}/history`)).payload).toEqual([])
    const [event] = await sql<
      { actor: string }[]
    >`select actor from audit_event where action = 'application_history_read' and subject = ${String(id)}`
    expect(event!.actor).toBe(`key:${key.api_key_id}`)
  })
})
