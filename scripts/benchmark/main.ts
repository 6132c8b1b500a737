// scripts/bench: prepares, runs the sections that are asked for one after the other, prints what they found and writes it down.

import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { ChildProcesses } from '../child-processes.ts'
import { prepareData, prepareNaiveCopy } from './bench-data.ts'
import { startBenchDatabase } from './bench-database.ts'
import { settleTables } from './bench-statements.ts'
import { digits, findingsTable, isReached, renderTable, type SectionReport } from './findings.ts'
import { type BenchmarkOptions, help, parseOptions } from './options.ts'
import { QuietMachine } from './rounds.ts'
import { type SectionName, sections } from './sections/all-sections.ts'

const root = join(import.meta.dir, '../..')

let options: BenchmarkOptions
try {
  options = parseOptions(process.argv.slice(2), Object.keys(sections))
} catch (error) {
  console.error(`${(error as Error).message} scripts/bench --help tells more.`)
  process.exit(2)
}
if (options.help) {
  console.log(help(Object.keys(sections)))
  process.exit(0)
}

const children = new ChildProcesses()
const cleanUps: (() => Promise<unknown>)[] = [() => children.end()]
let ending: Promise<never> | undefined

/** Stops all that was started, once, and ends. */
function end(status: number): Promise<never> {
  ending ??= (async () => {
    for (const cleanUp of cleanUps) await cleanUp().catch(error => console.error(String(error)))
    process.exit(status)
  })()
  return ending
}

process.on('SIGINT', () => void end(130))
process.on('SIGTERM', () => void end(143))

try {
  await end((await run(options)) ? 0 : 1)
} catch (error) {
  if (ending === undefined) console.error(error instanceof Error ? error.message : String(error))
  await end(1)
}

/** Whether everything that was asked for could be measured. Whether what is wanted was reached, the tables say. */
async function run(options: BenchmarkOptions): Promise<boolean> {
  const say = (line: string): void => console.error(line)
  say('Starting PostgreSQL …')
  const database = await startBenchDatabase(options)
  cleanUps.push(() => database.stop())
  const data = await prepareData(children, database, options, say)
  if (options.sections.includes('pages')) await prepareNaiveCopy(children, database, data, say)
  else await settleTables(database.sql)
  const machine = new QuietMachine()
  const reports: Record<string, SectionReport> = {}
  const failed: string[] = []
  for (const name of options.sections) {
    say(`\n${name}`)
    try {
      reports[name] = await sections[name as SectionName]({ options, children, database, data, machine, say })
    } catch (error) {
      if (ending !== undefined) return false
      failed.push(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
      say(failed.at(-1)!)
    } finally {
      await children.stopAll()
    }
  }
  const about = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${digits(totalmem() / 2 ** 30)} GiB`,
    software: `Bun ${Bun.version}, ${database.description}`,
    data: `${data.program.applications.toLocaleString('en')} applications`,
    rounds: options.rounds,
    disturbed: `${machine.disturbed} of ${machine.measurements} measurements began on a machine busy with something else`,
  }
  const path = join(root, '.bench', `${new Date().toISOString().replaceAll(':', '-')}.json`)
  await mkdir(join(root, '.bench'), { recursive: true })
  await writeFile(path, `${JSON.stringify({ about, options, reports, failed }, null, 2)}\n`)
  const found = Object.values(reports)
  const findings = found.flatMap(report => report.findings)
  const blocks = [
    Object.entries(about)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    ...found.flatMap(report => report.tables).map(renderTable),
    ...failed,
    renderTable(findingsTable(findings)),
    `${findings.filter(isReached).length} of ${findings.length} reached`,
    `Everything measured: ${path}`,
  ]
  console.log(`\n${blocks.join('\n\n')}\n`)
  return failed.length === 0
}
