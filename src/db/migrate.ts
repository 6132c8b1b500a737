// Brings a database to the newest schema: numbered SQL files, forward only, each in one transaction, remembered with its checksum.
// Files that build an index on a large table, or fill rows in batches, run outside a transaction, so that writers do not wait.
// Only this file and distribution.ts run the SQL text of a file unchanged.
//
// Two releases run side by side while an upgrade rolls through. The instance row names the oldest release allowed: its `oldest_release`.
// A newer release immediately applies what that release tolerates (`expand`), and the rest (`contract`) once `finishUpgrade` has recorded
// that no older process is left. An older release runs on a newer schema as long as the row allows it.

import { isLostConnection } from '../base/passing-errors.ts'
import { Problem } from '../base/problem.ts'
import { isOlder, release } from '../base/release.ts'
import { type Db, findValue, isPooled, type Sql, type Transaction } from './client.ts'
import { isDistributed, placeTables } from './distribution.ts'
import { withLockInSession, withLockInTransaction } from './migration-lock.ts'
import type { Migration, OutsideStatement } from './migrations/all-migrations.ts'
import { statementsOf } from './migrations/statements.ts'

/**
 * Applies the missing migrations that need not wait, and returns their names. Safe when several processes start concurrently: one
 * migrates, the others wait. Throws a Problem if an applied migration was edited, if this release is older than the database allows, or
 * if it needs a migration that breaks an earlier release that may still run.
 */
export async function migrate(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  if ((await appliedMigrations(sql, migrations))?.missing.length === 0) return []
  const applied: string[] = []
  for (;;) {
    const next = await withLockInTransaction(sql, tx => applyNext(tx, migrations))
    if (next === undefined) return applied
    if (next.isApplied || (await applyOutside(sql, next.migration, migrations))) applied.push(next.migration.name)
  }
}

/**
 * Applies the first missing migration, unless it has to run outside a transaction, and returns it. Settings and locks end with the
 * transaction.
 */
async function applyNext(
  tx: Transaction,
  migrations: readonly Migration[],
): Promise<{ migration: Migration; isApplied: boolean } | undefined> {
  await tx`select set_config('statement_timeout', '0', true)`
  await tx`
    create table if not exists schema_migration (
      name text primary key,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`
  const { missing, isUsed } = (await appliedMigrations(tx, migrations))!
  const next = missing[0]
  if (next === undefined) return undefined
  const distributed = await isDistributed(tx)
  // A new database has no rows yet, so an ordinary `create index` suffices. Citus requires it, and writers wait: an invalid index that an interrupted
  // build left on a worker cannot be detected from here.
  if (next.outsideStatements !== undefined && isUsed && !distributed) return { migration: next, isApplied: false }
  // Citus changes distributed tables one statement at a time, and creates functions over the same connections afterwards.
  if (distributed)
    await tx`
      select
        set_config('citus.multi_shard_modify_mode', 'sequential', true),
        set_config('citus.enable_unsafe_triggers', 'on', true)`
  const statements =
    next.outsideStatements?.map(statement => ({ ...statement, text: statement.text.replace(' concurrently', '') })) ??
    (distributed ? statementsOf(next.text) : [next.text]).map(text => ({ text, isBatch: false }))
  for (const statement of statements) {
    const { text } = statement
    // Citus would place a new table by its foreign keys; placeTables places it instead.
    if (distributed) await propagateDdl(tx, !/^\s*create table/im.test(text))
    try {
      await runStatement(tx, statement)
    } catch (error) {
      throw migrationFailure({ ...next, text }, error)
    }
  }
  if (distributed) {
    await propagateDdl(tx, true)
    await placeTables(tx)
  }
  await recordApplied(tx, next)
  return { migration: next, isApplied: true }
}

/** Runs a statement, repeatedly if it changes rows in batches. */
async function runStatement(db: Db, { text, isBatch }: Pick<OutsideStatement, 'text' | 'isBatch'>): Promise<void> {
  for (let after: unknown = '{}'; after !== null; ) {
    const [row] = await db.unsafe<Record<string, unknown>[]>(text.replace("'{}'", `'${after}'`)).simple()
    after = isBatch ? Object.values(row!)[0] : null
  }
}

