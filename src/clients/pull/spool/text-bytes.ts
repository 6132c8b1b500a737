// Collects texts as UTF-8. Encoding each line separately is cheaper than joining many first, because a single letter outside
// Latin-1 would double the size of the joined text.

export class TextBytes {
  private memory = Buffer.allocUnsafe(512 * 1024)
  length = 0

  add(text: string): void {
    // A UTF-16 unit has three bytes in UTF-8 at most.
    const needed = this.length + 3 * text.length
    if (needed > this.memory.length) {
      const larger = Buffer.allocUnsafe(2 * needed)
      this.memory.copy(larger, 0, 0, this.length)
      this.memory = larger
    }
    this.length += this.memory.write(text, this.length)
  }

  /** The bytes added since the last call: a view, valid until more are added. */
  take(): Buffer {
    const bytes = this.memory.subarray(0, this.length)
    this.length = 0
    return bytes
  }
}
