// Measures how fast scripts/load loads an export, compared with PostgreSQL's own COPY of the same rows, in temporary databases.
//
// The load is the whole command, from the start of its process to its end: it reads the export's JSON, checks every answer, and stores
// applicants and status histories too. COPY reads rows prepared in PostgreSQL's own format from the server's disk and writes them to the
// table that the load filled, after truncating it: with the same indexes, checks and foreign keys, and with the applicants already stored.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exportProgram, importProgram } from '../../src/core/programs/program-transport.ts'
import { readValue } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { cpuMsWithChildren } from '../processes/is-alive.ts'
import type { BenchContext } from './bench-context.ts'
import { pagesOf, timeZone } from './bench-data.ts'
import { copyApplicationsIn, moveApplicationsOut } from './bench-statements.ts'
import { digits, type SectionReport } from './figures/findings.ts'
import { column, median, pairedRatio } from './figures/statistics.ts'
import { withService } from './http-subject.ts'
import { inRounds } from './rounds.ts'

const root = join(import.meta.dir, '../..')

export async function measureLoad(context: BenchContext): Promise<SectionReport> {
  const { children, data, database } = context
  const { program, access } = data
  const exported = `/var/tmp/tributary-bench-${process.pid}.ndjson`
  // Where the server itself can read and write.
  const dumped = join(database.dataDirectory, 'bench.copy')
  try {
    const writer = Bun.file(exported).writer()
    await withService(context, async service => {
      for await (const page of pagesOf(service)) {
        writer.write(`${page.text}\n`)
        await writer.flush()
      }
    })
    await writer.end()
    const bytes = Bun.file(exported).size
    const bundle = await exportProgram(database.sql, program.slug)
    const costOf = async (work: () => Promise<number>) => {
      const [startedAt, beforeMs] = [performance.now(), cpuMsWithChildren(database.pid)]
      const clientMs = await work()
      return { ms: performance.now() - startedAt, clientMs, postgresMs: cpuMsWithChildren(database.pid) - beforeMs }
    }
    const takeIn = () =>
      database.scratch(async scratch => {
        await prepareDatabase(scratch.sql, timeZone)
        await importProgram(scratch.sql, bundle, 'operator:bench')
        const load = await costOf(() =>
          children.cpuMs([process.execPath, join(root, 'scripts/operator/load.ts'), exported], {
            env: { ...scratch.environment, ...access.environment },
          }),
        )
        const loaded = await readValue<number>(scratch.sql)`select count(*) as applications from application`
        if (loaded !== program.applications)
          throw new Error(`${loaded} of ${program.applications} applications were loaded`)
        await moveApplicationsOut(scratch.sql, dumped)
        const copy = await costOf(() => copyApplicationsIn(scratch.sql, dumped).then(() => 0))
        await rm(dumped)
        return {
          load: load.ms,
          copy: copy.ms,
          commandMs: load.clientMs,
          loadMs: load.postgresMs,
          copyMs: copy.postgresMs,
        }
      })
    const { round: rounds } = await inRounds(context, { round: takeIn })
    return reportOf(program.applications, rounds, bytes)
  } finally {
    await rm(exported, { force: true })
    await rm(dumped, { force: true })
  }
}

/** Elapsed milliseconds of a round, and CPU time: of the command, of PostgreSQL meanwhile, and of PostgreSQL during COPY. */
type Round = Record<'load' | 'copy' | 'commandMs' | 'loadMs' | 'copyMs', number>

function reportOf(applications: number, rounds: readonly Round[], bytes: number): SectionReport {
  const row = (name: string, elapsed: 'load' | 'copy', ...cpu: readonly (keyof Round)[]): string[] => {
    const ms = median(column(rounds, elapsed))
    const cpuMs = cpu.reduce((sum, key) => sum + median(column(rounds, key)), 0)
    return [name, ...[ms, applications / (ms / 1000), bytes / 1e3 / ms, (cpuMs * 1000) / applications].map(digits)]
  }
  return {
    findings: [
      {
        what: 'scripts/load compared with raw COPY of the same applications into the same table',
        measured: pairedRatio(column(rounds, 'copy'), column(rounds, 'load')),
        atLeast: 0.4,
      },
      {
        what: 'scripts/load and PostgreSQL: CPU time of 1,000 applications',
        measured: (median(rounds.map(round => round.commandMs + round.loadMs)) * 1000) / applications,
        unit: 'ms',
        atMost: 400,
      },
    ],
    tables: [
      {
        title: `${applications.toLocaleString('en')} applications loaded`,
        head: ['', 'ms', 'applications/s', 'MB of JSON/s', 'µs of CPU time each'],
        rows: [
          row('COPY', 'copy', 'copyMs'),
          row('scripts/load', 'load', 'commandMs', 'loadMs'),
          row('… PostgreSQL alone', 'load', 'loadMs'),
        ],
      },
    ],
    raw: { rounds, bytes },
  }
}
