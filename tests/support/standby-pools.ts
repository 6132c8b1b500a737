// Pools to the servers of a cluster, as a service has them.

import type { Sql } from '../../src/db/client.ts'
import type { StandbyPool } from '../../src/export/servers/standbys.ts'
import type { TestDatabase } from './database.ts'
import { endWithFile, endWithTest, usePool } from './fixtures.ts'

export const poolsOf = (name: string, url: string): StandbyPool => {
  const open = (connectionsMax: number): Sql =>
    usePool({ url, connectionsMax, silenceTimeoutMs: 2000, applicationName: 'test-export' }, endWithTest)
  return { name, sql: open(16), watch: open(1) }
}

/** The address of the primary as a database of the tests; nothing to drop. */
export const databaseAt = (url: string, endWith = endWithFile): TestDatabase => ({
  url,
  sql: usePool({ url, connectionsMax: 30, applicationName: 'test' }, endWith),
  drop: async () => {},
})
