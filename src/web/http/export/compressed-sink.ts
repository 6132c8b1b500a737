// Compresses the bytes of a page on their way to the client.
//
// Threads alongside the event loop do the work; the page keeps reading and packing into other buffers, and
// waits when some of them wait here.
//
// zstd is a frame of its own for each buffer: nothing is kept between two, however many clients read (a stream's window and
// tables are two megabytes), and several can be compressed concurrently. gzip is one stream, because clients read the first member of several
// and no more (curl does, silently). Neither looks finished before it is: see ZstdEncoder.

import { createGzip, type Gzip } from 'node:zlib'
import type { Sink } from '../../../core/export/pages/page-outlet.ts'
import { compressedBufferBytes } from '../../../core/export/servers/exports.ts'
import type { Coding } from '../headers/negotiation.ts'

/** Most bytes that are compressed in one piece; larger writes are split. */
const pieceBytes = compressedBufferBytes

/** The fastest of both; the next one costs half as much again for a tenth of the bytes. */
const level = 1

/**
 * Runs `produce` against a sink that compresses for `client`. When it has settled nothing more is written, whatever was still
 * under way: after a failure the client is left with what does not look finished.
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
  /** How many pieces may be encoded at a time. */
  readonly pieces: number
  /** Output that is ready to send, for these bytes and those before; maybe nothing yet. The bytes are free again once it resolves. */
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
    // It is awaited after what was written before, and may fail earlier.
    first.catch(() => {})
    this.#before = this.#before.then(taken => taken && this.#deliver(first, bytes, last))
    return this.#before
  }

  abandon(): void {
    this.#abandoned = true
    this.encoder.close()
  }

  /** Hands on the first piece, and then makes and hands on the others. */
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
 * Frame after frame. Each is sent with the first bytes of the next, so that whatever a client was left with before the last
 * ends in the middle of a frame, and no decoder takes it for the whole.
 */
class ZstdEncoder implements Encoder {
  /** Frames need nothing of one another; with fewer, a thread that is done would wait for the event loop to give it more. */
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
  /** Output of up to a piece in one go: each chunk is a round trip to a thread. */
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
