// What is measured of a database with very many programs, one of them very large, in one layout of its tables.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLoadedIds } from '../../src/db/bulk-loads.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { readProgramsOfApplicant } from '../../src/db/erased-applications.ts'
import { readMissingDerived } from '../../src/db/missing-derived.ts'
import { knowPartitions, readPartitions } from '../../src/db/partition-places.ts'
import { findActiveVersion } from '../../src/db/programs.ts'
import { type PageQuery, type Position, readPageRows, readWalkStart, type WalkStart } from '../../src/db/walks.ts'
import { describeForEditing } from '../../src/domain/definitions/version-definition.ts'
import { submitApplication } from '../../src/intake/submit.ts'
import { publishDefinition } from '../../src/programs/publish.ts'
import { eraseApplication } from '../../src/upkeep/erase.ts'
import { type BenchContext, metered } from './bench-context.ts'
import { makeAuthorization } from './bench-data.ts'
import type { DatabaseView } from './bench-database.ts'
import {
  applicationIdsFrom,
  applicationSizes,
  readScans,
  someApplicationIds,
  tableOf,
  vacuumTable,
} from './bench-sizes.ts'
import { fetchToNowhere, startService, warmUp } from './http-subject.ts'
import { mainThreadMs, residentBytes } from './process-meter.ts'
import { timed } from './rounds.ts'
import { makeIntakeKey, sampleAnswerTexts, submissionsPerSecond } from './sections/measure-submissions.ts'

const root = join(import.meta.dir, '../..')
const taken = 300
const pagesInARow = 50
const rowsOfPage = 1000
const idsLookedUp = 1000
const submissions = 640
const loadTimeoutMs = 10 * 60_000
const dumpTimeoutMs = 20 * 60_000
const secondMicros = 1_000_000

/** Milliseconds, bytes and counts, by what they are of. */
export type Figures = Record<string, number>

export interface WordsProgram {
  slug: string
  program_id: number
  program_version_id: number
  question_key: string
  /** Of an application with placeholders for its ids. */
  snapshot: string
}

/** How many applications. */
interface LayoutSize {
  /** Of each of the many programs, of the large one, of the file that is loaded, and of the page that is exported. */
  each: number
  large: number
  loaded: number
  exported: number
}

/** Everything that is measured of a layout, in an order in which one thing does not disturb the next. */
export async function measureLayout(
  context: BenchContext,
  scratch: DatabaseView,
  subjects: { many: number; large: number; drawing: readonly number[] },
  size: LayoutSize,
  newcomer: WordsProgram,
  figures: Figures,
): Promise<void> {
  const { machine, say } = context
  const { sql } = scratch
  const walking = await OneConnection.open(scratch)
  const one = await OneConnection.open(scratch)
  try {
    say('Walks …')
    await machine.wait()
    const before = await readScans(walking.sql)
    await measureWalks(walking, 'many', subjects.many, size.each, figures)
    await measureWalks(walking, 'large', subjects.large, size.large, figures)
    const after = await readScans(walking.sql)
    const changed = [...after].filter(([name, { index, whole }]) => {
      const earlier = before.get(name) ?? { index: 0, whole: 0 }
      figures['… read from end to end'] = (figures['… read from end to end'] ?? 0) + whole - earlier.whole
      return index !== earlier.index || whole !== earlier.whole
    })
    figures['tables that these walks read'] = changed.length
    say('Statements …')
    await machine.wait()
    const ids = await someApplicationIds(sql, idsLookedUp)
    figures['1,000 ids of a load looked up'] = await one.costOf(20, sql => readLoadedIds(sql, ids))
    const versions = { keyMap: 1, docsExample: 1 }
    figures['sweep, nothing derived yet'] = await one.costOf(5, sql => readMissingDerived(sql, versions))
    const [someone] = await applicationIdsFrom(sql, subjects.large, size.large / 2, 1)
    figures["programs of an applicant, by the applicant's id alone"] = await one.costOf(taken, sql =>
      sql.begin(tx => readProgramsOfApplicant(tx, someone!.applicant_id)),
    )
    figures.publishing = await one.costOf(6, sql => publishAnother(sql, subjects.large))
    const from = (size.large * (newcomer.slug === 'newcomer' ? 1 : 3)) / 4
    const doomed = await applicationIdsFrom(sql, subjects.large, from, 80)
    figures['erasing one'] = await one.costOf(60, sql => {
      const place = { program_id: subjects.large, application_id: doomed.pop()!.application_id }
      return eraseApplication(sql, place, { actor: 'operator:bench', reason: undefined })
    })
    say('Submissions …')
    const origin = (await findActiveVersion(sql, subjects.drawing[0]!))!
    const key = await intakeKey(context, sql)
    const answers = sampleAnswerTexts(origin)
    const submit = () => submissionsPerSecond(sql, subjects.drawing, key, answers, submissions, submitApplication)
    await submit()
    const [rate, { backendMs }] = await metered(scratch, process.pid, submit)
    figures['submissions/s into 20 programs, 16 writers'] = rate
    figures['a submission'] = backendMs / submissions
    await measureService(context, scratch, size.exported, figures)
    await measureLoad(context, scratch, newcomer, size.loaded, figures)
    await measureUpkeep(context, scratch, subjects, figures)
    for (const { name, bytes } of await applicationSizes(sql)) figures[`MB: ${name}`] = bytes / 1e6
  } finally {
    await Promise.all([walking.end(), one.end()])
  }
}

