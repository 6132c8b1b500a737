// Streams a ZIP file, entry by entry. Its directory comes last, so a truncated file can't be opened.
//
// Written by `yazl`: 25 KB of JavaScript that compresses with the runtime's own `zlib`, waits for a slow reader, and switches to the layout
// for files over 4 GB where necessary. `fflate` lacks that layout and compresses in JavaScript, twice as slow; `zip.js` took up to twice
// the memory.

import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A file in a ZIP file. Entries are written one after another, and `content` is only read after the previous entries. */
export interface ZipEntry {
  name: string
  content: AsyncIterable<Uint8Array | string>
}

/** Above 3, `zlib` takes half as long again and saves a tenth. */
const compressionLevel = 3
const pieceBytes = 64 * 1024

/** The bytes of the file. Rejects with the error of an entry. A reader that stops early also ends the entries. */
export async function* zipFile(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer, void, undefined> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let content: Readable | undefined
  const add = async (): Promise<void> => {
    for await (const entry of entries) {
      content = Readable.from(entry.content, { objectMode: false })
      zip.addReadStream(content, entry.name, { compressionLevel })
      await finished(content)
    }
    zip.end()
  }
  const added = add().catch((error: unknown) => void output.destroy(error as Error))
  try {
    yield* inPieces(output)
  } finally {
    content?.destroy()
    await added
  }
}

/** The same bytes in larger pieces: zlib produces 16 KB at a time. */
async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const piece of bytes) {
    waiting.push(piece)
    length += piece.length
    if (length < pieceBytes) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}