/** For the rest of the transaction, sets whether schema changes also reach the workers. */
async function propagateDdl(tx: Transaction, propagates: boolean): Promise<void> {
  await tx`select set_config('citus.enable_ddl_propagation', ${propagates ? 'on' : 'off'}, true)`
}

async function recordApplied(db: Db, { name, sha256 }: Migration): Promise<void> {
  await db`insert into schema_migration (name, sha256) values (${name}, ${sha256})`
}

/**
 * Runs a migration outside a transaction, and returns whether it was still missing. An interrupted migration starts over: finished indexes stay, and
 * an invalid index left by an interrupted build is rebuilt.
 */
async function applyOutside(sql: Sql, migration: Migration, migrations: readonly Migration[]): Promise<boolean> {
  if (await isPooled(sql))
    throw new Problem('conflict', {
      detail: `${migration.name} runs outside a transaction, which needs a direct connection, and DATABASE_URL goes through a pooler. Run scripts/migrate once with the address of PostgreSQL itself.`,
      internal: 'pooled_database',
    })
  return withLockInSession(sql, async session => {
    const { missing } = (await appliedMigrations(session, migrations))!
    if (missing[0]?.name !== migration.name) return false
    for (const statement of migration.outsideStatements!) {
      const { text, builds } = statement
      try {
        const [invalid] = await session`
          select from pg_index where indexrelid = to_regclass(${builds ?? null}) and not indisvalid`
        if (invalid !== undefined) await session`drop index concurrently ${session(builds!)}`.simple()
        await runStatement(session, statement)
      } catch (error) {
        throw migrationFailure({ ...migration, text }, error)
      }
    }
    await recordApplied(session, migration)
    return true
  })
}

/**
 * Records that no process of an earlier release remains: from now on, none can start, and the migrations that waited for this are applied. Returns
 * the same as `migrate`. Needs the schema owner. Throws a Problem while such a process is connected, unless forced.
 */
export async function finishUpgrade(
  sql: Sql,
  migrations: readonly Migration[],
  options: { force?: boolean } = {},
): Promise<string[]> {
  await migrate(sql, migrations)
  if (options.force !== true) await requireNoneOlder(sql)
  await withLockInTransaction(sql, async tx => {
    // Checked again under the lock, because another release may just have finished its upgrade.
    await appliedMigrations(tx, migrations)
    await tx`update instance set oldest_release = ${release.version}`
  })
  return migrate(sql, migrations)
}

/** How long connections of a stopped process may remain. */
const endingMs = 3000

async function requireNoneOlder(sql: Sql): Promise<void> {
  const giveUpAt = performance.now() + endingMs
  for (;;) {
    const connected = await readConnectionNames(sql)
    const older = connected.filter(({ name }) => isOlder(name.split(' ')[1]!, release.version))
    if (older.length === 0) return
    if (performance.now() > giveUpAt) {
      const named = older.map(({ name, connections }) => `${name} (${connections})`).join(', ')
      throw new Problem('conflict', {
        detail: `Processes of an earlier release are connected (with number of connections): ${named}. Stop them or restart them with release ${release.version}, then finish the upgrade, or use --force.`,
        internal: 'older_processes',
      })
    }
    await Bun.sleep(100)
  }
}

/** Number of connections to this database by name, as `connectionName` forms them. PostgreSQL shows names to every role. */
function readConnectionNames(db: Db): PromiseLike<{ name: string; connections: number }[]> {
  return db<{ name: string; connections: number }[]>`
    select application_name as name, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database()
    and application_name ~ '^tributary[a-z-]* [0-9]+[.][0-9]+[.][0-9]+$'
    group by application_name
    order by application_name`
}

