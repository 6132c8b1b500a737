// A mirror that `tributary pull --follow` keeps while eight writers submit, annotate and erase, with the service, the tool and the database
// that it fills killed in turn: at the end it has what the service has, to the last cell.

import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '../../../scripts/processes/embedded-postgres.ts'
import { isAlive } from '../../../scripts/processes/is-alive.ts'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { unlimited } from '../../support/config.ts'
import { endWithFile, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { endProcesses, startMain, type TestMain } from '../../support/processes.ts'
import { publish, q } from '../../support/programs.ts'
import { portOf, startProxy } from '../../support/proxy.ts'
import { seededRandom } from '../../support/random.ts'
import { endOf } from '../../support/run.ts'
import { runTool, startTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

/** How long it writes and kills: FOLLOW_SECONDS=600 is for those who change how outputs are followed. */
const seconds = Number(process.env.FOLLOW_SECONDS ?? 12)
const random = seededRandom(import.meta.file)
const slug = 'mirrored'
const folder = await useFolder()
const { sql: source, ...database } = await useDatabase({ connectionsMax: 40 })
const asked = { optional: true }
const { program_id } = await publish(source, {
  slug,
  statuses: ['Received', 'Approved'],
  questions: [q.text('words', asked), q.enumerator('child', [q.date('born', asked)], asked)],
})
const key = await createTestKey(source, { programs: [slug], maySubmit: true })
// Writers have a service of their own: what they do is not undone by kills.
const intake = await useService({ ...database, sql: source }, unlimited)
afterAll(endProcesses)

const limits = { REQUESTS_PER_MINUTE: '0', EXPORTS_AT_A_TIME: '0' }
let main: TestMain = await startMain(database, limits)
const proxy = await startProxy(
  () => portOf(main.url),
  () => ({}),
)
endWithFile(() => proxy.stop())
const serverOf = { dataDirectory: join(folder, 'target'), unsafeFast: true }
let target = await startEmbeddedPostgres(serverOf)
endWithFile(() => target.stop())

/** At once, as when the machine loses its power; and started again. */
async function killTarget(): Promise<void> {
  const { pid, port } = target
  process.kill(pid, 'SIGQUIT')
  await until('the database to be gone', () => !isAlive(pid))
  target = await startEmbeddedPostgres({ ...serverOf, port })
}

const argsOf = (...more: string[]): string[] => [
  ...['pull', `http://127.0.0.1:${proxy.port}`, '--program', slug, '--to', target.url, ...more],
]
const start = () => startTool(key, argsOf('--follow', '--state', join(folder, 'followed')))

interface Tally {
  submitted: number
  changed: number
  erased: number
}

/** Eight writers, until they are stopped. */
function write(): { tally: Tally; stop: () => Promise<void> } {
  const frontEnd = new FrontEnd(intake, key, slug)
  const ids: number[] = []
  const erased = new Set<number>()
  const tally = { submitted: 0, changed: 0, erased: 0 }
  const pick = (): number | undefined => ids[Math.floor(random() * ids.length)]
  let stopped = false
  const submit = async (): Promise<void> => {
    let applicant = await frontEnd.register()
    for (let n = 0; !stopped; n++) {
      if (n % 3 === 0) applicant = await frontEnd.register()
      const child = { entities: Array.from({ length: n % 3 }, (_, i) => ({ entity_name: `child ${i} of ${n}` })) }
      ids.push((await frontEnd.apply(applicant, { words: { text: `“${n}”` }, child })).application_id)
      tally.submitted++
      await Bun.sleep(20)
    }
  }
  const change = async (): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      await Bun.sleep(20)
      const id = pick()
      if (id === undefined || erased.has(id)) continue
      const place = { program_id, application_id: id, actor: 'admin:test', timeZone: intake.config.timeZone }
      const set = n % 2 === 0 ? { status: n % 4 === 0 ? 'Received' : 'Approved' } : { note: `note ${n}` }
      await annotate(source, { ...place, ...set, now: Date.now() * 1000 }).then(
        () => tally.changed++,
        error => expect(error).toMatchObject({ kind: 'not_found' }),
      )
    }
  }
  const erase = async (): Promise<void> => {
    while (!stopped) {
      await Bun.sleep(200)
      const id = pick()
      if (id === undefined || erased.has(id)) continue
      erased.add(id)
      await eraseApplication(source, { program_id, application_id: id }, { actor: 'operator:test', reason: undefined })
      tally.erased++
    }
  }
  const writers = Promise.all([submit(), submit(), submit(), submit(), change(), change(), change(), erase()])
  return {
    tally,
    stop: async () => {
      stopped = true
      await writers
    },
  }
}

/** Every row of every table, of what was followed and of what was just pulled as a whole. */
async function rowsOf(schema: string): Promise<unknown> {
  const sql = postgres(target.url, { max: 1, onnotice: () => {} })
  try {
    const [applications, child] = await Promise.all([
      sql.unsafe(`select to_jsonb(t) as row from ${schema}.applications t order by application_id`),
      sql.unsafe(`select to_jsonb(t) as row from ${schema}.child t order by application_id, entity_path`),
    ])
    return [applications.map(({ row }) => row), child.map(({ row }) => row)]
  } finally {
    await sql.end()
  }
}

const followedTo = async (): Promise<string | undefined> => {
  const sql = postgres(target.url, { max: 1, onnotice: () => {}, connect_timeout: 5 })
  try {
    const [row] = await sql.unsafe(`select follows_from from mirrored.tributary_pull`)
    return row?.follows_from
  } catch {
    return undefined
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test(
  'a followed database equals the service even if service, tool and database are killed in turn',
  async () => {
    const writing = write()
    const kills = { service: 0, tool: 0, database: 0 }
    let tool = start()
    try {
      await until('the first walk', async () => (await followedTo()) !== undefined)
      const endMs = performance.now() + seconds * 1000
      for (let n = 0; n < 3 || performance.now() < endMs; n++) {
        await Bun.sleep(random() * 1500)
        const which = (['service', 'tool', 'database'] as const)[n % 3]!
        kills[which]++
        if (which === 'service') {
          main.child.kill('SIGKILL')
          await main.child.exited
          main = await startMain(database, limits)
        } else if (which === 'tool') {
          tool.kill('SIGKILL')
          await endOf(tool)
          tool = start()
        } else {
          await killTarget()
        }
      }
    } finally {
      await writing.stop()
    }
    const { nextCursor } = (await (
      await intake.get(`/api/v1/admin/programs/${slug}/changes?after=latest`, {
        headers: { Authorization: key.authorization },
      })
    ).json()) as { nextCursor: string }
    await until('the mirror to be at the last change', async () => (await followedTo()) === nextCursor)
    tool.kill('SIGTERM')
    expect((await endOf(tool)).code).toBe(3)
    expect(await runTool(key, argsOf('--schema', 'whole', '--state', join(folder, 'whole')))).toMatchObject({ code: 0 })
    console.info(`followed ${JSON.stringify({ ...writing.tally, kills })}`)
    expect(await rowsOf('mirrored')).toEqual(await rowsOf('whole'))
    expect(Math.min(...Object.values(kills), ...Object.values(writing.tally))).toBeGreaterThan(0)
  },
  (seconds + 120) * 1000,
)
