// The receipt of a complete walk: the number of its applications, and a digest of their ids. A client compares it with what it holds.
// The service computes it from the database, independently of the pages it sent.

import { inSnapshot, type Sql, type Transaction } from '../../db/client.ts'
import {
  isBehindWalk,
  isOtherHistory,
  type Position,
  readErasedSince,
  readWalkIds,
  type WalkScope,
} from '../../db/walks/walks.ts'
import { beforeAllSubmissions } from '../../domain/values/offset-time.ts'
import { Problem } from '../../problem.ts'
import { databaseIsBehind, openPageToken, sealPageToken, type TokenOpening, walkIsLost } from './page-token.ts'
import { type SentParameters, SentQuery } from './sent-query.ts'
import { type PageToken, reportedFilters, type Walk } from './walk.ts'

/** Ids read in one go. */
const batchRows = 50_000
/** Erased applications that one receipt names. */
const erasedMax = 100_000

export interface WalkReceipt {
  /** As the log and the audit log name the walk. */
  walk: string
  program_name: string
  filters: ReturnType<typeof reportedFilters>
  /** Of those that are still there. */
  applications: number
  /** Of their `application_id`s in the order of the walk, each in decimal digits and followed by a line feed; hexadecimal. */
  sha256: string
  /** Applications that the walk may have had, and that were erased after it began: to be left out of what is compared. Ascending. */
  erased_application_ids: number[]
}

/** A place before every application. */
const beginning: Position = { submit_time: Date.parse(beforeAllSubmissions) * 1000, submit_seq: 0 }

/** Names a walk to a client that asks for its receipt: any of its page tokens does, and before the first page, which has none, this one. */
export const walkToken = (walk: Walk, { keys, now }: Pick<TokenOpening, 'keys' | 'now'>): string =>
  sealPageToken({ ...walk, after: beginning, issuedAt: now }, keys)

/** The walk that the parameter `walk` names. Throws Problem `invalid_request` with everything that is wrong. */
export function parseReceiptRequest(sent: SentParameters, tokens: TokenOpening): PageToken {
  const query = new SentQuery(sent, ['walk'])
  const walk = query.read('walk', value => query.collect(() => openPageToken(value, tokens, 'walk')))
  if (!sent.pairs.some(({ name }) => name === 'walk')) {
    const detail = 'must be given: the Walk-Token of a first page, or any nextPageToken of the walk.'
    query.errors.push({ parameter: 'walk', code: 'required', detail })
  }
  if (walk === undefined || query.errors.length > 0) throw query.problem()
  return walk
}

/**
 * Reads `rowsMax` ids in one go. Throws Problem `unavailable` while the database lags behind the walk, and `invalid_request`, `walk_of_another_history`, when it
 * was restored to an earlier state.
 */
export async function readWalkReceipt(
  sql: Sql,
  walk: PageToken,
  programSlug: string,
  rowsMax = batchRows,
): Promise<WalkReceipt> {
  const { applications, sha256, erased } = await inSnapshot(sql, tx => readIds(tx, walk, rowsMax)).catch(
    (error: unknown) => {
      if (isOtherHistory(error)) throw walkIsLost(error, 'walk')
      throw isBehindWalk(error) ? databaseIsBehind(error) : error
    },
  )
  if (erased.length > erasedMax) {
    const detail = `More than ${erasedMax} applications were erased since this walk began. Walk again.`
    throw new Problem('conflict', { detail, internal: 'too_many_erased' })
  }
  return {
    walk: walk.walkId,
    program_name: programSlug,
    filters: reportedFilters(walk),
    applications,
    sha256,
    erased_application_ids: erased,
  }
}

/** In one snapshot, so that a concurrently erased application is either counted or named. */
async function readIds(tx: Transaction, walk: WalkScope, rowsMax: number) {
  const hash = new Bun.CryptoHasher('sha256')
  let applications = 0
  let after: Position | undefined
  for (let rows = rowsMax; rows === rowsMax; ) {
    const batch = await readWalkIds(tx, { ...walk, after, rowsMax })
    hash.update(batch.map(row => `${row.application_id}\n`).join(''))
    applications += batch.length
    after = batch.at(-1)
    rows = batch.length
  }
  return { applications, sha256: hash.digest('hex'), erased: await readErasedSince(tx, walk, erasedMax + 1) }
}
