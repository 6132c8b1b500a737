// Connections that are not used. Contract G14 and section 3, "Everything has a bound and a name": idle and trickling ones end,
// streams do not.

import { afterEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'raw'), 400, () => 'x'.repeat(60_000))
const key = await createTestKey(database.sql, { programs: ['raw'], maySubmit: true })
afterEach(endProcesses)

/** A connection that sends these texts, each when it has heard from the one before, or after `pauseMs`. */
async function raw(url: string, texts: readonly string[], pauseMs?: number) {
  const state = { heard: '', closed: false, socket: undefined as unknown as Bun.Socket }
  let next = 0
  const send = (): void => void (next < texts.length && !state.closed && state.socket.write(texts[next++]!))
  state.socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(url).port),
    socket: {
      data(_socket, bytes) {
        state.heard = (state.heard + bytes.toString('latin1')).slice(-2000)
        if (pauseMs === undefined) send()
      },
      close() {
        state.closed = true
      },
      error() {},
    },
  })
  send()
  if (pauseMs !== undefined) {
    const timer = setInterval(() => (next < texts.length && !state.closed ? send() : clearInterval(timer)), pauseMs)
  }
  return state
}

const requestOf = (path: string, fields = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${key.authorization}\r\n${fields}\r\n`
const ofStranger = 'GET /api/v1/checkAuth HTTP/1.1\r\nHost: localhost\r\n\r\n'

describe('connections', () => {
  test('end after IDLE_TIMEOUT without a request, whether after a response or an error, or in the middle of the next head', async () => {
    const { url } = await startMain(database, { IDLE_TIMEOUT: '1s', AUTH_FAILURES_PER_MINUTE: '0' })
    const idle = await Promise.all([
      raw(url, [requestOf('/api/v1/checkAuth')]),
      raw(url, [ofStranger]),
      raw(url, [requestOf('/nowhere')]),
      raw(url, [requestOf('/api/v1/checkAuth'), 'GET /api/v1/checkAuth HTTP/1.1\r\nHo']),
      raw(url, [requestOf('/api/v1/admin/programs/raw/applications?pageSize=20')]),
    ])
    await until('all of them to be closed', () => idle.every(each => each.closed))
    expect(idle.map(each => /^HTTP\/1\.1 (\d+)/.exec(each.heard)?.[1] ?? 'stream').toSorted()).toEqual(
      ['200', '200', '401', '404', 'stream'].toSorted(),
    )
  })

  test('end if a request head arrives too slowly, or nothing at all', async () => {
    const { url } = await startMain(database)
    const trickling = Array.from({ length: 200 }, (_, i) => (i === 0 ? 'GET /livez HTTP/1.1\r\n' : 'X-A: b\r\n'))
    const slow = await Promise.all([raw(url, trickling, 200), raw(url, [])])
    // Bun gives up after 12 seconds, whatever it is set to.
    await until('both to be closed', () => slow.every(each => each.closed))
    expect(slow.map(each => each.heard.includes(' 200 '))).toEqual([false, false])
  })

  test('stay open during a slow stream, a slow request body or a slow database', async () => {
    const { url } = await startMain(database, { IDLE_TIMEOUT: '1s', STALL_TIMEOUT: '1m' })
    const begun = performance.now()
    const page = await fetch(`${url}/api/v1/admin/programs/raw/applications`, {
      headers: { Authorization: key.authorization, 'Accept-Encoding': 'identity' },
    })
    const body = '{"language":"en"}'
    const head = `POST /intake/v1/applicants HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${key.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const slowBody = await raw(url, [requestOf('/api/v1/checkAuth'), head])
    await until('the first answer', () => slowBody.heard.includes(' 200 '))
    // An idle one, opened now, shows when the time of an idle connection is certainly over.
    const witness = await raw(url, [requestOf('/api/v1/checkAuth')])
    await until('the witness to be closed', () => witness.closed)
    const second = await raw(url, [requestOf('/api/v1/checkAuth')])
    await until('another witness to be closed', () => second.closed)
    expect(performance.now() - begun).toBeGreaterThan(1000)
    slowBody.socket.write(body)
    await until('the slow body to be answered', () => slowBody.heard.includes(' 201 '))
    expect(((await page.json()) as { payload: unknown[] }).payload).toHaveLength(400)
  })
})
