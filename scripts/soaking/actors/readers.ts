// Clients of every kind that read during a soak. Each checks the service's promises as it reads, and keeps what is compared at the end.

import { createHash } from 'node:crypto'
import { pick, type Rng } from '../../../src/domain/random/seeded-random.ts'
import { type SoakKey, slug } from '../installation/installation.ts'
import { contentFault, type Members } from '../seen/contents.ts'
import type { FollowedChange, Ledger } from '../seen/ledger.ts'
import { anyView, type View, viewFaults, viewName } from '../seen/views.ts'
import type { WalkedPage } from '../seen/walk-promises.ts'
import type { Client } from './patient-client.ts'

export const exportPath = `/api/v1/admin/programs/${slug}/applications`

interface Changes {
  payload: (FollowedChange & { application?: Members })[]
  nextCursor: string
  hasMore: boolean
}

/** One walk from beginning to end: its pages, its IDs in order, and the headers of its first page. Undefined if it could not be finished. */
export async function walk(client: Client, ledger: Ledger, view: View, query: string) {
  const pages: WalkedPage[] = []
  let head: Headers | undefined
  const name = `${query} as ${viewName(view)}`
  const { format } = view.format
  const chosen = `${view.fields === undefined ? '' : `&fields=${view.fields}`}${format === undefined ? '' : `&format=${format}`}`
  const read = (text: string, headers: Headers): WalkedPage => {
    const page = view.format.read(text, headers)
    for (const fault of viewFaults(view, page, text)) ledger.note(`a walk (${name}): ${fault}`)
    checkContents(ledger, view, page, name)
    return page
  }
  const asked = { authorization: view.authorization, accept: view.format.accept, read }
  for (let token: string | null = ''; token !== null; ) {
    const answer = await client.ask(`${exportPath}?${token === '' ? query + chosen : `nextPageToken=${token}`}`, asked)
    if (answer?.status !== 200) {
      const what =
        answer === undefined ? 'got no response' : `returned ${answer.status}: ${JSON.stringify(answer.body)}`
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

/** Each acknowledged application has what was sent, and what was acknowledged. */
function checkContents(ledger: Ledger, view: View, { applications }: WalkedPage, name: string): void {
  for (const application of applications) {
    const submission = ledger.submissions.get(application.id)
    if (submission === undefined || ledger.isChecked(viewName(view), application.digest)) continue
    const fault = contentFault(view, application, submission)
    if (fault !== undefined) ledger.note(`a walk (${name}): application ${application.id}: ${fault}`)
  }
}

/**
 * Walks again and again, with either key, in any format, with all or some questions, and with pages of several sizes: everything acknowledged before
 * is there, nothing comes twice, and the receipt agrees.
 */
export async function walkOn(
  client: Client,
  ledger: Ledger,
  keys: readonly SoakKey[],
  random: Rng,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    const [before, gone] = [[...ledger.submissions.keys()], [...ledger.erased]]
    const view = anyView(random, keys)
    const walked = await walk(client, ledger, view, `pageSize=${pick(random, [1000, 100, 350])}`)
    if (walked === undefined) continue
    const { authorization } = view
    const ids = new Set(walked.ids)
    ledger.compare(`acknowledged before a walk as ${viewName(view)}`, walked.ids, ledger.remaining(before), ['lost'])
    const stale = gone.find(id => ids.has(id))
    if (stale !== undefined) ledger.note(`a walk as ${viewName(view)} has application ${stale}, erased before it began`)
    const said = await askReceipt(client, authorization, walked.head.get('Walk-Token'))
    const erased = new Set(said?.erased_application_ids)
    const lines = walked.ids.filter(id => !erased.has(id)).map(id => `${id}\n`)
    if (said !== undefined && said.sha256 !== createHash('sha256').update(lines.join('')).digest('hex'))
      ledger.note(
        `a walk of ${walked.ids.length} as ${viewName(view)} does not match its receipt: ${JSON.stringify(said)}`,
      )
  }
}

interface SaidReceipt {
  sha256: string | null
  erased_application_ids: number[]
  next_token: string | null
}

/** The receipt of a walk, in as many requests as it takes; undefined if the client gave up on one. */
async function askReceipt(
  client: Client,
  authorization: string,
  walkToken: string | null,
): Promise<SaidReceipt | undefined> {
  const erased: number[] = []
  for (let token = walkToken; ; ) {
    const answer = await client.ask(`/api/v1/admin/programs/${slug}/receipt?walk=${token}`, { authorization })
    if (answer === undefined) return undefined
    const part = answer.body as SaidReceipt
    erased.push(...part.erased_application_ids)
    if (part.next_token === null) return { ...part, erased_application_ids: erased }
    token = part.next_token
  }
}

/** Requests new applications, window by window, each as a different client would. */
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

/** Follows the changes with one cursor, including their applications, and maintains a copy of the program from them (D39). */
export async function follow(client: Client, ledger: Ledger, stopped: AbortSignal): Promise<void> {
  let after = '0'
  for (let last = false; ; ) {
    const answer = await client.ask(`/api/v1/admin/programs/${slug}/changes?include=application&after=${after}`)
    if (answer?.status !== 200) {
      ledger.note(`the change feed returned ${answer?.status}: ${JSON.stringify(answer?.body)}`)
      return
    }
    const { payload, nextCursor, hasMore } = answer.body as Changes
    for (const { application, ...change } of payload) {
      ledger.followed.push(change)
      applyTo(ledger.copy, change, application)
    }
    after = nextCursor
    if (last && !hasMore) return
    last = stopped.aborted
    if (!hasMore && !last) await Bun.sleep(100)
  }
}

/** As EXPORT.md describes it for clients that maintain a copy. */
function applyTo(
  copy: Map<number, Members>,
  { kind, application_id }: FollowedChange,
  application: Members | undefined,
): void {
  const kept = copy.get(application_id)
  if (application !== undefined) copy.set(application_id, application)
  else if (kind === 'erased') copy.delete(application_id)
  else if (kind === 'superseded' && kept !== undefined)
    copy.set(application_id, { ...kept, revision_state: 'OBSOLETE' })
}

interface FeedPage {
  value: Members[]
  '@odata.nextLink'?: string
}

/** A table of the OData feed, row by row, and the time when it began. Undefined if it could not be finished. */
export async function readFeed(client: Client, ledger: Ledger, table: string, authorization?: string) {
  const rows: Members[] = []
  let snapshotTime: string | undefined
  const asked = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }
  for (let path: string | undefined = `/odata/v1/${slug}/${table}`; path !== undefined; ) {
    const answer = await client.ask(path, asked)
    if (answer?.status !== 200) {
      ledger.note(`OData's ${table} returned ${answer?.status}: ${JSON.stringify(answer?.body)}`)
      return undefined
    }
    snapshotTime ??= answer.headers.get('Snapshot-Time') ?? undefined
    const { value, '@odata.nextLink': next } = answer.body as FeedPage
    rows.push(...value)
    path = next?.slice(new URL(next).origin.length)
  }
  ledger.feedWalks++
  ledger.compare(`OData's ${table}`, rows.map(rowName), [], ['duplicated'])
  return { rows, snapshotTime: snapshotTime! }
}

const rowName = ({ application_id, entity_path = '' }: Members): string => `${application_id} ${entity_path}`

/** Reads tables of the feed again and again: those that began at the same moment have the same applications (D45), except erased ones. */
export async function readFeeds(client: Client, ledger: Ledger, stopped: AbortSignal): Promise<void> {
  const earlier = new Map<string, number[]>()
  while (!stopped.aborted) {
    const feed = await readFeed(client, ledger, 'Applications')
    if (feed === undefined) continue
    const ids = feed.rows.map(row => row.application_id as number)
    const before = earlier.get(feed.snapshotTime)
    if (before === undefined) earlier.set(feed.snapshotTime, ids)
    else
      ledger.compare('OData, from one start', ledger.remaining(ids), ledger.remaining(before), [
        'lost',
        'unexpected',
        'out_of_order',
      ])
    await Bun.sleep(1000)
  }
}
