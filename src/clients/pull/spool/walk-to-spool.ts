// Walks an export into the spool, with checkpoints that limit what an interruption costs.
//
// A checkpoint writes the lines to disk before it records them in the state, so the state is never ahead of the file. After an
// interruption the file is truncated to what the state records, and the walk continues with the next page.

import { isUtf8 } from 'node:buffer'
import type { TributaryClient, WalkStep } from '@tributary/client'
import { IdDigest, type IdReceipt, IdSet } from '../requests/id-digest.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PullContext, PullFilters } from '../requests/pull-request.ts'
import { type ApplicationHead, readHead } from './application-head.ts'
import type { PullState } from './pull-state.ts'
import type { SchemaCheck } from './schema-check.ts'
import { Spool } from './spool.ts'

/** A walk in progress, stored in the state under `walk`. */
export interface WalkUnderWay {
  filters: PullFilters
  /** Whether it is for `--since-last`, and whether it adds to existing content. */
  sinceLast: boolean
  adds: boolean
  /** Where it ends if it is added to a file: the Snapshot-Time from before it began. */
  until?: string | undefined
  /** Token of the page to continue with; undefined before the first page is complete, null after the last. */
  nextPageToken?: string | null
  snapshotTime?: string
  /** The newest application pulled. */
  last?: { id: number; submitTime: string } | undefined
  /** Identifies the walk when requesting its receipt; missing from an older service. */
  token?: string
  /** Where the changes continue after the walk, and after the existing content. */
  changeCursor?: string
  changesAfter?: string
  /** The publication up to which its questions count. */
  questionsAsOf?: string
  /** The number of applications when it began, if known. */
  total?: number
  /** Number of complete bytes in the spool. */
  bytes: number
}

interface WalkToSpool {
  client: TributaryClient
  program: string
  pageSize: number | undefined
  checkpointEveryMs: number
  state: PullState
  spoolPath: string
  /** Whether the spool itself becomes the output, so that its digest is needed. */
  isOutput: boolean
  check: SchemaCheck | undefined
}

export interface WalkedToSpool {
  walk: WalkUnderWay
  receipt: IdReceipt
  /** Added to the spool by this run. */
  bytes: number
  /** Digest of the whole spool, in hexadecimal; undefined if an earlier run began it. */
  sha256: string | undefined
}

/**
 * Continues the walk to its end, after which everything is in the spool and recorded in the state. `check` validates the applications of the first
 * page and the last one of each later page: within a walk, the schema doesn't change.
 */
export async function walkToSpool(
  begun: WalkUnderWay,
  { client, program, pageSize, checkpointEveryMs, state, spoolPath, isOutput, check }: WalkToSpool,
  { signal, onProgress }: PullContext,
): Promise<WalkedToSpool> {
  const digest = new IdDigest()
  const seen = new IdSet()
  const held = new IdSet()
  if (begun.adds) for (const ids of state.heldIds()) for (const id of ids) held.add(id)
  for (const ids of state.pulledIds()) {
    digest.add(ids)
    for (const id of ids) seen.add(id)
  }
  let walk = begun
  const spool = Spool.open(spoolPath, walk.bytes, isOutput)
  const before = spool.bytes
  let isFirstPage = true
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
            // A continued walk keeps its original page size.
            pageSize: token === undefined ? pageSize : undefined,
            signal,
          })
    for await (const step of steps) {
      if (step.page === undefined) {
        for (const head of applicationsOf(step, isFirstPage, check)) {
          if (!seen.add(head.id)) throw twice(head.id)
          if (held.has(head.id)) throw thereAlready(head.id)
          ids.push(head.id)
          last = head
        }
        isFirstPage = false
        spool.add(step.bytes)
        onProgress({ applications: digest.count + ids.length, bytes: spool.bytes - before, total: walk.total })
        continue
      }
      const { page } = step
      const { nextPageToken } = page
      walk = {
        ...walk,
        snapshotTime: walk.snapshotTime ?? page.snapshotTime,
        token: walk.token ?? page.walkToken,
        changeCursor: walk.changeCursor ?? page.changeCursor,
        questionsAsOf: walk.questionsAsOf ?? page.questionsAsOf,
      }
      // The first page's token is stored immediately, so that only this walk is continued.
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
  return { walk, receipt: digest.receipt(), bytes: spool.bytes - before, sha256: spool.sha256() }
}

type PageStep = Extract<WalkStep, { bytes: Uint8Array }>

/** The start of each application on a page, validated as far as this pull does. */
function* applicationsOf(
  { applications, bytes }: PageStep,
  isFirstPage: boolean,
  check: SchemaCheck | undefined,
): Generator<ApplicationHead, void, undefined> {
  if (!isUtf8(bytes)) throw new CommandError('mismatch', 'The service sent a page that is not UTF-8.')
  for (const [i, line] of applications.entries()) {
    if (check !== undefined && (isFirstPage || i === applications.length - 1)) check(parseLine(line))
    const head = readHead(line)
    if (head === undefined)
      throw new CommandError('mismatch', 'The service sent an application without an application_id.')
    yield head
  }
}

const parseLine = (line: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(line))

const twice = (id: number): CommandError =>
  new CommandError('mismatch', `The service sent application ${id} twice in one walk. Contact its operators.`)

const thereAlready = (id: number): CommandError =>
  new CommandError(
    'mismatch',
    `Application ${id} is already in the output: the service was restored to a point before the last pull and reuses IDs. Pull everything again, without --since-last and with --restart.`,
  )
