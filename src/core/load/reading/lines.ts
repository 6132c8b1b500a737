// Splits a stream of bytes into lines.

/** An export page of some 30,000 applications. A line is held in memory as a whole. */
export const lineBytesMax = 128 * 1024 * 1024

const lineEnd = 10

export interface Line {
  /** Starts at 1. */
  number: number
  /** Without its line ending; undefined if it exceeded the maximum and was skipped. */
  bytes: Uint8Array | undefined
}

/** Every line of the input, in order; the last one may lack a line ending. */
export async function* linesOf(input: AsyncIterable<Uint8Array>, bytesMax = lineBytesMax): AsyncGenerator<Line> {
  let number = 1
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const add = (bytes: Uint8Array): void => {
    begunBytes += bytes.length
    if (begunBytes > bytesMax) begun = []
    else begun.push(bytes)
  }
  const takeLine = (): Line => {
    const isTooLong = begunBytes > bytesMax
    const line = {
      number: number++,
      bytes: isTooLong ? undefined : begun.length === 1 ? begun[0]! : Buffer.concat(begun),
    }
    begun = []
    begunBytes = 0
    return line
  }
  for await (const piece of input) {
    let from = 0
    for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, from)) {
      add(piece.subarray(from, end))
      from = end + 1
      yield takeLine()
    }
    if (from < piece.length) add(piece.subarray(from))
  }
  if (begunBytes > 0) yield takeLine()
}
