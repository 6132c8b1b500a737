import { describe, expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Sink } from '../../../../src/core/export/pages/page-outlet.ts'
import { compressedBufferBytes } from '../../../../src/core/export/servers/exports.ts'
import { compressed } from '../../../../src/web/http/export/compressed-sink.ts'
import type { Coding } from '../../../../src/web/http/headers/negotiation.ts'
import { until } from '../../../support/until.ts'

const piece = compressedBufferBytes
const decode: Record<Coding, (bytes: Uint8Array) => Buffer> = { zstd: zstdDecompressSync, gzip: gunzipSync }
const codings: Coding[] = ['zstd', 'gzip']

/** JSON-like text of so many bytes that compresses neither well nor badly. */
function text(bytes: number): Buffer {
  let state = bytes + 1
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31)
  const parts: string[] = []
  for (let length = 0; length < bytes; ) {
    const part = `{"number":${random()},"text":"${random().toString(36)}"},`
    parts.push(part)
    length += part.length
  }
  return Buffer.from(parts.join('')).subarray(0, bytes)
}

/** A client that keeps what it is given; `take` says when it has. */
class Client implements Sink {
  chunks: Buffer[] = []
  ended = false
  constructor(private readonly take: (write: number) => boolean | Promise<boolean> = () => true) {}
  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean> {
    expect(this.ended).toBe(false)
    this.ended = last
    this.chunks.push(Buffer.from(bytes))
    return this.take(this.chunks.length)
  }
  bytes = (): Buffer => Buffer.concat(this.chunks)
}

/** Writes as the export does: out of one buffer, which is overwritten as soon as a write is answered. */
async function writeAll(sink: Sink, parts: readonly Buffer[]): Promise<boolean> {
  const buffer = Buffer.alloc(Math.max(...parts.map(part => part.length)))
  for (const [i, part] of parts.entries()) {
    part.copy(buffer)
    if (!(await sink.write(buffer.subarray(0, part.length), i === parts.length - 1))) return false
    buffer.fill(0x23)
  }
  return true
}

const cut = (whole: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.max(1, Math.ceil(whole.length / size)) }, (_, i) =>
    whole.subarray(i * size, (i + 1) * size),
  )

describe.each(codings)('%s', coding => {
  test('passes on no empty write, which a client would take for a lost connection', async () => {
    const sizes: number[] = []
    const client: Sink = {
      write(bytes) {
        sizes.push(bytes.length)
        return bytes.length > 0
      },
    }
    const parts = Array.from({ length: 40 }, (_, i) => text(1 + i))
    expect(await compressed(coding, client, sink => writeAll(sink, parts))).toBe(true)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes).not.toContain(0)
  })

  test('returns the exact bytes at every size around a buffer, in one write and in many', async () => {
    for (const size of [0, 1, 100, piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, 3 * piece + 1, 5 * piece]) {
      const whole = text(size)
      for (const parts of [[whole], cut(whole, piece), cut(whole, 100_003)]) {
        const client = new Client()
        expect(await compressed(coding, client, sink => writeAll(sink, parts))).toBe(true)
        expect(client.ended).toBe(true)
        expect(decode[coding](client.bytes()).equals(whole)).toBe(true)
      }
    }
  })

  test('G9: what was sent before the last write never looks finished', async () => {
    const client = new Client()
    await compressed(coding, client, sink => writeAll(sink, cut(text(6 * piece), piece)))
    expect(client.chunks.length).toBeGreaterThan(3)
    // node:zlib takes any beginning of zstd for the whole, and gives what it holds; others do not.
    const strictly = coding === 'zstd' ? (bytes: Buffer) => Bun.zstdDecompressSync(bytes) : gunzipSync
    expect(strictly(client.bytes()).length).toBe(6 * piece)
    for (let sent = 1; sent < client.chunks.length; sent++)
      expect(() => strictly(Buffer.concat(client.chunks.slice(0, sent)))).toThrow()
  })

  test('sends a large row in pieces, without holding it or its compressed form twice', async () => {
    const whole = text(20 * piece + 7)
    const client = new Client()
    await compressed(coding, client, sink => writeAll(sink, [text(10), whole, text(10)]))
    expect(decode[coding](client.bytes()).equals(Buffer.concat([text(10), whole, text(10)]))).toBe(true)
    expect(Math.max(...client.chunks.map(chunk => chunk.length))).toBeLessThan(piece)
  })

  test('waits for the client to accept the output of each write', async () => {
    const read = Promise.withResolvers<boolean>()
    const client = new Client(write => (write === 1 ? read.promise : true))
    let answered = 0
    const done = compressed(coding, client, async sink => {
      for (let i = 0; i < 6; i++) {
        expect(await sink.write(text(piece), i === 5)).toBe(true)
        answered++
      }
    })
    await until('the first bytes', () => client.chunks.length === 1)
    const before = answered
    // Each turn would let one more through.
    for (let i = 0; i < 50; i++) await new Promise(resolve => setImmediate(resolve))
    expect(answered).toBe(before)
    expect(client.chunks.length).toBe(1)
    read.resolve(true)
    await done
    expect(answered).toBe(6)
    expect(decode[coding](client.bytes()).length).toBe(6 * piece)
  })

  test('ends when the client has disconnected, even if a later write reveals it', async () => {
    const client = new Client(write => write < 2)
    expect(await compressed(coding, client, sink => writeAll(sink, cut(text(50 * piece), piece)))).toBe(false)
    expect(client.chunks.length).toBe(2)
  })

  test('rejects the write if the client fails', async () => {
    const client = new Client(() => Promise.reject(new Error('reset')))
    await expect(compressed(coding, client, sink => writeAll(sink, cut(text(50 * piece), piece)))).rejects.toThrow(
      'reset',
    )
  })

  test('writes nothing more after a failure, not even what is being compressed', async () => {
    const client = new Client()
    const failed = compressed(coding, client, async sink => {
      // Under way still.
      void sink.write(text(piece), false)
      throw new Error('gone')
    })
    await expect(failed).rejects.toThrow('gone')
    await compressed(coding, new Client(), sink => writeAll(sink, cut(text(5 * piece), piece)))
    expect(client.chunks).toEqual([])
  })
})

test('gzip is one stream whose final length is that of everything', async () => {
  const client = new Client()
  await compressed('gzip', client, sink => writeAll(sink, cut(text(3 * piece), piece)))
  expect(client.bytes().readUInt32LE(client.bytes().length - 4)).toBe(3 * piece)
})
