// Collects a response's body in memory that grows and is reused. With fresh memory for each page of a walk, which the system has to clear
// first, a pull took a tenth longer.

const bytesMin = 64 * 1024

export class BodyBuffer {
  private memory = new Uint8Array(bytesMin)
  length = 0

  /** Empties the buffer. Existing views show the next body from then on. */
  clear(): void {
    this.length = 0
  }

  /** Copies the chunk, which the platform may overwrite before the next one arrives. */
  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length
    if (length > this.memory.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.memory.length))
      larger.set(this.memory.subarray(0, this.length))
      this.memory = larger
    }
    this.memory.set(chunk, this.length)
    this.length = length
  }

  /** The collected bytes, without copying them. */
  view(): Uint8Array<ArrayBuffer> {
    return this.memory.subarray(0, this.length)
  }
}
