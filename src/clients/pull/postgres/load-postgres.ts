// Fills tables in the puller's own database. Missing tables are created, tables of a program that has grown are widened, and everything
// is written in one transaction, so readers see all of a pull or nothing. Existing rows are replaced by application_id; rows not pulled
// again are updated from the change feed. Repeating a load changes nothing.

import type { ChangesPage } from '@tributary/client'
import postgres from 'postgres'
import { type ColumnKind, type PlannedColumn, type Table, unansweredIn } from '../../../base/tables/table-plan.ts'
import { type Cell, rowMaker } from '../../../base/tables/table-rows.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import { changedApplications } from '../spool/output-format.ts'
import { type PulledMembers, pulledApplications } from '../spool/pulled-applications.ts'
import { differencesOf, type PullOrigin, withFields } from '../spool/pulled-before.ts'
import type { SchemaCheck } from '../spool/schema-check.ts'
import { TextBytes } from '../spool/text-bytes.ts'
import { allMade, emptyHidden } from './hidden-columns.ts'
import { columnIdentifiers, copyLine } from './postgres-text.ts'
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
  /** Applications, one a line. */
  spoolPath: string
  /** What each application is checked against. */
  check: SchemaCheck | undefined
  /** Whether they are all applications, or added to those in the tables. */
  fills: 'all' | 'some' | 'since last'
  /** What the tables are of, and where the next pull continues, when what was pulled is in them. */
  then: PulledRecord
  /** The `fromDate` of the walk, and the cursor that its applications need the changes after. */
  fromDate: string | undefined
  changesAfter: string | undefined
  changes: (after: string) => AsyncIterable<ChangesPage>
  signal: AbortSignal
}

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Resolves with the number of applications that are in the tables then. */
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
    // Rows that stay are as of their own cursor, which is another than the walk began with if the database was restored in the meantime.
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
      await fill(tx, schema, tables, pulledApplications(spoolPath, load.check), signal)
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

/** A page of the change feed, and what the database is to have it after. */
export interface PageLoad extends Pick<PostgresLoad, 'url' | 'schema' | 'tables' | 'signal'> {
  page: ChangesPage
  after: string
}

