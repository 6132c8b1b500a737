// Bytes of NDJSON in the export's shape into a bulk load: lines, applications, and the number of each line that is wrong.
// It must not know how applications are stored, nor where the bytes come from.

import type { Sql } from '../db/client.ts'
import { type BulkLoad, bulkLoad, type LoadOptions, type LoadReceipt } from './bulk-load.ts'
import { parseExactJson } from './exact-json.ts'
import { isObject } from './exported-answers.ts'
import { type FindMembers, readExportedApplication } from './exported-application.ts'
import { placeOf } from './load-faults.ts'

export interface LoadLinesOptions extends LoadOptions {
  /** The only program whose applications are taken; any program when undefined. */
  programSlug?: string | undefined
  /** Told of each piece of the input how many bytes it has. */
  onBytes?: (bytes: number) => void
}

/** Longest line that is taken: a page of some 30,000 applications. A line is read whole. */
export const lineBytesMax = 128 * 1024 * 1024

/**
 * Loads every application of the input, or none. A line is an application object or a page of an export
 * (`{"payload":[…],"nextPageToken":…}`); empty lines are skipped. Throws a Problem that names the lines that are wrong, and why.
 */
export async function loadLines(
  sql: Sql,
  input: AsyncIterable<Uint8Array>,
  options: LoadLinesOptions,
): Promise<LoadReceipt> {
  return bulkLoad(sql, options, async load => {
    const reader = new LineReader(load, options.programSlug)
    for await (const lines of completeLines(input, options.onBytes)) {
      for (const line of lines) {
        const waiting = reader.take(line)
        if (waiting !== undefined) await waiting
      }
    }
  })
}

class LineReader {
  #line = 0
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })

  constructor(
    private readonly load: BulkLoad,
    private readonly onlySlug: string | undefined,
  ) {}

  /** Takes a line. Returns a promise only when there is something to wait for, which is seldom. */
  take(line: Uint8Array | 'too long'): Promise<void> | undefined {
    this.#line++
    if (line === 'too long') return this.#refuse('too_long', `is longer than ${lineBytesMax} bytes`)
    let value: unknown
    try {
      const text = this.#decoder.decode(line)
      if (text.trim() === '') return undefined
      value = parseExactJson(text)
    } catch (error) {
      if (error instanceof TypeError) return this.#refuse('not_utf8', 'is not UTF-8')
      return this.#refuse('not_json', `is not JSON: ${(error as Error).message}`)
    }
    const page = isObject(value) && Object.hasOwn(value, 'payload') ? value.payload : undefined
    if (page === undefined) return this.#takeApplication(value, 0)
    if (!Array.isArray(page)) return this.#refuse('not_an_array', 'is a page whose payload is not an array')
    return this.#takePage(page)
  }

  async #takePage(page: readonly unknown[]): Promise<void> {
    for (let i = 0; i < page.length; i++) await this.#takeApplication(page[i], i + 1)
  }

  #takeApplication(value: unknown, item: number): Promise<void> | undefined {
    const { load } = this
    const slug = isObject(value) && typeof value.program_name === 'string' ? value.program_name : undefined
    if (slug !== undefined && !load.knows(slug)) return this.#openThenTake(slug, value, item)
    const place = placeOf(this.#line, item)
    const read = readExportedApplication(value, this.#findMembers, load.options.now)
    if ('faults' in read) {
      load.refuse(place, read.faults)
      return undefined
    }
    return load.add(load.knownProgram(read.application.program_name)!, read.application, place)
  }

  async #openThenTake(slug: string, value: unknown, item: number): Promise<void> {
    await this.load.program(slug)
    await this.#takeApplication(value, item)
  }

  readonly #findMembers: FindMembers = (programName, versionId) => {
    if (this.onlySlug !== undefined && programName !== this.onlySlug)
      return { fault: `is of program ${programName}, and only applications of ${this.onlySlug} are to be loaded` }
    const program = this.load.knownProgram(programName)
    if (program === undefined) return { fault: `is of program ${programName}, which there is not` }
    const version = program.versions.get(versionId)
    if (version !== undefined) return version.members
    const known = [...program.versions.keys()]
    return {
      fault: `is ${versionId}, and the published versions of ${programName} are ${known.length === 0 ? 'none' : known.join(', ')}`,
    }
  }

  #refuse(code: string, detail: string): undefined {
    this.load.refuse(placeOf(this.#line, 0), [{ path: '', code, detail }])
  }
}

const lineEnd = 10

/** The lines of a stream of bytes, as many at a time as have come whole. A line that is too long is left out, but counted. */
async function* completeLines(
  input: AsyncIterable<Uint8Array>,
  onBytes: LoadLinesOptions['onBytes'],
): AsyncGenerator<(Uint8Array | 'too long')[]> {
  let begun: Uint8Array[] = []
  let begunBytes = 0
  const complete = (end: Uint8Array): Uint8Array | 'too long' => {
    if (begunBytes + end.length > lineBytesMax) return 'too long'
    return begun.length === 0 ? end : Buffer.concat([...begun, end])
  }
  for await (const chunk of input) {
    onBytes?.(chunk.length)
    const lines: (Uint8Array | 'too long')[] = []
    let from = 0
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
      lines.push(complete(chunk.subarray(from, at)))
      begun = []
      begunBytes = 0
      from = at + 1
    }
    const rest = chunk.subarray(from)
    begunBytes += rest.length
    if (begunBytes > lineBytesMax) begun = []
    else if (rest.length > 0) begun.push(rest)
    yield lines
  }
  if (begunBytes > 0) yield [complete(new Uint8Array())]
}
