// The self-walk: a worker walks a part of a program as any client does, and compares what it got with the database. It goes over HTTP with
// a key of its own, so everything is tried: the proxy, authentication, tokens, cursors, bytes. Each walk is in one of the formats, and every
// other one has a single question (`fields`); a key from which questions are hidden tries that too.

import type { Sql } from '../src/db/client.ts'
import { findSubmissionCount, findSubmitTime, readTruePlaces, readUnaccounted } from '../src/db/walks/walk-truth.ts'
import { formatMicros, type Micros } from '../src/domain/values/offset-time.ts'
import { parseChangeCursor } from '../src/export/requests/change-cursor.ts'
import { type Promised, promisesBroken, type WalkedPage } from './walk-promises.ts'
import { walkFormats } from './walked-page.ts'

export interface SelfWalkOptions {
  db: Sql
  /** Of the service, and `username:password` of a key that may export. */
  url: string
  credential: string
  /** About how many applications one walk reads. */
  applications: number
  /** The service's own maximum. */
  maxPageSize: number
  /** Between 0 and 1. */
  random?: () => number
}

export interface SelfWalkReport {
  program: string
  applications: number
  pages: number
  pageSize: number
  /** The media type. */
  format: string
  errors: Promised[]
}

/** How long one walk may take, and one request of it. */
const [walkMs, requestMs] = [10 * 60_000, 60_000]
const attemptsMax = 5
const retryMsMax = 30_000

/** Thrown when the walk could not be made; that says nothing about the promises. */
export class SelfWalkFailure extends Error {}

/** Thrown when a page is refused for no reason but a fault of the service: that is a promise broken. */
class PageError extends SelfWalkFailure {}

/** Walks a part of one of the programs that the key may read. Undefined when none of them has a submission. */
export async function walkItself(options: SelfWalkOptions): Promise<SelfWalkReport | undefined> {
  const { db, applications, maxPageSize, random = Math.random } = options
  const client = new Client(options, performance.now() + walkMs)
  const { programs } = JSON.parse((await client.get('/api/v1/checkAuth')).text) as { programs: string[] }
  const program = await pickProgram(db, programs, random)
  if (program === undefined) return undefined
  const { slug, program_id: programId, submissions } = program
  // Half the walks read the newest applications, to the end; the others read a part anywhere before.
  const newest = Math.max(1, submissions - applications + 1)
  const first = random() < 0.5 ? newest : 1 + Math.floor(random() * newest)
  const from = await findSubmitTime(db, programId, first)
  if (from === undefined) return undefined
  const to = first === newest ? undefined : await findSubmitTime(db, programId, first + applications)
  const pageSize = Math.min(maxPageSize, Math.max(Math.ceil(applications / 200), 1 + Math.floor(random() * 60)))
  // Twice the earlier number, because others may come in the meantime that do not belong to it.
  const pagesMax = Math.ceil((2 * applications) / pageSize) + 2
  const again = random()
  const format = walkFormats[Math.floor(random() * walkFormats.length)]!
  const chosen = random() < 0.5 ? undefined : await client.anyQuestion(slug, random)
  const asked = { from, to, pageSize, pagesMax, again, format, chosen }
  const walked = await client.walk(slug, asked).catch(pageError)
  const report = { program: slug, pageSize, format: format.accept }
  if (walked instanceof PageError)
    return { ...report, applications: 0, pages: 0, errors: [{ promise: 'answered', detail: walked.message }] }
  const { horizon } = walked
  const truth = await readTruePlaces(db, { programId, horizon, from, to })
  const unaccounted = await readUnaccounted(db, programId, first, Math.min(horizon, first + applications - 1))
  const errors = promisesBroken({ ...walked, pageSize, pagesMax, chosen }, { places: truth, unaccounted, horizon })
  const count = walked.pages.reduce((sum, { applications: some }) => sum + some.length, 0)
  return { ...report, applications: count, pages: walked.pages.length, errors }
}

function pageError(error: unknown): PageError {
  if (error instanceof PageError) return error
  throw error
}

