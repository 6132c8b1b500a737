// A follower between a simulated CiviForm and a service of ours, and what a client gets of it.

import { openSource } from '../../../src/civiform/db/source.ts'
import { Follower } from '../../../src/civiform/following/follower.ts'
import type { FollowOptions } from '../../../src/civiform/source/followed-source.ts'
import type { Sql } from '../../../src/db/client.ts'
import type { TestDatabase } from '../database.ts'
import { ExportClient } from '../export-client.ts'
import { endWithFile, useDatabase, usePool, useService } from '../fixtures.ts'
import { createTestKey } from '../keys.ts'
import { useLogin } from '../logins.ts'
import { type CiviFormAge, type CiviFormDatabase, useCiviForm } from './civiform-database.ts'
import { SimulatedCiviForm } from './simulated-civiform.ts'

export const followOptions: FollowOptions = {
  profile: 'contract',
  timeZone: 'UTC',
  civiformBaseUrl: 'https://forms.example.test',
  databaseZone: 'UTC',
  slackMs: 5,
  scanRows: 5000,
  wholeScanMs: 86_400_000,
}

export interface Following {
  civiform: SimulatedCiviForm
  database: TestDatabase
  sql: Sql
  source: Sql
  /** What the follower opens, with a login that is a member of `tributary_follower` only. */
  own: Sql
  ownUrl: string
  follower: Follower
  log: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[]
  /** Another follower on the same two databases, as after a restart; `source` is another connection to CiviForm's. */
  restarted(options?: Partial<FollowOptions>, source?: Sql): Follower
  /** Runs rounds until everything submitted by now is here. */
  catchUp(follower?: Follower): Promise<void>
}

/** The URL of this database for a new login that may do exactly what following requires. */
export const useFollowerLogin = (database: TestDatabase): Promise<string> => useLogin(database, 'tributary_follower')

export async function useFollowing(
  options: Partial<FollowOptions> & { age?: CiviFormAge; statistics?: boolean; civiform?: CiviFormDatabase } = {},
): Promise<Following> {
  const { age, statistics, civiform: given, ...follow } = options
  const civiformDatabase = given ?? (await useCiviForm(age, { statistics }))
  const database = await useDatabase({ timeZone: follow.timeZone })
  const source = openSource(civiformDatabase.readerUrl)
  endWithFile(() => source.end({ timeout: 1 }))
  const ownUrl = await useFollowerLogin(database)
  const own = usePool({ url: ownUrl, connectionsMax: 4, applicationName: 'test' })
  const log: Following['log'] = []
  const note =
    (level: string) =>
    (fields: Readonly<Record<string, unknown>>, message?: string): void =>
      void log.push({ level, fields, message: message ?? String(fields) })
  const restarted = (more: Partial<FollowOptions> = {}, from = source): Follower =>
    new Follower({
      sql: own,
      source: from,
      options: { ...followOptions, ...follow, ...more },
      log: { info: note('info'), warn: note('warn'), error: note('error') } as never,
    })
  const follower = restarted()
  const civiform = new SimulatedCiviForm(civiformDatabase)
  return {
    civiform,
    database,
    sql: database.sql,
    source,
    own,
    ownUrl,
    follower,
    log,
    restarted,
    catchUp: async (behind = follower) => {
      const [row] = await civiform.app<{ now: number }[]>`select clock_timestamp() as now`
      for (let i = 0; i < 500; i++) {
        const { watermark } = await behind.round()
        if (watermark !== undefined && watermark > row!.now) {
          // One more, so that changes detected late in that round are applied, too.
          await behind.round()
          return
        }
      }
      throw new Error('the watermark does not come as far as now')
    },
  }
}

/** A client of a separate service, with a key for the program. */
export async function useFollowedClient(
  { database, sql }: Pick<Following, 'database' | 'sql'>,
  slug = 'rent-relief',
): Promise<ExportClient> {
  return new ExportClient(await useService(database), await createTestKey(sql, { programs: [slug] }), slug)
}
