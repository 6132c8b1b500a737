// The process itself: how it starts, refuses to start, and stops. Runs src/main.ts as an operator would.

import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { refuseAuditLines } from '../support/audit-log.ts'
import { stalledReader } from '../support/bare-reader.ts'
import { testCertificate } from '../support/certificate.ts'
import { createTestDatabase } from '../support/database.ts'
import { useDatabase, useFolder } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, refusalOf, spawnProcess, startMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'raw'), 400, () => 'x'.repeat(60_000))
const key = await createTestKey(database.sql, { programs: ['raw'] })

afterEach(endProcesses)

/** A client that asks for a page larger than all buffers on the way, and stops reading at its first bytes. */
const stalled = (url: string) =>
  stalledReader({
    port: new URL(url).port,
    path: '/api/v1/admin/programs/raw/applications',
    authorization: key.authorization,
  })

const refusal = (environment: Record<string, string>): Promise<string> =>
  refusalOf(spawnProcess('src/main.ts', database, environment))

describe('src/main.ts', () => {
  test('serves requests, and reports liveness and readiness on a separate port', async () => {
    const { url, health } = await startMain(database)
    expect((await fetch(`${url}/api/v1/checkAuth`, { headers: { Authorization: key.authorization } })).status).toBe(200)
    expect((await fetch(`${health}/livez`)).status).toBe(200)
    expect((await fetch(`${health}/readyz`)).status).toBe(200)
    expect((await fetch(`${url}/livez`)).status).toBe(404)
    await (
      await fetch(`${url}/api/v1/admin/programs/raw/applications?pageSize=3`, {
        headers: { Authorization: key.authorization },
      })
    ).text()
    const counts = await (await fetch(`${health}/metrics`)).text()
    expect(counts).toContain('tributary_exported_applications_total 3')
    expect(counts).toContain(
      'tributary_request_seconds_count{route="/api/v1/admin/programs/:programSlug/applications",status="200",outcome="complete"} 1',
    )
    expect(counts).toContain('tributary_request_seconds_count{route="none",status="404",outcome="complete"} 1')
    expect(counts).not.toContain(key.api_key_id)
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  test('serves HTTPS in production: "TLS can also be ended by the service itself (TLS_CERT, TLS_KEY)"', async () => {
    const folder = await useFolder()
    const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
    await Bun.write(files.TLS_CERT, testCertificate.cert)
    await Bun.write(files.TLS_KEY, testCertificate.key)
    const { url } = await startMain(database, { TRIBUTARY_ENV: 'production', ...files })
    expect(url).toStartWith('https://')
    const answer = await fetch(`${url}/api/v1/checkAuth`, {
      headers: { Authorization: key.authorization },
      tls: { rejectUnauthorized: false },
    })
    expect(answer.status).toBe(200)
    await expect(fetch(url.replace('https:', 'http:'))).rejects.toThrow()
  })

  test('on SIGTERM, finishes running exports, refuses new ones, then exits with 0', async () => {
    const { child, log, reading, url } = await startMain(database)
    const response = await fetch(`${url}/api/v1/admin/programs/raw/applications`, {
      headers: { Authorization: key.authorization, 'Accept-Encoding': 'identity' },
    })
    child.kill('SIGTERM')
    await until('the drain to begin', () => log.some(line => line.msg === 'draining'))
    await expect(fetch(`${url}/api/v1/checkAuth`)).rejects.toThrow()
    const page = (await response.json()) as { payload: unknown[] }
    expect(page.payload.length).toBe(400)
    expect(await child.exited).toBe(0)
    await reading
    expect(log.find(line => line.msg === 'request')).toMatchObject({ outcome: 'complete', applications: 400 })
    expect(log.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  test('on SIGTERM, visibly breaks off exports that last longer than DRAIN_TIMEOUT', async () => {
    const { child, url } = await startMain(database, { DRAIN_TIMEOUT: '200ms' })
    const reader = await stalled(url)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    reader.socket.resume()
    await until('the connection to be closed', () => reader.closed)
    // The last chunk of a chunked body never came.
    expect(Buffer.concat(reader.received).toString('latin1').endsWith('0\r\n\r\n')).toBe(false)
  })

  test('on SIGTERM, writes the audit entry of every page, even one broken off, before it exits', async () => {
    const reader = await createTestKey(database.sql, { programs: ['raw'] })
    const { child, log, url } = await startMain(database, { DRAIN_TIMEOUT: '200ms' })
    const applications = `${url}/api/v1/admin/programs/raw/applications?pageSize=2`
    const takeLines = await refuseAuditLines(database.sql)
    await stalled(url)
    await (await fetch(applications, { headers: { Authorization: reader.authorization } })).text()
    await until('the line to be refused', () => log.some(line => line.audit_event !== undefined))
    child.kill('SIGTERM')
    await until(
      'the line to be waited for',
      () => child.exitCode !== null || log.some(line => line.msg === 'the audit log is still being written'),
    )
    await takeLines()
    expect(await child.exited).toBe(0)
    const outcomes = await database.sql<{ actor: string; outcome: string }[]>`
      select actor, detail->>'outcome' as outcome
      from audit_event
      where action = 'applications_exported' and actor = any (${[reader, key].map(({ api_key_id }) => `key:${api_key_id}`)})
      order by audit_event_id desc
      limit 2`
    expect(Object.fromEntries(outcomes.map(({ actor, outcome }) => [actor, outcome]))).toEqual({
      [`key:${reader.api_key_id}`]: 'complete',
      [`key:${key.api_key_id}`]: 'client_gone',
    })
  })

  test('on SIGTERM, completes pending writes, such as marking a key sent over plain HTTP', async () => {
    const exposed = await createTestKey(database.sql, { programs: ['raw'] })
    const { child, url } = await startMain(database, { TRUSTED_PROXIES: '127.0.0.1' })
    const via = (proto: string) => ({
      headers: { Authorization: exposed.authorization, 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': proto },
    })
    const page = await fetch(`${url}/api/v1/admin/programs/raw/applications?pageSize=1`, via('https'))
    expect(page.status).toBe(200)
    await page.text()
    const release = await holdTransaction(
      database.sql,
      tx => tx`select from api_key where api_key_id = ${exposed.api_key_id} for update`,
    )
    expect((await fetch(`${url}/api/v1/checkAuth`, via('http'))).status).toBe(401)
    await until('the mark to wait', async () => (await waitingForLocks(database.sql, 'tributary ')) > 0)
    child.kill('SIGTERM')
    await until('the pools to be closing', async () => {
      const open = await database.sql`
        select from pg_stat_activity where datname = current_database() and application_name like 'tributary-export %'`
      return open.length === 0
    })
    await release()
    expect(await child.exited).toBe(0)
    const marks = await database.sql`
      select from audit_event where action = 'api_key_exposed' and subject = ${exposed.api_key_id}`
    expect(marks).toHaveLength(1)
  })

  test('is alive but not ready while it drains, and exits when its readers are gone', async () => {
    const { child, health, log, url } = await startMain(database)
    const reader = await stalled(url)
    child.kill('SIGTERM')
    await until('the drain to begin', () => log.some(line => line.msg === 'draining'))
    expect((await fetch(`${health}/readyz`)).status).toBe(503)
    expect((await fetch(`${health}/livez`)).status).toBe(200)
    reader.socket.end()
    expect(await child.exited).toBe(0)
  })

  test('exits immediately on a second signal', async () => {
    const { child, log, url } = await startMain(database)
    await stalled(url)
    child.kill('SIGTERM')
    await until('the drain to begin', () => log.some(line => line.msg === 'draining'))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(130)
  })

  test('explains a wrong setting, database, time zone, certificate or port in one sentence when it cannot start', async () => {
    const settings = await refusal({ API_KEY_PEPPER: 'short', MAX_PAGE_SIZE: 'many' })
    expect(settings.match(/^ {2}\w+: .* \[unusable_setting\]$/gm)).toEqual([
      expect.stringContaining('MAX_PAGE_SIZE:'),
      expect.stringContaining('API_KEY_PEPPER:'),
    ])
    expect(await refusal({ DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toMatch(
      /^.*127\.0\.0\.1:1 .*\[ECONNREFUSED\]\n$/,
    )
    expect(await refusal({ INSTANCE_TIME_ZONE: 'Asia/Tokyo' })).toMatch(
      /^INSTANCE_TIME_ZONE .*Asia\/Tokyo.* UTC.*\[other_time_zone\]\n$/,
    )
    expect(await refusal({ TLS_CERT: '/nowhere/cert.pem', TLS_KEY: '/nowhere/key.pem' })).toMatch(
      /^.* \/nowhere\/cert\.pem.*\[ENOENT\]\n$/,
    )
    const { url } = await startMain(database)
    expect(await refusal({ PORT: new URL(url).port })).toMatch(/^.*\[EADDRINUSE\]\n$/)
  })

  test('serves health on loopback unless HEALTH_HOST is set, whatever HOST is', async () => {
    const { health } = await startMain(database)
    expect(new URL(health).hostname).toBe('127.0.0.1')
    const other = await startMain(database, { HEALTH_HOST: '127.0.0.2' })
    expect([new URL(other.url).hostname, new URL(other.health).hostname]).toEqual(['127.0.0.1', '127.0.0.2'])
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(other.health + path)).status).toBe(200)
    // On all addresses, the service; the health port is not among them.
    const open = await startMain(database, { TRIBUTARY_ENV: 'production', HOST: '0.0.0.0' })
    const { port } = new URL(open.health)
    await expect(fetch(`http://127.0.0.2:${port}/livez`)).rejects.toThrow()
    expect((await fetch(`${open.health}/livez`)).status).toBe(200)
  })

  test('is not ready while the database is unreachable, and ready again afterwards', async () => {
    const { health } = await startMain(database)
    const name = new URL(database.url).pathname.slice(1)
    const admin = await createTestDatabase()
    try {
      await admin.sql.unsafe(`alter database ${name} allow_connections false`)
      await admin.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and application_name like 'tributary%'`
      await until('not ready', async () => (await fetch(`${health}/readyz`)).status === 503)
    } finally {
      await admin.sql.unsafe(`alter database ${name} allow_connections true`)
      await admin.drop()
    }
    await until('ready', async () => (await fetch(`${health}/readyz`)).status === 200)
  })
})
