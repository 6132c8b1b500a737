// What two streaming standbys change: how fast exports come that are read from them, and how much work they leave the primary.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../embedded-postgres.ts'
import { type BenchContext, type Cost, metered, withService } from '../bench-context.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { ChildProcesses } from '../child-processes.ts'
import { atLeast, atMost, digits, type SectionReport } from '../findings.ts'
import { fetchPages, type HttpSubject, warmUp } from '../http-subject.ts'
import { backendsMs, backendsMsSince } from '../process-meter.ts'
import { inRounds, timed } from '../rounds.ts'
import { column, mean, median, pairedRatio } from '../statistics.ts'

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
    return { tables: [], notes: ['Standbys need pg_basebackup: --postgres debian.'], raw: [] }
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
    const rounds = await withService(context, {}, one =>
      withService(context, { EXPORT_DATABASE_URL: urls.join(',') }, async two => {
        for (const subject of [one, two]) await warmUp(context.children, subject)
        return inRounds(context, {
          'one server': () => measure(context, one, standbys, pageSize),
          'two standbys': () => measure(context, two, standbys, pageSize),
        })
      }),
    )
    const { 'one server': alone, 'two standbys': beside } = rounds
    if (beside.every(({ standbysMs }) => standbysMs === 0)) throw new Error('no standby was read')
    const applications = pageSize * exportsAtOnce
    const page = `${exportsAtOnce} pages of ${pageSize.toLocaleString('en')} at once`
    return {
      findings: [
        atLeast(
          0.8,
          `${page}: speed from two standbys against one server, all on one machine`,
          pairedRatio(column(alone, 'wallMs'), column(beside, 'wallMs')),
        ),
        atMost(
          0.15,
          `${page}: what the primary does for them against one server`,
          pairedRatio(column(beside, 'backendMs'), column(alone, 'backendMs')),
        ),
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
          rows: Object.entries(rounds).map(([name, taken]) => {
            const ms = median(column(taken, 'wallMs'))
            const costs = (['backendMs', 'standbysMs', 'processorMs'] as const).map(key => mean(column(taken, key)))
            return [name, ...[ms, (applications / ms) * 1000, ...costs].map(digits)]
          }),
        },
      ],
      notes: ['Standbys on machines of their own add processors; here they share those of the primary.'],
      raw: rounds,
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
  const pages = () =>
    Promise.all(Array.from({ length: exportsAtOnce }, () => fetchPages(children, subject, pageSize, 1)))
  const [wallMs, cost] = await metered(database, subject.pid, () => timed(pages))
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
