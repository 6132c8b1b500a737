// Who works with the installation while it is tried: front ends, clients of every kind, administrators. Each checks what it is promised as
// it goes, and keeps what is to be compared at the end.

import { createHash } from 'node:crypto'
import { findActiveVersion, findProgram } from '../../src/db/programs/programs.ts'
import { pick, type Rng } from '../../src/domain/random/seeded-random.ts'
import { Problem } from '../../src/problem.ts'
import { loadBankFor, parseDefinition } from '../../src/programs/parse-definition.ts'
import { publishDefinition } from '../../src/programs/publish.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { type Difference, differences, type WalkedPage } from '../../workers/walk-promises.ts'
import { type Installation, slug } from './installation.ts'
import type { Client } from './patient-client.ts'
import { anyView, type SoakKey, type View, viewFaults, viewName } from './views.ts'

interface Changes {
  payload: { change: number; kind: string; application_id: number }[]
  nextCursor: string
  hasMore: boolean
}

/** What was seen and done, to be compared at the end. */
export class Ledger {
  /** Of submissions that were acknowledged. */
  readonly acknowledged: number[] = []
  /** Of applications that got a status, how often. */
  readonly annotated = new Map<number, number>()
  /** What came, window by window. */
  readonly polled: number[] = []
  readonly followed: Changes['payload'] = []
  readonly broken: string[] = []
  walks = 0
  pages = 0
  publications = 0
  readonly note = (what: string): void => {
    if (this.broken.length < 100) this.broken.push(what)
  }

  /** Notes each of these kinds of difference, with an example. */
  compare<T>(what: string, got: readonly T[], expected: readonly T[], kinds: readonly Difference<T>['kind'][]): void {
    const found = Map.groupBy(differences(got, expected), ({ kind }) => kind)
    for (const kind of kinds) {
      const own = found.get(kind)
      if (own !== undefined) this.note(`${what}: ${own.length} ${kind}, such as ${own[0]!.of}`)
    }
  }
}

export const exportPath = `/api/v1/admin/programs/${slug}/applications`
const intakePath = `/intake/v1/programs/${slug}/applicants`

interface Question {
  admin_name: string
  kind: string
  text: string
  enumerator?: string
}

const q = (name: string, kind: string, enumerator?: string): Question => ({
  admin_name: `soaked ${name}`,
  kind,
  text: `${name}?`,
  ...(enumerator === undefined ? {} : { enumerator: `soaked ${enumerator}` }),
})

/** In another order with each `n`; what only some versions ask comes in the middle. */
function ordered<T>(list: readonly T[], n: number, between: readonly T[]): T[] {
  const at = n % list.length
  const turned = [...list.slice(at), ...list.slice(0, at)]
  return n % 2 === 0 ? turned : turned.toSpliced(1, 0, ...between)
}

/** What version `n` asks, at the top and two enumerators deep. */
function questionsOf(n: number): Question[] {
  const job = ordered([q('employer', 'TEXT', 'jobs'), q('since', 'TEXT', 'jobs')], n, [q('pay', 'NUMBER', 'jobs')])
  const jobs = [q('jobs', 'ENUMERATOR', 'members'), ...job]
  const member = ordered([[q('name', 'TEXT', 'members')], jobs], n, [[q('nick', 'TEXT', 'members')]])
  const members = [q('members', 'ENUMERATOR'), ...member.flat()]
  return ordered([[q('words', 'TEXT')], members, [q('town', 'TEXT')]], n, [[q('extra', 'NUMBER')]]).flat()
}

/** Version `n` of the program: asks in another order than the one before, and inserts questions or leaves them out. */
function definition(n: number, based_on: number | undefined) {
  const questions = questionsOf(n)
  return {
    slug,
    display_name: 'Soaked',
    statuses: ['Received', 'Approved'],
    ...(based_on === undefined ? {} : { based_on }),
    questions,
    screens: [
      {
        name: 'Screen',
        questions: questions.map(({ admin_name }) => ({
          question: admin_name,
          optional: admin_name !== 'soaked words',
        })),
      },
    ],
  }
}

