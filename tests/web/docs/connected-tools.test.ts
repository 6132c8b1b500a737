// The commands and the query on the page about connecting tools, run as they stand there.

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { codeSamples } from '../../../src/web/docs/code-samples/code-samples.ts'
import { connectedTools } from '../../../src/web/docs/guide/connected-tools.ts'
import { decoded } from '../../support/console.ts'
import { csvRecordOf } from '../../support/csv-page.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { findNeeded, needs } from '../../support/needs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { callTool } from '../../support/tributary-tool.ts'

const slug = 'connected'
const count = 12
const database = await useDatabase()
const service = await useService(database)
const program = await insertRawProgram(database.sql, slug, { versions: 'one' })
await insertRawApplications(database.sql, program, count, i => `answer ${i}`)
const key = await createTestKey(database.sql, { programs: [slug] })
const folder = await useFolder()
const page = await (
  await service.get('/docs/api/connect', { headers: { Accept: 'text/html', Authorization: key.authorization } })
).text()

/** What the copy button of a snippet copies. */
async function snippet(id: string): Promise<string> {
  let text = ''
  await new HTMLRewriter()
    .on(`code#${id}`, {
      text: chunk => {
        text += chunk.text
      },
    })
    .transform(new Response(page))
    .text()
  return decoded(text)
}

async function pull(id: string): Promise<string> {
  const [tool, ...options] = (await snippet(id)).split(' ')
  const out = join(folder, options.pop()!)
  expect(tool).toBe('tributary')
  expect(await callTool(key, [...options, out])).toMatchObject({ code: 0 })
  return out
}

test('the Parquet command and the DuckDB query count every application', async () => {
  const out = await pull('pull-parquet')
  const duck = await (await DuckDBInstance.create(':memory:')).connect()
  const query = (await snippet('duckdb-query')).replace('apps.parquet', out)
  const rows = (await duck.runAndReadAll(query)).getRowObjectsJson()
  duck.disconnectSync()
  expect(rows.reduce((sum, row) => sum + Number(row.applications), 0)).toBe(count)
})

test('the CSV command writes a row for every application', async () => {
  const lines = (await readFile(await pull('pull-csv'), 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(count + 1)
})

test.skipIf(!needs('python3'))(
  'the CSV script writes every application, which DuckDB reads with the options on the page',
  async () => {
    const script = (await snippet('csv-script')).replace('pageSize=1000', 'pageSize=5')
    const env = { ...process.env, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: key.password }
    const python = Bun.spawn([findNeeded('python3')!, '-c', script], { cwd: folder, env })
    expect(await python.exited).toBe(0)
    const duck = await (await DuckDBInstance.create(':memory:')).connect()
    const query = (await snippet('csv-query')).replace('apps.csv', join(folder, 'apps.csv'))
    const rows = (await duck.runAndReadAll(query)).getRowObjectsJson()
    duck.disconnectSync()
    const client = new ExportClient(service, key, slug)
    expect(rows).toEqual((await client.walkAll()).map(csvRecordOf))
  },
)

test('a tool with a code sample is marked as run only if the tests run the sample', () => {
  const samples = codeSamples('https://example.gov', slug)
  const tools = connectedTools('https://example.gov', slug).filter(tool => tool.sample !== undefined)
  expect(tools.map(({ id }) => id)).toEqual(['r', 'java', 'dotnet'])
  for (const { tested, sample } of tools)
    expect(tested !== undefined).toBe(samples.find(({ id }) => id === sample)!.run_by_tests)
})

test('the feed on the page works with the key, and each code sample can be downloaded', async () => {
  const headers = { Authorization: key.authorization }
  const feed = /<code>[^<]*(\/odata\/v1\/[^<]*)<\/code>/.exec(page.replaceAll('<wbr>', ''))![1]!
  expect((await service.get(feed, { headers })).status).toBe(200)
  const links = [...page.matchAll(/href="([^"]*\/samples\/[^"]*)"/g)].map(([, path]) => path!)
  expect(links).toHaveLength(3)
  for (const link of links) expect((await service.get(link, { headers })).status).toBe(200)
})
