// Exports as clients that accept compression get them: the same bytes of JSON, whole or visibly broken (contract G9, G10).

import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { openReader } from '../../../support/bare-reader.ts'
import { useExport } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { rawRequest } from '../../../support/raw-request.ts'
import { outputOf } from '../../../support/run.ts'
import { until } from '../../../support/until.ts'

const slug = 'raw'
const count = 600
const decode = { zstd: zstdDecompressSync, gzip: gunzipSync, identity: (body: Buffer): Buffer => body }
const codings = ['zstd', 'gzip'] as const

// 18 MB, and 13 however they are encoded, since no row resembles another: more than the buffers of any socket take. Some rows are larger
// than any buffer.
const { database, service, key } = await useExport({
  slug,
  applications: count,
  textOf: i => randomBytes(i % 150 === 149 ? 1_000_000 : 16_000).toString('base64'),
  config: { releaseAfterMs: 50, stallTimeoutMs: 1500, exportConnections: 4 },
})

const curl = (...args: string[]) => outputOf(['curl', '-s', '-u', `${key.username}:${key.password}`, ...args])
const pathOf = (pageSize: number, of = slug): string => `/api/v1/admin/programs/${of}/applications?pageSize=${pageSize}`

/** One page as it came, undecoded; `accept` is the whole Accept-Encoding. */
async function fetched(accept: string | undefined, pageSize: number, method = 'GET') {
  const response = await service.get(pathOf(pageSize), {
    method,
    headers: { Authorization: key.authorization, ...(accept === undefined ? {} : { 'Accept-Encoding': accept }) },
    decompress: false,
  } as RequestInit)
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** The applications of a page, without what differs from request to request. */
const payloadOf = (json: Buffer | string): string => json.toString().replace(/"nextPageToken":"[0-9A-Za-z]+"}$/, '')

describe('Accept-Encoding', () => {
  test('gives the same JSON byte for byte in every coding, for pages of one row, one buffer and many, and rows larger than a buffer', async () => {
    for (const pageSize of [1, 2, 11, 12, 13, 100, 149, 150, 151, count]) {
      const plain = payloadOf((await fetched('identity', pageSize)).bytes)
      expect(plain).toStartWith('{"payload":[{"')
      for (const coding of codings) {
        const { bytes, response } = await fetched(coding, pageSize)
        expect(response.headers.get('Content-Encoding')).toBe(coding)
        expect(payloadOf(decode[coding](bytes))).toBe(plain)
      }
    }
  })

  test('is sent by fetch, which decompresses the page', async () => {
    const plain = (await fetched('identity', count)).bytes.toString()
    const byItself = await service.get(pathOf(count), { headers: { Authorization: key.authorization } })
    expect(byItself.headers.get('Content-Encoding')).toBe('zstd')
    expect((await byItself.text()) === plain).toBe(true)
  })

  test.skipIf(!needs('curl'))('is sent by curl, which decompresses the page', async () => {
    const plain = (await fetched('identity', count)).bytes.toString()
    for (const coding of codings) {
      const text = await curl('--compressed', '-H', `Accept-Encoding: ${coding}`, service.baseUrl + pathOf(count))
      expect(text === plain).toBe(true)
    }
  })

  test('gets no coding if it is missing, and every response varies by it', async () => {
    for (const [accept, coding] of [
      ['identity', null],
      ['br', null],
      ['zstd;q=0, *;q=0.1', 'gzip'],
      ['gzip, zstd;q=0.9', 'gzip'],
      ['gzip, deflate, br, zstd', 'zstd'],
    ] as const) {
      const { response } = await fetched(accept, 1)
      expect(response.headers.get('Content-Encoding')).toBe(coding)
      expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding')
    }
    const { headers } = await rawRequest(service.port, [
      `GET ${pathOf(1)} HTTP/1.1`,
      `Host: 127.0.0.1:${service.port}`,
      `Authorization: ${key.authorization}`,
    ])
    expect(headers.get('Vary')).toBe('Accept, Accept-Encoding')
    expect(headers.get('Content-Encoding')).toBeNull()
  })

  test('gets a small page with the length of what is sent', async () => {
    for (const coding of codings) {
      const { bytes, response } = await fetched(coding, 1)
      expect(response.headers.get('Content-Length')).toBe(String(bytes.length))
      expect(response.headers.get('Transfer-Encoding')).toBeNull()
    }
  })

  test('D25: HEAD has the header fields of GET', async () => {
    for (const accept of [...codings, 'identity']) {
      const [head, get] = [await fetched(accept, 3, 'HEAD'), await fetched(accept, 3)]
      expect(head.bytes.length).toBe(0)
      for (const name of ['Content-Type', 'Content-Encoding', 'Vary', 'Cache-Control'])
        expect(head.response.headers.get(name)).toBe(get.response.headers.get(name))
    }
  })

  test('never compresses errors', async () => {
    const headers = { Authorization: key.authorization, 'Accept-Encoding': 'zstd' }
    const response = await service.get(pathOf(0), { headers, decompress: false } as RequestInit)
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([400, null])
    expect(await response.json()).toMatchObject({ status: 400 })
  })

  test('is in the log line with the bytes of JSON', async () => {
    const { length } = (await fetched('identity', count)).bytes
    for (const coding of codings) {
      const { bytes, response } = await fetched(coding, count)
      const line = await until('the log line', () => service.requestLine(response.headers.get('X-Request-Id')))
      expect(line).toMatchObject({ outcome: 'complete', bytes: length, encoding: coding })
      expect(bytes.length).toBeLessThan(length)
    }
    const { response } = await fetched('identity', 1)
    expect(service.requestLine(response.headers.get('X-Request-Id'))).not.toHaveProperty('encoding')
  })
})

