// Detects that the database was reset to a disk snapshot and would reuse IDs: a sealed token refers to a change that the database lacks
// (contract D50). Only sealed tokens are proof, because anyone with a key could invent a readable cursor of the change feed.

import type { Log } from '../../../base/log.ts'
import type { Sql } from '../../../db/client.ts'
import { noteLostChange } from '../../../db/walks/lost-change.ts'
import type { PageToken } from './walk.ts'

/** Contents of an opened token; partial for a walk that is starting and has no token. */
type Sealed = Partial<Pick<PageToken, 'programId' | 'horizon' | 'lastChange' | 'issuedAt'>>

export class LostHistory {
  #noting = false

  /** `primary` is undefined in a process that only reads. */
  constructor(
    private readonly primary: Sql | undefined,
    private readonly log: Log,
  ) {}

  /** Reports a rejected walk. The database decides whether it was reset; the response does not wait for that. */
  suspect({ programId, horizon, lastChange, issuedAt }: Sealed): void {
    if (this.primary === undefined || this.#noting) return
    if (programId === undefined || horizon === undefined || issuedAt === undefined) return
    this.#noting = true
    noteLostChange(this.primary, { programId, change: horizon, mark: lastChange, sealedAt: issuedAt })
      .then(
        isNews => {
          if (isNews) this.log.error({ program_id: programId, change: horizon }, historySetBack)
        },
        error => this.log.warn({ err: error }, 'could not check whether the database was reset to an earlier state'),
      )
      .finally(() => {
        this.#noting = false
      })
  }
}

const historySetBack =
  'the database lacks a change that it once had: it was reset to an earlier state, such as a disk snapshot. IDs skip ahead by 10,000,000'
