// Fills tables in the puller's own database. Missing tables are created, tables of a program that has grown are widened, and everything
// is written in one transaction, so readers see all of a pull or nothing. Existing rows are replaced by application_id; rows not pulled
// again are updated from the change feed. Repeating a load changes nothing.

import type { ChangesPage } from '@tributary/client'
import postgres from 'postgres'
import type { Table } from '../../../base/tables/table-plan.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import { changedApplications } from '../spool/output-format.ts'
import { pulledApplications } from '../spool/pulled-applications.ts'
import { differencesOf, type PullOrigin, withFields } from '../spool/pulled-before.ts'
import type { SchemaCheck } from '../spool/schema-check.ts'
import { fillTables, stageOf } from './fill-tables.ts'
import { allMade, emptyHidden } from './hidden-columns.ts'
import { columnIdentifiers } from './postgres-text.ts'
import { applyChanges, collectChanges } from './pulled-changes.ts'
import {
  type KeptRecord,
  type PulledRecord,
  postgresName,
  readRecord,
  type TargetSql,
  writeRecord,
} from './pulled-record.ts'

export interface PostgresLoad {
  url: string
  schema: string
  tables: readonly Table[]
  /** Applications, one per line. */
  spoolPath: string
  /** The schema that each application is validated against. */
  check: SchemaCheck | undefined
  /** Whether they are all applications, or additions to those in the tables. */
  fills: 'all' | 'some' | 'since last'
  /** The origin of the tables' content, and where the next pull continues, once everything is in them. */
  then: PulledRecord
  /** The `fromDate` of the walk, and the cursor after which its applications need changes. */
  fromDate: string | undefined
  changesAfter: string | undefined
  changes: (after: string) => AsyncIterable<ChangesPage>
  signal: AbortSignal
}

/** Resolves with the number of applications then in the tables. */
export function loadPostgres(load: PostgresLoad): Promise<number> {
  const { schema, tables, spoolPath, signal, fills, then } = load
  return connected(load.url, async sql => {
    const before = await lockedRecord(sql, schema)
    refuseOther(before, then.origin, schema)
    if (fills === 'since last' && before === undefined)
      throw new CommandError(
        'failed',
        `Schema ${schema} no longer contains the applications pulled before. Add --restart to pull everything.`,
      )
    if (fills === 'some' && before !== undefined) {
      const differing = differencesOf(before.origin, then.origin)
      if (differing.length > 0)
        throw new CommandError(
          'usage',
          `Schema ${schema} was filled ${differing.join(', and ')}. Pull everything, or choose another with --schema.`,
        )
    }
    // Rows that stay have their own cursor, which differs from the walk's if the database was restored in between.
    const cursors = fills === 'all' ? [load.changesAfter] : [before?.changeCursor, load.changesAfter]
    const feeds = [...new Set(cursors)].filter(cursor => cursor !== undefined).map(load.changes)
    const changeCursor = await collectChanges(sql, feeds)
    const goesOn = fills === 'all' || before?.watermark === undefined || before.watermark === load.fromDate
    const filled = columnsByTable(tables)
    const made = allMade(before?.made ?? {}, filled)
    const record: KeptRecord = {
      ...then,
      made,
      changeCursor,
      watermark: goesOn ? then.watermark : before.watermark,
      followsFrom: goesOn && fills !== 'some' ? then.followsFrom : before?.followsFrom,
      questionsAsOf: fills === 'all' ? then.questionsAsOf : before?.questionsAsOf,
    }
    return sql.begin(async tx => {
      await fillTables(tx, schema, tables, pulledApplications(spoolPath, load.check), signal)
      const place = tx`${tx(schema)}.${tx('applications')}`
      if (fills === 'all') {
        await tx`delete from ${place} a where not exists (select from ${tx(stageOf(0))} p where p.application_id = a.application_id)`
        await emptyHidden(tx, schema, made, filled)
      }
      await applyChanges(tx, schema, then.origin.revisionState === 'CURRENT' ? 'removed' : 'kept')
      await writeRecord(tx, schema, record)
      const [counted] = await tx<{ applications: string }[]>`select count(*) as applications from ${place}`
      return Number(counted!.applications)
    })
  })
}

/** A page of the change feed, and the cursor that the database has afterwards. */
export interface PageLoad extends Pick<PostgresLoad, 'url' | 'schema' | 'tables' | 'signal'> {
  page: ChangesPage
  after: string
}

/** Applies a page, all or nothing. Resolves with false if the tables are not at the preceding change. */
export function applyPage({ url, schema, tables, page, after, signal }: PageLoad): Promise<boolean> {
  return connected(url, async sql => {
    const record = await lockedRecord(sql, schema)
    if (record?.followsFrom !== after) return false
    const gone = page.payload.filter(({ kind }) => kind === 'erased' || kind === 'superseded')
    await collectChanges(sql, [onePage({ ...page, payload: gone })])
    await sql.begin(async tx => {
      await fillTables(tx, schema, tables, onePage([...changedApplications(page).values()]), signal)
      await applyChanges(tx, schema, 'kept')
      const made = allMade(record.made, columnsByTable(tables))
      // Everything submitted up to Snapshot-Time is there once all changes are.
      const watermark = page.hasMore ? record.watermark : page.snapshotTime
      const cursor = page.nextCursor
      await writeRecord(tx, schema, { ...record, made, watermark, changeCursor: cursor, followsFrom: cursor })
    })
    return true
  })
}

async function* onePage<T>(page: T): AsyncGenerator<T, void, undefined> {
  yield page
}

/** Pulls into one schema take turns until the end of the session. */
async function lockedRecord(sql: TargetSql, schema: string): Promise<KeptRecord | undefined> {
  await sql`select pg_advisory_lock(hashtextextended(${`tributary ${schema}`}, 0))`
  return readRecord(sql, schema)
}

const columnsByTable = (tables: readonly Table[]): Record<string, string[]> =>
  Object.fromEntries(tables.map(table => [postgresName(table), columnIdentifiers(table)]))

/** The record of the last pull there. */
export function readPulled(url: string, schema: string, origin: PullOrigin): Promise<KeptRecord | undefined> {
  return connected(url, async sql => {
    const record = await readRecord(sql, schema)
    refuseOther(record, origin, schema)
    return record
  })
}

/** A dedicated session, which ends with the work. */
export async function connected<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 30,
    // The lock and the temporary tables belong to the session, so it must keep its connection.
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: 'tributary pull' },
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function refuseOther(record: PulledRecord | undefined, origin: PullOrigin, schema: string): void {
  const was = record?.origin
  if (was === undefined) return
  const refuse = (how: string) => new CommandError('usage', `Schema ${schema} ${how}. Choose another with --schema.`)
  if (was.program !== origin.program) throw refuse(`contains the program ${was.program}`)
  // Its tables would keep columns with old answers.
  if (was.fields !== origin.fields) throw refuse(`was filled ${withFields(was)}, not ${withFields(origin)}`)
}
