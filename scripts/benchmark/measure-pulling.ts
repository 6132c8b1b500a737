// Measures what `tributary pull` costs in each format, compared with curl fetching the same applications page by page in the same round. It
// measures processor time, because elapsed time depends more on other work on the machine.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMsOf } from '../processes/is-alive.ts'
import type { BenchContext } from './bench-context.ts'
import { type BenchFinding, digits, type SectionReport } from './figures/findings.ts'
import { column, median, pairedRatio } from './figures/statistics.ts'
import { curlConfig, type HttpSubject, withService } from './http-subject.ts'
import { inRounds } from './rounds.ts'

const root = join(import.meta.dir, '../..')
const pageRows = 1000

/** Maximum CPU time of a pull, as a multiple of curl's. */
const targets = { ndjson: 2.5, csv: 6, parquet: 8, postgres: 6 }
type Target = keyof typeof targets
const names = Object.keys(targets) as Target[]

interface Cost {
  clientMs: number
  serviceMs: number
}

export async function measurePulling(context: BenchContext): Promise<SectionReport> {
  const folder = mkdtempSync('/var/tmp/tributary-bench-pull-')
  try {
    const { done: rounds } = await withService(context, service => {
      const measured = (work: () => Promise<number>) => async (): Promise<Cost> => {
        const before = cpuMsOf(service.pid)
        const clientMs = await work()
        return { clientMs, serviceMs: cpuMsOf(service.pid) - before }
      }
      const pulls = names.map(name => [name, measured(() => pull(context, service, name, folder))] as const)
      return inRounds(context, {
        curl: measured(() => curlPages(context, service, folder)),
        ...(Object.fromEntries(pulls) as Record<Target, () => Promise<Cost>>),
      })
    })
    const against = (name: Target, key: keyof Cost): number =>
      pairedRatio(column(rounds[name], key), column(rounds.curl, key))
    const finding = (name: Target): BenchFinding[] => [
      {
        what: `pull into ${name}: processor time against curl`,
        measured: against(name, 'clientMs'),
        atMost: targets[name],
      },
      {
        what: `the service during a pull into ${name}, against curl`,
        measured: against(name, 'serviceMs'),
        atMost: 1.5,
      },
    ]
    return {
      findings: names.flatMap(finding),
      tables: [
        {
          title: `${context.data.program.applications.toLocaleString('en')} applications pulled, seconds of processor time`,
          head: ['', 'client', 'service', 'client against curl'],
          rows: (['curl', ...names] as const).map(name => [
            name,
            digits(median(column(rounds[name], 'clientMs')) / 1000),
            digits(median(column(rounds[name], 'serviceMs')) / 1000),
            name === 'curl' ? '1 ×' : `${digits(against(name, 'clientMs'))} ×`,
          ]),
        },
      ],
      raw: rounds,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A walk with one curl per page, each into a file. Returns their total CPU time. */
async function curlPages({ children }: BenchContext, service: HttpSubject, folder: string): Promise<number> {
  const file = join(folder, 'page.json')
  let clientMs = 0
  for (let token = ''; ; ) {
    const url = service.pageUrl(pageRows) + (token === '' ? '' : `&nextPageToken=${token}`)
    const config = curlConfig([url], service.headers).replace('/dev/null', file)
    clientMs += await children.cpuMs(['curl', '--config', '-'], { input: config })
    const end = readFileSync(file).subarray(-2000).toString('latin1')
    const next = /"nextPageToken":"([^"]+)"\}\s*$/.exec(end)?.[1]
    if (next === undefined) return clientMs
    token = next
  }
}

async function pull(context: BenchContext, service: HttpSubject, name: Target, folder: string): Promise<number> {
  const { children, data, database } = context
  const { origin } = new URL(service.pageUrl(1))
  const [username, password] = Buffer.from(data.access.authorization.split(' ')[1]!, 'base64').toString().split(':')
  const run = (args: readonly string[]): Promise<number> =>
    children.cpuMs(
      [
        process.execPath,
        join(root, 'scripts/tributary.ts'),
        'pull',
        origin,
        '--program',
        data.program.slug,
        '--quiet',
        ...args,
      ],
      { env: { TRIBUTARY_USERNAME: username!, TRIBUTARY_PASSWORD: password! } },
    )
  if (name === 'postgres')
    return database.scratch(scratch =>
      run(['--to', scratch.environment.DATABASE_URL!, '--state', join(folder, `state-${Date.now()}`)]),
    )
  const out = join(folder, `apps.${name}`)
  const clientMs = await run(['--restart', '--out', out])
  if (statSync(out).size === 0) throw new Error(`the pull wrote nothing to ${out}`)
  return clientMs
}
