// How far a server has come in the history that it shares with its standbys.

import type { Db } from './client.ts'

export interface WalPosition {
  /** Bytes of write-ahead log from its beginning: those a primary has written, or a standby has replayed. */
  position: number
  in_recovery: boolean
  /** The same for a primary and all its standbys, and for no other server. */
  system: string
  /** Whether applications are distributed: then what it has of them is elsewhere, and no standby of it has any. */
  distributed: boolean
}

/** Of a primary, what it has committed by now lies before the position; only commits that did not wait for the disk may come after. */
export async function readWalPosition(db: Db): Promise<WalPosition> {
  const [row] = await db<WalPosition[]>`
    select
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::bigint as position,
      pg_is_in_recovery() as in_recovery,
      (select system_identifier::text from pg_control_system()) as system,
      to_regclass('program_retention') is not null as distributed`
  return row!
}
