// The file of a list for a spreadsheet has every value of the walk, in the order of the list, in the program's words; and the same is pulled.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { KeyMaps } from '../../../src/core/derived/program-key-map.ts'
import { inTransaction } from '../../../src/db/client.ts'
import { loadProgram } from '../../../src/db/programs/programs.ts'
import { openList } from '../../../src/web/console/downloads/listed-applications.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { expectedRows, keyedRows, textsOf } from '../../support/expected-sheets.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { sheetsInXlsx, zipEntries } from '../../support/read-workbook.ts'
import { callTool } from '../../support/tributary-tool.ts'

const slug = 'utility-assistance'
const database = await useDatabase()
const { sql } = database
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(sql, { programs: [{ slug, applications: 450 }], now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database, {}, { consoleDb: await useConsoleRole(database) })
const key = await createTestKey(sql, { programs: [slug] })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const list = `/admin/programs/${slug}/applications`
const newestFirst = (await new ExportClient(service, key, slug).walkAll()).toReversed()

const download = async (query: string, path = list): Promise<Buffer> => {
  const response = await browser.get(`${path}/download?${query}`)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

test('a workbook has every value of the walk, newest first, like a pull of the same program', async () => {
  const bytes = await download('format=xlsx')
  const sheets = sheetsInXlsx(bytes)
  const expected = expectedRows(newestFirst, await textsOf(sql, slug))
  expect(sheets.map(({ name }) => name)).toEqual(['Applications', 'Household members', 'Household members – jobs'])
  for (const [i, rows] of [...expected.values()].entries()) expect(keyedRows(sheets[i]!)).toEqual(rows)

  const out = join(await useFolder(), 'apps.xlsx')
  expect(await callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out])).toMatchObject({ code: 0 })
  const ordered = (found: typeof sheets) =>
    found.map(({ name, rows }) => ({
      name,
      heads: rows.slice(0, 2),
      rows: rows
        .slice(2)
        .map(row => JSON.stringify(row))
        .sort(),
    }))
  expect(ordered(sheetsInXlsx(readFileSync(out)))).toEqual(ordered(sheets))
})

test('questions and options are in the chosen language, or in the program’s where a translation is missing', async () => {
  const [english, spanish] = [await textsOf(sql, slug), await textsOf(sql, slug, 'es')]
  for (const [language, texts] of [
    ['en', english],
    ['es', spanish],
  ] as const) {
    const sheets = sheetsInXlsx(await download(`format=xlsx&language=${language}`))
    const [headings = [], keys = []] = sheets[0]!.rows
    expect(headings[keys.indexOf('utilities.selections')]).toBe(texts.question('utilities'))
    expect(keyedRows(sheets[0]!)).toEqual(expectedRows(newestFirst, texts).get('')!)
  }
  expect(spanish.question('utilities')).not.toBe(english.question('utilities'))
})

test('CSV files have the same rows, without affecting the CSV for clients', async () => {
  const [files, sheets] = [zipEntries(await download('format=zip')), sheetsInXlsx(await download('format=xlsx'))]
  expect([...files.keys()]).toEqual(['applications.csv', 'household_members.csv', 'household_members.jobs.csv'])
  for (const [i, file] of [...files.values()].entries()) {
    const records: string[][] = parse(file, { bom: true, record_delimiter: '\r\n' })
    expect(records.slice(0, 2)).toEqual(sheets[i]!.rows.slice(0, 2) as string[][])
    expect(records.map(([first]) => first)).toEqual(sheets[i]!.rows.map(([first]) => String(first)))
  }
  const text = (await download('format=csv')).toString()
  expect(text).toStartWith('\ufeffnext_page_token,application_id,')
  expect(text).toEqual((await download('')).toString())
})

