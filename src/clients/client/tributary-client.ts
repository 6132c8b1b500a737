// A client of the export API for TypeScript and JavaScript: Node.js 20 or newer, and Bun. It only needs fetch and imports nothing
// from the service, because it is published on its own, as @tributary/client.
//
//   const client = new TributaryClient({ baseUrl: 'https://…', username, password })
//   for await (const application of client.applications('utility-assistance')) …
//
// It returns each application exactly once and in order, even after failures. If a page is interrupted, the client requests it again
// with its token, which returns the same applications in the same order. It hands over a page only once the page is complete, so this
// also holds for the first page, which has no token yet: requesting it again starts a new walk.

import { hasShape, type Shape, shapes } from './answer-shapes.ts'
import type { ApiKey, Application } from './api-types.ts'
import { Attempts } from './attempts.ts'
import { BodyBuffer } from './body-buffer.ts'
import { ForeignAnswer, unreachableBy } from './client-errors.ts'
import {
  type ChangesOptions,
  type ClientOptions,
  changesOptions,
  clientOptions,
  filterNames,
  requireKnown,
  type StepOptions,
  stepOptions,
  type WalkOptions,
} from './client-options.ts'
import type { Change, ChangesPage, ReadablePrograms, WalkedPage, WalkReceipt, WalkStep } from './client-results.ts'
import { RequestLine } from './request-line.ts'
import { RoundTrip } from './round-trip.ts'
import { isLoopback, pathOf, programPath, serviceAddress } from './service-address.ts'
import { readWholeLines, readWholePage, textOf } from './whole-page.ts'

/** A receipt as returned by one request: the last has the digest, earlier ones a token to continue. An older service returns everything at once. */
interface ReceiptPart extends Omit<WalkReceipt, 'sha256'> {
  sha256: string | null
  next_token?: string | null
}

/** Maximum size of a page, which is held in memory until it is complete. */
const pageBytesMax = 256 * 1024 * 1024
/** Maximum size of any other document; the docs of a service are a few megabytes at most. */
const documentBytesMax = 64 * 1024 * 1024

export class TributaryClient {
  readonly baseUrl: string
  private readonly options: ClientOptions
  private readonly authorization: string
  private readonly answerMs: number
  /** On one machine, compression costs both sides more than it saves. */
  private readonly encoding: Readonly<Record<string, string>>
  /** Whether the service has ever responded: whatever prevents the first response may need fixing, but later passes. */
  private wasReached = false

  constructor(options: ClientOptions) {
    requireKnown(options, clientOptions)
    this.options = options
    this.answerMs = options.answerMs ?? 3_600_000
    this.baseUrl = serviceAddress(options.baseUrl)
    this.encoding = isLoopback(new URL(this.baseUrl)) ? { 'Accept-Encoding': 'identity' } : {}
    this.authorization = `Basic ${btoa(`${options.username}:${options.password}`)}`
  }

