// Reads back the CSV records that the tool has written to files.

const [quote, lineFeed] = [0x22, 0x0a]

/** The records in chunks of a file, as bytes without line endings. */
export async function* csvRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let scanned = 0
  let inQuotes = false
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece])
    const records: Buffer[] = []
    let from = 0
    for (let i = scanned; i < rest.length; i++) {
      const byte = rest[i]
      if (byte === quote) inQuotes = !inQuotes
      else if (byte === lineFeed && !inQuotes) {
        records.push(rest.subarray(from, i - 1))
        from = i + 1
      }
    }
    rest = rest.subarray(from)
    scanned = rest.length
    if (records.length > 0) yield records
  }
  if (rest.length > 0) yield [rest]
}