let madeIntakeKey: Promise<string> | undefined
const intakeKey = ({ data }: BenchContext, sql: Sql): Promise<string> =>
  (madeIntakeKey ??= makeIntakeKey(sql, data.access.environment))

/** Pages of 1,000, the last beginning a thousand applications before the end, and a stretch of pages one after the other. */
async function measureWalks(
  one: OneConnection,
  name: string,
  programId: number,
  count: number,
  figures: Figures,
): Promise<void> {
  const start = await readWalkStart(one.sql, programId)
  const costOfPage = (after: number) => one.costOf(taken, sql => readPage(sql, pageFrom(programId, start, after)))
  figures[`${name}: start`] = await one.costOf(taken, sql => readWalkStart(sql, programId))
  figures[`${name}: first page`] = await costOfPage(0)
  if (count <= rowsOfPage) return
  figures[`${name}: middle page`] = await costOfPage(count / 2)
  figures[`${name}: last page`] = await costOfPage(count - rowsOfPage)
  const stretch = Math.min(pagesInARow, Math.floor(count / 4 / rowsOfPage))
  let page = 0
  figures[`${name}: each of ${stretch} pages in a row`] = await one.costOf(stretch * 3, sql =>
    readPage(sql, pageFrom(programId, start, count / 4 + (page++ % stretch) * rowsOfPage)),
  )
}

/** The page after so many applications, which were submitted a second apart. */
function pageFrom(programId: number, start: WalkStart, after: number): PageQuery {
  const last = start.last_application!
  const position: Position | undefined =
    after === 0
      ? undefined
      : { submit_seq: after, submit_time: last.submit_time - (last.submit_seq - after) * secondMicros }
  return {
    programId,
    horizon: start.horizon,
    lastApplication: last,
    from: undefined,
    to: undefined,
    revisionState: undefined,
    after: position,
    rowsMax: rowsOfPage + 1,
  }
}

/** Every row, looked at and dropped. */
const readPage = (sql: Sql, query: PageQuery): Promise<void> =>
  readPageRows(sql, query, 100, { take() {}, batchAhead: () => 200, endBatch: () => 200 })

/** A service of its own: what it holds when idle, and at most during one export. */
async function measureService(
  { children, data, machine, say }: BenchContext,
  scratch: DatabaseView,
  exported: number,
  figures: Figures,
): Promise<void> {
  say('One export …')
  const { environment } = data.access
  const authorization = await makeAuthorization(scratch.sql, environment, 'large')
  const service = await startService(children, scratch, { slug: 'large', authorization, environment })
  try {
    await warmUp(children, service, 300)
    figures['service idle, MB'] = residentBytes(service.pid) / 1e6
    await machine.wait()
    const [[transfer], cost] = await metered(scratch, service.pid, () =>
      fetchToNowhere(children, service.pageUrl(exported), service.headers, 1),
    )
    figures[`export of ${exported.toLocaleString('en')}: most memory, MB`] = cost.peakBytes / 1e6
    figures[`export of ${exported.toLocaleString('en')}: applications/s`] = exported / (transfer!.wallMs / 1000)
  } finally {
    await service.stop()
  }
}

