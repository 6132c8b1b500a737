// What a process says when it cannot continue: "one clear sentence", for each failure an operator can mend.

import { expect, test } from 'bun:test'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failureLines, ofDatabase } from '../../src/base/failure.ts'
import { passingErrors } from '../../src/base/passing-errors.ts'
import { invalidRequest } from '../../src/base/problem.ts'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { createBareDatabase } from '../support/database.ts'
import { useFolder } from '../support/fixtures.ts'

const folder = await useFolder()
await writeFile(join(folder, 'file'), '')

const said = (work: () => Promise<unknown>): Promise<string[]> => work().then(() => [], failureLines)

test('files and folders', async () => {
  const at = (name: string) => join(folder, name)
  expect(await said(() => readFile(at('nothing')))).toEqual([`There is no such file: ${at('nothing')}.`])
  expect(await said(() => Bun.file(folder).text())).toEqual([`${folder} is a directory, not a file.`])
  expect(await said(() => mkdir(at('file/below')))).toEqual([
    `A file is where a folder was expected: ${at('file/below')}.`,
  ])
  expect(await said(() => mkdir(at('file'), { recursive: true }))).toEqual([
    `A file is where a folder was expected: ${at('file')}.`,
  ])
  expect(await said(() => readdir(at('file')))).toEqual([`A file is where a folder was expected: ${at('file')}.`])
  // The account that runs the tests may be allowed everything.
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/root/x' })
  expect(failureLines(denied)).toEqual(['Permission denied: /root/x.'])
})

test('ports', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const again = async () => Bun.serve({ port: server.port!, hostname: '127.0.0.1', fetch: () => new Response() })
  expect(await said(again)).toEqual([
    `The port is already in use: ${server.port}. Stop what uses it, or set PORT or HEALTH_PORT to another.`,
  ])
  await server.stop(true)
})

test('the database: away, not there, not allowed, and read-only', async () => {
  const database = await createBareDatabase()
  const asked = async (changes: Partial<Pick<URL, 'port' | 'pathname' | 'username'>>): Promise<string> => {
    const sql = openDatabase({ url: Object.assign(new URL(database.url), changes).href, connectionsMax: 1 })
    const lines = await said(() => migrate(sql, allMigrations))
    await sql.end({ timeout: 0 })
    expect(lines).toHaveLength(1)
    return lines[0]!
  }
  const username = 'tributary_failure_test'
  try {
    expect(await asked({ port: '1' })).toStartWith('The database at 127.0.0.1:1 cannot be reached (ECONNREFUSED).')
    expect(await asked({ pathname: '/never_made' })).toBe(
      'The database refused the connection: database "never_made" does not exist. Check user, password and database name in DATABASE_URL.',
    )
    await database.sql`create role ${database.sql(username)} login`
    expect(await asked({ username })).toBe(
      'The database user may not do this: permission denied for schema public. Grant it the right, or use another user in DATABASE_URL.',
    )
    await database.sql`alter role ${database.sql(username)} nologin`
    expect(await asked({ username })).toStartWith(
      `The database refused the connection: role "${username}" is not permitted to log in.`,
    )
    const name = new URL(database.url).pathname.slice(1)
    await database.sql`alter database ${database.sql(name)} set default_transaction_read_only = on`
    expect(await asked({})).toMatch(/^The database is read-only: .*$/)
  } finally {
    await database.sql`drop role if exists ${database.sql(username)}`
    await database.drop()
  }
})

test('every passing error of the network and the database is one line, which names its code', () => {
  for (const { code, routine } of passingErrors) {
    const error = Object.assign(new Error('said'), { code, routine })
    expect(failureLines(error), code).toEqual([expect.not.stringMatching(/^ +at /m)])
    if (code !== 'ENOENT') expect(failureLines(error)[0], code).toMatch(/^The (connection to the )?database/)
  }
  const address = Object.assign(new Error('said'), {
    code: 'ECONNRESET',
    path: 'https://user:CANARY@h.example/x?y=CANARY',
  })
  expect(failureLines(address)).toEqual(['The connection to https://h.example was lost (ECONNRESET). Try again.'])
})

test('a failure of another database than DATABASE_URL names its setting', async () => {
  const setting = 'CIVIFORM_DATABASE_URL'
  for (const [code, address] of [['28P01'], ['3D000'], ['42501'], ['ECONNREFUSED'], ['CONNECT_TIMEOUT', '192.0.2.1']]) {
    const error = Object.assign(new Error('said'), { code, address })
    const [line] = await said(() => ofDatabase(setting, () => Promise.reject(error)))
    expect(line).toContain(setting)
  }
})

test('a Problem speaks for itself, with each error on a line of its own', () => {
  const problem = invalidRequest('Nothing was done.', [
    { path: '/a/0', code: 'wrong', detail: 'Must be right.' },
    { parameter: 'PORT', code: 'wrong', detail: 'must be a number' },
    { path: '', code: 'wrong', detail: 'Must be an object.' },
  ])
  expect(failureLines(problem)).toEqual([
    'Nothing was done.',
    '  /a/0: Must be right. [wrong]',
    '  PORT: must be a number [wrong]',
    '  Must be an object. [wrong]',
  ])
})

test('an unforeseen failure is shown whole, for a developer', () => {
  expect(failureLines(new Error('unforeseen'))[0]).toContain('unforeseen')
  expect(failureLines('thrown text')).toEqual(['thrown text'])
})
