// Each secret is rotated as OPERATIONS.md says, with processes that are replaced one by one, and no client that pulls is turned away.

import { afterEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { runScript } from '../scripts/run-script.ts'
import { testTokenKey } from '../support/config.ts'
import { useDatabase, useFolder, usePool } from '../support/fixtures.ts'
import { useInstalledPostgres } from '../support/installed-postgres.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { run } from '../support/run.ts'

const slug = 'raw'
const database = await useDatabase()
const ids = await insertRawApplications(database.sql, await insertRawProgram(database.sql, slug), 9)
const key = await createTestKey(database.sql, { programs: [slug] })
afterEach(endProcesses)

const ask = (main: TestMain, query: string, authorization = key.authorization): Promise<Response> =>
  fetch(`${main.url}/api/v1/admin/programs/${slug}/applications?${query}`, {
    headers: { Authorization: authorization },
    tls: { rejectUnauthorized: false },
  })

async function tokenOf(main: TestMain, authorization?: string): Promise<string> {
  const { nextPageToken } = (await (await ask(main, 'pageSize=3', authorization)).json()) as { nextPageToken: string }
  return nextPageToken
}

const statusOf = async (main: TestMain, token: string): Promise<number> =>
  (await ask(main, `nextPageToken=${token}`)).status

test('G8: rotating PAGE_TOKEN_KEYS by adding the new key, putting it first and dropping the old one invalidates no token between steps', async () => {
  const fresh = randomBytes(32).toString('base64')
  const steps = [testTokenKey, `${testTokenKey},${fresh}`, `${fresh},${testTokenKey}`, fresh]
  const mains = await Promise.all(steps.map(keys => startMain(database, { PAGE_TOKEN_KEYS: keys })))
  // While the processes are replaced, those of one step and of the next run side by side, and hand walks to one another.
  for (const [i, main] of mains.slice(0, 2).entries()) {
    const next = mains[i + 1]!
    expect(await statusOf(next, await tokenOf(main))).toBe(200)
    expect(await statusOf(main, await tokenOf(next))).toBe(200)
  }
  // The last step comes when no token of the old key lives any more.
  const [first, , third, last] = mains as [TestMain, TestMain, TestMain, TestMain]
  expect(await statusOf(last, await tokenOf(third))).toBe(200)
  expect(await statusOf(last, await tokenOf(first))).toBe(400)
  // Without the step between, walks would break.
  expect(await statusOf(first, await tokenOf(third))).toBe(400)
})

test('a new API_KEY_PEPPER invalidates all API keys, while new keys work and walks continue', async () => {
  const pepper = randomBytes(48).toString('base64')
  const main = await startMain(database, { API_KEY_PEPPER: pepper })
  expect((await ask(main, '')).status).toBe(401)
  const made = await runScript(
    'api-key',
    database.url,
    ['create', '--name', 'New', '--programs', slug, '--expires', '9d', '--subnets', 'anywhere'],
    '',
    { API_KEY_PEPPER: pepper },
  )
  const [username, password] = ['Username', 'Password'].map(
    word => new RegExp(`${word}:?\\s+(\\S+)`).exec(made.out)![1]!,
  )
  const walk = await tokenOf(await startMain(database))
  const response = await ask(main, `nextPageToken=${walk}`, `Basic ${btoa(`${username}:${password}`)}`)
  expect(response.status).toBe(200)
})

test('an API key is rotated by creating a second one and retiring the first', async () => {
  const main = await startMain(database)
  const made = await createTestKey(database.sql, { programs: [slug] })
  const second = await createTestKey(database.sql, { programs: [slug] })
  expect((await ask(main, '', second.authorization)).status).toBe(200)
  expect((await ask(main, '', made.authorization)).status).toBe(200)
  expect(await runScript('api-key', database.url, ['retire', made.username])).toMatchObject({ code: 0 })
  expect((await ask(main, '', made.authorization)).status).toBe(401)
  expect((await ask(main, '', second.authorization)).status).toBe(200)
})

describe.skipIf(!needs('openssl'))('TLS_CERT and TLS_KEY', () => {
  test('are rotated by starting a new process on the same port while the old one finishes', async () => {
    const folder = await useFolder()
    const make = (name: string): Record<string, string> => {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
      const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
      Bun.spawnSync(['openssl', ...request, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert])
      return { TLS_KEY: key, TLS_CERT: cert }
    }
    const first = await startMain(database, { ...make('first'), REUSE_PORT: 'on' })
    const { port } = new URL(first.url)
    expect(await subjectAt(port)).toContain('first')
    const second = await startMain(database, { ...make('second'), REUSE_PORT: 'on', PORT: port })
    first.child.kill('SIGTERM')
    expect(await first.child.exited).toBe(0)
    expect(await subjectAt(port)).toContain('second')
    expect((await ask(second, '')).status).toBe(200)
  })
})

/** Whose certificate is shown at a port of this machine. */
async function subjectAt(port: string): Promise<string> {
  const { out } = await run(['openssl', 's_client', '-connect', `127.0.0.1:${port}`])
  return /subject=(.*)/.exec(out)?.[1] ?? 'none'
}

describe.skipIf(!needs('postgresql15'))("a login's password in the database", () => {
  test('is rotated by creating a second login of the same group, restarting the processes with it, and dropping the first', async () => {
    const server = await useInstalledPostgres()
    const psql = (text: string) => server.run('psql', server.url, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', text)
    const asOwner = await runScript('migrate-database', server.url, ['--roles'])
    expect(asOwner).toMatchObject({ code: 0 })
    await psql("create role web login password 'first' in role tributary_service")
    const rules = join(server.dataDirectory, 'pg_hba.conf')
    const trusting = await Bun.file(rules).text()
    await Bun.write(rules, `host all web,web2 127.0.0.1/32 scram-sha-256\n${trusting}`)
    await psql('select pg_reload_conf()')
    const owner = usePool({ url: server.url, connectionsMax: 2, applicationName: 'test' })
    await insertRawApplications(owner, await insertRawProgram(owner, slug), ids.length)
    const own = await createTestKey(owner, { programs: [slug] })
    const as = (login: string, password: string) => ({ url: server.url.replace('tributary@', `${login}:${password}@`) })
    const desk = { CONSOLE_DATABASE_URL: server.url }

    const first = await startMain(as('web', 'first'), desk)
    await psql("create role web2 login password 'second' in role tributary_service")
    const second = await startMain(as('web2', 'second'), desk)
    expect((await ask(first, '', own.authorization)).status).toBe(200)
    const token = await tokenOf(first, own.authorization)
    first.child.kill('SIGTERM')
    expect(await first.child.exited).toBe(0)
    await psql('drop role web')
    expect((await ask(second, `nextPageToken=${token}`, own.authorization)).status).toBe(200)
  })
})
