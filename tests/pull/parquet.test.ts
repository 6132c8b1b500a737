// `tributary pull` into Parquet, read by DuckDB, which knows nothing of us.

import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { ExportClient } from '../support/export-client.ts'
import { endWithFile, useDatabase, useFolder, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { runTool } from '../support/tributary-tool.ts'

const slug = 'utility-assistance'
const database = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
// More than a group of rows.
const programs = [{ slug, applications: 5300 }]
await seedPrograms(database.sql, { programs, now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: [slug] })
const folder = await useFolder()
const out = join(folder, 'apps.parquet')
const pulled = await runTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out])
const duck = await (await DuckDBInstance.create(':memory:')).connect()
endWithFile(async () => duck.disconnectSync())

async function rowsOf(query: string): Promise<Record<string, unknown>[]> {
  const reader = await duck.runAndReadAll(query)
  return reader.getRowObjectsJson() as Record<string, unknown>[]
}

test('another reader counts the same as SQL: applications, entities at every depth, and what was answered', async () => {
  expect(pulled).toMatchObject({ code: 0 })
  expect(
    readdirSync(folder)
      .filter(name => name.endsWith('.parquet'))
      .sort(),
  ).toEqual(['apps.household_members.jobs.parquet', 'apps.household_members.parquet', 'apps.parquet'])
  const [theirs] = await rowsOf(`
    select count(*)::integer as applications, count(*) filter (where revision_state = 'CURRENT')::integer as current,
      count("date_of_birth.date")::integer as born, sum("household_members.entities")::integer as members,
      (select count(*)::integer from '${folder}/apps.household_members.parquet') as rows,
      (select count(*)::integer from '${folder}/apps.household_members.jobs.parquet') as jobs,
      (select count(*)::integer from parquet_metadata('${out}') where column_id = 0) as groups
    from '${out}'`)
  const all = await new ExportClient(service, key, slug).walkAll()
  const members = all.flatMap(
    ({ application }) => (application.household_members as { entities: { jobs: { entities: unknown[] } }[] }).entities,
  )
  const [counted] = await database.sql`
    select count(*) as applications, count(*) filter (where superseded_seq is null) as current from application`
  expect(theirs).toEqual({
    ...counted,
    born: all.filter(({ application }) => application.date_of_birth!.date !== null).length,
    members: members.length,
    rows: members.length,
    jobs: members.reduce((sum, { jobs }) => sum + jobs.entities.length, 0),
    groups: 2,
  })
  const [types] = await rowsOf(`
    select "application_id" as id, "date_of_birth.date"::text as born, "utilities.selections" as utilities,
      epoch_ms("submit_time")::bigint as submitted, "amount_past_due.currency_dollars" as due
    from '${out}' where application_id = ${all[7]!.application_id}`)
  expect(types).toEqual({
    id: String(all[7]!.application_id),
    born: all[7]!.application.date_of_birth!.date,
    utilities: all[7]!.application.utilities!.selections,
    submitted: String(Date.parse(all[7]!.submit_time)),
    due: all[7]!.application.amount_past_due!.currency_dollars,
  })
})

test('nothing is added to a file that is closed for good, and it says so', async () => {
  const args = ['pull', service.baseUrl, '--program', slug, '--out', out, '--since-last']
  const { code, err } = await runTool(key, args)
  expect(code).toBe(2)
  expect(err).toContain('--since-last cannot add')
})