/** Publishes the next version; false when the database was not there for it, and notes when it was refused. The first one throws. */
export async function publishVersion({ sql }: Installation, ledger: Ledger): Promise<boolean> {
  const n = ledger.publications
  try {
    const program = await findProgram(sql, slug)
    const active = program && (await findActiveVersion(sql, program.program_id))
    const document = definition(n, active?.program_version_id)
    const parsed = parseDefinition(document, await loadBankFor(sql, document))
    await publishDefinition(sql, parsed, 'operator:soak', { move: 'all' })
    ledger.publications++
    return true
  } catch (error) {
    if (n === 0) throw error
    if (error instanceof Problem)
      ledger.note(`version ${n} was refused: ${error.message} ${JSON.stringify(error.errors)}`)
    return false
  }
}

/** A front end: registers, saves and submits until stopped; every third time for an applicant that has submitted before. */
export async function write(client: Client, ledger: Ledger, stopped: AbortSignal): Promise<void> {
  let applicant: number | undefined
  for (let n = 0; !stopped.aborted; n++) {
    if (applicant === undefined || n % 3 !== 2) {
      const registered = await client.ask('/intake/v1/applicants', {
        method: 'POST',
        body: { language: 'en-US' },
        key: crypto.randomUUID(),
      })
      applicant = (registered?.body as { applicant_id?: number } | undefined)?.applicant_id
      if (applicant === undefined) continue
    }
    const jobs = { entities: [{ entity_name: `j ${n}`, soaked_employer: { text: 'Mill' } }].slice(n % 2) }
    const answers = {
      soaked_words: { text: 'x'.repeat(1 + (n % 700)) },
      soaked_town: { text: 'Town' },
      soaked_members: { entities: [{ entity_name: `m ${n}`, soaked_name: { text: 'Ada' }, soaked_jobs: jobs }] },
    }
    const saved = await client.ask(`${intakePath}/${applicant}/answers`, { method: 'PUT', body: { answers } })
    if (saved === undefined || saved.status >= 300) {
      if (saved !== undefined) ledger.note(`saving answered ${saved.status}: ${JSON.stringify(saved.body)}`)
      applicant = undefined
      continue
    }
    const submitted = await client.ask(`${intakePath}/${applicant}/submissions`, {
      method: 'POST',
      body: { submitter: { type: 'APPLICANT' } },
      key: crypto.randomUUID(),
    })
    const id = (submitted?.body as { application_id?: number } | undefined)?.application_id
    if (id !== undefined) ledger.acknowledged.push(id)
    else if (submitted !== undefined)
      ledger.note(`submitting answered ${submitted.status}: ${JSON.stringify(submitted.body)}`)
  }
}

/** One walk from beginning to end; its pages, its ids in order, and the head of its first page. Undefined when it could not be finished. */
export async function walk(client: Client, ledger: Ledger, view: View, query: string) {
  const pages: WalkedPage[] = []
  let head: Headers | undefined
  const name = `${query} as ${viewName(view)}`
  const fields = view.fields === undefined ? '' : `&fields=${view.fields}`
  const read = (text: string): WalkedPage => {
    const page = view.format.read(text)
    for (const fault of viewFaults(view, page, text)) ledger.note(`a walk (${name}): ${fault}`)
    return page
  }
  const asked = { authorization: view.authorization, accept: view.format.accept, read }
  for (let token: string | null = ''; token !== null; ) {
    const answer = await client.ask(`${exportPath}?${token === '' ? query + fields : `nextPageToken=${token}`}`, asked)
    if (answer?.status !== 200) {
      const what =
        answer === undefined ? 'was not answered' : `answered ${answer.status}: ${JSON.stringify(answer.body)}`
      ledger.note(`a page (${name}) ${what}`)
      return undefined
    }
    head ??= answer.headers
    const page = answer.body as WalkedPage
    pages.push(page)
    ledger.pages++
    token = page.token
  }
  ledger.walks++
  const ids = pages.flatMap(({ applications }) => applications.map(({ id }) => id))
  ledger.compare(`a walk (${name})`, ids, [], ['duplicated'])
  return { pages, ids, head: head! }
}

