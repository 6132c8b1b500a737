// What a process says when it cannot continue: "one clear sentence", for each failure an operator can mend.

import { expect, test } from 'bun:test'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failureLines, ofDatabase } from '../../src/base/failure.ts'
import { passingErrors } from '../../src/base/passing-errors.ts'
import { invalidRequest, Problem } from '../../src/base/problem.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { createBareDatabase } from '../support/database.ts'
import { useFolder } from '../support/fixtures.ts'

const folder = await useFolder()
await writeFile(join(folder, 'file'), '')

const said = (work: () => Promise<unknown>): Promise<string[]> => work().then(() => [], failureLines)
/** One line that ends with the code and names these. */
const lineWith = (code: string, ...names: (string | number | undefined)[]) => [
  expect.stringMatching(
    new RegExp(`^${names.map(name => `(?=.*${RegExp.escape(String(name))})`).join('')}.* \\[${code}\\]$`),
  ),
]

test('file system errors are described with the path', async () => {
  const at = (name: string) => join(folder, name)
  expect(await said(() => readFile(at('nothing')))).toEqual(lineWith('ENOENT', at('nothing')))
  expect(await said(() => Bun.file(folder).text())).toEqual(lineWith('EISDIR', folder))
  expect(await said(() => mkdir(at('file/below')))).toEqual(lineWith('ENOTDIR', at('file/below')))
  expect(await said(() => mkdir(at('file'), { recursive: true }))).toEqual(lineWith('EEXIST', at('file')))
  expect(await said(() => readdir(at('file')))).toEqual(lineWith('ENOTDIR', at('file')))
  // The account that runs the tests may be allowed everything.
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/root/x' })
  expect(failureLines(denied)).toEqual(lineWith('EACCES', '/root/x'))
})

test('errors about ports name the setting', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const again = async () => Bun.serve({ port: server.port!, hostname: '127.0.0.1', fetch: () => new Response() })
  expect(await said(again)).toEqual(lineWith('EADDRINUSE', server.port, 'PORT', 'HEALTH_PORT'))
  await server.stop(true)
})

test('a database that is down, missing, forbidden or read-only is explained', async () => {
  const database = await createBareDatabase()
  const asked = async (changes: Partial<Pick<URL, 'port' | 'pathname' | 'username'>>): Promise<string[]> => {
    const sql = openDatabase({ url: Object.assign(new URL(database.url), changes).href, connectionsMax: 1 })
    const lines = await said(() => migrate(sql, allMigrations))
    await sql.end({ timeout: 0 })
    return lines
  }
  const username = 'tributary_failure_test'
  try {
    expect(await asked({ port: '1' })).toEqual(lineWith('ECONNREFUSED', '127.0.0.1:1', 'DATABASE_URL'))
    expect(await asked({ pathname: '/never_made' })).toEqual(lineWith('3D000', 'never_made', 'DATABASE_URL'))
    await database.sql`create role ${database.sql(username)} login`
    expect(await asked({ username })).toEqual(lineWith('42501', 'permission denied for schema public', 'DATABASE_URL'))
    await database.sql`alter role ${database.sql(username)} nologin`
    expect(await asked({ username })).toEqual(lineWith('28000', username, 'DATABASE_URL'))
    const name = new URL(database.url).pathname.slice(1)
    await database.sql`alter database ${database.sql(name)} set default_transaction_read_only = on`
    expect(await asked({})).toEqual(lineWith('25006', 'DATABASE_URL'))
  } finally {
    await database.sql`drop role if exists ${database.sql(username)}`
    await database.drop()
  }
})

test('each temporary network or database error is one line with its code', () => {
  for (const { code, routine } of passingErrors) {
    const error = Object.assign(new Error('said'), { code, routine })
    expect(failureLines(error), code).toEqual(lineWith(code))
  }
  const address = Object.assign(new Error('said'), {
    code: 'ECONNRESET',
    path: 'https://user:CANARY@h.example/x?y=CANARY',
  })
  expect(failureLines(address)).toEqual(lineWith('ECONNRESET', 'https://h.example'))
  expect(failureLines(address)[0]).not.toContain('CANARY')
})

test('a failure of a database other than DATABASE_URL names its setting', async () => {
  const setting = 'CIVIFORM_DATABASE_URL'
  for (const [code, address] of [['28P01'], ['3D000'], ['42501'], ['ECONNREFUSED'], ['CONNECT_TIMEOUT', '192.0.2.1']]) {
    const error = Object.assign(new Error('said'), { code, address })
    const [line] = await said(() => ofDatabase(setting, () => Promise.reject(error)))
    expect(line).toContain(setting)
  }
})

test('a Problem is shown with each of its errors on a separate line', () => {
  const problem = invalidRequest('Detail.', [
    { path: '/a/0', code: 'wrong', detail: 'One.' },
    { parameter: 'PORT', code: 'worse', detail: 'two' },
    { path: '', code: 'worst', detail: 'Three.' },
  ])
  expect(failureLines(problem)).toEqual(['Detail.', '  /a/0: One. [wrong]', '  PORT: two [worse]', '  Three. [worst]'])
  expect(failureLines(new Problem('conflict', { detail: 'Detail.' }))).toEqual(['Detail. [conflict]'])
  expect(failureLines(new Problem('conflict', { detail: 'Detail.', internal: 'taken' }))).toEqual(['Detail. [taken]'])
})

test('an unexpected failure is shown in full, for a developer', () => {
  expect(failureLines(new Error('unforeseen'))[0]).toContain('unforeseen')
  expect(failureLines('thrown text')).toEqual(['thrown text'])
})
