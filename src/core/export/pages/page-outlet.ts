// The way out of a page: hands packed buffers to the client, write after write, and knows how far the client has come.

import { settledWithin } from '../../../base/settled-within.ts'
import type { Position } from '../../../db/walks/walks.ts'
import type { PageBuffers } from '../servers/exports.ts'

/** Where the bytes go. */
export interface Sink {
  /** How many writes may be under way at a time; one unless given. They are settled in order. */
  readonly writesMax?: number
  /**
   * Writes bytes. True immediately, or a promise of true once the client has taken enough for more; false when the client has
   * gone. The bytes must not be touched before that. `last` says that nothing follows.
   */
  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean>
}

/** A part of the page that ends with a whole application, and where it ends. */
interface Packed {
  buffer: Buffer
  used: number
  /** Of the page, up to the end of this part. */
  applications: number
  position: Position | undefined
  isLast: boolean
}

/** How soon it is noticed that patience has run out. */
const askAgainMs = 20

export class PageOutlet {
  /** How much of the page the sink has received. */
  handed: { applications: number; bytes: number; position: Position | undefined }
  gone = false
  stalled = false
  readonly #waiting: Packed[] = []
  #waitingBytes = 0
  /** The writes under way, in order; each settles once the next, if any, has begun. */
  readonly #writing: { settled: Promise<void>; sinceMs: number }[] = []
  readonly #writesMax: number
  #failure: { error: unknown } | undefined
  /** Of all that was handed over: each byte goes through it once, also where parts are dropped and packed again. */
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

  /** Bytes that wait for the writes under way. */
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
   * Waits until no more than so many bytes wait. False when the client has gone, or one write took longer than `patienceMs`, which it
   * calls again and again, since the time may run out while the write waits.
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

  /** Forgets what waits, so that a slow client holds the buffers of what is being written and no more. */
  dropWaiting(): void {
    for (const { buffer } of this.#waiting.splice(0)) this.buffers.give(buffer)
    this.#waitingBytes = 0
  }

  /** SHA-256, in hexadecimal, of what was handed over, what waits, and these bytes. Asked once, when nothing can be dropped any more. */
  digestWith(...last: (Uint8Array | string)[]): string {
    const hash = this.#hash
    if (hash === undefined) throw new Error('a page that is not digested was asked for its digest')
    this.#hash = undefined
    for (const { buffer, used } of this.#waiting) hash.update(buffer.subarray(0, used))
    for (const bytes of last) hash.update(bytes)
    return hash.digest('hex')
  }

  /** Waits until everything was taken. False when the client has gone, or took nothing of one write for `stallTimeoutMs`. */
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
    // The stall clock of this write starts now: until here it was queued after the one before.
    if (next !== undefined) next.sinceMs = performance.now()
    if (!taken) this.gone = true
    while (this.#writing.length < this.#writesMax && this.#waiting.length > 0) {
      const packed = this.#waiting.shift()!
      this.#waitingBytes -= packed.used
      this.#write(packed)
    }
  }

  /** Whether the first write under way ended within `ms` of its beginning. */
  async #writtenWithin(ms: number): Promise<boolean> {
    const [first] = this.#writing
    if (first === undefined) return true
    return settledWithin(ms - (performance.now() - first.sinceMs), first.settled)
  }
}
