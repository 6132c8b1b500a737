// How everything fares with ten thousand programs, next to one program that has half as many applications as all of these together:
// without partitions, and then with the same applications laid in partitions by program (scripts/migrate --partitions).
// In a database of its own, which is gone afterwards.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLoadedIds } from '../../../src/db/bulk-loads.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { readProgramsOfApplicant } from '../../../src/db/erased-applications.ts'
import { partitionApplications } from '../../../src/db/migrate.ts'
import { readMissingDerived } from '../../../src/db/missing-derived.ts'
import { findActiveVersion } from '../../../src/db/programs.ts'
import { type PageQuery, type Position, readPageRows, readWalkStart, type WalkStart } from '../../../src/db/walks.ts'
import { describeForEditing } from '../../../src/domain/definitions/version-definition.ts'
import { renderSnapshot } from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { submitApplication } from '../../../src/intake/submit.ts'
import { publishDefinition } from '../../../src/programs/publish.ts'
import { eraseApplication } from '../../../src/upkeep/erase.ts'
import { type BenchContext, metered } from '../bench-context.ts'
import { makeKey, prepareEmpty, timeZone } from '../bench-data.ts'
import type { DatabaseView } from '../bench-database.ts'
import {
  addApplications,
  applicationIdsFrom,
  applicationSizes,
  makeBarePrograms,
  placeholders,
  readScans,
  someApplicationIds,
  tableOf,
  vacuumTable,
  withoutKeys,
  withoutWaitingForDisk,
} from '../bench-sizes.ts'
import { settleTables } from '../bench-statements.ts'
import { digits, type Finding, type SectionReport } from '../findings.ts'
import { fetchToNowhere, startService, warmUp } from '../http-subject.ts'
import { mainThreadMs, residentBytes } from '../process-meter.ts'
import {
  makeKey as makeIntakeKey,
  makePrograms,
  sampleAnswerTexts,
  submissionsPerSecond,
} from './measure-submissions.ts'

const root = join(import.meta.dir, '../../..')
const programs = 10_000
const sizes = {
  small: { each: 20, large: 100_000, loaded: 10_000, exported: 20_000 },
  full: { each: 1000, large: 5_000_000, loaded: 100_000, exported: 100_000 },
}
const partitionsUsual = 64
const taken = 300
const pagesInARow = 50
const rowsOfPage = 1000
const idsLookedUp = 1000
const submissions = 640
const loadTimeoutMs = 10 * 60_000
const dumpTimeoutMs = 20 * 60_000
const secondMicros = 1_000_000

/** Milliseconds, bytes and counts, by what they are of. */
type Figures = Record<string, number>

export async function measurePrograms(context: BenchContext): Promise<SectionReport> {
  const { database, options, say } = context
  const size = options.small ? sizes.small : sizes.full
  const partitions = options.partitions || partitionsUsual
  return database.scratch('empty', async scratch => {
    const { sql } = scratch
    await prepareEmpty(sql, { partitions: 0 })
    const many = await makeBarePrograms(sql, 'many', programs)
    const large = await publishWords(sql, 'large')
    const newcomers = [await publishWords(sql, 'newcomer'), await publishWords(sql, 'latecomer')]
    const origin = (await findActiveVersion(database.sql, context.data.program.program_id))!
    const drawing = await makePrograms(sql, origin, 'drawing')
    const all = programs * size.each + size.large
    say(`Making ${programs.toLocaleString('en')} programs and ${all.toLocaleString('en')} applications …`)
    const made = await timed(() =>
      withoutWaitingForDisk(sql, () =>
        withoutKeys(sql, async tx => {
          await addApplications(tx, many, size.each, 'x'.repeat(400))
          await addApplications(tx, [large.program_id], size.large, large.snapshot)
        }),
      ),
    )
    say(`… in ${digits(made / 1000)} s`)
    const subjects = { many: many[programs / 2]!, large: large.program_id, drawing }
    const layouts: Figures[] = []
    for (const own of newcomers) {
      const figures: Figures = {}
      if (layouts.length > 0) {
        say(`Laying them in ${partitions} partitions …`)
        figures['laying them in partitions, s'] = (await timed(() => partitionApplications(sql, partitions))) / 1000
      }
      await settleTables(sql)
      await measureLayout(context, scratch, subjects, size, own, figures)
      layouts.push(figures)
    }
    const [plain, laid] = layouts as [Figures, Figures]
    const finding = (what: string, measured: number, atMost: number): Finding => ({
      section: 'programs',
      what,
      measured,
      unit: '×',
      atMost,
    })
    const against = (name: string): number => laid[name]! / plain[name]!
    const names = [...new Set([...Object.keys(plain), ...Object.keys(laid)])]
    return {
      findings: [
        finding(
          'start of a walk in the large program against one of many',
          plain['large: start']! / plain['many: start']!,
          1.5,
        ),
        finding('last page of 1,000 against the first', plain['large: last page']! / plain['large: first page']!, 1.3),
        finding('start of a walk in partitions against none', against('large: start'), 1.5),
        finding('page of 1,000 in partitions against none', against('large: middle page'), 1.15),
        finding('publishing in partitions against none', against('publishing'), 1.2),
        finding('erasing one in partitions against none', against('erasing one'), 1.2),
      ],
      tables: [
        {
          title: `${programs.toLocaleString('en')} programs of ${size.each.toLocaleString('en')}, and one of ${size.large.toLocaleString('en')}; ms of PostgreSQL’s processor unless it says otherwise`,
          head: ['', 'no partitions', `${partitions} partitions`],
          rows: names.map(name => [name, digits(plain[name] ?? Number.NaN), digits(laid[name] ?? Number.NaN)]),
        },
      ],
      notes: [],
      raw: { plain, laid, made },
    }
  })
}

