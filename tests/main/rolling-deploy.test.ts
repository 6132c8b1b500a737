// Two releases side by side: processes of this one and of the next on one database, with writers and readers that go to either.

import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { version } from '../../package.json'
import { freePort } from '../../scripts/processes/free-port.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { runBinary } from '../support/binary.ts'
import type { ExportPage } from '../support/export-client.ts'
import { useBareDatabase } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { endProcesses, refusalOf, spawnProcess, startMain, startWorker, type TestMain } from '../support/processes.ts'
import { aComputedProgram as aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { nextRelease, nextVersion, thisRelease } from '../support/releases.ts'
import { until } from '../support/until.ts'

const slug = 'rolling'
const writers = 8
const database = await useBareDatabase()
const [old, next] = await Promise.all([
  thisRelease(),
  nextRelease('alter table program add column expanded text;', 'alter table program drop column expanded;'),
])
const program = (folder: string, main: string) => [process.execPath, join(folder, main)]
const serve = (folder: string, environment = {}): Promise<TestMain> =>
  startMain(database, { REQUESTS_PER_MINUTE: '0', ...environment }, program(folder, 'src/main.ts'))

let oldMain = await serve(old)
await aProgram(database.sql, { slug, questions: [q.text('words')] })
const onePort = 'one-port'
const ofOnePort = await insertRawApplications(database.sql, await insertRawProgram(database.sql, onePort), 60)
const key: TestKey = await createTestKey(database.sql, { programs: [slug, onePort], mayExport: true, maySubmit: true })
const headers = { Authorization: key.authorization }
afterAll(endProcesses)

/** One page of a process, as text. */
async function pageText(main: TestMain, query: string): Promise<string> {
  const response = await fetch(`${main.url}/api/v1/admin/programs/${slug}/applications?${query}`, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
  return text
}

/** A walk whose pages are asked of these processes in turn, each page of two of them: G4. */
async function walk(mains: readonly TestMain[], pageSize: number): Promise<{ ids: number[]; tokens: string[] }> {
  const ids: number[] = []
  const tokens: string[] = []
  for (let turn = 0, query = `pageSize=${pageSize}`; query !== ''; turn++) {
    const page = JSON.parse(await pageText(mains[turn % mains.length]!, query)) as ExportPage
    if (tokens.length > 0) {
      const again = JSON.parse(await pageText(mains[(turn + 1) % mains.length]!, query)) as ExportPage
      expect(JSON.stringify(again.payload)).toBe(JSON.stringify(page.payload))
    }
    ids.push(...page.payload.map(application => application.application_id))
    query = page.nextPageToken === null ? '' : `nextPageToken=${page.nextPageToken}`
    if (page.nextPageToken !== null) tokens.push(page.nextPageToken)
  }
  return { ids, tokens }
}

/** Writers who submit through these processes in turn until `work` is done. */
async function duringWrites<T>(mains: readonly TestMain[], work: (committed: number[]) => Promise<T>): Promise<T> {
  const committed: number[] = []
  let stopped = false
  let turn = 0
  const frontEnd = new FrontEnd(
    { get: (path, init) => fetch(mains[turn++ % mains.length]!.url + path, init) },
    key,
    slug,
  )
  const running = Array.from({ length: writers }, async (_, writer) => {
    for (let n = 0; !stopped; n++) {
      const applicant = await frontEnd.register()
      const { application_id } = await frontEnd.apply(applicant, { words: { text: `${writer}, ${n}` } })
      committed.push(application_id)
    }
  })
  try {
    return await work(committed)
  } finally {
    stopped = true
    await Promise.all(running)
  }
}

async function expectWholeWalks(mains: readonly TestMain[]): Promise<string[]> {
  return duringWrites(mains, async committed => {
    await until('some submissions', () => committed.length > 20)
    const tokens: string[] = []
    for (const pageSize of [7, 40]) {
      const before = [...committed]
      const walked = await walk(mains, pageSize)
      expect(new Set(walked.ids).size).toBe(walked.ids.length)
      expect(before.filter(id => !walked.ids.includes(id))).toEqual([])
      tokens.push(...walked.tokens)
    }
    return tokens
  })
}

const ofThisRelease = allMigrations.map(({ name }) => name)
const tables = async () => (await database.sql`select name from schema_migration order by name`).map(row => row.name)

test('G1, G4, G8: walks continue during a rolling upgrade with both releases side by side, after going back, and after it is finished', async () => {
  // The next release adds to the schema what this one can live with, and no more.
  const nextMain = await serve(next)
  expect(nextMain.log.find(line => line.msg === 'listening')).toMatchObject({ release: nextVersion })
  expect(await tables()).toEqual([...ofThisRelease, '9998-expanding.sql'])

  // Walks that go to and fro between both are exact, alongside writers who do.
  const tokens = await expectWholeWalks([oldMain, nextMain])
  expect(new Set(tokens.map(token => token.length)).size).toBe(1)
  const heldToken = tokens[0]!

  // Workers of both run alongside one another.
  const both = await Promise.all(
    [old, next].map(folder => startWorker(database, {}, program(folder, 'workers/main.ts'))),
  )
  await aProgram(database.sql, { slug: 'for-the-workers' })
  await until('docs of what is published', async () => {
    const docs = await database.sql`
      select from docs_example join program_version v using (program_version_id) join program p using (program_id)
      where p.slug = 'for-the-workers'`
    return docs.length > 0
  })
  for (const { child } of both) {
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  }

  // Until the upgrade is finished one can go back: this release starts again on the newer schema.
  oldMain.child.kill('SIGTERM')
  expect(await oldMain.child.exited).toBe(0)
  oldMain = await serve(old)
  expect(await pageText(oldMain, `nextPageToken=${heldToken}`)).toStartWith('{"payload":[')

  // It is not finished before this release has stopped.
  const script = join(next, 'scripts/operator/migrate-database.ts')
  const finish = () => runBinary(process.execPath, [script, '--finish'], { DATABASE_URL: database.url })
  const refused = await finish()
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toEndWith(' [older_processes]\n')
  expect(refused.err).toContain(`tributary-export ${version} (`)
  expect(refused.err).not.toContain(`${nextVersion} (`)

  // Finished, it takes away what only this release needed, and this one refuses to start, in a sentence.
  oldMain.child.kill('SIGTERM')
  await oldMain.child.exited
  const finished = await finish()
  expect(finished).toMatchObject({ code: 0, err: '' })
  expect(finished.out).toContain(nextVersion)
  expect(await tables()).toEqual([...ofThisRelease, '9998-expanding.sql', '9999-contracting.sql'])
  const refusal = await refusalOf(spawnProcess(program(old, 'src/main.ts'), database))
  expect(refusal).toContain(nextVersion)
  expect(refusal).toEndWith(' [upgrade_finished]\n')

  // Walks that began before continue in processes that start now.
  const restarted = await serve(next)
  await expectWholeWalks([nextMain, restarted])
  expect(await pageText(restarted, `nextPageToken=${heldToken}`)).toStartWith('{"payload":[')
})

test('G8: a client that retries completes an exact walk while two processes on one port are restarted in turn', async () => {
  const port = String(await freePort())
  const shared = { PORT: port, REUSE_PORT: 'on' }
  const first = await serve(next, shared)
  let current = first
  let asks = 0
  let lost = 0
  const ids: number[] = []
  for (let query = 'pageSize=3'; query !== ''; asks++) {
    // Another connection each time, so that each may come to either process.
    const answer = await fetch(`${first.url}/api/v1/admin/programs/${onePort}/applications?${query}`, {
      headers: { ...headers, Connection: 'close' },
    }).then(
      response => response.text(),
      () => undefined,
    )
    if ([4, 9, 14].includes(asks)) {
      const following = await serve(next, shared)
      current.child.kill('SIGTERM')
      expect(await current.child.exited).toBe(0)
      current = following
    }
    if (answer === undefined) {
      lost++
      continue
    }
    const page = JSON.parse(answer) as ExportPage
    ids.push(...page.payload.map(application => application.application_id))
    query = page.nextPageToken === null ? '' : `nextPageToken=${page.nextPageToken}`
  }
  expect(ids).toEqual(ofOnePort)
  // There is always one that listens; only what was in the instant of a closing port may have been turned away.
  expect(lost).toBeLessThanOrEqual(3)
})