/**
 * Walks again and again, with either key, in any format, with all questions or some, and with pages of several sizes: nothing that was
 * acknowledged before is missing, nothing comes twice, and the receipt agrees.
 */
export async function walkOn(
  client: Client,
  ledger: Ledger,
  keys: readonly SoakKey[],
  random: Rng,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    const before = ledger.acknowledged.slice()
    const view = anyView(random, keys)
    const walked = await walk(client, ledger, view, `pageSize=${pick(random, [1000, 100, 350])}`)
    if (walked === undefined) continue
    const { authorization } = view
    ledger.compare(`acknowledged before a walk as ${viewName(view)}`, walked.ids, before, ['lost'])
    const path = `/api/v1/admin/programs/${slug}/receipt?walk=${walked.head.get('Walk-Token')}`
    const receipt = await client.ask(path, { authorization })
    const sha256 = createHash('sha256')
      .update(walked.ids.map(id => `${id}\n`).join(''))
      .digest('hex')
    if (receipt !== undefined && (receipt.body as { sha256?: string }).sha256 !== sha256)
      ledger.note(
        `a walk of ${walked.ids.length} as ${viewName(view)} is not what its receipt says: ${JSON.stringify(receipt.body)}`,
      )
  }
}

/** Asks for what is new, window by window, each as another client would. */
export async function poll(
  client: Client,
  ledger: Ledger,
  keys: readonly SoakKey[],
  random: Rng,
  stopped: AbortSignal,
): Promise<void> {
  let from: string | undefined
  for (let last = false; !last; ) {
    // Once more after the last submission.
    last = stopped.aborted
    const query = `pageSize=500${from === undefined ? '' : `&fromDate=${from}`}`
    const walked = await walk(client, ledger, anyView(random, keys), query)
    if (walked === undefined) {
      if (last) ledger.note('the last window could not be read')
      continue
    }
    ledger.polled.push(...walked.ids)
    from = encodeURIComponent(walked.head.get('Snapshot-Time')!)
    await Bun.sleep(100)
  }
}

/** Follows the changes by one cursor. */
export async function follow(client: Client, ledger: Ledger, stopped: AbortSignal): Promise<void> {
  let after = '0'
  for (let last = false; ; ) {
    const answer = await client.ask(`/api/v1/admin/programs/${slug}/changes?after=${after}`)
    if (answer?.status !== 200) {
      ledger.note(`the changes answered ${answer?.status}: ${JSON.stringify(answer?.body)}`)
      return
    }
    const { payload, nextCursor, hasMore } = answer.body as Changes
    ledger.followed.push(...payload)
    after = nextCursor
    if (last && !hasMore) return
    last = stopped.aborted
    if (!hasMore && !last) await Bun.sleep(100)
  }
}

/** An administrator: gives applications statuses, and publishes a version now and then. What fails was not done. */
export async function administer(
  installation: Installation,
  ledger: Ledger,
  random: Rng,
  stopped: AbortSignal,
): Promise<void> {
  for (let n = 1; !stopped.aborted; n++) {
    await Bun.sleep(150)
    const application_id = pick<number | undefined>(random, ledger.acknowledged)
    if (n % 20 === 0 && (await publishVersion(installation, ledger))) continue
    if (application_id === undefined) continue
    const program = await findProgram(installation.sql, slug).catch(() => undefined)
    if (program === undefined) continue
    await annotate(installation.sql, {
      program_id: program.program_id,
      application_id,
      status: 'Received',
      actor: 'operator:soak',
      now: Date.now() * 1000,
      timeZone: 'UTC',
    }).then(
      () => ledger.annotated.set(application_id, (ledger.annotated.get(application_id) ?? 0) + 1),
      // Lost with its connection: whether it was committed is not known.
      () => ledger.annotated.set(application_id, Number.NaN),
    )
  }
}
