// Detects whether a database is reached through a pooler, which runs each transaction on any of its connections: whatever outlives a transaction
// (LISTEN, session settings, the queue) is then lost or belongs to another client. Also reads other facts needed before opening pools.

import { isPooled, openDatabase, readValue } from './client.ts'
import { isDistributed } from './distribution.ts'

export interface Way {
  pooled: boolean
  /** The default statement timeout of a new session there in milliseconds; 0 for none. */
  statementTimeoutMs: number
  /** Whether its applications are distributed over a cluster. */
  isDistributed: boolean
}

/** A pooler doesn't accept settings with a connection. */
export const noStatementTimeout =
  'DATABASE_URL goes through a pooler, where STATEMENT_TIMEOUT cannot be set, and the role has none: alter role … set statement_timeout'

/** Queries once, on a separate connection. `withinMs` is the time allowed for the response; the default is the connection timeout. */
export async function findWay(url: string, withinMs = 0): Promise<Way> {
  const sql = openDatabase({
    url,
    connectionsMax: 1,
    prepare: false,
    silenceTimeoutMs: withinMs,
    applicationName: 'tributary-start',
  })
  try {
    return {
      pooled: await isPooled(sql),
      statementTimeoutMs: await readValue<number>(sql)`
        select setting::int from pg_settings where name = 'statement_timeout'`,
      isDistributed: await isDistributed(sql),
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
