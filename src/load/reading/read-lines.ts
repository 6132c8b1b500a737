// Whole lines of NDJSON in the export's shape into packed applications, and what is wrong with each line.

import { linePlaceOf } from '../checking/load-faults.ts'
import { ApplicationPacker, type PackedApplications, type PackOptions } from '../packing/pack-applications.ts'
import { parseExactJson, UnreadableJson } from './exact-json.ts'
import type { LoadDefinition } from './known-program.ts'
import type { LineBlock } from './line-blocks.ts'
import { isObject } from './question-fields.ts'
import { type FindMembers, readExportedApplication } from './read-application.ts'

export interface ReadOptions extends PackOptions {
  /** The only program whose applications are taken; any program when undefined. */
  programSlug: string | undefined
}

/** Finds a program that applications name; undefined when there is none. Asked once for each slug. */
export type OpenProgram = (slug: string) => Promise<LoadDefinition | undefined>

const lineEnd = 10

/** Reads blocks, one after the other. A line is an application or a page of an export; empty lines are skipped. */
export class BlockReader {
  readonly #packer: ApplicationPacker
  readonly #programs = new Map<string, LoadDefinition | undefined>()
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #line = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly options: ReadOptions,
    private readonly openProgram: OpenProgram,
  ) {
    this.#packer = new ApplicationPacker(options)
  }

  /** Reads a block when those before it have been read. */
  read(block: LineBlock): Promise<PackedApplications> {
    const reading = this.#last.then(() => this.#read(block))
    this.#last = reading
    return reading
  }

  async #read({ bytes, firstLine }: LineBlock): Promise<PackedApplications> {
    this.#line = firstLine
    for (let from = 0; from < bytes.length; this.#line++) {
      const end = bytes.indexOf(lineEnd, from)
      const waiting = this.#take(bytes.subarray(from, end === -1 ? bytes.length : end))
      // Only for the first application of each program is there something to wait for.
      if (waiting !== undefined) await waiting
      from = end === -1 ? bytes.length : end + 1
    }
    return this.#packer.take()
  }

  #take(line: Uint8Array): Promise<void> | undefined {
    let value: unknown
    try {
      const text = this.#decoder.decode(line)
      if (text.trim() === '') return undefined
      value = parseExactJson(text)
    } catch (error) {
      if (error instanceof TypeError) return this.#refuse('not_utf8', 'is not UTF-8')
      if (!(error instanceof UnreadableJson)) throw error
      const { code } = error.fault
      return code === 'malformed_json'
        ? this.#refuse('not_json', `is not JSON: ${error.message}`)
        : this.#refuse(code, `cannot be read without losing something: ${error.message}`)
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
    const slug = isObject(value) && typeof value.program_name === 'string' ? value.program_name : undefined
    if (slug !== undefined && !this.#programs.has(slug)) return this.#openThenTake(slug, value, item)
    const place = linePlaceOf(this.#line, item)
    const read = readExportedApplication(value, this.#findMembers, this.options.now)
    if ('faults' in read) this.#packer.refuse(place, read.faults)
    else this.#packer.add(this.#programs.get(read.application.program_name)!, read.application, place)
    return undefined
  }

  async #openThenTake(slug: string, value: unknown, item: number): Promise<void> {
    const { programSlug } = this.options
    // A program that is not to be loaded is not locked either.
    this.#programs.set(
      slug,
      programSlug === undefined || slug === programSlug ? await this.openProgram(slug) : undefined,
    )
    await this.#takeApplication(value, item)
  }

  readonly #findMembers: FindMembers = (programName, versionId) => {
    const { programSlug } = this.options
    if (programSlug !== undefined && programName !== programSlug)
      return { fault: `is of program ${programName}, and only applications of ${programSlug} are to be loaded` }
    const program = this.#programs.get(programName)
    if (program === undefined) return { fault: `is of program ${programName}, which there is not` }
    const version = program.versions.get(versionId)
    if (version !== undefined) return version.members
    const known = [...program.versions.keys()].join(', ') || 'none'
    return { fault: `is ${versionId}, and the published versions of ${programName} are ${known}` }
  }

  #refuse(code: string, detail: string): undefined {
    this.#packer.refuse(linePlaceOf(this.#line, 0), [{ path: '', code, detail }])
  }
}
