// A client of the export for TypeScript and JavaScript: Bun, Node.js 22 or newer, and in principle browsers. It needs nothing but
// fetch, and imports nothing of the service, so that it can be used and published by itself.
//
//   const client = new TributaryClient({ baseUrl: 'https://…', username, password })
//   for await (const application of client.applications('utility-assistance')) …
//
// Exactly once, in order, whatever breaks on the way: a page that breaks off is asked for again by the same token, which gives the same
// applications in the same order, and those that were handed over are passed over. The first page has no token yet, and asking
// again begins another walk; so none of it is handed over before it is whole.

import type { ApiKey, Application, ExportParameters } from './api-types.ts'
import { Attempts, type RetryOptions } from './attempts.ts'
import { type PageEnd, PageLines } from './page-lines.ts'
import { RequestLine } from './request-line.ts'

export interface ClientOptions extends RetryOptions {
  /** Where the service is, such as `https://apply.example.gov`. Plain HTTP is for loopback only. */
  baseUrl: string
  /** Of the API key. */
  username: string
  password: string
  /** How long a connection may say nothing before it counts as broken; 90 seconds unless given. */
  silenceMs?: number
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export interface WalkReceipt {
  /** How many applications of the walk are there. */
  applications: number
  /** SHA-256 over their ids in the order of the walk, each in decimal digits and followed by a line feed. */
  sha256: string
  /** Erased after the walk began, and not counted, though its pages may have had them. */
  erased_application_ids: readonly number[]
}

/** What happened to an application. Only what belongs to its kind is there; more kinds may come. */
export interface Change {
  change: number
  kind: 'submitted' | 'superseded' | 'status' | 'note' | 'erased' | (string & {})
  application_id: number
  time: string | null
  superseded_by?: number | null
  status?: string | null
  application_note?: string | null
}

export interface ChangesPage {
  payload: readonly Change[]
  /** Goes on from here: to be kept together with what was made of this page. */
  nextCursor: string
  hasMore: boolean
}

export type WalkFilters = Omit<ExportParameters, 'pageSize' | 'nextPageToken'>

export interface WalkOptions extends WalkFilters {
  /** Applications on a page at most; the maximum of the service unless given. The first page is held in memory. */
  pageSize?: number
  signal?: AbortSignal
}

export interface StepOptions extends WalkOptions {
  /** Goes on with a walk, at the page of this token; filters are then those it began with. */
  nextPageToken?: string
}

/** The end of a page, and what the walk said of itself. */
export interface WalkedPage extends PageEnd {
  /**
   * Of the walk's first page only: the next `fromDate`, to get everything submitted since. While a bulk load is under way the walk has some
   * of that already: to get nothing twice, ask for a page of one first, and walk with its `snapshotTime` as `toDate`.
   */
  snapshotTime: string | undefined
  /** Of the walk's first page only: names the walk when its receipt is asked for. */
  walkToken: string | undefined
  /** Of the walk's first page only: where the changes go on from what the walk has. */
  changeCursor: string | undefined
}

/** Applications as they came, each the bytes of its JSON; after the last of a page, its end. */
export type WalkStep = { applications: readonly Uint8Array[]; page?: undefined } | { page: WalkedPage }

/** Bytes of the first page that are held before any of it is handed over. */
const firstPageBytesMax = 256 * 1024 * 1024

export class TributaryClient {
  readonly baseUrl: string
  private readonly options: ClientOptions
  private readonly authorization: string

  constructor(options: ClientOptions) {
    this.options = options
    this.baseUrl = serviceAddress(options.baseUrl)
    this.authorization = `Basic ${btoa(`${options.username}:${options.password}`)}`
  }

  /** Every application of a program that matches, oldest submission first. `P` may be a type of your own for the program's answers. */
  async *applications<P = Application>(program: string, options: WalkOptions = {}): AsyncGenerator<P, void, undefined> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    for await (const step of this.steps(program, options)) {
      if (step.page !== undefined) continue
      for (const text of step.applications) yield JSON.parse(decoder.decode(text)) as P
    }
  }

