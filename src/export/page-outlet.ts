// The way out of a page: hands what was packed to the client, one write at a time, and knows how far the client has come.
// It must not know what was packed, nor where rows come from.

import type { Position } from '../db/walks.ts'
import type { PageBuffers } from './page-buffers.ts'

/** Where the bytes go. At most one write is under way at a time. */
export interface Sink {
  /**
   * Hands over bytes. True at once, or a promise of true once the client has taken enough for more; false when the client has
   * gone. The bytes must not be touched before that. `last` says that nothing follows.
   */
  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean>
}

/** A part of the page that ends with a whole application, and where it ends. */
export interface Packed {
  buffer: Buffer
  used: number
  /** Of the page, up to the end of this part. */
  applications: number
  position: Position | undefined
  isLast: boolean
}

export class PageOutlet {
  /** How much of the page was given to the sink. */
  handed: { applications: number; bytes: number; position: Position | undefined }
  gone = false
  stalled = false
  readonly #waiting: Packed[] = []
  #waitingBytes = 0
  /** The write under way; settles when the one after it, if there is one, was begun. */
  #writing: Promise<void> | undefined
  #sinceMs = 0
  #failure: { error: unknown } | undefined

  constructor(
    private readonly sink: Sink,
    private readonly buffers: PageBuffers,
    position: Position | undefined,
  ) {
    this.handed = { applications: 0, bytes: 0, position }
  }

  /** Bytes that wait for the write under way. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  push(packed: Packed): void {
    if (this.#writing === undefined) this.#write(packed)
    else {
      this.#waiting.push(packed)
      this.#waitingBytes += packed.used
    }
  }

  /** Waits until no more than so many bytes wait. False when the client has gone, or one write took longer than `ms`. */
  async catchUp(bytesMax: number, ms: number): Promise<boolean> {
    while (this.#waitingBytes > bytesMax && !this.gone) if (!(await this.#writtenWithin(ms))) return false
    return !this.gone
  }

  /** Forgets what waits, so that a slow client holds the buffer of one write and no more. */
  dropWaiting(): void {
    for (const { buffer } of this.#waiting.splice(0)) this.buffers.give(buffer)
    this.#waitingBytes = 0
  }

  /** Waits until everything was taken. False when the client has gone, or took nothing of one write for `stallTimeoutMs`. */
  async settle(stallTimeoutMs: number): Promise<boolean> {
    while (this.#writing !== undefined && !this.gone) {
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
    const wrote = this.sink.write(buffer.subarray(0, used), isLast)
    if (typeof wrote === 'boolean') {
      this.gone = !wrote
      this.buffers.give(buffer)
      return
    }
    this.#sinceMs = performance.now()
    this.#writing = wrote.then(
      taken => {
        this.buffers.give(buffer)
        this.#goOn(taken)
      },
      error => {
        this.#failure = { error }
        this.#goOn(false)
      },
    )
  }

  #goOn(taken: boolean): void {
    this.#writing = undefined
    if (!taken) this.gone = true
    if (this.gone) this.dropWaiting()
    while (this.#writing === undefined && this.#waiting.length > 0) {
      const packed = this.#waiting.shift()!
      this.#waitingBytes -= packed.used
      this.#write(packed)
    }
  }

  /** Whether the write under way ended within `ms` of its beginning. */
  async #writtenWithin(ms: number): Promise<boolean> {
    if (this.#writing === undefined) return true
    let timer: Timer | undefined
    const late = new Promise<false>(resolve => {
      timer = setTimeout(resolve, Math.max(0, ms - (performance.now() - this.#sinceMs)), false)
    })
    try {
      return await Promise.race([this.#writing.then(() => true), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
