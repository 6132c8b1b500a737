import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { isOlder, release } from '../../src/base/release.ts'
import { openDatabase } from '../../src/db/client.ts'
import { findOldestRelease, finishUpgrade, migrate } from '../../src/db/migrate.ts'
import { allMigrations, type Migration, readMigration } from '../../src/db/migrations/all-migrations.ts'
import { createBareDatabase, type TestDatabase } from '../support/database.ts'
import { endWithTest } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createBareDatabase()
})
afterEach(() => database.drop())

const item = {
  name: '0001-one.sql',
  text: 'create table one ();',
  sha256: '1',
  kind: 'expand',
  oldestRelease: '0.0.1',
} as const

/** A process of its own that migrates. */
function startMigrating(migrations: readonly Migration[]) {
  const program = `
    import { openDatabase } from ${JSON.stringify(join(import.meta.dir, '../../src/db/client.ts'))}
    import { migrate } from ${JSON.stringify(join(import.meta.dir, '../../src/db/migrate.ts'))}
    const sql = openDatabase({ url: ${JSON.stringify(database.url)}, connectionsMax: 1 })
    await migrate(sql, ${JSON.stringify(migrations)})`
  return Bun.spawn([process.execPath, '-e', program], { stdout: 'ignore', stderr: 'inherit' })
}

