// A program that moves to a second installation as SCALE.md says: by the scripts and the tool that ship, from one pair of service and worker to another.

import { beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ProgramBundle } from '../../src/domain/definitions/program-bundle.ts'
import { runScript } from '../scripts/run-script.ts'
import { endWithFile, useDatabase, useFolder } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { formats } from '../support/page-formats.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { aProgram, q } from '../support/programs.ts'
import type { Ended } from '../support/run.ts'
import { runTool } from '../support/tributary-tool.ts'
import { until } from '../support/until.ts'
import { playStory } from './story.ts'
import { describeShipped } from './table.ts'
import type { Truth } from './truth.ts'

const [first, second] = [await useDatabase(), await useDatabase()]
const folder = await useFolder()
endWithFile(endProcesses)

/** Where the two services are, each with a key for the program. */
let from: { url: string; key: TestKey }
let to: { url: string; key: TestKey }
let elsewhere: typeof to
let truth: Truth
/** What the scripts of the first installation wrote. */
let bundle = ''
let erased = 0

const succeeded = async (ended: Promise<Ended>): Promise<string> => {
  const { code, out, err } = await ended
  if (code !== 0) throw new Error(err)
  return out
}
const ask = (at: typeof from, path: string, init: RequestInit = {}) =>
  fetch(`${at.url}/api/v1/admin/programs/${truth.slug}${path}`, {
    ...init,
    headers: { Authorization: at.key.authorization, ...init.headers },
  })
async function answerOf(at: typeof from, path: string, accept = 'application/json'): Promise<string> {
  const response = await ask(at, path, { headers: { Accept: accept } })
  const text = await response.text()
  expect([path, response.status]).toEqual([path, 200])
  return text
}

/** The id of what another applicant has submitted there. */
async function apply(at: typeof from, slug: string, answers: Record<string, unknown>): Promise<number> {
  const frontEnd = new FrontEnd({ get: (path, init) => fetch(`${at.url}${path}`, init) }, at.key, slug)
  return (await frontEnd.apply(await frontEnd.register(), answers)).application_id
}

/** Every change of the feed, with the cursor after each. */
async function changesOf(at: typeof from) {
  const changes: { kind: string; application_id: number }[] = []
  const cursors: string[] = []
  for (let after = '0', hasMore = true; hasMore; ) {
    const page = JSON.parse(await answerOf(at, `/changes?pageSize=1&after=${after}`))
    for (const { kind, application_id } of page.payload) changes.push({ kind, application_id })
    ;({ nextCursor: after, hasMore } = page)
    cursors.push(after)
  }
  return { changes, cursors }
}

/** Adds what leaves traces in the first installation: an earlier status and note, and an application that is erased. */
async function addHistory(): Promise<void> {
  const last = truth.applications.at(-1)!
  const { application_id } = last.submission
  const set = await ask(from, `/applications/${application_id}/status`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'If-Match': '*' },
    body: JSON.stringify({ status: 'Denied', application_note: 'the second' }),
  })
  const { status, application_note, status_last_modified_time } = (await set.json()) as Record<string, string>
  last.annotations = {
    status: status!,
    application_note: application_note!,
    status_last_modified_time: Date.parse(status_last_modified_time!) * 1000,
  }
  erased = await apply(from, truth.slug, { own_story: { text: 'erased' } })
  await succeeded(runScript('erase-records', first.url, ['application', truth.slug, String(erased), '--yes']))
}

/** Statements of SCALE.md that leave the ids of the first installation free. */
async function reserveIds(): Promise<void> {
  const scale = await Bun.file(join(import.meta.dir, '../../deploy/SCALE.md')).text()
  const [, statements] = /## A second installation\n[^#]*?```sql\n(.*?)```/s.exec(scale)!
  await second.sql.unsafe(statements!).simple()
}

/** As SCALE.md says. */
async function move(): Promise<void> {
  await succeeded(runScript('manage-intake', first.url, ['pause', truth.slug, '--for', '7d']))
  bundle = await succeeded(runScript('program', first.url, ['export', truth.slug]))
  const applications = join(folder, 'applications.ndjson')
  await succeeded(runTool(from.key, ['pull', from.url, '--program', truth.slug, '--out', applications]))
  await succeeded(runScript('program', second.url, ['import', '-'], bundle))
  await succeeded(runScript('load', second.url, [applications]))
}

