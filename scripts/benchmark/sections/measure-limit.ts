// Whether the drain is the limit it is taken for: compared with psql, which is written in C and copies to nowhere.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, metered } from '../bench-context.ts'
import { copyStatement, drainRequest } from '../bench-statements.ts'
import { startDrain } from '../conversations.ts'
import { digits, type SectionReport } from '../findings.ts'
import { inRounds } from '../rounds.ts'
import { column, mean, median } from '../statistics.ts'

interface Sample {
  wallMs: number
  clientMs: number
  backendMs: number
}

/** The same rows, once by the drain and once by `psql` in either format, each round. No figure is wanted; it is a check. */
export async function measureLimit(context: BenchContext): Promise<SectionReport> {
  const { children, data, database, options } = context
  const psql = findPsql(database.installation)
  const rows = Math.min(100_000, options.applications)
  const drain = startDrain(children, database)
  const drained = async (): Promise<Sample> => {
    const [answer, cost] = await metered(database, drain.pid, () => drain.ask(drainRequest(data.program, rows, 1)))
    return { wallMs: answer.runs[0]!.wallMs, clientMs: cost.processorMs, backendMs: cost.backendMs }
  }
  const copied = (psql: string, format: 'binary' | 'text') => (): Promise<Sample> =>
    runToNowhere([psql, '-qXc', `${copyStatement(data.program, rows, format)};`], database.environment)
  try {
    const rounds = await inRounds<string, Sample>(context, {
      drain: drained,
      ...(psql && { 'psql copy binary': copied(psql, 'binary'), 'psql copy text': copied(psql, 'text') }),
    })
    return {
      tables: [
        {
          title: `The limit: ${rows.toLocaleString('en')} applications read and thrown away`,
          head: ['', 'ms', 'client processor ms', 'backend ms'],
          rows: Object.entries(rounds).map(([name, samples]) => [
            name,
            digits(median(column(samples, 'wallMs'))),
            digits(mean(column(samples, 'clientMs'))),
            digits(mean(column(samples, 'backendMs'))),
          ]),
        },
      ],
      notes: psql === undefined ? ['There is no psql on this machine to compare the drain with.'] : [],
      raw: rounds,
    }
  } finally {
    await drain.stop()
  }
}

function findPsql(installation: string | undefined): string | undefined {
  const own = installation === undefined ? undefined : join(installation, 'bin/psql')
  return own !== undefined && existsSync(own) ? own : (Bun.which('psql') ?? undefined)
}

/** Includes the start of the process and of its session: some ten milliseconds. */
async function runToNowhere(command: readonly string[], environment: Record<string, string>): Promise<Sample> {
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
  return { wallMs, clientMs: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000, backendMs: Number.NaN }
}
