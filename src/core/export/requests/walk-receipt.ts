// The receipt of a complete walk: the number of its applications, and a digest of their ids. A client compares it with what it holds.
// The service computes it from the database, independently of the pages it sent.
//
// A walk may have any number of applications, and a request only so much time. So a request reads as many ids as it has time for, and its answer
// has a token with which the next one continues: the place that it came to, sealed as in every page token, and the state of the digest
// as it is. A client that alters that state gets a digest that is of no use to it, and nothing else.

import { Problem } from '../../../base/problem.ts'
import { inSnapshot, type Sql, type Transaction } from '../../../db/client.ts'
import { type IdsRead, readErasedSince, readWalkIds } from '../../../db/walks/walk-ids.ts'
import { isBehindWalk, isOtherHistory, type Position } from '../../../db/walks/walks.ts'
import { decodeBase62, encodeBase62 } from '../../../domain/values/base62.ts'
import { beforeAllSubmissions } from '../../../domain/values/offset-time.ts'
import { ResumableSha256, sha256StateBytes } from '../../../domain/values/resumable-sha256.ts'
import {
  databaseIsBehind,
  openPageToken,
  sealPageToken,
  type TokenOpening,
  unreadableToken,
  walkIsLost,
} from './page-token.ts'
import { type SentParameters, SentQuery } from './sent-query.ts'
import { nextPage, type PageToken, reportedFilters, type Walk } from './walk.ts'

/** Ids read in one go: some tens of milliseconds on a busy machine. */
const batchRows = 5000
/** Erased applications that one answer names. */
const erasedMax = 100_000
/** Between the two parts of a token that continues a receipt. No page token has it. */
const separator = '-'

export interface WalkReceipt {
  /** As the log and the audit log name the walk. */
  walk: string
  program_name: string
  filters: ReturnType<typeof reportedFilters>
  /** Of those that are still there; while the receipt is not complete, how many were counted so far. */
  applications: number
  /** Of their `application_id`s in the order of the walk, each in decimal digits and followed by a line feed; hexadecimal. Null until all were read. */
  sha256: string | null
  /**
   * Applications that the walk may have had, and that were erased after it began: to be left out of what is compared. Ascending; of a receipt
   * that took several requests, those of the part that this one read.
   */
  erased_application_ids: number[]
  /** To be sent as `walk`, to go on with the receipt; null when it is complete. */
  next_token: string | null
}

/** What a request for a receipt names: a walk, and how far its receipt has come. */
export interface ReceiptBegun {
  walk: PageToken
  /** Of the ids up to `walk.after`, of which there were `walk.applications`. */
  digest: ResumableSha256
}

/** What limits one request. */
export interface ReceiptLimits {
  /** By `performance.now()`: no further ids are read after this. */
  endMs: number
  /** Aborted when no client waits for the answer. */
  signal: AbortSignal
  /** Ids read in one go. */
  rowsMax?: number
}

/** A place before every application. */
const beginning: Position = { submit_time: Date.parse(beforeAllSubmissions) * 1000, submit_seq: 0 }

/** Names a walk to a client that asks for its receipt: any of its page tokens does, and before the first page, which has none, this one. */
export const walkToken = (walk: Walk, { keys, now }: Pick<TokenOpening, 'keys' | 'now'>): string =>
  sealPageToken({ ...walk, after: beginning, issuedAt: now }, keys)

/** The walk that the parameter `walk` names, at its beginning or where a receipt goes on. Throws Problem `invalid_request` with everything that is wrong. */
export function parseReceiptRequest(sent: SentParameters, tokens: TokenOpening): ReceiptBegun {
  const query = new SentQuery(sent, ['walk'])
  const begun = query.read('walk', value => query.collect(() => openReceiptToken(value, tokens)))
  if (!sent.pairs.some(({ name }) => name === 'walk')) {
    const detail = 'must be given: the Walk-Token of a first page, or any nextPageToken of the walk.'
    query.errors.push({ parameter: 'walk', code: 'required', detail })
  }
  if (begun === undefined || query.errors.length > 0) throw query.problem()
  return begun
}

function openReceiptToken(text: string, tokens: TokenOpening): ReceiptBegun {
  const [token = '', state, ...more] = text.split(separator)
  const walk = openPageToken(token, tokens, 'walk')
  // Any page of the walk stands for all of it.
  if (state === undefined)
    return { walk: { ...walk, after: beginning, applications: 0 }, digest: new ResumableSha256() }
  const bytes = more.length > 0 ? undefined : decodeBase62(state, sha256StateBytes)
  const digest = bytes === undefined ? undefined : ResumableSha256.resume(bytes)
  if (digest === undefined) throw unreadableToken('walk')
  return { walk, digest }
}

/**
 * Reads at least one batch of ids, and more until `endMs`. Throws Problem `unavailable` while the database lags behind the walk, and `invalid_request`,
 * `walk_of_another_history`, when it was restored to an earlier state.
 */
export async function readWalkReceipt(
  sql: Sql,
  { walk, digest }: ReceiptBegun,
  programSlug: string,
  { keys, now }: Pick<TokenOpening, 'keys' | 'now'>,
  limits: ReceiptLimits,
): Promise<WalkReceipt> {
  // A copy, for a read that is tried again.
  const hash = ResumableSha256.resume(digest.state())!
  const { applications, reached, erased } = await inSnapshot(sql, tx => readIds(tx, walk, hash, limits)).catch(
    (error: unknown) => {
      if (isOtherHistory(error)) throw walkIsLost(error, 'walk')
      throw isBehindWalk(error) ? databaseIsBehind(error) : error
    },
  )
  if (erased.length > erasedMax) {
    const detail = `More than ${erasedMax} applications were erased since this walk began. Walk again.`
    throw new Problem('conflict', { detail, internal: 'too_many_erased' })
  }
  const rest = reached === undefined ? undefined : nextPage(walk, reached, applications, now)
  return {
    walk: walk.walkId,
    program_name: programSlug,
    filters: reportedFilters(walk),
    applications: walk.applications + applications,
    sha256: rest === undefined ? hash.digest() : null,
    erased_application_ids: erased,
    next_token: rest === undefined ? null : `${sealPageToken(rest, keys)}${separator}${encodeBase62(hash.state())}`,
  }
}

const lineFeed = Buffer.from('\n')

/** In one snapshot, so that a concurrently erased application is either counted or named. `reached` is undefined when no ids are left. */
async function readIds(
  tx: Transaction,
  walk: PageToken,
  hash: ResumableSha256,
  { endMs, signal, rowsMax = batchRows }: ReceiptLimits,
) {
  let applications = 0
  let reached: Position | undefined = walk.after
  do {
    const { count, last }: IdsRead = await readWalkIds(tx, { ...walk, after: reached, rowsMax }, (bytes, from, to) => {
      hash.add(bytes, from, to)
      hash.add(lineFeed)
    })
    applications += count
    reached = count < rowsMax ? undefined : last
  } while (reached !== undefined && performance.now() < endMs && !signal.aborted)
  const erased = await readErasedSince(tx, { ...walk, upTo: reached }, erasedMax + 1)
  return { applications, reached, erased }
}
