// Bytes of NDJSON in the export's shape into a bulk load, in the order of their lines.

import type { Sql } from '../db/client.ts'
import type { LoadCheck } from './checking/check-load.ts'
import { linePlaceOf } from './checking/load-faults.ts'
import { ApplicationPacker, type PackedApplications } from './packing/pack-applications.ts'
import { LoadThreads } from './packing/thread-pool.ts'
import { blockLimits, type LineBlock, lineBlocks } from './reading/line-blocks.ts'
import { BlockReader, type OpenProgram, type ReadOptions } from './reading/read-lines.ts'
import { bulkLoad, type LoadOptions, type LoadReceipt } from './storing/bulk-load.ts'

interface LoadLinesOptions extends LoadOptions {
  /** The only program whose applications are taken; any program when undefined. */
  programSlug?: string | undefined
  /** Threads that read and render lines beside this one; 0 for none. PostgreSQL has next to nothing to do meanwhile. */
  threads?: number
  /** The size of the input, where it is known beforehand. */
  inputBytes?: number | undefined
  /** Called for each piece of the input, with its number of bytes. */
  onBytes?: ((bytes: number) => void) | undefined
}

/** Bytes read here before threads are started, unless more are known to come: for a small input they would only take longer. */
const bytesHere = 2 * blockLimits.blockBytes

/**
 * Loads every application of the input, once, or none when something is wrong with any. A line is an application object or a page of an export
 * (`{"payload":[…],"nextPageToken":…}`); empty lines are skipped. Throws a Problem that names the lines that are wrong, and why.
 * A key that stands twice in one object is refused.
 */
export async function loadLines(
  sql: Sql,
  input: AsyncIterable<Uint8Array>,
  options: LoadLinesOptions,
): Promise<LoadReceipt> {
  return bulkLoad(sql, options, async check => {
    const { now, timeZone, actor, programSlug, threads = 0, inputBytes = 0 } = options
    const digest = new Bun.CryptoHasher('sha256')
    const reading = new Reading({ now, timeZone, actor, programSlug }, check, threads)
    if (inputBytes > bytesHere) reading.startThreads()
    const digested = (bytes: Uint8Array): void => {
      digest.update(bytes)
      options.onBytes?.(bytes.length)
    }
    try {
      for await (const block of lineBlocks(seenBy(digested, input))) {
        if ('tooLongLine' in block) await reading.add(() => Promise.resolve(tooLong(options, block.tooLongLine)))
        else await reading.add(reader => reader.read(block), block.bytes.length)
      }
      await reading.drain()
    } finally {
      reading.end()
    }
    return digest.digest()
  })
}

interface Reader {
  read(block: LineBlock): Promise<PackedApplications>
}

/** Blocks being read, and handed over in the order in which they came. */
class Reading {
  readonly #here: BlockReader
  #threads: LoadThreads | undefined
  #bytesHere = 0
  readonly #underWay: Promise<PackedApplications>[] = []

  constructor(
    private readonly options: ReadOptions,
    private readonly check: LoadCheck,
    private readonly threads: number,
  ) {
    this.#here = new BlockReader(options, this.#openProgram)
  }

  readonly #openProgram: OpenProgram = async slug => (await this.check.program(slug))?.definition

  /** Has a block read, and waits while as many are being read as can be. */
  async add(read: (reader: Reader) => Promise<PackedApplications>, bytes = 0): Promise<void> {
    const reading = read(this.#nextReader(bytes))
    // Awaited in its turn; a failure until then must not count as unhandled.
    reading.catch(() => {})
    this.#underWay.push(reading)
    while (this.#underWay.length > this.threads * 2) await this.#takeFirst()
  }

  #nextReader(bytes: number): Reader {
    if (this.#threads !== undefined) return this.#threads
    if (this.#bytesHere >= bytesHere) this.startThreads()
    this.#bytesHere += bytes
    return this.#threads ?? this.#here
  }

  /** Has everything that comes from now on read beside this thread, if there are to be threads. */
  startThreads(): void {
    if (this.threads > 0) this.#threads = new LoadThreads(this.threads, this.options, this.#openProgram)
  }

  async #takeFirst(): Promise<void> {
    await this.check.take(await this.#underWay.shift()!)
  }

  async drain(): Promise<void> {
    while (this.#underWay.length > 0) await this.#takeFirst()
  }

  end(): void {
    this.#threads?.end()
  }
}

function tooLong(options: LoadLinesOptions, line: number): PackedApplications {
  const packer = new ApplicationPacker(options)
  packer.refuse(linePlaceOf(line, 0), [
    { path: '', code: 'too_long', detail: `is longer than ${blockLimits.lineBytesMax} bytes` },
  ])
  return packer.take()
}

async function* seenBy(see: (bytes: Uint8Array) => void, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    see(piece)
    yield piece
  }
}
