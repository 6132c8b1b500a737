// The start of a walk, asked for while its key is still being looked up: one wait less before the first row of a first page.
//
// It is a guess and decides nothing. The key is looked up as for every request, and when it is refused, what was read is thrown away. A
// guess costs one small statement. It is made only where the same secret opened the same program the last time it was sent to this
// process, which is known by the secret's hash. That is remembered when a walk is opened and forgotten when it is used: a key that was
// retired, edited or is over its quota costs one unneeded statement, and a wrong secret costs none.

import type { KeySource, KnownKey } from '../access/key-source.ts'
import { readThroughLoss } from '../db/client.ts'
import { readWalkStart, type WalkStart } from '../db/walks.ts'
import type { Exports } from '../export/exports.ts'

/** Secrets and programs that are remembered at most. */
const rememberedMax = 1000

export class HeadStarts {
  /** Program ids, by the hash of a secret and the address that was asked for with it. */
  readonly #opened = new Map<string, number>()

  constructor(
    private readonly exports: Pick<Exports, 'read' | 'crowded'>,
    private readonly keys: KeySource,
  ) {}

  of(request: Request): HeadStart {
    return new HeadStart(this, this.keys, request.url)
  }

  read(programId: number): Promise<WalkStart> {
    return this.exports.read(sql => readThroughLoss(() => readWalkStart(sql, programId)))
  }

  /** The program that this opened the last time, and forgets it; none while exports wait for connections. */
  guess(name: string): number | undefined {
    const programId = this.#opened.get(name)
    if (programId !== undefined) this.#opened.delete(name)
    return this.exports.crowded ? undefined : programId
  }

  remember(name: string, programId: number): void {
    this.#opened.set(name, programId)
    const [oldest] = this.#opened.keys()
    if (this.#opened.size > rememberedMax && oldest !== undefined) this.#opened.delete(oldest)
  }
}

/** Of one request: where its key is looked up, and the start of its walk is asked for. */
export class HeadStart implements KeySource {
  #name: string | undefined
  #begun: { programId: number; start: Promise<WalkStart> } | undefined

  constructor(
    private readonly all: HeadStarts,
    private readonly keys: KeySource,
    private readonly url: string,
  ) {}

  find(apiKeyId: string, hash: Buffer): Promise<KnownKey | undefined> {
    // A later page knows where its walk started.
    if (!this.url.includes('nextPageToken')) this.#begin(hash)
    return this.keys.find(apiKeyId, hash)
  }

  /** The start of a walk through a program that its caller was let in to: the one that was asked for already, or is asked for now. */
  start(programId: number): Promise<WalkStart> {
    if (this.#name !== undefined) this.all.remember(this.#name, programId)
    return this.#begun?.programId === programId ? this.#begun.start : this.all.read(programId)
  }

  #begin(hash: Buffer): void {
    const query = this.url.indexOf('?')
    this.#name = `${hash.toString('base64')} ${query === -1 ? this.url : this.url.slice(0, query)}`
    const programId = this.all.guess(this.#name)
    if (programId === undefined) return
    const start = this.all.read(programId)
    // When the request is refused, nothing awaits this.
    start.catch(() => {})
    this.#begun = { programId, start }
  }
}
