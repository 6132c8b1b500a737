// The origin of an installation's programs and applications: this installation, or one other system that it follows.

import { Problem } from '../base/problem.ts'
import { type Db, findValue } from './client.ts'

/** Name of the system that this installation follows, such as `CiviForm`. Undefined if it has its own programs and applications. */
export async function findOrigin(db: Db): Promise<string | undefined> {
  return findValue<string>(db)`select name from origin`
}

/** Throws `conflict` if an origin is followed, because its next comparison would undo the change. For `what`, see `changedThere`. */
export async function refuseFollowed(db: Db, what: string): Promise<void> {
  const origin = await findOrigin(db)
  if (origin !== undefined) throw changedThere(origin, what)
}

/** `what` begins the sentence: `The status and note are set`. */
export const changedThere = (origin: string, what: string): Problem =>
  new Problem('conflict', {
    detail: `${what} in the ${origin} that this installation follows. Changes there arrive within seconds.`,
    internal: 'followed',
  })
