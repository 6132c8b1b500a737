// Applications that are copied from a CiviForm are changed there: a change made here would be undone when they are next compared.

import type { Db } from '../db/client.ts'
import { isFollowing } from '../db/follow-state.ts'
import { Problem } from '../problem.ts'

/** Throws `conflict` in an installation that follows a CiviForm. `what` begins the sentence: `Status and note are set`. */
export async function refuseFollowed(db: Db, what: string): Promise<void> {
  if (!(await isFollowing(db))) return
  throw new Problem('conflict', {
    detail: `${what} in the CiviForm that this installation follows, and are here within seconds.`,
  })
}
