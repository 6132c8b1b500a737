// A database that was set back to a snapshot of its disk looks as it did before, and would give ids again. What tells is a token that this
// installation sealed, over a change that the database lacks (contract D50). Only what is sealed is proof: a cursor of the change feed is
// readable, and whoever has a key could make one up.

import type { Log } from '../../../base/log.ts'
import type { Sql } from '../../../db/client.ts'
import { noteLostChange } from '../../../db/walks/lost-change.ts'
import type { PageToken } from './walk.ts'

/** What an opened token says; a walk that begins has no token, and so not all of it. */
type Sealed = Partial<Pick<PageToken, 'programId' | 'horizon' | 'lastChange' | 'issuedAt'>>

export class LostHistory {
  #noting = false

  /** `primary` is undefined where nothing is written. */
  constructor(
    private readonly primary: Sql | undefined,
    private readonly log: Log,
  ) {}

  /** To be told of a walk that was refused. The database decides, and the refusal does not wait for it. */
  suspect({ programId, horizon, lastChange, issuedAt }: Sealed): void {
    if (this.primary === undefined || this.#noting) return
    if (programId === undefined || horizon === undefined || issuedAt === undefined) return
    this.#noting = true
    noteLostChange(this.primary, { programId, change: horizon, mark: lastChange, sealedAt: issuedAt })
      .then(
        isNews => {
          if (isNews) this.log.error({ program_id: programId, change: horizon }, historySetBack)
        },
        error => this.log.warn({ err: error }, 'whether the database was set back cannot be asked'),
      )
      .finally(() => {
        this.#noting = false
      })
  }
}

const historySetBack =
  'the database lacks a change that it had: it was set back, as by restoring a snapshot of its disk. Ids continue 10,000,000 further'