describe('migrate', () => {
  test('every file of src/db/migrations is a migration, in the order of their numbers', () => {
    const files = readdirSync(join(import.meta.dir, '../../src/db/migrations')).filter(name => name.endsWith('.sql'))
    expect(allMigrations.map(migration => migration.name)).toEqual(files.sort())
  })

  test('processes that start at the same time migrate once and leave no lock on any connection', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.sql, allMigrations)))
    expect(applied.flat().sort()).toEqual(allMigrations.map(migration => migration.name))
    expect(await database.sql`select pid from pg_locks where locktype = 'advisory'`).toHaveLength(0)
  })

  test('a database at this release is not written to', async () => {
    await migrate(database.sql, [item])
    const name = new URL(database.url).pathname.slice(1)
    await database.sql`alter database ${database.sql(name)} set default_transaction_read_only = on`
    await database.sql.unsafe('set default_transaction_read_only = on')
    expect(await migrate(database.sql, [item])).toEqual([])
  })

  test('refuses a migration that was edited after it was applied, naming it', async () => {
    await migrate(database.sql, [item])
    await expect(migrate(database.sql, [{ ...item, sha256: '2' }])).rejects.toMatchObject({
      internal: 'migration_edited',
      detail: expect.stringContaining(item.name),
    })
  })

  test('refuses a database of a newer release', async () => {
    await migrate(database.sql, [item])
    await expect(migrate(database.sql, [])).rejects.toMatchObject({
      internal: 'newer_database',
      detail: expect.stringContaining(item.name),
    })
  })

  test('a failing migration reports its cause and line, leaves nothing behind, and can be tried again', async () => {
    const broken = { ...item, name: '0002-broken.sql', text: 'create table half ();\nselect 1 / 0;', sha256: 'x' }
    const failure = (detail: RegExp) => ({ internal: 'migration_failed', detail: expect.stringMatching(detail) })
    await expect(migrate(database.sql, [item, broken])).rejects.toMatchObject(
      failure(/0002-broken\.sql.*: division by zero \(SQLSTATE 22012\)/),
    )
    const misspelt = { ...broken, text: 'create table half ();\n\nselect nothing_like_it;' }
    await expect(migrate(database.sql, [item, misspelt])).rejects.toMatchObject(
      failure(/0002-broken\.sql.*"nothing_like_it".* \(SQLSTATE 42703, line 3\)/),
    )
    const mended = { ...broken, text: 'create table half ();' }
    expect(await migrate(database.sql, [item, mended])).toEqual(['0002-broken.sql'])
  })

  test('a process that is killed in the middle of a migration leaves nothing of it, and the next one applies it', async () => {
    const slow = { ...item, name: '0002-slow.sql', text: 'create table half (); select pg_sleep(1);', sha256: '2' }
    const child = startMigrating([item, slow])
    const activity = () => database.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and query like '%create table half%' and pid <> pg_backend_pid()`
    await until('the migration to be under way', async () => (await activity()).length === 1)
    child.kill('SIGKILL')
    await child.exited
    // It waits until the database has noticed, too.
    expect(await migrate(database.sql, [item, { ...slow, text: 'create table half ();' }])).toEqual(['0002-slow.sql'])
    expect(await database.sql`select name from schema_migration order by name`).toHaveLength(2)
  })

  test('a migration may take longer than the statement timeout', async () => {
    await database.sql.unsafe('set statement_timeout = 50')
    const slow = { ...item, text: 'create table one (); select pg_sleep(0.2);' }
    const sql = database.sql
    await sql`select 1`
    expect(await migrate(sql, [slow])).toEqual(['0001-one.sql'])
  })

  describe('while another release may run', () => {
    const [major, minor, patch] = release.version.split('.').map(Number) as [number, number, number]
    const newer = `${major}.${minor + 1}.${patch}`
    const older = '0.0.1'
    const used = { ...item, text: 'create table instance (oldest_release text)' }
    const expand = { ...item, name: '0002-expand.sql', text: 'create table expanded ()' }
    const contract = { ...item, name: '0003-contract.sql', kind: 'contract', oldestRelease: release.version } as const
    const setOldest = (text: string) => database.sql`insert into instance (oldest_release) values (${text})`

    test('migrations that it can run with are applied immediately, and the others when the upgrade is finished', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      const all = [used, expand, { ...contract, text: 'drop table expanded' }]
      expect(await migrate(database.sql, all)).toEqual(['0002-expand.sql'])
      expect(await migrate(database.sql, all)).toEqual([])
      expect(await finishUpgrade(database.sql, all)).toEqual(['0003-contract.sql'])
      expect(await findOldestRelease(database.sql)).toBe(release.version)
      expect(await finishUpgrade(database.sql, all)).toEqual([])
    })

    test('an upgrade is not finished while a process of an earlier release is connected, unless forced', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      // A newer release and a program that is not ours are not in the way.
      const names = [`tributary-export ${older}`, `tributary ${older}`, `tributary ${newer}`, 'other-export 0.0.1']
      const processes = names.map(application_name =>
        postgres(database.url, { max: 2, idle_timeout: 0, connection: { application_name } }),
      )
      try {
        await Promise.all(processes.flatMap(item => [item`select pg_sleep(0.1)`, item`select pg_sleep(0.1)`]))
        const refusal = finishUpgrade(database.sql, [used])
        await expect(refusal).rejects.toMatchObject({ internal: 'older_processes' })
        const named = /tributary\S* \d[\d.]* \(\d+\)/g
        expect(String(await refusal.catch(String)).match(named)).toEqual([
          `tributary ${older} (2)`,
          `tributary-export ${older} (2)`,
        ])
        expect(await findOldestRelease(database.sql)).toBe(older)
        await finishUpgrade(database.sql, [used], { force: true })
        expect(await findOldestRelease(database.sql)).toBe(release.version)

        // One that ends in the meantime is waited for.
        const finished = finishUpgrade(database.sql, [used])
        await Promise.all(processes.slice(0, 2).map(item => item.end()))
        expect(await finished).toEqual([])
      } finally {
        await Promise.all(processes.map(item => item.end()))
      }
    })

    test('this release starts on a newer schema until the upgrade is finished', async () => {
      await migrate(database.sql, [used, expand])
      await setOldest(release.version)
      expect(await migrate(database.sql, [used])).toEqual([])
    })

    test('this release refuses a database whose upgrade to a newer release is finished, and cannot undo it', async () => {
      await migrate(database.sql, [used])
      await setOldest(newer)
      const refusal = { internal: 'upgrade_finished', detail: expect.stringContaining(newer) }
      await expect(migrate(database.sql, [used])).rejects.toMatchObject(refusal)
      await expect(finishUpgrade(database.sql, [used])).rejects.toMatchObject(refusal)
      expect(await findOldestRelease(database.sql)).toBe(newer)
    })

    test('a migration that would break a release that may still be running is refused, and none of it is applied', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      const tooEarly = { ...expand, oldestRelease: '0.0.2' }
      await expect(migrate(database.sql, [used, tooEarly])).rejects.toMatchObject({
        internal: 'release_skipped',
        detail: expect.stringMatching(/0\.0\.1.*0002-expand\.sql.*0\.0\.2/),
      })
      expect(await database.sql`select from schema_migration`).toHaveLength(1)
    })
  })
})

describe('a migration outside a transaction', () => {
  const tables = {
    ...item,
    text: 'create table instance (oldest_release text); create table short (n int); create table long (n int)',
  }
  const indexes = readMigration(
    '0002-indexes.sql',
    `-- expand, oldest release 0.0.1, outside a transaction

-- One that is quick; one that is not.
create index concurrently if not exists short_n on short (n);
create index concurrently if not exists long_n
  on long (n) where n > 0;
`,
  )
  const both = [tables, indexes]
  const readIndexes = async () =>
    Object.fromEntries(
      (
        await database.sql<{ name: string; oid: number; valid: boolean }[]>`
          select indexrelid::regclass::text as name, indexrelid as oid, indisvalid as valid
          from pg_index where indrelid in ('short'::regclass, 'long'::regclass)`
      ).map(({ name, ...rest }) => [name, rest]),
    )
  const isBuilding = async () =>
    (await waitingForLocks(database.sql, 'create index concurrently if not exists long_n')) === 1
  /** A pool of one connection, as processes have it when they start. */
  const openOne = (applicationName: string, statementTimeoutMs = 0) => {
    const sql = openDatabase({ url: database.url, connectionsMax: 1, applicationName, statementTimeoutMs })
    endWithTest(() => sql.end({ timeout: 1 }))
    return sql
  }
  const write = (tx: postgres.ISql) => tx`insert into long values (1)`

  beforeEach(async () => {
    await migrate(database.sql, [tables])
    await database.sql`insert into instance (oldest_release) values ('0.0.1')`
  })

  test('builds an index while a transaction is open, without making writers wait', async () => {
    const end = await holdTransaction(database.sql, write)
    const migrating = migrate(database.sql, both)
    await until('the build to wait for the writer', isBuilding)
    await database.sql.begin(async tx => {
      await tx`set local lock_timeout = '5s'`
      await write(tx)
    })
    expect(await isBuilding()).toBe(true)
    await end()
    expect(await migrating).toEqual(['0002-indexes.sql'])
    expect(await readIndexes()).toMatchObject({ short_n: { valid: true }, long_n: { valid: true } })
    expect(await migrate(database.sql, both)).toEqual([])
  })

  test('is built by one of several processes while the others wait, without a deadlock or a remaining lock', async () => {
    const end = await holdTransaction(database.sql, write)
    const first = migrate(openOne('first'), both)
    await until('the first to build', isBuilding)
    const others = ['second', 'third'].map(name => migrate(openOne(name), both))
    await until('the others to have asked for the lock', async () => {
      const asked = await database.sql`
        select from pg_stat_activity
        where datname = current_database() and application_name ~ '^(second|third)' and query = 'commit'`
      return asked.length === 2
    })
    await end()
    expect(await Promise.all([first, ...others])).toEqual([['0002-indexes.sql'], [], []])
    expect(await database.sql`select pid from pg_locks where locktype = 'advisory'`).toHaveLength(0)
  })

  test('continues after its process was killed, keeping finished indexes and rebuilding invalid ones', async () => {
    const end = await holdTransaction(database.sql, write)
    const child = startMigrating(both)
    await until('the process to build', isBuilding)
    child.kill('SIGKILL')
    await child.exited
    // PostgreSQL continues until it has to answer. Here it is stopped in the middle.
    await database.sql`
      select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and query like 'create index%'`
    const left = await readIndexes()
    expect(left).toMatchObject({ short_n: { valid: true }, long_n: { valid: false } })
    await end()
    expect(await migrate(database.sql, both)).toEqual(['0002-indexes.sql'])
    const now = await readIndexes()
    expect(now).toMatchObject({ short_n: left.short_n!, long_n: { valid: true } })
    expect(now.long_n!.oid).not.toBe(left.long_n!.oid)
  })

  test('may take longer than the statement timeout, which applies again afterwards', async () => {
    const sql = openOne('limited', 1000)
    const end = await holdTransaction(database.sql, write)
    const migrating = migrate(sql, both)
    await until('the build to take longer', async () => {
      const slow = await database.sql`
        select from pg_stat_activity
        where datname = current_database() and query like 'create index%'
        and clock_timestamp() - query_start > interval '1.2 seconds'`
      return slow.length === 1
    })
    await end()
    expect(await migrating).toEqual(['0002-indexes.sql'])
    expect((await sql`show statement_timeout`)[0]).toEqual({ statement_timeout: '1s' })
  })

  test('that fails reports why, and can be tried again', async () => {
    await database.sql`insert into short values (0)`
    const failing = readMigration('0002-indexes.sql', indexes.text.replace('short (n)', 'short ((1 / n))'))
    await expect(migrate(database.sql, [tables, failing])).rejects.toThrow(
      'The migration 0002-indexes.sql failed: division by zero (SQLSTATE 22012).',
    )
    expect(await database.sql`select pid from pg_locks where locktype = 'advisory'`).toHaveLength(0)
    expect(await migrate(database.sql, both)).toEqual(['0002-indexes.sql'])
    expect(await readIndexes()).toMatchObject({ short_n: { valid: true }, long_n: { valid: true } })
  })

  test('drops an index, and waits for the end of the upgrade when an older release needs it', async () => {
    await migrate(database.sql, both)
    const drop = readMigration(
      '0003-drop.sql',
      `-- contract, oldest release ${release.version}, outside a transaction\ndrop index concurrently if exists long_n;\n`,
    )
    expect(await migrate(database.sql, [...both, drop])).toEqual([])
    expect(await finishUpgrade(database.sql, [...both, drop])).toEqual(['0003-drop.sql'])
    expect(Object.keys(await readIndexes())).toEqual(['short_n'])
  })

  test.each([
    'create index if not exists short_n on short (n);',
    'create index concurrently short_n on short (n);',
    'create index concurrently on short (n);',
    'drop index concurrently short_n;',
    'drop index if exists short_n;',
    'drop index concurrently if exists short_n, long_n;',
    'update short set n = 1;',
    '/* vacuum */ vacuum short;',
    'create index concurrently if not exists short_n on short (n); drop table long;',
  ])('is refused when the list is read if it contains any other statement: %s', statements => {
    const text = `-- expand, oldest release 0.0.1, outside a transaction\n${statements}\n`
    expect(() => readMigration('0002-other.sql', text)).toThrow('0002-other.sql')
    const inside = readMigration('0002-other.sql', text.replace(/,[^,\n]*\n/, '\n'))
    expect(inside.outsideStatements).toBeUndefined()
  })

  test('is refused if its first line is misspelled', () => {
    const text = indexes.text.replace('outside a', 'outside of a')
    expect(() => readMigration('0002-other.sql', text)).toThrow('0002-other.sql')
  })
})

test('releases are compared number by number', () => {
  expect(isOlder('0.9.0', '0.10.0')).toBe(true)
  expect(isOlder('1.0.0', '0.10.9')).toBe(false)
  expect(isOlder('0.1.0', '0.1.0')).toBe(false)
  expect(isOlder('0.1.1', '0.1.2')).toBe(true)
})