/** scripts/load into a program that has nothing yet, beside all the rest. */
async function measureLoad(
  { children, data, machine, say }: BenchContext,
  scratch: DatabaseView,
  program: WordsProgram,
  count: number,
  figures: Figures,
): Promise<void> {
  say('A bulk load …')
  const file = `/var/tmp/tributary-bench-${process.pid}-${program.slug}.ndjson`
  const firstId = program.program_id * 1_000_000_000
  const line = (i: number): string =>
    JSON.stringify({
      applicant_id: firstId + i,
      application_id: firstId + i,
      create_time: '2020-01-01T00:00:00Z',
      submit_time: new Date(Date.UTC(2020, 0, 1, 0, 0, i)).toISOString(),
      language: 'en-US',
      program_name: program.slug,
      program_version_id: program.program_version_id,
      revision_state: 'CURRENT',
      submitter_type: 'APPLICANT',
      application: { [program.question_key]: { question_type: 'TEXT', text: 'x'.repeat(60) } },
    })
  try {
    await writeFile(file, Array.from({ length: count }, (_, i) => line(i)).join('\n'))
    await machine.wait()
    const ms = await timed(() =>
      children.run([process.execPath, join(root, 'scripts/load.ts'), file], {
        env: { ...scratch.environment, ...data.access.environment },
        timeoutMs: loadTimeoutMs,
      }),
    )
    figures[`applications/s of a load of ${count.toLocaleString('en')}`] = count / (ms / 1000)
  } finally {
    await rm(file, { force: true })
  }
}

/** What an operator does to a program's table: to all of them, where they lie together. */
async function measureUpkeep(
  { children, machine, say }: BenchContext,
  scratch: DatabaseView,
  subjects: { many: number; large: number },
  figures: Figures,
): Promise<void> {
  say('Vacuum and dump …')
  for (const name of ['many', 'large'] as const) {
    const table = await tableOf(scratch.sql, subjects[name])
    await machine.wait()
    figures[`${name}: vacuum of its table, ms`] = await timed(() => vacuumTable(scratch.sql, table))
    if (scratch.installation === undefined) continue
    const dump = [join(scratch.installation, 'bin/pg_dump'), '--data-only', '--table', table, '--file', '/dev/null']
    figures[`${name}: pg_dump of its table, ms`] = await timed(() =>
      children.run(dump, { env: scratch.environment, timeoutMs: dumpTimeoutMs }),
    )
  }
}

/** One connection, and what its backend works: that hardly depends on what else the machine has to do. */
class OneConnection {
  private constructor(
    readonly sql: Sql,
    private readonly pid: number,
  ) {}

  /** Made as the service makes its own. */
  static async open({ environment }: DatabaseView): Promise<OneConnection> {
    const sql = openDatabase({ url: environment.DATABASE_URL!, connectionsMax: 1 })
    knowPartitions(sql, await readPartitions(sql))
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return new OneConnection(sql, row!.pid)
  }

  /** Milliseconds of the backend's processor time for each of so many times, after a third as many that count for nothing. */
  async costOf(times: number, work: (sql: Sql) => Promise<unknown>): Promise<number> {
    let before = 0
    for (let i = -Math.ceil(times / 3); i < times; i++) {
      if (i === 0) before = mainThreadMs(this.pid)
      await work(this.sql)
    }
    return (mainThreadMs(this.pid) - before) / times
  }

  end(): Promise<void> {
    return this.sql.end({ timeout: 5 })
  }
}

let texts = 0

/** Publishes a program with another text of its question, so that what is published does not grow. */
async function publishAnother(sql: Sql, programId: number): Promise<void> {
  const definition = describeForEditing((await findActiveVersion(sql, programId))!)
  definition.questions[0]!.text = `What is it, asked in the ${++texts}th way?`
  await publishDefinition(sql, definition, 'operator:bench')
}