/** The chunks of a chunked body, as far as they came, and whether the last of them says that it is the last. */
function bodyOf(received: readonly Buffer[]): { body: Buffer; ended: boolean } {
  let rest = Buffer.concat(received)
  rest = rest.subarray(rest.indexOf('\r\n\r\n') + 4)
  const chunks: Buffer[] = []
  for (;;) {
    const line = rest.indexOf('\r\n')
    const length = line === -1 ? 0 : Number.parseInt(rest.toString('latin1', 0, line), 16)
    if (length === 0) return { body: Buffer.concat(chunks), ended: line !== -1 }
    chunks.push(rest.subarray(line + 2, line + 2 + length))
    rest = rest.subarray(line + 2 + length + 2)
  }
}

describe.each([...codings, 'identity' as const])('a page that cannot be finished, as %s', coding => {
  const requestLines = (outcome: string) =>
    service.logLines.filter(line => line.outcome === outcome && (line.encoding ?? 'identity') === coding)
  const open = (onFirst?: (socket: Bun.Socket) => unknown) =>
    openReader({ port: service.port, path: pathOf(count), authorization: key.authorization, coding }, onFirst)

  test('G9: is never a partial 200 that parses: the connection is reset, and what arrived is neither finished nor JSON', async () => {
    const name = `broken-${coding}`
    const broken = await insertRawProgram(database.sql, name)
    const noise = randomBytes(40_000).toString('base64')
    await insertRawApplications(database.sql, broken, 300, i => noise.slice(i * 10, i * 10 + 30_000))
    await damageApplications(database.sql, broken, 290)
    const { authorization } = await createTestKey(database.sql, { programs: [name] })
    const reader = await openReader({ port: service.port, path: pathOf(count, name), authorization, coding })
    await until('the socket to be closed', () => reader.closed)
    const { body, ended } = bodyOf(reader.received)
    expect(ended).toBe(false)
    expect(body.length).toBeGreaterThan(100_000)
    expect(() => JSON.parse(decode[coding](body).toString())).toThrow()
    expect(requestLines('failed').length).toBe(1)
  })

  test('G10: a reader that stops for STALL_TIMEOUT is cut off', async () => {
    const { socket } = await open(s => s.pause())
    await until('the reader to be cut off', () => requestLines('stalled').length === 1)
    socket.terminate()
  })

  test('G10: a client that disconnects midway ends its page', async () => {
    const reader = await open(s => s.end())
    await until('the socket to be closed', () => reader.closed)
    reader.socket.terminate()
    await until('the page to be given up', () => requestLines('client_gone').length === 1)
  })

  test('is complete for a slow reader that keeps reading', async () => {
    const reader = await open()
    while (!reader.closed && !bodyOf(reader.received).ended) {
      reader.socket.pause()
      await Bun.sleep(20)
      reader.socket.resume()
      const before = reader.received.length
      await until('more', () => reader.received.length > before || reader.closed)
    }
    reader.socket.terminate()
    const page = JSON.parse(decode[coding](bodyOf(reader.received).body).toString())
    expect(page.payload.length).toBe(count)
  })
})