interface WordsProgram {
  slug: string
  program_id: number
  program_version_id: number
  question_key: string
  /** Of an application with placeholders for its ids. */
  snapshot: string
}

/** A program with one question, which no other program asks. */
async function publishWords(sql: Sql, slug: string): Promise<WordsProgram> {
  const admin_name = `words of ${slug}`
  const definition = {
    slug,
    display_name: slug,
    statuses: [],
    questions: [{ admin_name, kind: 'TEXT' as const, text: 'What is it?' }],
    screens: [{ name: 'All', questions: [{ question: admin_name }] }],
  }
  const { program_id } = await publishDefinition(sql, definition, 'operator:bench')
  const version = (await findActiveVersion(sql, program_id))!
  const shape = buildKeyMap([version])
  const { program_version_id } = version
  const question_key = shape[0]!.question_key
  const micros = Date.parse('2020-01-01T00:00:00Z') * 1000
  const snapshot = renderSnapshot(
    {
      applicant_id: placeholders.applicant,
      application_id: placeholders.application,
      create_time: micros,
      submit_time: micros,
      language: 'en-US',
      program_name: slug,
      program_version_id,
      submitter: { submitter_type: 'APPLICANT' },
      answers: new Map([[question_key, { type: 'TEXT', text: 'x'.repeat(60) }]]),
    },
    shape,
    timeZone,
  )
  return { slug, program_id, program_version_id, question_key, snapshot }
}

let texts = 0

/** Publishes a program with another text of its question, so that what is published does not grow. */
async function publishAnother(sql: Sql, programId: number): Promise<void> {
  const definition = describeForEditing((await findActiveVersion(sql, programId))!)
  definition.questions[0]!.text = `What is it, asked in the ${++texts}th way?`
  await publishDefinition(sql, definition, 'operator:bench')
}

/** Everything that is measured of a layout, in an order in which one thing does not disturb the next. */
async function measureLayout(
  context: BenchContext,
  scratch: DatabaseView,
  subjects: { many: number; large: number; drawing: readonly number[] },
  size: (typeof sizes)['full'],
  newcomer: WordsProgram,
  figures: Figures,
): Promise<void> {
  const { machine, say } = context
  const { sql } = scratch
  const walking = await OneConnection.open(scratch, { planOnce: true })
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
  (madeIntakeKey ??= makeIntakeKey(sql, data.access.environment.API_KEY_PEPPER!))

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
  const authorization = await makeKey(scratch.sql, environment, { slug: 'large' })
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

  /** Made as the service makes its own; `planOnce` for those that read pages. */
  static async open({ environment }: DatabaseView, settings: { planOnce?: boolean } = {}): Promise<OneConnection> {
    const sql = openDatabase({ url: environment.DATABASE_URL!, connectionsMax: 1, ...settings })
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await work()
  return performance.now() - beganAt
}
