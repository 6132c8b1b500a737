// Whether the drain is the limit it is taken for: compared with psql, which is written in C and copies to nowhere.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, metered } from '../bench-context.ts'
import { copyStatement, drainRequest } from '../bench-statements.ts'
import { startDrain } from '../conversations.ts'
import { digits, type SectionReport } from '../findings.ts'
import { mean, median } from '../statistics.ts'

/** The same rows, once by the drain and once by `psql` in either format, each round. No figure is wanted; it is a check. */
export async function measureLimit(context: BenchContext): Promise<SectionReport> {
  const { children, data, database, machine, options } = context
  const psql = findPsql(database.installation)
  const rows = Math.min(100_000, options.applications)
  const drain = startDrain(children, database)
  const samples: Record<string, { wallMs: number[]; clientMs: number[]; backendMs: number[] }> = {}
  const note = (name: string, wallMs: number, clientMs: number, backendMs: number): void => {
    samples[name] ??= { wallMs: [], clientMs: [], backendMs: [] }
    samples[name].wallMs.push(wallMs)
    samples[name].clientMs.push(clientMs)
    samples[name].backendMs.push(backendMs)
  }
  try {
    for (let round = 0; round <= options.rounds; round++) {
      await machine.wait()
      const [answer, cost] = await metered(database, drain.pid, () => drain.ask(drainRequest(data.program, rows, 1)))
      if (round > 0) note('drain', answer.runs[0]!.wallMs, cost.processorMs, cost.backendMs)
      for (const format of psql === undefined ? [] : (['binary', 'text'] as const)) {
        const command = [psql!, '-qXc', `${copyStatement(data.program, rows, format)};`]
        await machine.wait()
        const { wallMs, clientMs } = await runToNowhere(command, database.environment)
        if (round > 0) note(`psql copy ${format}`, wallMs, clientMs, Number.NaN)
      }
    }
  } finally {
    await drain.stop()
  }
  return {
    findings: [],
    tables: [
      {
        title: `The limit: ${rows.toLocaleString('en')} applications read and thrown away`,
        head: ['', 'ms', 'client processor ms', 'backend ms'],
        rows: Object.entries(samples).map(([name, { wallMs, clientMs, backendMs }]) => [
          name,
          ...[median(wallMs), mean(clientMs), mean(backendMs)].map(digits),
        ]),
      },
    ],
    notes: psql === undefined ? ['There is no psql on this machine to compare the drain with.'] : [],
    raw: samples,
  }
}

function findPsql(installation: string | undefined): string | undefined {
  const own = installation === undefined ? undefined : join(installation, 'bin/psql')
  return own !== undefined && existsSync(own) ? own : (Bun.which('psql') ?? undefined)
}

/** Includes the start of the process and of its session: some ten milliseconds. */
async function runToNowhere(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<{ wallMs: number; clientMs: number }> {
  const startedAt = performance.now()
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdin: 'ignore',
    stdout: Bun.file('/dev/null'),
    stderr: 'pipe',
    timeout: 120_000,
  })
  const [status, complaint] = await Promise.all([child.exited, new Response(child.stderr).text()])
  const wallMs = performance.now() - startedAt
  if (status !== 0) throw new Error(`psql ended with status ${status}: ${complaint.trim()}`)
  return { wallMs, clientMs: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000 }
}
