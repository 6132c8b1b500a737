// Keeps packed applications from when they are checked until they are stored, in a file without a name: it is gone when the process
// ends, however that is, and no other process can open it. What is stored is what was checked, even if the input has changed since or
// was a pipe.

import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PackedRows, packedColumns, slicePacked } from '../packing/pack-applications.ts'

/** Applications that were packed together, as they lie in the file one after the other. */
interface Piece {
  at: number
  count: number
  applicationsBytes: number
  annotationsBytes: number
}

export class PackedSpool {
  readonly #pieces: Piece[] = []
  #bytes = 0

  private constructor(private readonly file: FileHandle) {}

  /** In the folder for such files, which TMPDIR names. */
  static async open(): Promise<PackedSpool> {
    const path = join(tmpdir(), `tributary-load-${crypto.randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return new PackedSpool(file)
  }

  async add({ count, columns, applications, annotations }: PackedRows): Promise<void> {
    if (count === 0) return
    const parts = [new Uint8Array(columns.buffer, columns.byteOffset, columns.byteLength), applications, annotations]
    this.#pieces.push({
      at: this.#bytes,
      count,
      applicationsBytes: applications.length,
      annotationsBytes: annotations.length,
    })
    for (const part of parts) await this.#write(part)
  }

  async #write(part: Uint8Array): Promise<void> {
    for (let from = 0; from < part.length; ) {
      const { bytesWritten } = await this.file.write(part, from, part.length - from, this.#bytes)
      from += bytesWritten
      this.#bytes += bytesWritten
    }
  }

  /** What was added, from the application on that has so many before it. */
  async *read(before = 0): AsyncGenerator<PackedRows> {
    for await (const { piece, columns, skip } of this.#readColumns(before)) {
      const at = piece.at + columns.byteLength
      const applications = await this.#read(at, piece.applicationsBytes)
      const annotations = await this.#read(at + piece.applicationsBytes, piece.annotationsBytes)
      const whole = { count: piece.count, columns, applications, annotations }
      yield skip === 0 ? whole : slicePacked(whole, skip, piece.count)
    }
  }

  /** The same without the rows. */
  async *columns(before = 0): AsyncGenerator<Pick<PackedRows, 'count' | 'columns'>> {
    for await (const { piece, columns, skip } of this.#readColumns(before))
      yield { count: piece.count - skip, columns: columns.subarray(skip * packedColumns) }
  }

  async *#readColumns(before: number) {
    let skip = before
    for (const piece of this.#pieces) {
      if (skip < piece.count) {
        const bytes = await this.#read(piece.at, piece.count * packedColumns * 8)
        yield { piece, columns: new Float64Array(bytes.buffer), skip }
      }
      skip = Math.max(0, skip - piece.count)
    }
  }

  async #read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length)
    for (let from = 0; from < length; ) {
      const { bytesRead } = await this.file.read(bytes, from, length - from, at + from)
      if (bytesRead === 0) throw new Error('the spool of a load is shorter than what was written to it')
      from += bytesRead
    }
    return bytes
  }

  async close(): Promise<void> {
    await this.file.close()
  }
}