  /** Every matching application to a program, oldest submission first. `P` may be a type of your own for the program's answers. */
  async *applications<P = Application>(program: string, options: WalkOptions = {}): AsyncGenerator<P, void, undefined> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    for await (const step of this.steps(program, options)) {
      if (step.page !== undefined) continue
      for (const text of step.applications) {
        options.signal?.throwIfAborted()
        yield JSON.parse(decoder.decode(text)) as P
      }
    }
  }

  /** The same for tools that store the received bytes and record their progress: page by page, with tokens. */
  async *steps(program: string, options: StepOptions = {}): AsyncGenerator<WalkStep, void, undefined> {
    requireKnown(options, stepOptions)
    const { nextPageToken, pageSize, signal } = options
    const filters = filterNames.map(name => [name, timeOf(options[name])])
    const path = `${programPath(program)}/applications`
    let query: Record<string, string | undefined> = {
      ...(nextPageToken == null ? Object.fromEntries(filters) : { nextPageToken }),
      pageSize: pageSize?.toString(),
    }
    const trip = new RoundTrip()
    const ended = new AbortController()
    const either = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
    // While the caller works on one page, the next one arrives in the other buffer.
    let [body, spare] = [new BodyBuffer(), new BodyBuffer()]
    let coming = this.page(pathOf(path, query), nextPageToken == null, body, either)
    try {
      for (;;) {
        const { applications, bytes, page } = await coming
        if (page.nextPageToken !== null) {
          trip.reach(page.nextPageToken)
          query = { nextPageToken: page.nextPageToken, pageSize: pageSize?.toString() }
          ;[body, spare] = [spare, body]
          coming = this.page(pathOf(path, query), false, body, either)
          // Thrown when the caller reaches that page, and never if it stops before.
          coming.catch(() => {})
        }
        signal?.throwIfAborted()
        if (applications.length > 0) yield { applications, bytes }
        signal?.throwIfAborted()
        yield { page }
        if (page.nextPageToken === null) return
      }
    } finally {
      ended.abort(new Error('The walk was abandoned before its last page.'))
    }
  }

  /**
   * Count and digest of a whole walk, by the `walkToken` of its first page or any of its page tokens. For millions of applications, in several
   * requests.
   */
  async receipt(program: string, walkToken: string, signal?: AbortSignal): Promise<WalkReceipt> {
    const erased: number[] = []
    for (let walk = walkToken; ; ) {
      const path = pathOf(`${programPath(program)}/receipt`, { walk })
      const part = await this.json<ReceiptPart>(path, shapes.receipt, { signal })
      for (const id of part.erased_application_ids) erased.push(id)
      const { applications, sha256, next_token: next } = part
      if (typeof next === 'string') walk = next
      else if (typeof sha256 === 'string') return { applications, sha256, erased_application_ids: erased }
      else throw new ForeignAnswer('a receipt without a digest')
    }
  }

  /** The changes to a program's applications after a cursor, in order, each once, page by page: up to now, or as they happen. */
  async *changes<P = Application>(
    program: string,
    after: string,
    options: ChangesOptions = {},
  ): AsyncGenerator<ChangesPage<P>, void, undefined> {
    requireKnown(options, changesOptions)
    const { pageSize, waitSeconds, include, fields, questions, signal } = options
    // Unknown for applications as of `after`; with `include`, the first page reports it.
    let questionsAsOf: string | null | undefined
    const trip = new RoundTrip()
    for (let cursor = after; ; ) {
      const query = { after: cursor, pageSize: pageSize?.toString(), include, fields, questions }
      const page = await this.changesPage<P>(pathOf(`${programPath(program)}/changes`, query), signal, waitSeconds)
      const isNew = page.payload.length > 0 || page.nextCursor !== cursor
      // Nothing arrived while it waited.
      if (waitSeconds === undefined || isNew || (include !== undefined && page.questionsAsOf !== questionsAsOf))
        yield page
      if (!page.hasMore && waitSeconds === undefined) return
      if (page.hasMore) trip.reach(page.nextCursor)
      cursor = page.nextCursor
      questionsAsOf = page.questionsAsOf
    }
  }

  /** The permissions of the API key. */
  checkAuth(signal?: AbortSignal): Promise<ApiKey> {
    return this.json<ApiKey>('/api/v1/checkAuth', shapes.apiKey, { signal })
  }

  /** The programs that the key can read, with their numbers of applications. */
  programs(signal?: AbortSignal): Promise<ReadablePrograms> {
    return this.json('/api/v1/admin/programs', shapes.programs, { signal })
  }

  /** Any JSON document of the service, by its path, such as the docs of a program; a response with another shape is retried. */
  json<T>(path: string, shape: Shape, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<T> {
    return this.answered(signal, async line => {
      const response = await line.get(this.baseUrl + path, { Accept: 'application/json' })
      const value: unknown = JSON.parse(textOf(await line.bytes(response, documentBytesMax)))
      if (!hasShape(value, shape)) throw new ForeignAnswer('JSON of an unexpected shape')
      return value as T
    })
  }

  /** One page, requested until it is complete. */
  private page(
    path: string,
    isFirst: boolean,
    body: BodyBuffer,
    signal: AbortSignal,
  ): Promise<{ applications: Uint8Array[]; bytes: Uint8Array; page: WalkedPage }> {
    return this.lines(path, { signal, body }, async ({ headers }, read) => {
      // Only the first page names its walk.
      if (headers.has('Walk-Token') !== isFirst) throw new ForeignAnswer('another page')
      const { applications, bytes, end } = await readWholePage(await read())
      if (applications.length === 0 && end.nextPageToken !== null)
        throw new ForeignAnswer('an empty page that claims to have a next page')
      const field = (name: string): string | undefined => headers.get(name) ?? undefined
      const page = {
        ...end,
        snapshotTime: field('Snapshot-Time'),
        walkToken: field('Walk-Token'),
        changeCursor: field('Change-Cursor'),
        questionsAsOf: field('Questions-As-Of'),
      }
      return { applications, bytes, page }
    })
  }

  /** One page of changes, requested until it is complete. */
  private changesPage<P>(path: string, signal: AbortSignal | undefined, waitSeconds = 0): Promise<ChangesPage<P>> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    return this.lines(path, { signal, waitSeconds }, async (_, read) => {
      const { lines, last } = await readWholeLines(await read())
      const payload = lines.map(line => JSON.parse(decoder.decode(line)) as Change<P>)
      if (!hasShape(last, shapes.endOfChanges) || !hasShape(payload, [shapes.change]))
        throw new ForeignAnswer('lines of an unexpected shape')
      return { payload, ...(last as unknown as Omit<ChangesPage<P>, 'payload'>) }
    })
  }

  /** The result of `parse` for a response in lines, whose body it reads if the headers are valid. */
  private lines<T>(
    path: string,
    { signal, waitSeconds = 0, body }: { signal: AbortSignal | undefined; waitSeconds?: number; body?: BodyBuffer },
    parse: (response: Response, read: () => Promise<Uint8Array<ArrayBuffer>>) => Promise<T>,
  ): Promise<T> {
    let bytesMost = 0
    const begunMs = performance.now()
    const wait: Record<string, string> = waitSeconds === 0 ? {} : { Prefer: `wait=${waitSeconds}` }
    return this.answered(signal, async (line, attempts) => {
      const headers = { Accept: 'application/x-ndjson', ...this.encoding, ...wait }
      const response = await line.get(this.baseUrl + path, headers, waitSeconds * 1000)
      const onBytes = (bytes: number): void => {
        if (bytes <= bytesMost) return
        bytesMost = bytes
        // The time limit of one response: with a byte more in each attempt, it would never end.
        if (performance.now() - begunMs < this.answerMs) attempts.progressed()
      }
      return parse(response, () => line.bytes(response, pageBytesMax, { onBytes, body }))
    })
  }

  /** Repeats the request until there is a response. */
  private async answered<T>(
    signal: AbortSignal | undefined,
    ask: (line: RequestLine, attempts: Attempts) => Promise<T>,
  ): Promise<T> {
    const attempts = new Attempts(this.options, signal)
    for (;;) {
      const line = this.open(signal)
      try {
        const answer = await ask(line, attempts)
        signal?.throwIfAborted()
        return answer
      } catch (error) {
        const failure = line.passing(error)
        const unreachable = this.wasReached ? undefined : unreachableBy(failure, new URL(this.baseUrl).host)
        if (unreachable !== undefined) throw unreachable
        await attempts.wait(failure)
      } finally {
        line.close()
      }
    }
  }

  private open(signal: AbortSignal | undefined): RequestLine {
    const { fetch, silenceMs = 90_000 } = this.options
    const onAnswer = (): void => {
      this.wasReached = true
    }
    return new RequestLine(
      { fetch, silenceMs, answerMs: this.answerMs, authorization: this.authorization, onAnswer },
      signal,
    )
  }
}

const timeOf = (time: string | Date | null | undefined): string | undefined =>
  time instanceof Date ? time.toISOString() : (time ?? undefined)
