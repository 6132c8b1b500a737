// Writes packed buffers of a page to the client, one after another, and tracks how much the client has received.

import { settledWithin } from '../../../base/settled-within.ts'
import type { Position } from '../../../db/walks/walks.ts'
import type { PageBuffers } from '../servers/exports.ts'

/** Destination of the bytes. */
export interface Sink {
  /** Maximum number of concurrent writes; 1 by default. They settle in order. */
  readonly writesMax?: number
  /**
   * Writes bytes. Returns true, or a promise that resolves with true once the client is ready for more; false if the client has gone. The
   * bytes must not be modified before that. `last`: nothing follows.
   */
  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean>
}

/** A part of the page that ends with a complete application, and its end. */
interface Packed {
  buffer: Buffer
  used: number
  /** Applications of the page up to the end of this part. */
  applications: number
  position: Position | undefined
  isLast: boolean
}

/** Interval of checking `patienceMs`. */
const askAgainMs = 20

export class PageOutlet {
  /** The part of the page that the sink has received. */
  handed: { applications: number; bytes: number; position: Position | undefined }
  gone = false
  stalled = false
  readonly #waiting: Packed[] = []
  #waitingBytes = 0
  /** Writes in progress, in order; each settles once the next one, if any, has started. */
  readonly #writing: { settled: Promise<void>; sinceMs: number }[] = []
  readonly #writesMax: number
  #failure: { error: unknown } | undefined
  /** Digest of the bytes handed over. Each byte is hashed once, even if parts are dropped and packed again. */
  #hash: Bun.CryptoHasher | undefined

  constructor(
    private readonly sink: Sink,
    private readonly buffers: PageBuffers,
    position: Position | undefined,
    isDigested = false,
  ) {
    this.handed = { applications: 0, bytes: 0, position }
    if (isDigested) this.#hash = new Bun.CryptoHasher('sha256')
    this.#writesMax = sink.writesMax ?? 1
  }

  /** Bytes waiting for the writes in progress. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  push(packed: Packed): void {
    if (this.#writing.length < this.#writesMax) this.#write(packed)
    else {
      this.#waiting.push(packed)
      this.#waitingBytes += packed.used
    }
  }

  /**
   * Waits until at most `bytesMax` bytes are waiting. False if the client has gone or a write took longer than `patienceMs`, which is called
   * repeatedly because the value can change during the write.
   */
  async catchUp(bytesMax: number, patienceMs: () => number): Promise<boolean> {
    while (this.#waitingBytes > bytesMax && !this.gone) {
      const sinceMs = this.#writing[0]!.sinceMs
      const waitedMs = performance.now() - sinceMs
      if (waitedMs >= patienceMs()) return false
      await this.#writtenWithin(Math.min(waitedMs + askAgainMs, patienceMs()))
    }
    return !this.gone
  }

  /** Drops the waiting bytes, so that a slow client occupies only the buffers being written. */
  dropWaiting(): void {
    for (const { buffer } of this.#waiting.splice(0)) this.buffers.give(buffer)
    this.#waitingBytes = 0
  }

  /** Hexadecimal SHA-256 of the bytes handed over, the waiting bytes and `bytes`. Call it once, when nothing can be dropped any more. */
  digestWith(...last: (Uint8Array | string)[]): string {
    const hash = this.#hash
    if (hash === undefined) throw new Error('the framing of this page has no digest')
    this.#hash = undefined
    for (const { buffer, used } of this.#waiting) hash.update(buffer.subarray(0, used))
    for (const bytes of last) hash.update(bytes)
    return hash.digest('hex')
  }

  /** Waits until the client has received everything. False if it has gone or received nothing for `stallTimeoutMs`. */
  async settle(stallTimeoutMs: number): Promise<boolean> {
    while (this.#writing.length > 0 && !this.gone) {
      if (await this.#writtenWithin(stallTimeoutMs)) continue
      this.stalled = true
      this.gone = true
    }
    if (this.#failure !== undefined) throw this.#failure.error
    return !this.gone
  }

  #write(packed: Packed): void {
    if (this.gone) {
      this.buffers.give(packed.buffer)
      return
    }
    const { buffer, used, applications, position, isLast } = packed
    this.handed = { applications, position, bytes: this.handed.bytes + used }
    const bytes = buffer.subarray(0, used)
    this.#hash?.update(bytes)
    const wrote = this.sink.write(bytes, isLast)
    if (typeof wrote === 'boolean') {
      this.gone = !wrote
      this.buffers.give(buffer)
      return
    }
    const settled = wrote.then(
      taken => {
        this.buffers.give(buffer)
        this.#goOn(taken)
      },
      error => {
        this.#failure ??= { error }
        this.#goOn(false)
      },
    )
    this.#writing.push({ settled, sinceMs: performance.now() })
  }

  #goOn(taken: boolean): void {
    this.#writing.shift()
    const [next] = this.#writing
    // The stall timeout of this write starts now; before, it was queued behind another write.
    if (next !== undefined) next.sinceMs = performance.now()
    if (!taken) this.gone = true
    while (this.#writing.length < this.#writesMax && this.#waiting.length > 0) {
      const packed = this.#waiting.shift()!
      this.#waitingBytes -= packed.used
      this.#write(packed)
    }
  }

  /** Whether the first write in progress ended within `ms` of its start. */
  async #writtenWithin(ms: number): Promise<boolean> {
    const [first] = this.#writing
    if (first === undefined) return true
    return settledWithin(ms - (performance.now() - first.sinceMs), first.settled)
  }
}
