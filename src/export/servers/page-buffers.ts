// Buffers for packing rows, used again and again: a fresh one costs as much as filling it does, for its memory must be cleared.
// What a buffer held before stays in it; only what was written since may leave.

export class PageBuffers {
  readonly #spare: Buffer[] = []
  /** How many were taken and not given back. */
  inUse = 0

  constructor(
    readonly bytes: number,
    private readonly keptMax: number,
  ) {}

  take(): Buffer {
    this.inUse++
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  /** Gives back a buffer that is not read any more. One of another size was not taken here, and is left to the collector. */
  give(buffer: Buffer): void {
    if (buffer.length !== this.bytes) return
    this.inUse--
    if (this.#spare.length < this.keptMax) this.#spare.push(buffer)
  }
}
