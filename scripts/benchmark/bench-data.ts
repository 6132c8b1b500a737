// Fills the database of a benchmark: invented applications through scripts/seed, a key, and the copy that the peers read.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createApiKey } from '../../src/access/api-keys.ts'
import type { Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import type { BenchDatabase } from './bench-database.ts'
import {
  appendNaive,
  type BenchProgram,
  countNaiveCopy,
  makeNaiveTable,
  readLargestProgram,
  settleTables,
} from './bench-statements.ts'
import type { ChildProcesses } from './child-processes.ts'
import { type HttpSubject, type ServiceAccess, startService } from './http-subject.ts'
import type { BenchmarkOptions } from './options.ts'
import { type PageBody, readPageBody } from './page-body.ts'

const root = join(import.meta.dir, '../..')
const seedTimeoutMs = 30 * 60_000
const copyPageRows = 1000
/** The zone of the seeded instance; with summer time, so that offsets are not all alike. */
export const timeZone = 'America/Los_Angeles'
/** Everything was submitted in the year before. */
const seedNow = '2026-01-01T00:00:00Z'

export interface BenchData {
  program: BenchProgram
  access: ServiceAccess
}

/** Secrets of this run alone. */
function secrets(): Record<string, string> {
  return {
    TRIBUTARY_ENV: 'development',
    INSTANCE_TIME_ZONE: timeZone,
    PAGE_TOKEN_KEYS: randomBytes(32).toString('base64'),
    API_KEY_PEPPER: randomBytes(48).toString('base64'),
  }
}

/** The loaded program and a key to it; loads it when the database does not hold it yet. */
export async function prepareData(
  children: ChildProcesses,
  database: BenchDatabase,
  { applications }: BenchmarkOptions,
  say: (line: string) => void,
): Promise<BenchData> {
  const { sql } = database
  const environment = secrets()
  await prepareDatabase(sql, timeZone)
  let program = await readLargestProgram(sql)
  if (program === undefined || program.applications < applications) {
    say(`Loading ${applications.toLocaleString('en')} applications …`)
    await children.run(
      [process.execPath, join(root, 'scripts/seed.ts'), '--applications', String(applications), '--now', seedNow],
      {
        env: { ...database.environment, ...environment },
        timeoutMs: seedTimeoutMs,
      },
    )
    program = await readLargestProgram(sql)
    if (program === undefined || program.applications < applications)
      throw new Error(
        `scripts/seed left ${program?.applications ?? 0} applications in its largest program, not ${applications}`,
      )
  }
  const authorization = await makeAuthorization(sql, environment, program.slug)
  const access = { slug: program.slug, authorization, environment }
  return { program, access }
}

/** The Authorization field of a new key that may export a program. */
async function makeAuthorization(
  sql: Sql,
  { API_KEY_PEPPER }: Readonly<Record<string, string>>,
  slug: string,
): Promise<string> {
  const { apiSecretToken } = await createApiKey(sql, API_KEY_PEPPER!, {
    name: 'Benchmark',
    programs: [slug],
    allowed_subnets: ['127.0.0.0/8'],
    may_export: true,
    may_submit: false,
    front_end: undefined,
    actor: 'operator:bench',
    now: Date.now() * 1000,
    expires_at: (Date.now() + 86_400_000) * 1000,
  })
  return `Basic ${apiSecretToken}`
}

/** Makes the peers' copy from what the service exports, so that they return the same; then settles all tables. */
export async function prepareNaiveCopy(
  children: ChildProcesses,
  database: BenchDatabase,
  { program, access }: BenchData,
  say: (line: string) => void,
): Promise<void> {
  const { sql } = database
  if ((await countNaiveCopy(sql)) !== program.applications) {
    say('Copying them for the peers, as jsonb …')
    await makeNaiveTable(sql)
    const service = await startService(children, database, access)
    try {
      let copied = 0
      for await (const body of pagesOf(service)) copied += await appendNaive(sql, copied, body.text)
      if (copied !== program.applications)
        throw new Error(`${copied} of ${program.applications} applications were copied`)
    } finally {
      await service.stop()
    }
  }
  await settleTables(sql)
}

/** Every page of a walk. */
export async function* pagesOf(service: HttpSubject): AsyncGenerator<PageBody, void> {
  let url: string | undefined = service.pageUrl(copyPageRows)
  while (url !== undefined) {
    const body: PageBody = await readPageBody(url, service.headers)
    yield body
    url =
      body.nextPageToken === null ? undefined : `${service.pageUrl(copyPageRows)}&nextPageToken=${body.nextPageToken}`
  }
}
