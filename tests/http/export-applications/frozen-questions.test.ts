// The set of questions is frozen with the walk (contract D34, G4): publications between its pages change none of them.

import { expect, test } from 'bun:test'
import { refreshKeyMap } from '../../../src/derived/program-key-map.ts'
import { tamper } from '../../support/audit-log.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, type QuestionSpec, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'

const database = await useDatabase()
const service = await useService(database, unlimited)

const optional = { optional: true }
const pets = (...names: string[]): QuestionSpec =>
  q.enumerator(
    'pet',
    names.map(name => q.text(name, optional)),
    optional,
  )
const answers = { words: { text: 'yes' }, pet: { entities: [{ entity_name: 'Rex' }] } }

interface FrozenPage {
  token: string | undefined
  payload: string
}

/** The page's applications as they were sent, to the byte. */
async function fetchPage(service: TestService, key: TestKey, slug: string, query: Record<string, string>) {
  const response = await new ExportClient(service, key, slug).request(query)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
  const { nextPageToken } = JSON.parse(text) as { nextPageToken: string | null }
  return { payload: text.slice(0, text.lastIndexOf(',"nextPageToken"')), nextPageToken, text }
}

const keysOf = (payload: string): string[][] =>
  (JSON.parse(`${payload}}`) as { payload: { application: object }[] }).payload.map(a =>
    Object.keys(a.application).sort(),
  )

test.each([1, 7, 100])(
  'G4, D34: publications between the pages change no page of the walk, and replays are byte-identical after them and after a restart (page size %d)',
  async pageSize => {
    const slug = `frozen-${pageSize}`
    const count = pageSize * 3 + 1
    const versions = [
      [q.text('words', optional), pets('colour')],
      [q.text('words', optional), q.number('second', optional), pets('colour', 'food')],
      [q.text('third', optional)],
      [q.text('words', optional), q.date('fourth', optional), pets('age')],
    ]
    await aProgram(database.sql, { slug, questions: versions[0]! })
    const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
    const desk = new FrontEnd(service, key, slug)
    for (let i = 0; i < count; i++) await desk.apply(await desk.register(), answers)

    const pages: FrozenPage[] = []
    let query: Record<string, string> = { pageSize: String(pageSize) }
    for (let published = 1; ; ) {
      const { payload, nextPageToken } = await fetchPage(service, key, slug, query)
      pages.push({ token: query.nextPageToken, payload })
      if (nextPageToken === null) break
      query = { nextPageToken }
      if (published < versions.length) {
        const made = await aProgram(database.sql, { slug, questions: versions[published]! })
        // Now with what the worker keeps, now without.
        if (published++ % 2 === 0) await refreshKeyMap(database.sql, made.program_version_id)
        await desk.apply(await desk.register(), published === 3 ? answersOf('third') : answersOf('words'))
      }
    }
    expect(pages.length).toBe(4)
    expect(pages.map(({ payload }) => keysOf(payload).length)).toEqual([pageSize, pageSize, pageSize, 1])
    for (const { payload } of pages) {
      for (const keys of keysOf(payload)) expect(keys).toEqual(['pet', 'words'])
      expect(payload).not.toContain('food')
    }

    const restarted = await useService(database)
    for (const process of [service, restarted, service]) {
      for (const { token, payload } of pages.slice(1)) {
        expect((await fetchPage(process, key, slug, { nextPageToken: token! })).payload).toBe(payload)
      }
    }
    // A walk that begins now has the questions of now.
    const now = await fetchPage(service, key, slug, { pageSize: '1' })
    expect(keysOf(now.payload)).toEqual([['fourth', 'pet', 'second', 'third', 'words']])
  },
)

test.each<Record<string, string>>([{}, { fields: 'words' }])(
  'G13: a walk that began with a publication which the database lost since gets a 503 that says so, and a 400 once another was published (%j)',
  async filters => {
    const { sql } = database
    const slug = `lost-publication-${Object.keys(filters).length}`
    const first = await aProgram(sql, { slug, questions: [q.text('words', optional)] })
    const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
    const desk = new FrontEnd(service, key, slug)
    for (let i = 0; i < 3; i++) await desk.apply(await desk.register(), answersOf('words'))
    const lost = await aProgram(sql, { slug, questions: [q.text('words', optional), q.text('lost', optional)] })
    const { nextPageToken } = await fetchPage(service, key, slug, { ...filters, pageSize: '1' })
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
    expect([behind.status, behind.body]).toMatchObject([
      503,
      { detail: expect.stringContaining('begin the walk again') },
    ])
    await aProgram(sql, { slug, questions: [q.text('words', optional), q.text('instead', optional)] })
    const over = await client.refusal({ nextPageToken: nextPageToken! })
    expect([over.status, over.codes]).toEqual([400, { nextPageToken: 'walk_of_another_history' }])
    expect(over.body.errors[0]!.detail).toContain('Start again from the first page')
    expect((await client.walkAll({ pageSize: '1' })).length).toBe(3)
  },
)

const answersOf = (question: string) => ({ [question]: { text: 'answered' } })
