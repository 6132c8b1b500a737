// What two streaming standbys change: how fast exports come that are read from them, and how much work they leave the primary.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../embedded-postgres.ts'
import { type BenchContext, type Cost, metered, withService } from '../bench-context.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { ChildProcesses } from '../child-processes.ts'
import { digits, type SectionReport } from '../findings.ts'
import { fetchToNowhere, type HttpSubject, warmUp } from '../http-subject.ts'
import { backendsMs, backendsMsSince } from '../process-meter.ts'
import { mean, median, pairedRatio } from '../statistics.ts'

const exportsAtOnce = 4

interface Sample extends Cost {
  wallMs: number
  /** Of the backends of both standbys together. */
  standbysMs: number
}

/** The same pages, several at once, from the one server and from its two standbys. */
export async function measureStandbys(context: BenchContext): Promise<SectionReport> {
  const { database, options, say } = context
  if (database.installation === undefined)
    return { findings: [], tables: [], notes: ['Standbys need pg_basebackup: --postgres debian.'], raw: [] }
  const pageSize = Math.min(10_000, options.applications)
  const folder = await mkdtemp('/var/tmp/tributary-bench-standbys-')
  // The account of the servers must get there.
  await chmod(folder, 0o755)
  const standbys: EmbeddedPostgres[] = []
  try {
    for (const name of ['a', 'b']) {
      say(`Copying the server for standby ${name} …`)
      standbys.push(await startStandby(context, join(folder, name)))
    }
    const { pathname } = new URL(database.environment.DATABASE_URL!)
    const urls = standbys.map(({ port }) => `postgres://${database.user}@127.0.0.1:${port}${pathname}`)
    const samples: Record<'one server' | 'two standbys', Sample[]> = { 'one server': [], 'two standbys': [] }
    await withService(context, {}, one =>
      withService(context, { EXPORT_DATABASE_URL: urls.join(',') }, async two => {
        for (const subject of [one, two]) await warmUp(context.children, subject)
        for (let round = 0; round <= options.rounds; round++) {
          const order = [['one server', one] as const, ['two standbys', two] as const]
          for (const [name, subject] of round % 2 === 0 ? order : order.toReversed()) {
            await context.machine.wait()
            const sample = await measure(context, subject, standbys, pageSize)
            if (round > 0) samples[name].push(sample)
          }
        }
      }),
    )
    if (samples['two standbys'].every(({ standbysMs }) => standbysMs === 0)) throw new Error('no standby was read')
    const wall = (name: keyof typeof samples): number[] => samples[name].map(({ wallMs }) => wallMs)
    const primary = (name: keyof typeof samples): number[] => samples[name].map(({ backendMs }) => backendMs)
    const applications = pageSize * exportsAtOnce
    const page = `${exportsAtOnce} pages of ${pageSize.toLocaleString('en')} at once`
    return {
      findings: [
        {
          section: 'standbys',
          what: `${page}: speed from two standbys against one server, all on one machine`,
          measured: pairedRatio(wall('one server'), wall('two standbys')),
          unit: '×',
          atLeast: 0.8,
        },
        {
          section: 'standbys',
          what: `${page}: what the primary does for them against one server`,
          measured: pairedRatio(primary('two standbys'), primary('one server')),
          unit: '×',
          atMost: 0.15,
        },
      ],
      tables: [
        {
          title: page,
          head: [
            'read from',
            'ms',
            'applications/s',
            'backends of the primary, ms',
            'of the standbys',
            'service processor ms',
          ],
          rows: Object.entries(samples).map(([name, taken]) => {
            const ms = median(taken.map(({ wallMs }) => wallMs))
            const costs = (['backendMs', 'standbysMs', 'processorMs'] as const).map(key =>
              mean(taken.map(cost => cost[key])),
            )
            return [name, ...[ms, (applications / ms) * 1000, ...costs].map(digits)]
          }),
        },
      ],
      notes: ['Standbys on machines of their own add processors; here they share those of the primary.'],
      raw: samples,
    }
  } finally {
    for (const standby of standbys) await standby.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  { children, database }: BenchContext,
  subject: HttpSubject,
  standbys: readonly EmbeddedPostgres[],
  pageSize: number,
): Promise<Sample> {
  const before = standbys.map(({ pid }) => backendsMs(pid, database.user))
  const [wallMs, cost] = await metered(database, subject.pid, async () => {
    const beganAt = performance.now()
    await Promise.all(
      Array.from({ length: exportsAtOnce }, () =>
        fetchToNowhere(children, subject.pageUrl(pageSize), subject.headers, 1, subject.pageUrl(1)),
      ),
    )
    return performance.now() - beganAt
  })
  const standbysMs = standbys.reduce((sum, { pid }, i) => sum + backendsMsSince(before[i]!, pid, database.user), 0)
  return { ...cost, wallMs, standbysMs }
}

async function startStandby({ children, database, options }: BenchContext, dataDirectory: string) {
  await copyServer(children, database, dataDirectory)
  const { PGPORT: port } = database.environment
  return startEmbeddedPostgres({
    dataDirectory,
    installation: database.installation!,
    settings: {
      shared_buffers: options.sharedBuffers,
      primary_conninfo: `host=127.0.0.1 port=${port} user=${database.user}`,
    },
    startTimeoutMs: 120_000,
  })
}

async function copyServer(children: ChildProcesses, database: BenchDatabase, dataDirectory: string): Promise<void> {
  const { PGPORT: port } = database.environment
  const from = ['-h', '127.0.0.1', '-p', port!, '-U', database.user, '-c', 'fast', '-X', 'stream', '--no-sync']
  await children.run([join(database.installation!, 'bin/pg_basebackup'), ...from, '-D', dataDirectory], {
    timeoutMs: 600_000,
  })
  await Bun.write(join(dataDirectory, 'standby.signal'), '')
  // The copy belongs to the account that runs this; when that is root, the server runs under another one.
  if (process.getuid?.() === 0)
    await children.run(['chown', '-R', `--reference=${database.dataDirectory}`, dataDirectory], { timeoutMs: 60_000 })
}
