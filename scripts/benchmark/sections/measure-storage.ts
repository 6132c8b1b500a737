// What it costs, and saves, to keep applications' texts compressed in their rows: on disk, in memory, and when nothing is in memory.
// It must not know how an export reads them. In copies of the database, which are gone afterwards.

import { type BenchContext, withService } from '../bench-context.ts'
import { pagesOf } from '../bench-data.ts'
import type { DatabaseView } from '../bench-database.ts'
import {
  type Compression,
  compressTexts,
  drainRequest,
  readCompressions,
  readStorageFacts,
  type StorageFacts,
  settleTables,
} from '../bench-statements.ts'
import { startDrain } from '../conversations.ts'
import { digits, type SectionReport, type Table } from '../findings.ts'
import { fetchToNowhere, type HttpSubject, startService } from '../http-subject.ts'
import { differenceOf, readPageBody } from '../page-body.ts'
import { type Forgotten, forgetFiles, readingSpeeds } from '../page-cache.ts'
import { inRounds, type Rounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

/** As the migrations have it. */
const asMade = 'as made'
type Kept = typeof asMade | Compression
/** Far less than any table of the benchmark. */
const smallBuffers = '32MB'
const checkedRows = 1000

interface Copy {
  kept: Kept
  database: DatabaseView
  facts: StorageFacts
}

type Milliseconds = Rounds<string, number>

export async function measureStorage(context: BenchContext): Promise<SectionReport> {
  const compressions = await readCompressions(context.database.sql)
  return withCopies(context, [asMade, ...compressions.toSorted()], [], copies => compare(context, copies))
}

/** Runs `work` with a copy of the database for each way of keeping texts. */
async function withCopies<T>(
  context: BenchContext,
  [kept, ...others]: readonly Kept[],
  made: readonly Copy[],
  work: (copies: readonly Copy[]) => Promise<T>,
): Promise<T> {
  if (kept === undefined) return work(made)
  context.say(`Copying the applications: texts ${kept} …`)
  return context.database.scratch(
    'copy',
    async database => {
      if (kept !== asMade) await compressTexts(database.sql, kept)
      await settleTables(database.sql)
      const facts = await readStorageFacts(database.sql)
      return withCopies(context, others, [...made, { kept, database, facts }], work)
    },
    `bench_storage_${kept.replace(' ', '_')}`,
  )
}

async function compare(context: BenchContext, copies: readonly Copy[]): Promise<SectionReport> {
  const { children, data, database, options, say } = context
  const rows = Math.min(100_000, options.applications)
  try {
    say('In memory …')
    const warm = await measureWarm(context, copies, rows)
    say(`Started again for each measurement, with ${smallBuffers} and nothing in memory …`)
    const forgotten: Forgotten[] = []
    const cold = await measureCold(context, copies, rows, forgotten)
    let speeds = { disk: Number.NaN, memory: Number.NaN }
    await database.restart({}, async () => {
      speeds = await readingSpeeds(children, database.dataDirectory)
    })
    const title = `${rows.toLocaleString('en')} applications`
    return {
      findings: [],
      tables: [
        sizes(copies),
        times(copies, warm, `${title}, all in memory`, ['drain', 'service']),
        times(
          copies,
          cold,
          `${title}, and all ${data.program.applications.toLocaleString('en')} in pages of 1,000; nothing in memory, shared_buffers ${smallBuffers}`,
          ['drain', 'walk'],
        ),
      ],
      notes: [whatWasForgotten(forgotten, speeds)],
      raw: { copies: copies.map(({ kept, facts }) => ({ kept, facts })), warm, cold, forgotten, speeds },
    }
  } finally {
    // Whatever comes next expects the server as it was.
    await database.restart()
  }
}

/** All copies fit into the caches together, and each is read once before it is measured. */
async function measureWarm(context: BenchContext, copies: readonly Copy[], rows: number): Promise<Milliseconds> {
  const { children, data } = context
  const drains = copies.map(({ database }) => startDrain(children, database))
  const services: HttpSubject[] = []
  try {
    for (const { database } of copies) services.push(await startService(children, database, data.access))
    await refuseDifferences(services)
    const measurements = copies.flatMap(({ kept }, i): [string, () => Promise<number>][] => [
      [`${kept} drain`, async () => (await drains[i]!.ask(drainRequest(data.program, rows, 2))).runs[1]!.wallMs],
      [
        `${kept} service`,
        async () => {
          const { pageUrl, headers } = services[i]!
          return (await fetchToNowhere(children, pageUrl(rows), headers, 1))[0]!.wallMs
        },
      ],
    ])
    return await inRounds(context, Object.fromEntries(measurements))
  } finally {
    for (const started of [...drains, ...services]) await started.stop()
  }
}

/** Each measurement on a server that was just started, after the system has forgotten its files. */
async function measureCold(
  context: BenchContext,
  copies: readonly Copy[],
  rows: number,
  forgotten: Forgotten[],
): Promise<Milliseconds> {
  const { children, data, database, machine } = context
  const afresh = async (): Promise<void> => {
    await database.restart({ shared_buffers: smallBuffers }, async () => {
      forgotten.push(await forgetFiles(children, database.dataDirectory))
    })
  }
  const drain = async (copy: Copy): Promise<number> => {
    await afresh()
    const drain = startDrain(children, copy.database)
    try {
      await machine.wait()
      return (await drain.ask(drainRequest(data.program, rows, 1))).runs[0]!.wallMs
    } finally {
      await drain.stop()
    }
  }
  const walk = async (copy: Copy): Promise<number> => {
    await afresh()
    return withService({ ...context, database: { ...database, ...copy.database } }, {}, async service => {
      await machine.wait()
      const startedAt = performance.now()
      let pages = 0
      for await (const _ of pagesOf(service)) pages++
      if (pages * 1000 < data.program.applications) throw new Error(`a walk ended after ${pages} pages`)
      return performance.now() - startedAt
    })
  }
  return inRounds(
    context,
    Object.fromEntries(
      copies.flatMap(copy => [
        [`${copy.kept} drain`, () => drain(copy)],
        [`${copy.kept} walk`, () => walk(copy)],
      ]),
    ),
  )
}

/** Throws unless every service gives the same page. */
async function refuseDifferences([first, ...others]: readonly HttpSubject[]): Promise<void> {
  const page = (service: HttpSubject) => readPageBody(service.pageUrl(checkedRows), service.headers)
  const { text } = await page(first!)
  for (const other of others) {
    const difference = differenceOf(text, (await page(other)).text)
    if (difference !== undefined) throw new Error(`what is stored otherwise is not exported alike: ${difference}`)
  }
}

const megabytes = (bytes: number): string => digits(bytes / 1e6)

function sizes(copies: readonly Copy[]): Table {
  return {
    title: 'On disk, MB',
    head: ['texts', 'rows', 'out of line', 'indexes', 'bytes a text', 'texts > 8,000 bytes'],
    rows: copies.map(({ kept, facts }) => [
      kept,
      ...[facts.heap, facts.toast, facts.indexes].map(megabytes),
      digits(facts.text_bytes),
      facts.large_texts.toLocaleString('en'),
    ]),
  }
}

/** The median of each, the fastest, and how it compares with the first copy's of the same round. */
function times(copies: readonly Copy[], rounds: Milliseconds, title: string, what: readonly string[]): Table {
  return {
    title,
    head: ['texts', ...what.flatMap(name => [`${name} ms`, 'fastest', 'against the first'])],
    rows: copies.map(({ kept }) => [
      kept,
      ...what.flatMap(name => {
        const taken = rounds[`${kept} ${name}`]!
        const ratio = pairedRatio(taken, rounds[`${copies[0]!.kept} ${name}`]!)
        return [digits(median(taken)), digits(Math.min(...taken)), `${digits(ratio)} ×`]
      }),
    ]),
  }
}

function whatWasForgotten(forgotten: readonly Forgotten[], speeds: { disk: number; memory: number }): string {
  const how = forgotten.some(({ by }) => by === 'all') ? 'with the page cache of the whole machine' : 'file by file'
  const left = forgotten.map(({ bytes, leftBytes }) =>
    leftBytes === undefined ? Number.NaN : (100 * leftBytes) / bytes,
  )
  const stayed = left.some(Number.isNaN)
    ? 'what stayed cannot be told here (no fincore)'
    : `at most ${digits(Math.max(...left))} % stayed`
  return (
    `The system forgot PostgreSQL's files ${how}; ${stayed}. A forgotten file was then read at ${digits(speeds.disk)} MB/s, and from ` +
    `memory at ${digits(speeds.memory)} MB/s: what the disk or the host of a virtual machine remembers cannot be made forgotten from here.`
  )
}
