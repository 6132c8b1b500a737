// scripts/bench: prepares the database, runs the chosen sections in order, prints their results and saves them.

import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../../src/base/problem.ts'
import { exitCode, showHelpIfAsked } from '../command-line/environment.ts'
import { ChildProcesses } from '../processes/child-processes.ts'
import type { BenchContext } from './bench-context.ts'
import { prepareData, prepareNaiveCopy } from './bench-data.ts'
import { startBenchDatabase } from './bench-database.ts'
import { settleTables } from './bench-statements.ts'
import { digits, findingsTable, isReached, renderTable, type SectionReport } from './figures/findings.ts'
import { measureFormats } from './measure-formats.ts'
import { measureIntake } from './measure-intake.ts'
import { measureLatency } from './measure-latency.ts'
import { measureMemory } from './measure-memory.ts'
import { measurePages } from './measure-pages.ts'
import { measurePulling } from './measure-pulling.ts'
import { measureSearch } from './measure-search.ts'
import { help, parseOptions } from './options.ts'

/** By name, in the order in which they run. */
const sections: Record<string, (context: BenchContext) => Promise<SectionReport>> = {
  pages: measurePages,
  memory: measureMemory,
  latency: measureLatency,
  formats: measureFormats,
  intake: measureIntake,
  pull: measurePulling,
  search: measureSearch,
}

const folder = join(import.meta.dir, '../../.bench')
const children = new ChildProcesses()
const cleanUps: (() => Promise<unknown>)[] = [() => children.end()]
let ending: Promise<never> | undefined

/** Stops everything that was started, once, and exits. */
function end(status: number): Promise<never> {
  ending ??= (async () => {
    for (const cleanUp of cleanUps) await cleanUp().catch(error => console.error(String(error)))
    process.exit(status)
  })()
  return ending
}

showHelpIfAsked(help(Object.keys(sections)))
process.on('SIGINT', () => void end(130))
process.on('SIGTERM', () => void end(143))
await end(await exitCode(bench))

/** Throws if something in the arguments could not be measured. The tables show whether results reach their targets. */
async function bench(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), Object.keys(sections))
  const say = (line: string): void => console.error(line)
  say('Starting PostgreSQL …')
  const loadBefore = loadavg()[0]!
  const database = await startBenchDatabase(options)
  cleanUps.push(() => database.stop())
  const data = await prepareData(children, database, options, say)
  const context = { options, children, database, data, say }
  if (options.sections.includes('pages')) await prepareNaiveCopy(context)
  await settleTables(database.sql)
  const reports: Record<string, SectionReport> = {}
  const failed: string[] = []
  for (const name of options.sections) {
    say(`\n${name}`)
    try {
      reports[name] = await sections[name]!(context)
    } catch (error) {
      if (ending !== undefined) return
      failed.push(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await children.stopAll()
    }
  }
  const about = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${digits(totalmem() / 2 ** 30)} GiB`,
    software: `Bun ${Bun.version}, ${database.description}`,
    data: `${data.program.applications.toLocaleString('en')} applications`,
    rounds: options.rounds,
    load: `load average at the start: ${digits(loadBefore)}; above a few tenths, the figures are unreliable`,
  }
  const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${JSON.stringify({ about, options, reports, failed }, null, 2)}\n`)
  const found = Object.values(reports)
  const findings = found.flatMap(report => report.findings)
  const blocks = [
    Object.entries(about)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    ...found.flatMap(report => report.tables).map(renderTable),
    renderTable(findingsTable(findings)),
    `${findings.filter(isReached).length} of ${findings.length} targets met`,
    `All measurements: ${path}`,
  ]
  console.log(`\n${blocks.join('\n\n')}\n`)
  if (failed.length > 0) throw new Problem('internal', { detail: failed.join('\n') })
}
