// Reads a file line by line as bytes, with little of it in memory. Only a line feed ends a line; readline would also split at Unicode's
// separators (U+2028), which applicants' text may contain.

import { createReadStream } from 'node:fs'

const lineFeed = 0x0a

/** Lines without their ends, many at a time. The last one may lack its end; none follows the last line feed. */
export async function* fileLines(path: string): AsyncGenerator<Buffer[], void, undefined> {
  let pieces: Buffer[] = []
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    const lines: Buffer[] = []
    let from = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      const end = chunk.subarray(from, at)
      lines.push(pieces.length === 0 ? end : Buffer.concat([...pieces, end]))
      pieces = []
      from = at + 1
    }
    if (from < chunk.length) pieces.push(Buffer.from(chunk.subarray(from)))
    if (lines.length > 0) yield lines
  }
  if (pieces.length > 0) yield [Buffer.concat(pieces)]
}
