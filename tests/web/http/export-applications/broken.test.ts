// What a client, an operator and the database see when a page cannot be finished (contract G9, G10), over real sockets.

import { describe, expect, test } from 'bun:test'
import { openReader, stalledReader } from '../../../support/bare-reader.ts'
import { unlimited } from '../../../support/config.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport, usePool, useService } from '../../../support/fixtures.ts'
import { holdTransaction } from '../../../support/held-transaction.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'

const slug = 'raw'
const count = 700

// 28 MB: more than the buffers of any socket between service and client take.
const { database, ids, service, key, client } = await useExport({
  slug,
  applications: count,
  textOf: i => `${i} `.repeat(10_000),
  config: { ...unlimited, releaseAfterMs: 50, stallTimeoutMs: 1500, exportConnections: 4 },
})

/** Connections of the service that are inside the cursor of a page. */
const busy = async (): Promise<{ pid: number }[]> => database.sql<{ pid: number }[]>`
  select pid from pg_stat_activity
  where datname = current_database() and application_name like 'test-export %' and xact_start is not null
  and query ~ 'annotations'`

const asked = {
  port: service.port,
  path: `/api/v1/admin/programs/${slug}/applications`,
  authorization: key.authorization,
}

const requestLine = (outcome: string) =>
  service.logLines.filter(line => line.msg === 'request' && line.outcome === outcome)

/** A program whose page fails for good after its first 290 applications, and a key for it. */
async function damagedNearItsEnd(slug: string) {
  const damaged = await insertRawProgram(database.sql, slug)
  await insertRawApplications(database.sql, damaged, 300, () => 'x'.repeat(30_000))
  await damageApplications(database.sql, damaged, 290)
  return createTestKey(database.sql, { programs: [slug] })
}

