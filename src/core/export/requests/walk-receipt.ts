// The receipt of a complete walk: the number of its applications and a digest of their IDs, which clients compare with what they hold.
// It is computed from the database, independently of the pages sent.
//
// A request has limited time for a walk of any size, so it reads as many IDs as it can, and its response has a token to continue with: the
// position, sealed as in every page token, and the plain state of the digest. A client that alters the state only gets a useless digest.

import { Problem } from '../../../base/problem.ts'
import { inSnapshot, type Sql, type Transaction } from '../../../db/client.ts'
import { type IdsRead, readErasedSince, readWalkIds } from '../../../db/walks/walk-ids.ts'
import { isBehindWalk, isOtherHistory } from '../../../db/walks/walk-start.ts'
import type { Position } from '../../../db/walks/walks.ts'
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

/** IDs per batch, which takes some tens of milliseconds on a busy machine. */
const batchRows = 5000
/** Maximum number of erased applications in a response. */
const erasedMax = 100_000
/** Separates the two parts of a continuation token. Page tokens do not contain it. */
const separator = '-'

export interface WalkReceipt {
  /** Walk ID in the log and the audit log. */
  walk: string
  program_name: string
  filters: ReturnType<typeof reportedFilters>
  /** Number of applications that still exist; of those counted so far, while the receipt is incomplete. */
  applications: number
  /** Hexadecimal digest of their `application_id`s in walk order, each in decimal digits with a line feed. Null until complete. */
  sha256: string | null
  /**
   * Applications that may have been in the walk and were erased since, to be excluded from the comparison. Ascending; only those in the part
   * that this request read.
   */
  erased_application_ids: number[]
  /** Value of `walk` that continues the receipt; null when it is complete. */
  next_token: string | null
}

/** A walk, and the progress of its receipt. */
export interface ReceiptBegun {
  walk: PageToken
  /** Digest of the `walk.applications` IDs up to `walk.after`. */
  digest: ResumableSha256
}

/** Limits of a request. */
export interface ReceiptLimits {
  /** `performance.now()` after which no further IDs are read. */
  endMs: number
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  /** IDs per batch. */
  rowsMax?: number
}

/** Position before every application. */
const beginning: Position = { submit_time: Date.parse(beforeAllSubmissions) * 1000, submit_seq: 0 }

/** Token that identifies a walk when requesting its receipt, sent with the first page. Any page token of the walk works too. */
export const walkToken = (walk: Walk, { keys, now }: Pick<TokenOpening, 'keys' | 'now'>): string =>
  sealPageToken({ ...walk, after: beginning, issuedAt: now }, keys)

/** Parses the parameter `walk`, which starts or continues a receipt. Throws Problem `invalid_request` with every error. */
export function parseReceiptRequest(sent: SentParameters, tokens: TokenOpening): ReceiptBegun {
  const query = new SentQuery(sent, ['walk'])
  const begun = query.read('walk', value => query.collect(() => openReceiptToken(value, tokens)))
  if (!sent.pairs.some(({ name }) => name === 'walk')) {
    const detail = 'is required: the Walk-Token of a first page, or any nextPageToken of the walk.'
    query.errors.push({ parameter: 'walk', code: 'required', detail })
  }
  if (begun === undefined || query.errors.length > 0) throw query.problem()
  return begun
}

function openReceiptToken(text: string, tokens: TokenOpening): ReceiptBegun {
  const [token = '', state, ...more] = text.split(separator)
  const walk = openPageToken(token, tokens, 'walk')
  // A token of any page identifies the whole walk.
  if (state === undefined)
    return { walk: { ...walk, after: beginning, applications: 0 }, digest: new ResumableSha256() }
  const bytes = more.length > 0 ? undefined : decodeBase62(state, sha256StateBytes)
  const digest = bytes === undefined ? undefined : ResumableSha256.resume(bytes)
  if (digest === undefined) throw unreadableToken('walk')
  return { walk, digest }
}

/**
 * Reads at least one batch of IDs, and more until `endMs`. Throws Problem `unavailable` while the database lags behind the walk, and
 * `invalid_request`, `walk_of_another_history`, if it was restored to an earlier state.
 */
export async function readWalkReceipt(
  sql: Sql,
  { walk, digest }: ReceiptBegun,
  programSlug: string,
  { keys, now }: Pick<TokenOpening, 'keys' | 'now'>,
  limits: ReceiptLimits,
): Promise<WalkReceipt> {
  // A copy, because the read can be retried.
  const hash = ResumableSha256.resume(digest.state())!
  const { applications, reached, erased } = await inSnapshot(sql, tx => readIds(tx, walk, hash, limits)).catch(
    (error: unknown) => {
      if (isOtherHistory(error)) throw walkIsLost(error, 'walk')
      throw isBehindWalk(error) ? databaseIsBehind(error) : error
    },
  )
  if (erased.length > erasedMax) {
    const detail = `More than ${erasedMax} applications were erased since this walk began. Start a new walk.`
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

/** Reads in one snapshot, so that a concurrently erased application is either counted or listed. `reached` is undefined if no IDs are left. */
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