/** Applies a page, all of it or nothing. Resolves with false when the tables are not as of the change before it. */
export function applyPage({ url, schema, tables, page, after, signal }: PageLoad): Promise<boolean> {
  return connected(url, async sql => {
    const record = await lockedRecord(sql, schema)
    if (record?.followsFrom !== after) return false
    const gone = page.payload.filter(({ kind }) => kind === 'erased' || kind === 'superseded')
    await collectChanges(sql, [onePage({ ...page, payload: gone })])
    await sql.begin(async tx => {
      await fill(tx, schema, tables, onePage([...changedApplications(page).values()]), signal)
      await applyChanges(tx, schema, 'kept')
      const made = allMade(record.made, columnsByTable(tables))
      // What was submitted up to Snapshot-Time is there when all changes are.
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

/** Two pulls into one schema take turns, to the end of the session. */
async function lockedRecord(sql: TargetSql, schema: string): Promise<KeptRecord | undefined> {
  await sql`select pg_advisory_lock(hashtextextended(${`tributary ${schema}`}, 0))`
  return readRecord(sql, schema)
}

const columnsByTable = (tables: readonly Table[]): Record<string, string[]> =>
  Object.fromEntries(tables.map(table => [postgresName(table), columnIdentifiers(table)]))

/** Makes the tables where they are missing, and puts these applications in the place of their earlier rows. */
async function fill(
  tx: TargetSql,
  schema: string,
  tables: readonly Table[],
  applications: AsyncIterable<readonly PulledMembers[]>,
  signal: AbortSignal,
): Promise<void> {
  // `if not exists` asks for the right to create schemas even where it is there.
  const [found] = await tx`select from pg_namespace where nspname = ${schema}`
  if (found === undefined) await tx`create schema if not exists ${tx(schema)}`
  for (const table of tables) await makeTable(tx, schema, table)
  await copyTables(tx, tables, applications, signal)
  for (const [index, table] of tables.entries()) {
    signal.throwIfAborted()
    await takeOver(tx, schema, table, index)
  }
}

/** What the last pull left there. */
export function readPulled(url: string, schema: string, origin: PullOrigin): Promise<KeptRecord | undefined> {
  return connected(url, async sql => {
    const record = await readRecord(sql, schema)
    refuseOther(record, origin, schema)
    return record
  })
}

/** A session of its own, which ends with the work. */
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
  // Its tables would keep columns with the answers of then.
  if (was.fields !== origin.fields) throw refuse(`was filled ${withFields(was)}, not ${withFields(origin)}`)
}

const keyOf = ({ path }: Table): readonly string[] =>
  path.length === 0 ? ['application_id'] : ['application_id', 'entity_path']
/** Where the rows of a table wait; the first has the applications. */
const stageOf = (index: number): string => `tributary_pulled_${index}`

async function makeTable(sql: TargetSql, schema: string, table: Table): Promise<void> {
  const name = postgresName(table)
  const names = columnIdentifiers(table)
  const place = sql`${sql(schema)}.${sql(name)}`
  const key = joined(
    sql,
    keyOf(table).map(column => sql`${sql(column)}`),
  )
  const isOfEntities = table.path.length > 0
  await sql`create table if not exists ${place} (${columnsOf(sql, table.columns.slice(0, 1), names)}
    ${isOfEntities ? sql`references ${sql(schema)}.${sql('applications')} on delete cascade, ${sql('entity_path')} text` : sql``},
    primary key (${key}))`
  const there = await sql<{ attname: string }[]>`
    select attname::text from pg_attribute
    where attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(${name})) and attnum > 0 and not attisdropped`
  const known = new Set(there.map(({ attname }) => attname))
  for (const [i, column] of table.columns.entries())
    if (!known.has(names[i]!)) {
      const own = columnsOf(sql, [column], [names[i]!])
      await sql`alter table ${place} add column ${own} ${defaultOf(sql, unansweredIn(column))}`
    }
}

/** Rows are copied in pieces of this length: a connection takes one COPY at a time, and each table has its own. */
const pieceBytes = 4 * 1024 * 1024

/** The rows of all tables, from one pass over the lines. */
async function copyTables(
  sql: TargetSql,
  tables: readonly Table[],
  applications: AsyncIterable<readonly PulledMembers[]>,
  signal: AbortSignal,
): Promise<void> {
  for (const [i, table] of tables.entries())
    await sql`
      create temporary table ${sql(stageOf(i))} (${columnsOf(sql, table.columns, columnIdentifiers(table))}) on commit drop`
  const makeRows = rowMaker(tables)
  const kinds = tables.map(({ columns }) => columns.map(({ kind }) => kind))
  const texts = tables.map(() => new TextBytes())
  const add = (at: number, cells: readonly Cell[]): void => texts[at]!.add(copyLine(cells, kinds[at]!))
  const send = async (): Promise<void> => {
    for (const [i, text] of texts.entries()) if (text.length > 0) await copyText(sql, stageOf(i), text.take())
  }
  for await (const some of applications) {
    signal.throwIfAborted()
    for (const application of some) makeRows(application, add)
    if (texts.reduce((sum, { length }) => sum + length, 0) >= pieceBytes) await send()
  }
  await send()
}

async function copyText(sql: TargetSql, stage: string, text: Buffer): Promise<void> {
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => {})
  // What the server refuses goes to the statement, which has been resolved with its stream by then.
  const statement = Object.assign(sql`copy ${sql(stage)} from stdin`, { reject: refused.reject })
  const target = await Promise.race([statement.writable(), refused.promise])
  target.on('error', refused.reject)
  await Promise.race([new Promise<void>(done => target.once('finish', done).end(text)), refused.promise])
}

/** What was copied takes the place of what was there of the same applications. */
async function takeOver(sql: TargetSql, schema: string, table: Table, index: number): Promise<void> {
  const place = sql`${sql(schema)}.${sql(postgresName(table))}`
  const names = columnIdentifiers(table)
  const columns = joined(
    sql,
    names.map(name => sql`${sql(name)}`),
  )
  const insert = sql`insert into ${place} (${columns}) select ${columns} from ${sql(stageOf(index))}`
  if (table.path.length === 0) {
    const others = names.filter(name => name !== 'application_id')
    const changes = joined(
      sql,
      others.map(name => sql`${sql(name)} = excluded.${sql(name)}`),
    )
    // Its entities follow, or are gone with their old place.
    await sql`${insert} on conflict (application_id) do update set ${changes}`
    return
  }
  await sql`delete from ${place} where application_id in (select application_id from ${sql(stageOf(0))})`
  await sql`${insert}`
}

const columnsOf = (sql: TargetSql, columns: readonly PlannedColumn[], names: readonly string[]): Fragment =>
  joined(
    sql,
    columns.map(({ kind }, i) => sql`${sql(names[i]!)} ${typeOf(sql, kind)}`),
  )

const joined = (sql: TargetSql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, part) => sql`${all}, ${part}`)

function defaultOf(sql: TargetSql, unanswered: ReturnType<typeof unansweredIn>): Fragment {
  if (unanswered === null) return sql``
  return unanswered === false ? sql`default false` : unanswered === 0 ? sql`default 0` : sql`default '{}'`
}

function typeOf(sql: TargetSql, kind: ColumnKind): Fragment {
  switch (kind) {
    case 'integer':
      return sql`bigint`
    case 'number':
    case 'money':
      return sql`numeric`
    case 'boolean':
      return sql`boolean`
    case 'date':
      return sql`date`
    case 'time':
      return sql`timestamptz`
    case 'list':
      return sql`text[]`
    case 'text':
      return sql`text`
  }
}
