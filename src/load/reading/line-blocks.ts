// A stream of bytes into blocks of whole lines.

interface BlockLimits {
  lineBytesMax: number
  /** A block this large ends with the line it is in. */
  blockBytes: number
}

export const blockLimits: BlockLimits = {
  // A page of an export of some 30,000 applications. A line is held whole.
  lineBytesMax: 128 * 1024 * 1024,
  blockBytes: 1024 * 1024,
}

const lineEnd = 10

/** Lines of the input that are whole. */
export interface LineBlock {
  bytes: Uint8Array<ArrayBuffer>
  /** Number of the first one, counted from 1. */
  firstLine: number
}

/** A line that is longer than `lineBytesMax`, its end included, and was left out. */
interface LongLine {
  tooLongLine: number
}

/** Blocks of whole lines, in order; the last one may lack its line end. */
export async function* lineBlocks(
  input: AsyncIterable<Uint8Array>,
  limits: BlockLimits = blockLimits,
): AsyncGenerator<LineBlock | LongLine> {
  const gathered = new GatheredLines(limits)
  for await (const piece of input) {
    let from = 0
    for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, from)) {
      gathered.add(piece.subarray(from, end + 1))
      gathered.endLine()
      from = end + 1
    }
    gathered.add(piece.subarray(from))
    yield* gathered.takeReady()
  }
  gathered.endLast()
  yield* gathered.takeReady()
}

/** Lines gathered up to a block, and the one that has not ended yet. */
class GatheredLines {
  #ready: (LineBlock | LongLine)[] = []
  #whole: Uint8Array[] = []
  #wholeBytes = 0
  #lines = 0
  #firstLine = 1
  #begun: Uint8Array[] = []
  #begunBytes = 0

  constructor(private readonly limits: BlockLimits) {}

  takeReady(): (LineBlock | LongLine)[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  add(bytes: Uint8Array): void {
    this.#begunBytes += bytes.length
    if (this.#begunBytes > this.limits.lineBytesMax) this.#begun = []
    else if (bytes.length > 0) this.#begun.push(bytes)
  }

  endLine(): void {
    const isTooLong = this.#begunBytes > this.limits.lineBytesMax
    this.#whole.push(...this.#begun)
    if (!isTooLong) this.#wholeBytes += this.#begunBytes
    this.#begun = []
    this.#begunBytes = 0
    this.#lines++
    const line = this.#firstLine + this.#lines - 1
    if (isTooLong || this.#wholeBytes >= this.limits.blockBytes) this.#endBlock()
    if (isTooLong) this.#ready.push({ tooLongLine: line })
  }

  endLast(): void {
    if (this.#begunBytes > 0) this.endLine()
    this.#endBlock()
  }

  #endBlock(): void {
    if (this.#wholeBytes > 0) {
      const bytes = new Uint8Array(this.#wholeBytes)
      let at = 0
      for (const piece of this.#whole) {
        bytes.set(piece, at)
        at += piece.length
      }
      this.#ready.push({ bytes, firstLine: this.#firstLine })
    }
    this.#whole = []
    this.#wholeBytes = 0
    this.#firstLine += this.#lines
    this.#lines = 0
  }
}