test('filters and order are those of the list, and each file is in the audit log once', async () => {
  const [{ newest }] = (await sql`select max(audit_event_id) as newest from audit_event`) as unknown as [
    { newest: number },
  ]
  const found = newestFirst
    .filter(({ revision_state }) => revision_state === 'OBSOLETE')
    .map(application => application.application_id)
  const [applications, members] = sheetsInXlsx(await download('format=xlsx&revision=OBSOLETE'))
  expect(keyedRows(applications!).map(row => row.application_id)).toEqual(found)
  expect(new Set(keyedRows(members!).map(row => row.application_id))).toEqual(
    new Set(
      expectedRows(newestFirst, await textsOf(sql, slug))
        .get('household_members')!
        .map(row => row.application_id)
        .filter(id => found.includes(id as number)),
    ),
  )
  const events = await sql<{ detail: { applications: number[]; filters: string[] } }[]>`
    select detail from audit_event
    where action = 'applications_downloaded' and audit_event_id > ${newest}
    order by audit_event_id`
  expect(events.flatMap(({ detail }) => detail.applications)).toEqual(found)
  expect(events[0]!.detail.filters).toEqual(['revision'])
})

test('a list is downloaded oldest first if it is sorted so, and a list by status newest first', async () => {
  const ids = newestFirst.map(({ application_id }) => application_id)
  for (const [sort, expected] of [
    ['oldest', ids.toReversed()],
    ['status', ids],
  ] as const) {
    const [applications] = sheetsInXlsx(await download(`format=xlsx&sort=${sort}`))
    expect(keyedRows(applications!).map(row => row.application_id)).toEqual(expected)
  }
})

test('the page keeps the filters and offers the program’s languages', async () => {
  const page = await browser.page(`${list}/spreadsheet?status=none&revision=CURRENT`)
  expect(page).toContain(`action="${list}/download"`)
  for (const field of [
    'name="status" value="none"',
    'name="revision" value="CURRENT"',
    'value="xlsx" checked',
    'value="zip"',
    'value="csv"',
    'value="es"',
  ])
    expect(page).toContain(field)
})

test.each(['format=pdf', 'language=tlh', 'from=yesterday'])('%s is refused before anything is read', async query => {
  const events = () => sql`select count(*) as count from audit_event where action = 'applications_downloaded'`
  const before = await events()
  expect((await browser.get(`${list}/download?${query}`)).status).toBe(400)
  expect(await events()).toEqual(before)
})

test('a failure midway breaks off the download, so no program opens the partial file', async () => {
  const raw = await insertRawProgram(sql, 'broken')
  const textOf = () => Buffer.from(crypto.getRandomValues(new Uint8Array(3000))).toString('base64')
  const [oldest] = await insertRawApplications(sql, raw, 1800, textOf)
  await inTransaction(sql, async tx => {
    await tx`set local session_replication_role = replica`
    await tx`update application set snapshot = '{"of":"another version"}' where application_id = ${oldest!}`
  })
  for (const format of ['xlsx', 'zip']) {
    const response = await browser.get(`/admin/programs/broken/applications/download?format=${format}`)
    expect(response.status).toBe(200)
    const came: Uint8Array[] = []
    const read = async () => {
      for await (const bytes of response.body!) came.push(bytes)
    }
    await expect(read()).rejects.toThrow()
    expect(Buffer.concat(came).length).toBeGreaterThan(100_000)
    expect(() => zipEntries(Buffer.concat(came))).toThrow()
  }
})

test('an application that is superseded or submitted while the file is written appears as before (G3)', async () => {
  const raw = await insertRawProgram(sql, 'moving')
  const ids = await insertRawApplications(sql, raw, 450)
  const program = await loadProgram(sql, 'moving')
  const open = (revisionState: 'CURRENT' | 'OBSOLETE') =>
    openList(
      { consoleDb: sql, keyMaps: new KeyMaps() },
      { by: { actor: 'admin:test', address: undefined } as never },
      program,
      { filter: { revisionState }, values: new URLSearchParams() },
    )
  const [current, obsolete] = [await open('CURRENT'), await open('OBSOLETE')]
  const reading = current.applications()
  const first = (await reading.next()).value!
  await insertRawApplications(sql, raw, 2)
  await sql`
    update application set superseded_seq = (select submit_seq from submission_counter where program_id = ${program.program_id})
    where application_id = any(${[ids[0]!, ids[440]!]}::bigint[])`
  const rest = (await Array.fromAsync(reading)).flat()
  const again = (await Array.fromAsync(current.again())).flat()
  for (const stored of [[...first, ...rest], again]) {
    expect(stored.map(({ application_id }) => application_id)).toEqual(ids.toReversed())
    expect(stored.every(({ is_current }) => is_current)).toBe(true)
  }
  expect(await Array.fromAsync(obsolete.applications())).toEqual([])
})
