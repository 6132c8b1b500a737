// `tributary pull` into Parquet, read by DuckDB, which knows nothing of us.

import { describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { endWithFile, endWithTest, useDatabase, useExport, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { insertRawApplications } from '../../support/raw-applications.ts'
import { callTool } from '../../support/tributary-tool.ts'

const slug = 'utility-assistance'
const database = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
// More than a group of rows.
const programs = [{ slug, applications: 5300 }]
await seedPrograms(database.sql, { programs, now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database, unlimited)
const key = await createTestKey(database.sql, { programs: [slug] })
const folder = await useFolder()
const out = join(folder, 'apps.parquet')
const pulled = await callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out])
const duck = await (await DuckDBInstance.create(':memory:')).connect()
endWithFile(async () => duck.disconnectSync())

async function rowsOf(query: string): Promise<Record<string, unknown>[]> {
  const reader = await duck.runAndReadAll(query)
  return reader.getRowObjectsJson() as Record<string, unknown>[]
}

test('another reader finds every application, in groups, with typed values', async () => {
  expect(pulled).toMatchObject({ code: 0 })
  expect(
    readdirSync(folder)
      .filter(name => name.endsWith('.parquet'))
      .sort(),
  ).toEqual(['apps.household_members.jobs.parquet', 'apps.household_members.parquet', 'apps.parquet'])
  const [theirs] = await rowsOf(`
    select count(*)::integer as applications,
      (select count(*)::integer from parquet_metadata('${out}') where column_id = 0) as groups
    from '${out}'`)
  const all = await new ExportClient(service, key, slug).walkAll()
  expect(theirs).toEqual({ applications: 5300, groups: 2 })
  const [kinds] = await rowsOf(`
    select typeof("submit_time") as submitted, typeof("amount_past_due.currency_dollars") as due,
      sum("amount_past_due.currency_dollars")::text as sum from '${out}' group by all`)
  const cents = all.map(({ application }) =>
    Math.round(Number(application.amount_past_due!.currency_dollars ?? 0) * 100),
  )
  expect(kinds).toEqual({
    submitted: 'TIMESTAMP WITH TIME ZONE',
    due: 'DECIMAL(18,2)',
    sum: (cents.reduce((sum, cent) => sum + cent, 0) / 100).toFixed(2),
  })
  const [types] = await rowsOf(`
    select "application_id" as id, "date_of_birth.date"::text as born, "utilities.selections" as utilities,
      epoch_ms("submit_time")::bigint as submitted, "amount_past_due.currency_dollars"::double as due
    from '${out}' where application_id = ${all[7]!.application_id}`)
  expect(types).toEqual({
    id: String(all[7]!.application_id),
    born: all[7]!.application.date_of_birth!.date,
    utilities: all[7]!.application.utilities!.selections,
    submitted: String(Date.parse(all[7]!.submit_time)),
    due: all[7]!.application.amount_past_due!.currency_dollars,
  })
})

test('verify counts applications, compares their IDs, and detects missing or incomplete files', async () => {
  expect(await callTool(key, ['verify', out])).toMatchObject({
    code: 0,
    out: expect.stringContaining('5,300 applications'),
  })
  const folder = await useFolder()
  const copies = join(folder, 'apps.parquet')
  for (const ending of ['.pull', '']) copyFileSync(out + ending, copies + ending)
  const missing = await callTool(key, ['verify', copies])
  expect(missing).toMatchObject({ code: 4, err: expect.stringContaining(folder) })
  await duck.run(`copy (from '${out}' offset 1) to '${copies}'`)
  const other = await callTool(key, ['verify', copies])
  expect(other).toMatchObject({ code: 4, err: expect.stringMatching(/\b5299\b.*\b5300\b/) })
  truncateSync(copies, 70_000)
  const cut = await callTool(key, ['verify', copies])
  expect(cut).toMatchObject({ code: 4, out: '', err: expect.stringContaining(copies) })
})

describe('--since-last', () => {
  test('G5, G6: adds new applications, and the file is byte-identical to one pulled at once', async () => {
    const odd = ['\ufeffmark', '', '￿', '😀'.repeat(9), 'z'.repeat(40), '\0']
    const textOf = (i: number) => odd[i % 7] ?? `answer ${i % 900}`
    const timeOf = (i: number) => Date.UTC(2040, 0, 1) * 1000 + i * 1_000_000
    const { service, key, slug, sql, program } = await useExport({ slug: 'words', applications: 5300, textOf, timeOf })
    const out = join(await useFolder(endWithTest), 'added.parquet')
    const pull = (...more: string[]) =>
      callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out, ...more])
    await sql`update submission_counter set last_submit_time = (select max(submit_time) from application)`
    expect(await pull('--since-last')).toMatchObject({ code: 0 })
    for (const more of [4800, 0, 30, 1]) {
      if (more > 0) await insertRawApplications(sql, program, more, textOf, timeOf)
      await sql`update submission_counter set last_submit_time = (select max(submit_time) from application)`
      expect(await pull('--since-last')).toMatchObject({ code: 0 })
    }
    const [counted] = await rowsOf(`
      select count(distinct application_id)::integer as ids, count(*) filter (where "words_words.text" = '\ufeffmark')::integer as marked,
        (select list(row_group_num_rows order by row_group_id) from parquet_metadata('${out}') where column_id = 0) as groups
      from '${out}'`)
    expect(counted).toEqual({ ids: 10_131, marked: expect.any(Number), groups: ['5000', '5000', '131'] })
    expect(counted!.marked).toBeGreaterThan(1000)
    const five = await callTool(key, ['verify', out])
    expect(five).toMatchObject({ code: 0, out: expect.stringContaining('10,131 applications in 5 pulls') })
    const added = readFileSync(out)
    expect(await pull()).toMatchObject({ code: 0 })
    expect(readFileSync(out).equals(added)).toBe(true)
  })

  test('keeps the position of every column when the program grows, and fills new columns as a pull of everything does', async () => {
    const asked = { optional: true }
    const { sql } = database
    const first = [
      q.text('words', asked),
      q.checkbox('pets', ['cat', 'dog'], asked),
      q.date('day', asked),
      q.currency('rent', asked),
      q.enumerator('child', [q.date('born', asked)], asked),
    ]
    await publish(sql, { slug: 'growing', questions: first })
    const key = await createTestKey(sql, { programs: ['growing'], maySubmit: true })
    const frontEnd = new FrontEnd(service, key, 'growing')
    const apply = async (answers: Record<string, unknown>) => frontEnd.apply(await frontEnd.register(), answers)
    const own = await useFolder(endWithTest)
    const [added, fresh] = [join(own, 'growing.parquet'), join(own, 'fresh.parquet')]
    const pull = (out: string, ...more: string[]) =>
      callTool(key, ['pull', service.baseUrl, '--program', 'growing', '--out', out, ...more])
    const child = (entity_name: string) => ({ entity_name, born: { date: '1969-12-31' } })
    await apply({ words: { text: 'a' }, pets: { selections: ['cat', 'dog'] }, child: { entities: [child('Ada')] } })
    await apply({ day: { date: '2024-02-29' }, rent: { currency_dollars: 1250.5 } })
    await apply({ rent: { currency_dollars: 4503599627370.29 } })
    await apply({})
    expect(await pull(added, '--since-last')).toMatchObject({ code: 0 })
    const columnsOf = async (file: string) => (await rowsOf(`describe from '${file}'`)).map(row => row.column_name)
    const before = await columnsOf(added)
    await publish(sql, {
      slug: 'growing',
      questions: [
        q.checkbox('first of all', ['one'], asked),
        q.enumerator('child', [q.enumerator('toy', [], asked), q.date('born', asked)], asked),
        ...first.slice(0, -1),
      ],
    })
    const toys = { toy: { entities: [{ entity_name: 'Bear' }] } }
    await apply({ first_of_all: { selections: ['one'] }, child: { entities: [{ ...child('Bo'), ...toys }] } })
    expect(await pull(added, '--since-last')).toMatchObject({ code: 0 })
    expect(await pull(fresh)).toMatchObject({ code: 0 })
    const after = await columnsOf(added)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length)).toEqual(['first_of_all.selections'])
    // Written again with the new column, to the cent.
    const rents = await rowsOf(`select "rent.currency_dollars"::text as rent from '${added}' order by application_id`)
    expect(rents.map(({ rent }) => rent)).toEqual([null, '1250.50', '4503599627370.29', null, null])
    for (const table of ['', '.child', '.child.toy']) {
      const [item, other] = [added, fresh].map(file => file.replace('.parquet', `${table}.parquet`))
      const names = (await columnsOf(item!)).map(name => `"${String(name)}"`).join(', ')
      const rows = await rowsOf(`select ${names} from '${item}' order by all`)
      expect(rows).toHaveLength(table === '' ? 5 : table === '.child' ? 2 : 1)
      expect(rows).toEqual(await rowsOf(`select ${names} from '${other}' order by all`))
    }
  })
})
