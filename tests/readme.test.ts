// What README tells a client to do, done as it stands there.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { createTestKey } from './support/keys.ts'
import { insertRawApplications, insertRawProgram } from './support/raw-applications.ts'
import { startTestService, type TestService } from './support/service.ts'

const address = 'http://127.0.0.1:8080/api/v1/admin/programs/utility-assistance/applications'
let database: TestDatabase
let service: TestService
let folder: string
let ids: number[]
let environment: Record<string, string | undefined>
let shellExamples: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  const program = await insertRawProgram(database.sql, 'utility-assistance')
  ids = await insertRawApplications(database.sql, program, 53, i => `“answer” ${i}\n\\ \u0000`)
  service = await startTestService(database, { maxPageSize: 10 })
  folder = await mkdtemp(join(tmpdir(), 'tributary-readme-'))
  const key = await createTestKey(database.sql, { programs: ['utility-assistance'] })
  environment = { PATH: process.env.PATH, USERNAME: key.username, PASSWORD: key.password }
  const readme = await Bun.file(join(import.meta.dir, '../README.md')).text()
  shellExamples = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(match => match[1]!)
})
afterAll(async () => {
  await service.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})

/** Runs the example in README that holds all of these words, against this service. */
async function run(...words: string[]): Promise<string> {
  const example = shellExamples.find(text => words.every(word => text.includes(word)))
  expect(example).toContain(address)
  const script = example!.replaceAll(address, address.replace('http://127.0.0.1:8080', service.baseUrl))
  // curl draws its progress on standard error.
  const shell = Bun.spawn(['sh', '-eu', '-c', script], { cwd: folder, env: environment, stderr: 'ignore' })
  const [out, code] = await Promise.all([shell.stdout.text(), shell.exited])
  expect(code).toBe(0)
  return out
}

test('the curl line pulls a page', async () => {
  const { payload } = JSON.parse(await run('curl -u', 'pageSize=500')) as { payload: unknown[] }
  expect(payload).toHaveLength(10)
})

test('the shell loop pulls all pages: every application once, in order', async () => {
  await run('while', 'jq')
  const lines = (await Bun.file(join(folder, 'applications.ndjson')).text()).trimEnd().split('\n')
  expect(lines.map(line => (JSON.parse(line) as { application_id: number }).application_id)).toEqual(ids)
})
