// The walk itself: from the service into the spool, with a checkpoint now and then, so that an interruption costs no more than that.
//
// The order of a checkpoint: the lines are on the disk before the state says that they are there. So the state is never ahead of the
// file; after an interruption the file is cut back to what the state says, and the walk continues with the page that comes after.

import type { TributaryClient } from '@tributary/client'
import { IdDigest, type IdReceipt, IdSet } from '../requests/id-digest.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PullContext, PullFilters } from '../requests/pull-request.ts'
import type { PullState } from './pull-state.ts'
import type { SchemaCheck } from './schema-check.ts'
import { Spool } from './spool.ts'

/** A walk that is under way, as the state keeps it under `walk`. */
export interface WalkUnderWay {
  filters: PullFilters
  /** Whether `--since-last` asked for it, and whether it adds to what is there. */
  sinceLast: boolean
  adds: boolean
  /** Where it ends when it is added to a file: the Snapshot-Time of before it began. */
  until?: string | undefined
  /** Of the page it continues with; undefined before the first page is whole, null when all are. */
  nextPageToken?: string | null
  snapshotTime?: string
  /** The newest application that it has. */
  last?: { id: number; submitTime: string } | undefined
  /** Names the walk in a request for its receipt; an older service has none. */
  token?: string
  /** Where the changes continue from the walk, and from what was there before it. */
  changeCursor?: string
  changesAfter?: string
  /** Up to which publication its questions count. */
  questionsAsOf?: string
  /** The number of applications when it began, if known. */
  total?: number
  /** Bytes of the spool that are whole. */
  bytes: number
}

interface WalkToSpool {
  client: TributaryClient
  program: string
  pageSize: number | undefined
  checkpointEveryMs: number
  state: PullState
  spoolPath: string
  check: SchemaCheck | undefined
}

/** Continues with the walk until it is over. Everything is in the spool then, and the state says so. */
export async function walkToSpool(
  begun: WalkUnderWay,
  { client, program, pageSize, checkpointEveryMs, state, spoolPath, check }: WalkToSpool,
  { signal, onProgress }: PullContext,
): Promise<{ walk: WalkUnderWay; receipt: IdReceipt; bytes: number }> {
  const digest = new IdDigest()
  const seen = new IdSet()
  const held = new IdSet()
  if (begun.adds) for (const ids of state.heldIds()) for (const id of ids) held.add(id)
  for (const ids of state.pulledIds()) {
    digest.add(ids)
    for (const id of ids) seen.add(id)
  }
  let walk = begun
  const spool = Spool.open(spoolPath, walk.bytes)
  const before = spool.bytes
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let ids: number[] = []
  let { last } = begun
  let checkpointMs = performance.now()
  try {
    const token = walk.nextPageToken
    const steps =
      token === null
        ? []
        : client.steps(program, {
            ...walk.filters,
            toDate: walk.until ?? walk.filters.toDate,
            nextPageToken: token ?? undefined,
            // A walk that continues has the page size that it began with.
            pageSize: token === undefined ? pageSize : undefined,
            signal,
          })
    for await (const { page, ...step } of steps) {
      if (page === undefined) {
        for (const text of (step as { applications: readonly Uint8Array[] }).applications) {
          const application = JSON.parse(decoder.decode(text)) as { application_id?: unknown; submit_time?: unknown }
          check?.(application)
          const id = idOf(application)
          if (!seen.add(id)) throw twice(id)
          if (held.has(id)) throw thereAlready(id)
          ids.push(id)
          last = { id, submitTime: String(application.submit_time) }
          spool.add(text)
        }
        onProgress({ applications: digest.count + ids.length, bytes: spool.bytes - before, total: walk.total })
        continue
      }
      const { nextPageToken } = page
      walk = {
        ...walk,
        snapshotTime: walk.snapshotTime ?? page.snapshotTime,
        token: walk.token ?? page.walkToken,
        changeCursor: walk.changeCursor ?? page.changeCursor,
        questionsAsOf: walk.questionsAsOf ?? page.questionsAsOf,
      }
      // The first page's token is kept immediately: from then on it is this walk that continues, and no other.
      const due = walk.nextPageToken === undefined || performance.now() - checkpointMs >= checkpointEveryMs
      if (nextPageToken !== null && !due) continue
      spool.sync()
      walk = { ...walk, nextPageToken, bytes: spool.bytes, last }
      state.commit({ walk }, { ids })
      digest.add(ids)
      ids = []
      checkpointMs = performance.now()
    }
  } finally {
    spool.close()
  }
  return { walk, receipt: digest.receipt(), bytes: spool.bytes - before }
}

function idOf({ application_id: id }: { application_id?: unknown }): number {
  if (Number.isSafeInteger(id) && (id as number) > 0) return id as number
  throw new CommandError('mismatch', 'The service sent an application without an application_id.')
}

const twice = (id: number): CommandError =>
  new CommandError('mismatch', `The service sent application ${id} twice in one walk. Contact its operators.`)

const thereAlready = (id: number): CommandError =>
  new CommandError(
    'mismatch',
    `Application ${id} is in the output already: the service was set back since the last pull, and gives ids again. Pull everything again: without --since-last, and with --restart.`,
  )
