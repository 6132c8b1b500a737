// Fills the database of a benchmark: sample applications through scripts/seed, an API key, and the copy that the peers read.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createApiKey } from '../../src/core/keys/api-keys.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import type { ChildProcesses } from '../processes/child-processes.ts'
import type { BenchContext, BenchData } from './bench-context.ts'
import type { DatabaseView } from './bench-database.ts'
import { appendNaive, countNaiveCopy, readLargestProgram } from './bench-statements.ts'
import { type HttpSubject, type Page, readPage, withService } from './http-subject.ts'
import type { BenchmarkOptions } from './options.ts'

const root = join(import.meta.dir, '../..')
const copyPageRows = 1000
/** The time zone of the seeded instance; it has daylight saving time, so that offsets differ. */
export const timeZone = 'America/Los_Angeles'
/** Everything was submitted in the year before this. */
const seedNow = '2026-01-01T00:00:00Z'

/** The loaded program and a key for it; loads it if the database does not contain it yet. */
export async function prepareData(
  children: ChildProcesses,
  { sql, environment: addresses }: DatabaseView,
  { applications }: Pick<BenchmarkOptions, 'applications'>,
  say: (line: string) => void,
): Promise<BenchData> {
  // Secrets for this run only.
  const pepper = randomBytes(48).toString('base64')
  const environment = {
    TRIBUTARY_ENV: 'development',
    INSTANCE_TIME_ZONE: timeZone,
    PAGE_TOKEN_KEYS: randomBytes(32).toString('base64'),
    API_KEY_PEPPER: pepper,
  }
  await prepareDatabase(sql, timeZone)
  let program = await readLargestProgram(sql)
  if (program === undefined || program.applications < applications) {
    say(`Loading ${applications.toLocaleString('en')} applications …`)
    await children.run(
      [
        process.execPath,
        join(root, 'scripts/seed-program/seed.ts'),
        '--applications',
        String(applications),
        '--now',
        seedNow,
      ],
      { env: { ...addresses, ...environment } },
    )
    program = (await readLargestProgram(sql))!
  }
  const { apiSecretToken } = await createApiKey(sql, pepper, {
    name: 'Benchmark',
    programs: [program.slug],
    allowed_subnets: ['127.0.0.0/8'],
    may_export: true,
    may_submit: true,
    front_end: 'Benchmark',
    actor: 'operator:bench',
    now: Date.now() * 1000,
    expires_at: (Date.now() + 86_400_000) * 1000,
  })
  return { program, access: { authorization: `Basic ${apiSecretToken}`, environment } }
}

/** Creates the peers' copy from the service's export, so that they return the same. */
export async function prepareNaiveCopy(context: Omit<BenchContext, 'options'>): Promise<void> {
  const { database, data, say } = context
  const { sql } = database
  if ((await countNaiveCopy(sql)) !== data.program.applications) {
    say('Copying them for the peers, as jsonb …')
    await withService(context, async service => {
      let position = 0
      for await (const { text, payload } of pagesOf(service)) {
        await appendNaive(sql, position, text)
        position += payload.length
      }
    })
  }
}

/** Every page of a walk. */
export async function* pagesOf(service: HttpSubject): AsyncGenerator<Page, void> {
  for (let token: string | null = ''; token !== null; ) {
    const next = token === '' ? '' : `&nextPageToken=${token}`
    const page: Page = await readPage(`${service.pageUrl(copyPageRows)}${next}`, service.headers)
    yield page
    token = page.nextPageToken
  }
}
