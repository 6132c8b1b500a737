// The walk that a request begins, or goes on with when it has a token.
//
// A walk is frozen to the counter of the primary, whichever servers its pages are read from: everything that was committed before its
// first page was served is then in it (G1), and its Snapshot-Time can be the next fromDate (G6). A standby's counter would leave out
// what the standby has yet to replay. So a server in recovery begins no walk; it serves pages, if it has come as far as they need. Where
// an operator has a service that only exports on a standby (EXPORT_ONLY), what the standby has replayed is all there is.

import type { WalkStart } from '../db/walks.ts'
import type { KeyMap } from '../domain/questions/key-map.ts'
import { earliest, type Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'
import { formatChangeCursor } from './change-cursor.ts'
import type { TokenOpening } from './page-token.ts'
import { type ExportRequest, type PageLimits, planWalk } from './request.ts'
import { beginWalk, snapshotTime, type Walk } from './walk.ts'
import { walkToken } from './walk-receipt.ts'

interface BegunWalk {
  /** Where the next window begins (G6). */
  snapshotTime: string
  /** Where the feed of changes goes on after the walk. */
  changeCursor: string
  /** What names the walk. Sealed when it is called, so that no row waits for it. */
  walkToken: () => string
}

export interface OpenedWalk {
  walk: Walk
  /** Given on a walk's first page only. */
  begun: BegunWalk | undefined
}

/**
 * Reads the program's present state only for a walk's first page. `readSeen` reads the questions that the caller may see, as of a
 * publication; only for `fields`.
 * Throws Problem `invalid_request` when parameters differ from the first page's, or name what is not there.
 */
export async function openWalk(
  asked: ExportRequest,
  programId: number,
  limits: PageLimits & { exportOnly: boolean },
  tokens: Pick<TokenOpening, 'keys' | 'now'>,
  readStart: () => Promise<WalkStart>,
  readSeen: (asOf: Micros) => Promise<KeyMap>,
): Promise<OpenedWalk> {
  const { fields, token } = asked
  // Without `fields`, whatever is refused is refused before anything is read.
  const filters = fields === undefined ? planWalk(asked, limits) : undefined
  const withFields = async (asOf: Micros) => planWalk(asked, limits, await readSeen(asOf))
  if (token === undefined) {
    const start = await readStart()
    if (start.in_recovery && !limits.exportOnly) throw primaryMissing()
    const planned = filters ?? (await withFields(start.last_published_at ?? earliest))
    const walk = beginWalk(programId, planned, start, newWalkId())
    const begun = {
      snapshotTime: snapshotTime(start),
      changeCursor: formatChangeCursor(start.last_change),
      walkToken: () => walkToken(walk, tokens),
    }
    return { walk, begun }
  }
  if (filters === undefined) await withFields(token.questionsAsOf)
  return { walk: token, begun: undefined }
}

/** While one server takes over from another, the address of the primary may lead to one that is not the primary yet. */
const primaryMissing = (): Problem =>
  new Problem('unavailable', {
    detail:
      'The database that takes submissions is being replaced by another one just now. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'start_in_recovery',
  })

const newWalkId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