/** The oldest release that may run on this database; undefined if the database has never been used. */
export async function findOldestRelease(db: Db): Promise<string | undefined> {
  const [found] = await db<{ exists: boolean }[]>`select to_regclass('instance') is not null as exists`
  if (!found!.exists) return undefined
  return findValue<string>(db)`select oldest_release from instance`
}

/** Throws a Problem if a migration of this release is missing, for processes that may not change the database. */
export async function requireMigrated(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const missing = (await appliedMigrations(sql, migrations))?.missing ?? migrations
  if (missing.length === 0) return
  throw new Problem('conflict', {
    detail: `The database lacks migrations of this release (${missing.map(({ name }) => name).join(', ')}), and with EXPORT_ONLY they are not applied. Run scripts/migrate on the primary first.`,
    internal: 'migrations_missing',
  })
}

/** Omits PostgreSQL's `detail`, the only part of its error that can contain applicants' data. */
function migrationFailure({ name, text, outsideStatements }: Migration, error: unknown): unknown {
  if (isLostConnection(error)) return error
  const { message, code, position } = error as { message: string; code?: string; position?: string }
  const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
  return new Problem('conflict', {
    detail: `The migration ${name} failed${outsideStatements === undefined ? ' and was rolled back' : ''}: ${message} (SQLSTATE ${code}${line}).`,
    internal: 'migration_failed',
    cause: error,
  })
}

/** The missing migrations, read without changing anything so that a role without DDL rights can start; undefined in an empty database. */
async function appliedMigrations(
  sql: Db,
  migrations: readonly Migration[],
): Promise<{ missing: Migration[]; isUsed: boolean } | undefined> {
  const [found] = await sql<{ exists: boolean }[]>`select to_regclass('schema_migration') is not null as exists`
  if (!found!.exists) return undefined
  const rows = await sql<{ name: string; sha256: string }[]>`select name, sha256 from schema_migration order by name`
  refuseEdited(rows, migrations)
  const done = new Set(rows.map(row => row.name))
  const absent = migrations.filter(migration => !done.has(migration.name))
  const unknown = rows.filter(row => !migrations.some(migration => migration.name === row.name))
  const oldest = await findOldestRelease(sql)
  if (oldest === undefined) {
    if (unknown.length > 0) throw newerDatabase(unknown[0]!.name)
    return { missing: absent, isUsed: false }
  }
  if (isOlder(release.version, oldest))
    throw new Problem('conflict', {
      detail: `This is release ${release.version}, but the database has been upgraded to ${oldest}. Start release ${oldest} or later.`,
      internal: 'upgrade_finished',
    })
  const waits = (migration: Migration): boolean => isOlder(oldest, migration.oldestRelease)
  const tooEarly = absent.find(migration => migration.kind === 'expand' && waits(migration))
  if (tooEarly !== undefined)
    throw new Problem('conflict', {
      detail: `Release ${oldest} may still be running on this database, and migration ${tooEarly.name} of this release would break it. Upgrade to ${tooEarly.oldestRelease} and finish that upgrade first (scripts/migrate --finish), or stop all processes and finish with this release.`,
      internal: 'release_skipped',
    })
  return { missing: absent.filter(migration => !waits(migration)), isUsed: true }
}

/** The name of the last migration applied to this database. */
export async function findNewestMigration(db: Db): Promise<string | undefined> {
  const [row] = await db<{ name: string | null }[]>`select max(name) as name from schema_migration`
  return row!.name?.replace(/\.sql$/, '')
}

function newerDatabase(name: string): Problem {
  return new Problem('conflict', {
    detail: `The database was migrated by a newer release (${name} is unknown to this release). Start the newer release instead.`,
    internal: 'newer_database',
  })
}

function refuseEdited(rows: readonly { name: string; sha256: string }[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(migration => [migration.name, migration.sha256]))
  for (const { name, sha256 } of rows) {
    const expected = known.get(name)
    if (expected !== undefined && expected !== sha256) {
      throw new Problem('conflict', {
        detail: `Migration ${name} was edited after it was applied. Restore the file, and make the change in a new migration.`,
        internal: 'migration_edited',
      })
    }
  }
}
