// How fast scripts/load takes in what an export gave, next to PostgreSQL's own COPY of the same rows.
// In databases of their own, which are gone afterwards.
//
// The load is the whole command, from the start of its process to its end: it reads the export's JSON, checks every answer, and
// stores applicants and the history of statuses too. COPY is given its rows ready and in PostgreSQL's own form, from the
// server's disk, into the very table, emptied, that the load has just filled: the same indexes, checks and foreign keys, and
// applicants that are there already.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { countApplications } from '../../../src/db/stored-times.ts'
import { exportProgram, importProgram } from '../../../src/programs/program-transport.ts'
import { type BenchContext, withService } from '../bench-context.ts'
import { pagesOf, prepareEmpty } from '../bench-data.ts'
import { copyApplicationsIn, moveApplicationsOut } from '../bench-statements.ts'
import { digits, type SectionReport } from '../findings.ts'
import { median, pairedRatio } from '../statistics.ts'

const root = join(import.meta.dir, '../../..')
const loadTimeoutMs = 10 * 60_000

export async function measureLoad(context: BenchContext): Promise<SectionReport> {
  const { children, data, database, machine, options, say } = context
  const { program, access } = data
  const exported = `/var/tmp/tributary-bench-${process.pid}.ndjson`
  // Where the server itself can write and read.
  const dumped = join(database.dataDirectory, 'bench.copy')
  const loadMs: number[] = []
  const copyMs: number[] = []
  let bytes = 0
  try {
    bytes = await exportTo(context, exported)
    const bundle = await exportProgram(database.sql, program.slug)
    for (let round = 0; round <= options.rounds; round++) {
      say(round === 0 ? 'Warming up …' : `Round ${round} of ${options.rounds} …`)
      await database.scratch('empty', async scratch => {
        await prepareEmpty(scratch.sql, options)
        await importProgram(scratch.sql, bundle, 'operator:bench')
        await machine.wait()
        const load = await timed(() =>
          children.run([process.execPath, join(root, 'scripts/load.ts'), exported], {
            env: { ...scratch.environment, ...access.environment },
            timeoutMs: loadTimeoutMs,
          }),
        )
        const loaded = await countApplications(scratch.sql)
        if (loaded !== program.applications)
          throw new Error(`${loaded} of ${program.applications} applications were loaded`)
        await moveApplicationsOut(scratch.sql, dumped)
        await machine.wait()
        const copy = await timed(() => copyApplicationsIn(scratch.sql, dumped))
        await rm(dumped)
        if (round === 0) return
        loadMs.push(load)
        copyMs.push(copy)
      })
    }
  } finally {
    await rm(exported, { force: true })
    await rm(dumped, { force: true })
  }
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    digits(median(values)),
    digits(program.applications / (median(values) / 1000)),
    digits(bytes / 1e3 / median(values)),
  ]
  return {
    findings: [
      {
        section: 'load',
        what: 'scripts/load against raw COPY of the same applications into the same table',
        measured: pairedRatio(copyMs, loadMs),
        unit: '×',
        atLeast: 0.4,
      },
    ],
    tables: [
      {
        title: `${program.applications.toLocaleString('en')} applications taken in`,
        head: ['', 'ms', 'applications/s', 'MB of JSON/s'],
        rows: [row('COPY', copyMs), row('scripts/load', loadMs)],
      },
    ],
    notes: [],
    raw: { loadMs, copyMs, bytes },
  }
}

/** Writes every page of an export into a file, one a line. Returns its size. */
async function exportTo(context: BenchContext, path: string): Promise<number> {
  return withService(context, {}, async service => {
    const writer = Bun.file(path).writer()
    for await (const page of pagesOf(service)) {
      writer.write(`${page.text}\n`)
      await writer.flush()
    }
    await writer.end()
    return Bun.file(path).size
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
