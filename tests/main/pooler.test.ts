// Service and worker through a pooler in transaction mode, as OPERATIONS.md says to run them.

import { afterEach, describe, expect, test } from 'bun:test'
import type { Problem } from '../../src/base/problem.ts'
import { release } from '../../src/base/release.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations, readMigration } from '../../src/db/migrations/all-migrations.ts'
import { walkIds } from '../support/export-client.ts'
import { endWithTest, openedIf, useBareDatabase, useDatabase } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { usePgbouncer } from '../support/pgbouncer.ts'
import { endProcesses, logged, refusalOf, spawnProcess, startMain, startWorker } from '../support/processes.ts'
import { aComputedProgram as aProgram, q } from '../support/programs.ts'
import { until } from '../support/until.ts'

const isThere = needs('pgbouncer')
const database = await useDatabase()
const pooler = await openedIf(isThere, () => usePgbouncer(database.url))

describe.skipIf(!isThere)('through PgBouncer in transaction mode', () => {
  const pooled = { url: isThere ? pooler.through(database.url) : '' }
  afterEach(endProcesses)

  const unprepared = { DATABASE_PREPARE: 'off' }

  test('services that start at the same time migrate an empty database once and leave no lock behind', async () => {
    const bare = await useBareDatabase(endWithTest)
    const url = pooler.through(bare.url)
    const started = await Promise.all([1, 2, 3].map(() => startMain({ url }, unprepared)))
    for (const { health } of started) expect((await fetch(`${health}/readyz`)).status).toBe(200)
    expect(await bare.sql`select pid from pg_locks where locktype = 'advisory'`).toHaveLength(0)
    // And one that starts later does not wait for another.
    await startMain({ url }, unprepared)
  })

  test('a migration outside a transaction is refused in a database in use, and applied to a new one', async () => {
    const index = readMigration(
      '9999-index.sql',
      `-- expand, oldest release ${release.version}, outside a transaction
create index concurrently if not exists program_by_slug on program (slug);
`,
    )
    const migrations = [...allMigrations, index]
    const bare = await useBareDatabase(endWithTest)
    for (const [url, outcome] of [
      [bare.url, 'applied'],
      [database.url, 'conflict'],
    ] as const) {
      const sql = openDatabase({ url: pooler.through(url), connectionsMax: 1, prepare: false })
      endWithTest(() => sql.end({ timeout: 1 }))
      const migrated = migrate(sql, migrations).then(
        names => (names.at(-1) === index.name ? 'applied' : names),
        (error: Problem) => error.kind,
      )
      expect(await migrated).toBe(outcome)
    }
    // The address of PostgreSQL itself leads on.
    const direct = await useDatabase({}, endWithTest)
    expect(await migrate(direct.sql, migrations)).toEqual([index.name])
  })

  test('all submissions are exported, page by page', async () => {
    await aProgram(database.sql, { slug: 'pooled', questions: [q.number('n')] })
    const key = await createTestKey(database.sql, { programs: ['pooled'], maySubmit: true })
    const main = await startMain(pooled, unprepared)
    const headers = { Authorization: key.authorization }
    const client = { get: (path: string, init: RequestInit = {}) => fetch(main.url + path, { headers, ...init }) }
    const frontEnd = new FrontEnd(client, key, 'pooled')
    const submitted = await Promise.all(
      Array.from(
        { length: 25 },
        async (_, n) => (await frontEnd.apply(await frontEnd.register(), { n: { number: n } })).application_id,
      ),
    )
    const seen = await walkIds(
      query => client.get(`/api/v1/admin/programs/pooled/applications?${query}`),
      'pageSize=10',
    )
    expect(seen.toSorted()).toEqual(submitted.toSorted())
    expect(new Set(seen).size).toBe(25)
  })

  test('the log warns if the role has no statement timeout, which applies through the pooler', async () => {
    const main = await startMain(pooled, unprepared)
    await logged(main, 'listening')
    expect(main.log.some(line => String(line.msg).includes('alter role'))).toBe(true)
    const direct = await startMain(database)
    expect(direct.log.some(line => String(line.msg).includes('alter role'))).toBe(false)
  })

  test('a worker whose queue would use the pooler refuses to start, with an error in one sentence', async () => {
    expect(await refusalOf(spawnProcess('workers/main.ts', pooled, unprepared))).toMatch(
      /^DATABASE_URL .*DATABASE_DIRECT_URL.*REDIS_URL.*\[pooled_database\]\n$/,
    )
  })

  test('a worker with DATABASE_DIRECT_URL generates docs of published versions', async () => {
    await startWorker(pooled, { ...unprepared, DATABASE_DIRECT_URL: database.url })
    const { program_version_id } = await aProgram(database.sql)
    await until('docs of what was published', async () => {
      const rows = await database.sql`select 1 from docs_example where program_version_id = ${program_version_id}`
      return rows.length === 1
    })
    const listening =
      await database.sql`select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'`
    expect(listening.length).toBeGreaterThan(0)
  })
})