async function pickProgram(db: Sql, slugs: readonly string[], random: () => number) {
  const at = Math.floor(random() * slugs.length)
  for (const slug of [...slugs.slice(at), ...slugs.slice(0, at)]) {
    const found = await findSubmissionCount(db, slug)
    if (found !== undefined && found.submissions > 0) return { slug, ...found }
  }
  return undefined
}

interface Asked {
  from: Micros
  to: Micros | undefined
  pageSize: number
  pagesMax: number
  /** Which page the walk requests twice, as a share of all pages: 0 is the first. */
  again: number
  format: (typeof walkFormats)[number]
  chosen: string | undefined
}

class Client {
  constructor(
    private readonly options: Pick<SelfWalkOptions, 'url' | 'credential'>,
    private readonly endMs: number,
  ) {}

  /** The key of one of the questions at the top of the program, by its docs; undefined where it asks none. */
  async anyQuestion(slug: string, random: () => number): Promise<string | undefined> {
    const { text } = await this.get(`/docs/api/programs/${slug}/versions/active`)
    const { questions } = JSON.parse(text) as { questions: { question_key: string; depth: number }[] }
    const keys = questions.filter(({ depth }) => depth === 0).map(({ question_key }) => question_key)
    return keys[Math.floor(random() * keys.length)]
  }

  async walk(slug: string, { from, to, pageSize, pagesMax, again, format, chosen }: Asked) {
    const path = `/api/v1/admin/programs/${slug}/applications`
    const query = new URLSearchParams({ fromDate: formatMicros(from), pageSize: String(pageSize) })
    if (to !== undefined) query.set('toDate', formatMicros(to))
    if (chosen !== undefined) query.set('fields', chosen)
    const pages: WalkedPage[] = []
    const tokens: string[] = []
    let answer = await this.get(`${path}?${query}`, format.accept)
    const horizon = parseChangeCursor(answer.headers.get('Change-Cursor') ?? '')?.change
    if (horizon === undefined) throw new SelfWalkFailure('the first page has no Change-Cursor')
    for (;;) {
      const page = format.read(answer.text)
      pages.push(page)
      if (page.token === null || pages.length === pagesMax) break
      tokens.push(page.token)
      answer = await this.get(`${path}?${new URLSearchParams({ nextPageToken: page.token })}`, format.accept)
    }
    const at = Math.floor(again * tokens.length)
    const token = tokens[at]
    const repeated = token === undefined ? undefined : await this.#again(path, token, pages[at + 1]!, format)
    return { pages, horizon, repeated }
  }

  async #again(path: string, token: string, earlier: WalkedPage, format: Asked['format']) {
    const { text } = await this.get(`${path}?${new URLSearchParams({ nextPageToken: token })}`, format.accept)
    return { earlier, later: format.read(text) }
  }

  /** The answer with status 200. A refusal that may pass is waited out, as a client should. */
  async get(path: string, accept = 'application/json'): Promise<{ text: string; headers: Headers }> {
    const { url, credential } = this.options
    for (let attempt = 1; ; attempt++) {
      const { status, headers, text } = await this.#ask(`${url}${path}`, credential, accept)
      if (status === 200) return { text, headers }
      if (status === 500) throw new PageError(`${path.split('?')[0]} as ${accept} answered 500`)
      const mayPass = status === 429 || status === 503 || status === 0
      if (!mayPass || attempt === attemptsMax)
        throw new SelfWalkFailure(`${path.split('?')[0]} answered ${status || text}`)
      await Bun.sleep(Math.min(retryMsMax, Number(headers.get('Retry-After') ?? 1) * 1000))
      if (performance.now() > this.endMs) throw new SelfWalkFailure('it took longer than ten minutes')
    }
  }

  async #ask(
    url: string,
    credential: string,
    accept: string,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const authorization = `Basic ${Buffer.from(credential).toString('base64')}`
    try {
      const signal = AbortSignal.timeout(requestMs)
      const response = await fetch(url, { headers: { authorization, accept }, redirect: 'manual', signal })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      return { status: 0, headers: new Headers(), text: (error as { code?: string }).code ?? 'not at all' }
    }
  }
}