  /** The same for tools that keep what came as it came, and note how far they are: page by page, with tokens. */
  async *steps(program: string, options: StepOptions = {}): AsyncGenerator<WalkStep, void, undefined> {
    const { fromDate, toDate, revisionState, fields, pageSize, signal } = options
    const filters = { fromDate, toDate, revisionState, fields } satisfies Record<keyof WalkFilters, unknown>
    let query: Record<string, string | undefined> = {
      ...(options.nextPageToken === undefined ? filters : { nextPageToken: options.nextPageToken }),
      pageSize: pageSize?.toString(),
    }
    for (;;) {
      const page = yield* this.page(addressOf(this.baseUrl, `${programPath(program)}/applications`, query), signal)
      yield { page }
      if (page.nextPageToken === null) return
      query = { nextPageToken: page.nextPageToken, pageSize: pageSize?.toString() }
    }
  }

  /** Count and digest of a whole walk, by the `walkToken` of its first page or any token of it. */
  receipt(program: string, walkToken: string, signal?: AbortSignal): Promise<WalkReceipt> {
    return this.json(`${programPath(program)}/receipt?${new URLSearchParams({ walk: walkToken })}`, signal)
  }

  /** What happened to a program's applications after a cursor, in order, each once, page by page up to now. */
  async *changes(program: string, after: string, signal?: AbortSignal): AsyncGenerator<ChangesPage, void, undefined> {
    for (let cursor = after; ; ) {
      const page = await this.json<ChangesPage>(
        `${programPath(program)}/changes?${new URLSearchParams({ after: cursor })}`,
        signal,
      )
      yield page
      if (!page.hasMore) return
      cursor = page.nextCursor
    }
  }

  /** What the presented API key may do. */
  checkAuth(signal?: AbortSignal): Promise<ApiKey> {
    return this.json<ApiKey>('/api/v1/checkAuth', signal)
  }

  /** Any JSON document of the service, by its path, such as the docs of a program. */
  async json<T>(path: string, signal?: AbortSignal): Promise<T> {
    const attempts = new Attempts(this.options, signal)
    for (;;) {
      const line = this.open(signal)
      try {
        return (await (await line.get(addressOf(this.baseUrl, path, {}), 'application/json')).json()) as T
      } catch (error) {
        await attempts.wait(line.passing(error))
      } finally {
        line.close()
      }
    }
  }

  /** One page, asked for until it was whole; nothing of it is handed over twice. */
  private async *page(url: string, signal: AbortSignal | undefined): AsyncGenerator<WalkStep, WalkedPage, undefined> {
    const isFirst = !url.includes('nextPageToken=')
    const attempts = new Attempts(this.options, signal)
    let handedOver = 0
    for (;;) {
      const line = this.open(signal)
      const held: Uint8Array[] = []
      let heldBytes = 0
      let seen = 0
      try {
        const response = await line.get(url, 'application/x-ndjson')
        const lines = new PageLines()
        for await (const chunk of line.chunks(response)) {
          const all = lines.push(chunk)
          const applications = all.slice(Math.max(0, handedOver - seen))
          seen += all.length
          if (applications.length === 0) continue
          if (isFirst) {
            held.push(...applications)
            heldBytes += chunk.length
            if (heldBytes > firstPageBytesMax)
              throw new RangeError(
                `The first page has more than ${firstPageBytesMax} bytes: ask for a smaller pageSize.`,
              )
            continue
          }
          handedOver = seen
          attempts.progressed()
          yield { applications }
        }
        const end = lines.end()
        if (end.applications < handedOver) throw new RangeError('The same token gave fewer applications than before.')
        if (held.length > 0) yield { applications: held }
        const field = (name: string): string | undefined => response.headers.get(name) ?? undefined
        return {
          ...end,
          snapshotTime: field('Snapshot-Time'),
          walkToken: field('Walk-Token'),
          changeCursor: field('Change-Cursor'),
        }
      } catch (error) {
        await attempts.wait(line.passing(error))
      } finally {
        line.close()
      }
    }
  }

  private open(signal: AbortSignal | undefined): RequestLine {
    const { fetch, silenceMs = 90_000 } = this.options
    return new RequestLine({ fetch, silenceMs, authorization: this.authorization }, signal)
  }
}

const programPath = (program: string): string => `/api/v1/admin/programs/${encodeURIComponent(program)}`

function addressOf(baseUrl: string, path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? baseUrl + path : `${baseUrl}${path}?${new URLSearchParams(given)}`
}

/** Without a slash at the end. An API key goes over HTTPS only. */
function serviceAddress(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError(`The address must be one such as https://apply.example.gov, not "${text}".`)
  const url = new URL(text)
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    throw new TypeError(`The address must begin with https://, so that nobody on the way reads the API key: "${text}".`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('The address must have no user, password, question mark or hash in it.')
  return url.href.replace(/\/+$/, '')
}