describe('a page that cannot be finished', () => {
  test('an undisturbed page is complete and logged when its stream has ended', async () => {
    const { page, response, text } = await client.page()
    expect(page.payload.map(a => a.application_id)).toEqual(ids)
    expect(page.nextPageToken).toBeNull()
    const line = service.requestLine(response.headers.get('X-Request-Id'))
    expect(line).toMatchObject({
      status: 200,
      outcome: 'complete',
      applications: count,
      bytes: Buffer.byteLength(text),
      program: slug,
      api_key_id: key.api_key_id,
    })
  })

  test('G9: database connections killed midway are invisible to the client', async () => {
    let killed = 0
    while (killed < 5) {
      let over = false
      const reading = client.page().finally(() => {
        over = true
      })
      await until('a cursor', async () => (await busy()).length > 0 || over)
      for (const { pid } of await busy()) {
        await database.sql`select pg_terminate_backend(${pid})`
        killed++
      }
      expect((await reading).page.payload.map(a => a.application_id)).toEqual(ids)
    }
  })

  test('a restart of the database between two requests, which ends every pooled connection, is invisible to the client', async () => {
    // A service with connections of its own, all of them used before they are ended.
    const db = usePool({ url: database.url, connectionsMax: 3, applicationName: 'pooled' })
    const reader = new ExportClient(await useService(database, unlimited, { db }), key, slug)
    for (let i = 0; i < 4; i++) {
      await Promise.all([1, 2, 3, 4, 5].map(() => reader.page({ pageSize: '1' })))
      await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name similar to '(pooled|test-export) %'`
      expect((await reader.page({ pageSize: '2' })).page.payload.length).toBe(2)
    }
  })

  test('G9: never a partial 200 that parses: a page that fails for good resets the connection', async () => {
    const brokenKey = await damagedNearItsEnd('broken')
    const response = await new ExportClient(service, brokenKey, 'broken').request()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await until('the log line', () => service.requestLine(response.headers.get('X-Request-Id')))
    const line = service.requestLine(response.headers.get('X-Request-Id'))
    expect(line).toMatchObject({ outcome: 'failed', level: 'error', err: { message: expect.any(String) } })
    expect(line!.applications).toBeWithin(1, 290)
    // What the client may have got is in the audit log as well.
    const [event] = await until('the audit event', async () => {
      const events = await database.sql<{ detail: Record<string, unknown> }[]>`
        select detail from audit_event where actor = ${`key:${brokenKey.api_key_id}`}`
      return events.length > 0 && events
    })
    expect(event!.detail).toMatchObject({ outcome: 'failed', last_page: false, applications: line!.applications })
  })

  test.skipIf(!needs('curl'))('G9: curl reports a page that fails for good', async () => {
    const { username, password } = await damagedNearItsEnd('broken-for-curl')
    const url = `${service.baseUrl}/api/v1/admin/programs/broken-for-curl/applications`
    const curl = Bun.spawn(['curl', '-s', '-o', '/dev/null', '-u', `${username}:${password}`, url])
    // 18 is a partial file, 56 a failure while receiving.
    expect([18, 56]).toContain(await curl.exited)
  })

  test('a failure before the first byte is a 500 that reveals nothing', async () => {
    const damaged = await insertRawProgram(database.sql, 'damaged')
    await insertRawApplications(database.sql, damaged, 3)
    await damageApplications(database.sql, damaged)
    const damagedKey = await createTestKey(database.sql, { programs: ['damaged'] })
    const response = await new ExportClient(service, damagedKey, 'damaged').request()
    const { request_id, ...problem } = (await response.json()) as Record<string, unknown>
    expect(response.status).toBe(500)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(request_id).toBe(response.headers.get('X-Request-Id'))
    expect(problem).toEqual({
      type: 'urn:tributary:problem:internal',
      title: expect.any(String),
      status: 500,
      detail: expect.stringContaining('request_id'),
      errors: [],
    })
    expect(await database.sql`select from audit_event where actor = ${`key:${damagedKey.api_key_id}`}`).toHaveLength(0)
  })

  test('G10: a client that disconnects midway frees its database connection', async () => {
    const before = requestLine('client_gone').length
    const reader = await openReader(asked, s => s.end())
    await until('the socket to be closed', () => reader.closed)
    reader.socket.terminate()
    await until(
      'the page to be given up',
      async () => requestLine('client_gone').length > before && (await busy()).length === 0,
    )
  })

  test('G10: a reader that stops for STALL_TIMEOUT is disconnected, and its database connection is free immediately', async () => {
    const before = requestLine('stalled').length
    const { socket } = await stalledReader(asked)
    // Free long before the reader is given up.
    await until('the connections to be free', async () => (await busy()).length === 0)
    expect(requestLine('stalled').length).toBe(before)
    await until('the reader to be cut off', () => requestLine('stalled').length > before)
    socket.terminate()
  })

  test('G10: 40 stalled readers hold no connection, others are served meanwhile, and memory does not grow with them', async () => {
    const rssBefore = process.memoryUsage().rss
    const stalled = await Promise.all(Array.from({ length: 40 }, () => stalledReader(asked)))
    const { page } = await client.page({ pageSize: '3' })
    expect(page.payload.length).toBe(3)
    await until('the connections to be free', async () => (await busy()).length === 0)
    Bun.gc(true)
    const grownBytes = process.memoryUsage().rss - rssBefore
    for (const { socket } of stalled) socket.terminate()
    // 40 pages of 28 MB would be 1.1 GB; what is kept is a buffer each, and this process holds the clients' side as well.
    expect(grownBytes).toBeLessThan(400_000_000)
  })

  test('G10: with two connections and 24 readers stalled for up to a minute, a new export still starts', async () => {
    const narrow = await useService(database, { ...unlimited, exportConnections: 2, releaseAfterMs: 60_000 })
    const stalled = await Promise.all(Array.from({ length: 24 }, () => stalledReader({ ...asked, port: narrow.port })))
    const reader = new ExportClient(narrow, key, slug)
    expect((await reader.page({ pageSize: '3' })).page.payload.length).toBe(3)
    expect((await reader.page()).page.payload.map(a => a.application_id)).toEqual(ids)
    for (const { socket } of stalled) socket.terminate()
  })

  test('when every export connection stays busy for longer than an export waits, it gets a 503 with Retry-After', async () => {
    const narrow = await useService(database, { exportConnections: 1, exportQueueTimeoutMs: 300 })
    const release = await holdTransaction(narrow.foundation.exportDb)
    const response = await new ExportClient(narrow, key, slug).request()
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('5')
    await release()
    const again = () => new ExportClient(narrow, key, slug).request({ pageSize: '2' })
    await until('it to be served', async () => (await again()).status === 200)
  })

  test('"Everything has a bound …: seconds per statement": any statement that exceeds it causes a 503 with Retry-After', async () => {
    const bounded = { statementTimeoutMs: 100 }
    const db = usePool({ url: database.url, connectionsMax: 2, ...bounded })
    const hurried = await useService(database, bounded, { db })
    const reader = new ExportClient(hurried, key, slug)
    for (const table of ['api_key', 'submission_counter', 'application']) {
      const release = await holdTransaction(database.sql, tx => tx`lock table ${tx(table)} in access exclusive mode`)
      const response = await reader.request({ pageSize: '2' })
      await release()
      expect([table, response.status, response.headers.get('Retry-After')]).toEqual([table, 503, '5'])
      expect(hurried.requestLine(response.headers.get('X-Request-Id'))).toMatchObject({ reason: 'statement_timeout' })
      await until('it to be served', async () => (await reader.request({ pageSize: '2' })).status === 200)
    }
  })
})
