// That PostgreSQL answers the statements of an export by walking an index, whatever is asked and whatever it knows of the table.
// The statements are those the service sends, taken from the wire, so that no copy of them can be out of date.

import { beforeAll, describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/client.ts'
import { everyChoice } from '../support/any-filters.ts'
import { unlimited } from '../support/config.ts'
import { useDatabase, usePool, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { forgetStatistics, inShort, planModes, planOf } from '../support/query-plans.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'
import { startTestService } from '../support/service.ts'
import { type RecordedStatement, useRecorder } from '../support/statement-recorder.ts'

const slugs = ['first', 'second', 'third', 'fourth']
const applicationsPerProgram = 7500
const otherPrograms = 400

const database = await useDatabase()
const { sql } = database
for (const table of [
  'application',
  'api_key',
  'api_key_program',
  'program',
  'program_version',
  'submission_counter',
  'program_key_map',
])
  await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
for (const slug of slugs) await insertRawApplications(sql, await insertRawProgram(sql, slug), 1, () => 'x'.repeat(1000))
await multiplyApplications(sql, applicationsPerProgram)
await manyProgramsAndKeys(sql)
// One in ten by an intermediary.
await sql.begin(async tx => {
  await tx`alter table application disable trigger application_snapshot_is_immutable`
  await tx`
    update application set snapshot = replace(snapshot, '"submitter_type":"APPLICANT"', '"submitter_type":"TRUSTED_INTERMEDIARY"')
    where submit_seq % 10 = 0`
  await tx`alter table application enable trigger application_snapshot_is_immutable`
})

const { recorder, recorded } = await useRecorder(database.url)
const service = await useService({ ...database, url: recorder.url, sql: recorded }, { maxPageSize: 5000, ...unlimited })
const key = await createTestKey(sql, { programs: slugs })
// One connection of its own, so that what is set and prepared on it stays.
const explaining = usePool({ url: database.url, connectionsMax: 1 })

/** So many rows in the small tables that reading one of them whole is never the cheapest. */
async function manyProgramsAndKeys(sql: Sql): Promise<void> {
  await sql`
    insert into program (slug, display_name)
    select 'other-' || n, 'Other'
    from generate_series(1, ${otherPrograms}) as n`
  await sql`
    insert into submission_counter (program_id)
    select program_id from program
    on conflict do nothing`
  await sql`
    insert into program_version (program_id, state, screens, display_name, statuses, created_by, published_at, published_by)
    select program_id, case when n = 5 then 'ACTIVE' else 'OBSOLETE' end, '[]', 'Other', '{}', 'test', now(), 'test'
    from program
    cross join generate_series(1, 5) as n
    where slug like 'other-%'`
  await sql`
    insert into program_key_map (program_version_id, code_version, content, duration_ms)
    select program_version_id, 1000000, '{}', 0
    from program_version
    on conflict do nothing`
  await sql`
    insert into api_key (api_key_id, name, secret_hash, may_export, may_submit, front_end, expires_at, allowed_subnets, created_by)
    select 'key-' || n, 'Other', sha256(n::text::bytea), true, true, 'Other', now() + interval '90 days', '{::/0}', 'test'
    from generate_series(1, 3000) as n`
  await sql`
    insert into api_key_program (api_key_id, program_id)
    select api_key_id, program_id
    from api_key
    join program on program_id % 50 = length(api_key_id)`
}

type Filters = Readonly<Record<string, string>>

// The first application is of 2023-11-14T22:13:20Z, the last of 7,500 s later.
const everyFilter: readonly Filters[] = ['', '2023-11-14T22:14:00Z'].flatMap(fromDate =>
  ['', '2023-11-15T00:17:00Z'].flatMap(toDate =>
    everyChoice.map(choice =>
      Object.fromEntries(Object.entries({ fromDate, toDate, ...choice }).filter(([, value]) => value !== '')),
    ),
  ),
)

const pagesRead = () =>
  recorder.statements.filter(({ text }) => /select\s+snapshot,[\s\S]*from application\b/.test(text))

interface Asked {
  filters: Filters
  page: 'first' | 'later'
  statement: RecordedStatement
}

/** What the service asks for the first page, and for the one after it if there is one. */
async function askedFor(filters: Filters): Promise<Asked[]> {
  const asked: Asked[] = []
  let parameters: Record<string, string> = filters
  for (const page of ['first', 'later'] as const) {
    recorder.clear()
    const path = `/api/v1/admin/programs/second/applications?${new URLSearchParams(parameters)}`
    const response = await service.get(path, { headers: { Authorization: key.authorization } })
    const { nextPageToken } = (await response.json()) as { nextPageToken: string | null }
    const statements = pagesRead()
    expect(statements.length).toBe(1)
    asked.push({ filters, page, statement: statements[0]! })
    if (nextPageToken === null) break
    parameters = { nextPageToken }
  }
  return asked
}

const walked = 'Index Scan Forward application_walk'
/** How a page is read, by whose applications it has: those by applicants are sifted out of all, of which they are most. */
const readBy: Readonly<Record<string, string>> = {
  TRUSTED_INTERMEDIARY: 'Index Scan Forward application_by_intermediary',
  APPLICANT: `${walked} filter (split_part(split_part(snapshot, '"submitter_type":"'::text, 2), '"'::text, 1) <> 'TRUSTED_INTERMEDIARY'::text)`,
}

const pageSizes = ['1', '400', '1000', '5000']

describe.each(['never analyzed', 'analyzed'])('30,000 applications of 4 programs, %s', knowledge => {
  beforeAll(async () => {
    if (knowledge === 'analyzed') await database.sql`analyze`
    else await forgetStatistics(database.sql)
    const [known] = await database.sql`select count(*)::int as columns from pg_stats where tablename = 'application'`
    expect(known!.columns > 0).toBe(knowledge === 'analyzed')
  })

  test.each(planModes)(
    'a page is read in order from an index, with no sort and no filtering except by submitter type (%s)',
    async mode => {
      const otherwise: unknown[] = []
      const combinations = new Set<string>()
      for (const filters of everyFilter) {
        for (const pageSize of pageSizes) {
          for (const { page, statement } of await askedFor({ ...filters, pageSize })) {
            combinations.add(JSON.stringify([filters, page]))
            const plan = inShort(await planOf(explaining, statement, mode))
            const expected = filters.submitterType === undefined ? walked : readBy[filters.submitterType]
            if (plan !== expected) otherwise.push({ filters, pageSize, page, plan })
          }
        }
      }
      expect(otherwise).toEqual([])
      expect(combinations.size).toBe(2 * everyFilter.length)
    },
  )

  test('a few applications in a range of IDs are found by ID, wherever they are in the walk, and many in its order', async () => {
    const [newest] = await sql`select max(application_id) as id from application`
    const plans: string[] = []
    for (const filter of ['application_id ge 1', `application_id gt ${newest!.id - 20}`, 'application_id eq 5']) {
      recorder.clear()
      const path = `/odata/v1/second/Applications?$top=100&$filter=${encodeURIComponent(filter)}`
      const response = await service.get(path, { headers: { Authorization: key.authorization } })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
      const [statement] = pagesRead()
      // Each is planned for its own range.
      expect(statement!.isNamed).toBe(false)
      plans.push(inShort(await planOf(explaining, statement!, 'force_custom_plan')))
    }
    const byId = expect.stringContaining('application_pkey')
    const inOrder = expect.stringMatching(/^Index Scan Forward application_walk/)
    expect(plans).toEqual([knowledge === 'analyzed' ? inOrder : byId, byId, byId])
  })

  test.each(planModes)('changes are found by number, in whichever table they are (%s)', async mode => {
    recorder.clear()
    const path = '/api/v1/admin/programs/second/changes?after=3700&pageSize=100'
    const response = await service.get(path, { headers: { Authorization: key.authorization } })
    expect(((await response.json()) as { payload: unknown[] }).payload.length).toBe(100)
    const statement = recorder.statements.find(({ text }) => /'superseded' as kind/.test(text))!
    const plan = inShort(await planOf(explaining, statement, mode))
    // The other tables are empty here.
    expect(plan).not.toMatch(/Seq Scan application\b/)
    for (const index of ['application_program_id_submit_seq_key', 'application_superseded'])
      expect(plan).toContain(index)
  })

  test.each(planModes)('no other statement of a request scans a whole table (%s)', async mode => {
    recorder.clear()
    const fresh = await startTestService({ ...database, url: recorder.url, sql: recorded })
    const path = '/api/v1/admin/programs/second/applications?pageSize=1'
    await fresh.get(path, { headers: { Authorization: key.authorization } }).then(response => response.text())
    await fresh.stop()
    for (const [name, pattern] of Object.entries({
      'look up the key': /from api_key k\b/,
      'start the walk': /as horizon\b/,
      'find the kept key map': /join program_key_map\b/,
      'note the use of the key': /^\s*update api_key\b/,
    })) {
      const statement = recorder.statements.find(({ text }) => pattern.test(text))
      if (statement === undefined) throw new Error(`the service was not heard to ${name}`)
      // But for `program` and the question bank, which are small for as long as people name their rows.
      expect([name, inShort(await planOf(explaining, statement, mode))]).toEqual([
        name,
        expect.not.stringMatching(/Seq Scan (?!(?:program|question)\b)/),
      ])
    }
  })
})