const moved = (async () => {
  await startWorker(first)
  const service = await startMain(first)
  truth = await playStory({ sql: first.sql, baseUrl: service.url, timeZone: 'UTC' })
  const permissions = { programs: [truth.slug], maySubmit: true, mayAnnotate: true }
  from = { url: service.url, key: await createTestKey(first.sql, permissions) }
  await addHistory()
  await reserveIds()
  await aProgram(second.sql, { slug: 'elsewhere', questions: [q.text('elsewhere')] })
  await startWorker(second)
  const there = await startMain(second, { PAGE_TOKEN_KEYS: randomBytes(32).toString('base64') })
  elsewhere = { url: there.url, key: await createTestKey(second.sql, { programs: ['elsewhere'], maySubmit: true }) }
  await apply(elsewhere, 'elsewhere', { elsewhere: { text: 'before' } })
  await move()
  to = { url: there.url, key: await createTestKey(second.sql, permissions) }
  const { length: versions } = (JSON.parse(bundle) as ProgramBundle).program_versions
  await until('the worker to have kept everything', async () => {
    const maps = await second.sql`select from program_key_map where program_version_id < 1000000000`
    return maps.length === versions
  })
  return there
})()

describeShipped('moved to a second installation', async () => {
  const there = await moved
  // What is told of changes is below: not all of them move.
  return { sql: second.sql, processes: [there.url], truth: { ...truth, changes: undefined } }
})

describe('a program that has moved', () => {
  beforeAll(async () => void (await moved), 120_000)

  test.each(Object.entries(formats))(
    'is exported byte-identically in %s, completely and by revision state',
    async (_, { accept }) => {
      for (const filter of ['', '&revisionState=CURRENT', '&revisionState=OBSOLETE'])
        expect(await answerOf(to, `/applications?pageSize=1000${filter}`, accept)).toBe(
          await answerOf(from, `/applications?pageSize=1000${filter}`, accept),
        )
    },
  )

  test('has byte-identical applications, revisions, statuses and notes, one by one', async () => {
    for (const { submission } of truth.applications)
      for (const rest of ['', '/revisions'])
        expect(await answerOf(to, `/applications/${submission.application_id}${rest}`)).toBe(
          await answerOf(from, `/applications/${submission.application_id}${rest}`),
        )
  })

  test('has every version of its questions in a byte-identical bundle', async () => {
    expect(await succeeded(runScript('program', second.url, ['export', truth.slug]))).toBe(bundle)
  })

  test('has changes for submitted and superseded applications, but none for erasures, statuses or notes from before the move', async () => {
    const [{ changes: before }, { changes: after }] = [await changesOf(from), await changesOf(to)]
    const sorted = (changes: typeof before) =>
      changes
        .filter(({ application_id }) => application_id < 1_000_000_000)
        .map(({ kind, application_id }) => `${kind} ${application_id}`)
        .sort()
    expect(before.filter(({ kind }) => kind === 'erased')).toEqual([{ kind: 'erased', application_id: erased }])
    expect(before.filter(({ kind }) => kind === 'status').length).toBeGreaterThan(1)
    expect(sorted(after)).toEqual(sorted(before.filter(({ kind }) => kind === 'submitted' || kind === 'superseded')))
  })

  test('G13: rejects change cursors and page tokens of the first installation', async () => {
    const { cursors } = await changesOf(from)
    for (const cursor of new Set(cursors)) {
      const response = await ask(to, `/changes?after=${cursor}`)
      expect([cursor, response.status]).toEqual([cursor, 400])
    }
    const { nextPageToken } = JSON.parse(await answerOf(from, '/applications?pageSize=1'))
    expect((await ask(to, `/applications?nextPageToken=${nextPageToken}`)).status).toBe(400)
  })

  test('leaves the IDs of the first installation free, and is imported as a draft without history if its own IDs are taken', async () => {
    // Of another program, whose applications no other test reads.
    expect(await apply(elsewhere, 'elsewhere', { elsewhere: { text: 'later' } })).toBeGreaterThan(1_000_000_000)
    const used = await useDatabase()
    await aProgram(used.sql, { slug: 'used', questions: [q.text('used')] })
    await succeeded(runScript('program', used.url, ['import', '-'], bundle))
    const versions = await used.sql`
      select published_at from program_version join program using (program_id) where slug = ${truth.slug}`
    expect([...versions]).toEqual([{ published_at: null }])
  })
})
