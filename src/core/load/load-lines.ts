// Parses NDJSON in the export's format and passes its applications to a bulk load, line by line.

import type { Sql } from '../../db/client.ts'
import { isJsonArray, isJsonObject, type Json, parseJson } from '../../domain/values/json-text.ts'
import type { LoadCheck } from './checking/check-load.ts'
import { linePlaceOf } from './checking/load-errors.ts'
import { shortPath } from './reading/document-errors.ts'
import { type Line, lineBytesMax, linesOf } from './reading/lines.ts'
import { type FindMembers, readExportedApplication } from './reading/read-application.ts'
import { bulkLoad, type LoadReceipt } from './storing/bulk-load.ts'
import type { LoadOptions } from './storing/store-load.ts'

interface LoadLinesOptions extends LoadOptions {
  /** The only program whose applications are accepted; undefined for any program. */
  programSlug?: string | undefined
  /** Called for each chunk of the input with its number of bytes. */
  onBytes?: ((bytes: number) => void) | undefined
}

/**
 * Loads every application of the input once, or none if any has an error. A line is an application object or a page of an export
 * (`{"payload":[…],"nextPageToken":…}`); empty lines are skipped. Throws a Problem that lists the invalid lines with their errors. A key that occurs
 * twice in one object is an error.
 */
export async function loadLines(
  sql: Sql,
  input: AsyncIterable<Uint8Array>,
  options: LoadLinesOptions,
): Promise<LoadReceipt> {
  return bulkLoad(sql, options, async check => {
    const digest = new Bun.CryptoHasher('sha256')
    const reader = new LineReader(options, check)
    const digested = (bytes: Uint8Array): void => {
      digest.update(bytes)
      options.onBytes?.(bytes.length)
    }
    for await (const line of linesOf(seenBy(digested, input))) await reader.read(line)
    return digest.digest()
  })
}

async function* seenBy(see: (bytes: Uint8Array) => void, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    see(piece)
    yield piece
  }
}

/** Passes on the applications of lines, and their errors. */
class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })

  constructor(
    private readonly options: LoadLinesOptions,
    private readonly check: LoadCheck,
  ) {}

  async read({ number, bytes }: Line): Promise<void> {
    const read = bytes === undefined ? tooLong : this.#parse(bytes)
    if ('code' in read) {
      this.check.refuse(linePlaceOf(number, 0), [{ path: '', ...read }])
    } else if ('value' in read) {
      const page = isJsonObject(read.value) ? read.value.get('payload') : undefined
      if (page === undefined) await this.#take(read.value, number, 0)
      else if (isJsonArray(page)) for (let i = 0; i < page.length; i++) await this.#take(page[i]!, number, i + 1)
      else this.check.refuse(linePlaceOf(number, 0), [notAnArray])
    }
  }

  /** The value of a line, nothing for an empty line, or its error. */
  #parse(line: Uint8Array): { value: Json } | { empty: true } | { code: string; detail: string } {
    let text: string
    try {
      text = this.#decoder.decode(line)
    } catch (error) {
      if (error instanceof TypeError) return { code: 'not_utf8', detail: 'is not UTF-8' }
      throw error
    }
    if (text.trim() === '') return { empty: true }
    const parsed = parseJson(text, { depthMax })
    if ('json' in parsed) return { value: parsed.json }
    const { code, path, detail, column } = parsed.error
    const reason = `${path === '' ? '' : `${shortPath(path)}: `}${detail.slice(0, -1)} (column ${column}).`
    return code === 'malformed_json'
      ? { code: 'not_json', detail: `is not JSON: ${reason}` }
      : { code, detail: `cannot be read exactly: ${reason}` }
  }

  async #take(value: Json, line: number, item: number): Promise<void> {
    const slug = isJsonObject(value) ? value.get('program_name') : undefined
    if (typeof slug === 'string' && this.#isAsked(slug) && !this.check.programs.has(slug))
      await this.check.openProgram(slug)
    const place = linePlaceOf(line, item)
    const read = readExportedApplication(value, this.#findMembers, this.options.now)
    if ('errors' in read) this.check.refuse(place, read.errors)
    else this.check.add(this.check.programs.get(read.application.program_name)!, read.application, place)
    await this.check.send()
  }

  #isAsked(slug: string): boolean {
    const { programSlug } = this.options
    return programSlug === undefined || slug === programSlug
  }

  readonly #findMembers: FindMembers = (programName, versionId) => {
    if (!this.#isAsked(programName))
      return {
        error: `is ${programName}, but only applications to ${this.options.programSlug} are being loaded`,
      }
    const versions = this.check.programs.get(programName)?.definition.versions
    if (versions === undefined) return { error: `is ${programName}, but no program has this name` }
    const version = versions.get(versionId)
    if (version !== undefined) return version.members
    const known = [...versions.keys()].join(', ') || 'none'
    return { error: `is ${versionId}, but the published versions of ${programName} are ${known}` }
  }
}

/** Maximum nesting of arrays and objects. */
const depthMax = 512
const tooLong = { code: 'too_long', detail: `is longer than ${lineBytesMax} bytes` }
const notAnArray = { path: '', code: 'not_an_array', detail: 'is a page whose payload is not an array' }
