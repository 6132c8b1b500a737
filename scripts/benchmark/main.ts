// scripts/bench: prepares, runs the sections that are asked for one after the other, prints what they found and writes it down.

import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { BenchContext } from './bench-context.ts'
import { prepareData, prepareNaiveCopy } from './bench-data.ts'
import { startBenchDatabase } from './bench-database.ts'
import { readProgramFacts, settleTables } from './bench-statements.ts'
import { ChildProcesses } from './child-processes.ts'
import { digits, findingsTable, isReached, renderTable, type SectionReport } from './findings.ts'
import { type BenchmarkOptions, help, parseOptions } from './options.ts'
import { QuietMachine } from './quiet-machine.ts'
import { type SectionName, sections } from './sections/all-sections.ts'

const root = join(import.meta.dir, '../..')
/** The whole run at most; a full one takes half of that. */
const deadlineMs = 3 * 60 * 60_000
/** For what is measured at that moment. */
const graceMs = 10 * 60_000

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
const cleanUps: (() => Promise<unknown>)[] = [() => children.stopAll()]
let ending: Promise<never> | undefined

/** Stops all that was started, once, and ends. */
function end(status: number): Promise<never> {
  ending ??= (async () => {
    for (const cleanUp of cleanUps) await cleanUp().catch(error => console.error(String(error)))
    process.exit(status)
  })()
  return ending
}

const interruption = new AbortController()
let measuring = false

/** Asks the sections to end, so that what they have measured is told; asked again, or before there is any, it ends at once. */
function interrupt(status: number): void {
  if (interruption.signal.aborted || !measuring) return void end(status)
  console.error('Interrupted: ends with what was measured. Once more ends it at once.')
  interruption.abort(new Error('it was interrupted'))
}

process.on('SIGINT', () => interrupt(130))
process.on('SIGTERM', () => interrupt(143))
for (const ms of [deadlineMs, deadlineMs + graceMs])
  setTimeout(() => {
    console.error('The benchmark takes too long.')
    interrupt(1)
  }, ms)

try {
  const isWhole = await run(options)
  await end(interruption.signal.aborted ? 130 : isWhole ? 0 : 1)
} catch (error) {
  if (ending === undefined) console.error(error instanceof Error ? error.message : String(error))
  await end(1)
}

/** Whether everything that was asked for could be measured. Whether what is wanted was reached, the tables say. */
async function run(options: BenchmarkOptions): Promise<boolean> {
  if (process.platform !== 'linux') throw new Error('The benchmark reads /proc and so runs on Linux only.')
  const say = (line: string): void => console.error(line)
  say('Starting PostgreSQL …')
  const database = await startBenchDatabase(options)
  cleanUps.push(() => database.stop())
  const data = await prepareData(children, database, options, say)
  if (options.sections.includes('pages')) await prepareNaiveCopy(children, database, data, say)
  else await settleTables(database.sql)
  const facts = await readProgramFacts(database.sql, data.program.program_id)
  const about = {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${digits(totalmem() / 2 ** 30)} GiB`,
    software: `Bun ${Bun.version}, ${database.description}, shared_buffers ${options.sharedBuffers}`,
    data: `${data.program.applications.toLocaleString('en')} applications of ${Math.round(facts.snapshot_bytes).toLocaleString('en')} bytes in ${facts.versions} program versions`,
    rounds: options.rounds,
  }
  const machine = new QuietMachine()
  const { signal } = interruption
  const context: BenchContext = { options, children, database, data, machine, interruption: signal, say }
  const reports: Record<string, SectionReport> = {}
  const failed: string[] = []
  measuring = true
  const left = [...options.sections]
  for (const name of options.sections) {
    if (signal.aborted) break
    left.shift()
    say(`\n${name}`)
    try {
      reports[name] = await sections[name as SectionName](context)
    } catch (error) {
      if (ending !== undefined) return false
      failed.push(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
      say(failed.at(-1)!)
    }
  }
  const { disturbed, measurements } = machine
  const whole = {
    ...about,
    ...(signal.aborted && { interrupted: `the last section lacks rounds; not begun: ${left.join(', ') || 'none'}` }),
    disturbed: `${disturbed} of ${measurements} measurements began on a machine busy with something else`,
  }
  print(whole, Object.values(reports), failed)
  console.log(`Everything measured: ${await writeJson({ about: whole, options, reports, failed })}`)
  return failed.length === 0
}

function print(
  about: Record<string, string | number>,
  reports: readonly SectionReport[],
  failed: readonly string[],
): void {
  const findings = reports.flatMap(report => report.findings ?? [])
  const blocks = [
    Object.entries(about)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    ...reports.flatMap(report => report.tables).map(renderTable),
    ...reports.flatMap(report => report.notes ?? []),
    ...failed,
    ...(findings.length === 0 ? [] : [renderTable(findingsTable(findings))]),
    `${findings.filter(isReached).length} of ${findings.length} reached`,
  ]
  console.log(`\n${blocks.join('\n\n')}\n`)
}

async function writeJson(content: unknown): Promise<string> {
  const folder = join(root, '.bench')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
  return path
}
