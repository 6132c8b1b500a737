// A server's position in the history that it shares with its standbys.

import type { Db } from '../client.ts'

export interface WalPosition {
  /** Bytes of write-ahead log from its beginning: those a primary has written, or a standby has replayed. */
  position: number
  in_recovery: boolean
  /** The same for a primary and all its standbys, and for no other server. */
  system: string
  /** The newest of database_history: a standby has that of its primary as soon as it has replayed it, and never if it follows another. */
  history: string
  /** What this server writes, and what that history is of; both null in recovery. They differ until a failover is noticed. */
  place: string | null
  noted_place: string | null
}

/** Of a primary, what it has committed by now lies before the position; only commits that did not wait for the disk may come after. */
export async function readWalPosition(db: Db): Promise<WalPosition> {
  const [row] = await db<WalPosition[]>`
    select
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::bigint as position,
      pg_is_in_recovery() as in_recovery,
      (select system_identifier::text from pg_control_system()) as system,
      h.history_id::text as history,
      history_place() as place,
      case when not pg_is_in_recovery() then h.place end as noted_place
    from database_history h
    order by h.number desc
    limit 1`
  if (row === undefined) throw new Error('database_history is empty: the next submission fills it')
  return row
}

/** Whether a server writes a history that was not noted yet. */
export const hasTakenOver = (primary: WalPosition | undefined): boolean =>
  primary !== undefined && primary.place !== primary.noted_place

/** Why pages cannot be read from a server that answered, when the primary had written so much after that; undefined when they can. */
export function strangenessOfStandby(
  standby: WalPosition,
  primary: WalPosition,
  written: number | undefined,
): string | undefined {
  if (standby.system !== primary.system) return 'this server is no standby of the one in DATABASE_URL'
  if (hasTakenOver(primary)) return 'a failover has yet to be noticed on the server in DATABASE_URL'
  if (standby.history !== primary.history || (standby.place !== null && standby.place !== primary.place))
    return 'this server is on another timeline than the one in DATABASE_URL: it has to follow that one, or to be set up again'
  if (written !== undefined && standby.position > written)
    return 'this server has replayed more than the one in DATABASE_URL has written: it follows another one'
  return undefined
}
