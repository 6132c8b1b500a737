// Compresses a page while it is sent.
//
// Compression runs on threads outside the event loop. Meanwhile the page is read and packed into other buffers, and waits once too many
// buffers are queued here.
//
// zstd compresses each buffer to a separate frame, so buffers are compressed concurrently and no state is kept between them (a stream's
// window and tables take two megabytes per client). gzip is one stream, because clients such as curl silently stop after the first of several
// members. An interrupted page looks incomplete in both: see ZstdEncoder.

import { createGzip, type Gzip } from 'node:zlib'
import type { Sink } from '../../../core/export/pages/page-outlet.ts'
import { compressedBufferBytes } from '../../../core/export/servers/exports.ts'
import type { Coding } from '../headers/negotiation.ts'

/** Maximum bytes per piece; larger writes are split. */
const pieceBytes = compressedBufferBytes

/** The fastest level of both. The next level takes 50% more time and saves 10% of the bytes. */
const level = 1

/**
 * Runs `produce` with a sink that compresses for `client`. Writes nothing after `produce` has settled, even if pieces are still being
 * compressed, so that the output of a failed page looks incomplete.
 */
export async function compressed<T>(coding: Coding, client: Sink, produce: (sink: Sink) => Promise<T>): Promise<T> {
  const sink = new CompressedSink(client, coding === 'zstd' ? new ZstdEncoder() : new GzipEncoder())
  try {
    return await produce(sink)
  } finally {
    sink.abandon()
  }
}

interface Encoder {
  /** Maximum number of pieces encoded concurrently. */
  readonly pieces: number
  /** Output that is ready to send, possibly empty. The caller can reuse `bytes` once the promise resolves. */
  encode(bytes: Uint8Array, last: boolean): Promise<Uint8Array>
  close(): void
}

class CompressedSink implements Sink {
  readonly writesMax: number
  #before: Promise<boolean> = Promise.resolve(true)
  #abandoned = false

  constructor(
    private readonly client: Sink,
    private readonly encoder: Encoder,
  ) {
    this.writesMax = encoder.pieces
  }

  write(bytes: Uint8Array, last: boolean): Promise<boolean> {
    const first = this.#encode(bytes, 0, last)
    // It can fail before it is awaited, which happens after earlier writes.
    first.catch(() => {})
    this.#before = this.#before.then(taken => taken && this.#deliver(first, bytes, last))
    return this.#before
  }

  abandon(): void {
    this.#abandoned = true
    this.encoder.close()
  }

  /** Delivers the first piece, then encodes and delivers the others. */
  async #deliver(first: Promise<Uint8Array>, bytes: Uint8Array, last: boolean): Promise<boolean> {
    for (let [from, piece] = [0, first]; ; piece = this.#encode(bytes, from, last)) {
      const encoded = await piece
      if (this.#abandoned) return false
      from += pieceBytes
      const isEnd = from >= bytes.length
      if (encoded.length > 0 && !(await this.client.write(encoded, last && isEnd))) return false
      if (isEnd) return true
    }
  }

  #encode(bytes: Uint8Array, from: number, last: boolean): Promise<Uint8Array> {
    const to = from + pieceBytes
    return this.encoder.encode(bytes.subarray(from, to), last && to >= bytes.length)
  }
}

/** The first bytes of every frame (RFC 8878, section 3.1.1). */
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Sends each frame together with the first bytes of the next one. Output that is cut short then ends within a frame, and no decoder takes
 * it for complete.
 */
class ZstdEncoder implements Encoder {
  /** With fewer pieces, idle threads would wait for the event loop to provide the next one. */
  readonly pieces = 3
  #begun = false

  async encode(bytes: Uint8Array, last: boolean): Promise<Uint8Array> {
    const from = this.#begun ? magic.length : 0
    this.#begun = true
    const frame = await Bun.zstdCompress(bytes, { level })
    return last ? frame.subarray(from) : Buffer.concat([frame.subarray(from), magic])
  }

  close(): void {}
}

class GzipEncoder implements Encoder {
  readonly pieces = 1
  /** A chunk holds the output of a whole piece, because each chunk costs a round trip to a thread. */
  readonly #gzip: Gzip = createGzip({ level, chunkSize: 64 * 1024 })
  #output: Buffer[] = []
  #fail: (error: Error) => void = () => {}

  constructor() {
    this.#gzip.on('data', (chunk: Buffer) => this.#output.push(chunk))
    this.#gzip.on('error', error => this.#fail(error))
  }

  encode(bytes: Uint8Array, last: boolean): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      const finish = (): void => {
        const output = this.#output
        this.#output = []
        resolve(output.length === 1 ? output[0]! : Buffer.concat(output))
      }
      if (last) this.#gzip.once('end', finish).end(bytes)
      else this.#gzip.write(bytes, error => (error ? reject(error) : finish()))
    })
  }

  close(): void {
    this.#gzip.destroy()
  }
}
