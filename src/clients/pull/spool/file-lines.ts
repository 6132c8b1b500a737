// Reads a file line by line as bytes, keeping little of it in memory. Only a line feed ends a line; readline would also split at Unicode's
// separators (U+2028), which applicants' text may contain.

import { createReadStream } from 'node:fs'

const lineFeed = 0x0a

/** Converts the bytes from `from` up to `to`. */
type ReadLine<T> = (bytes: Buffer, from: number, to: number) => T

/**
 * Lines without line endings, converted by `read`, in batches. The last one may lack its ending; an ending at the end of the file starts no further
 * line.
 */
export async function* fileLines<T = Buffer>(
  path: string,
  read: ReadLine<T> = (bytes, from, to) => bytes.subarray(from, to) as T,
): AsyncGenerator<T[], void, undefined> {
  let pieces: Buffer[] = []
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    const lines: T[] = []
    let from = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      if (pieces.length === 0) lines.push(read(chunk, from, at))
      else {
        const line = Buffer.concat([...pieces, chunk.subarray(from, at)])
        lines.push(read(line, 0, line.length))
        pieces = []
      }
      from = at + 1
    }
    if (from < chunk.length) pieces.push(Buffer.from(chunk.subarray(from)))
    if (lines.length > 0) yield lines
  }
  const rest = Buffer.concat(pieces)
  if (rest.length > 0) yield [read(rest, 0, rest.length)]
}
