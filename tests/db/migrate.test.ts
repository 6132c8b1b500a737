import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { findOldestRelease, finishUpgrade, migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { isOlder, release } from '../../src/release.ts'
import { createBareDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createBareDatabase()
})
afterEach(() => database.drop())

const one = {
  name: '0001-one.sql',
  text: 'create table one ();',
  sha256: '1',
  kind: 'expand',
  oldestRelease: '0.0.1',
} as const

describe('migrate', () => {
  test('every file of src/db/migrations is a migration, in the order of their numbers', () => {
    const files = readdirSync(join(import.meta.dir, '../../src/db/migrations')).filter(name => name.endsWith('.sql'))
    expect(allMigrations.map(migration => migration.name)).toEqual(files.sort())
  })

  test('processes starting at once migrate once, and leave no lock behind on any connection', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.sql, allMigrations)))
    expect(applied.flat().sort()).toEqual(allMigrations.map(migration => migration.name))
    expect(await database.sql`select pid from pg_locks where locktype = 'advisory'`).toHaveLength(0)
  })

  test('a database that is at this release is not written to', async () => {
    await migrate(database.sql, [one])
    const name = new URL(database.url).pathname.slice(1)
    await database.sql`alter database ${database.sql(name)} set default_transaction_read_only = on`
    await database.sql.unsafe('set default_transaction_read_only = on')
    expect(await migrate(database.sql, [one])).toEqual([])
  })

  test('refuses a migration that was edited after it was applied, naming it', async () => {
    await migrate(database.sql, [one])
    await expect(migrate(database.sql, [{ ...one, sha256: '2' }])).rejects.toThrow(
      /0001-one\.sql was applied with other contents/,
    )
  })

  test('refuses a database of a newer release', async () => {
    await migrate(database.sql, [one])
    await expect(migrate(database.sql, [])).rejects.toThrow(/migrated by a newer release/)
  })

  test('a failing migration says its cause and line, leaves nothing behind, and can be tried again', async () => {
    const broken = { ...one, name: '0002-broken.sql', text: 'create table half ();\nselect 1 / 0;', sha256: 'x' }
    await expect(migrate(database.sql, [one, broken])).rejects.toThrow(
      'The migration 0002-broken.sql failed and was rolled back: division by zero (SQLSTATE 22012).',
    )
    const misspelt = { ...broken, text: 'create table half ();\n\nselect nothing_like_it;' }
    await expect(migrate(database.sql, [one, misspelt])).rejects.toThrow(
      'failed and was rolled back: column "nothing_like_it" does not exist (SQLSTATE 42703, line 3).',
    )
    const mended = { ...broken, text: 'create table half ();' }
    expect(await migrate(database.sql, [one, mended])).toEqual(['0002-broken.sql'])
  })

  test('a process that is killed in the middle of a migration leaves nothing of it, and the next one applies it', async () => {
    const slow = { ...one, name: '0002-slow.sql', text: 'create table half (); select pg_sleep(1);', sha256: '2' }
    const program = `
      import { openDatabase } from ${JSON.stringify(join(import.meta.dir, '../../src/db/client.ts'))}
      import { migrate } from ${JSON.stringify(join(import.meta.dir, '../../src/db/migrate.ts'))}
      const sql = openDatabase({ url: ${JSON.stringify(database.url)}, connectionsMax: 1 })
      await migrate(sql, ${JSON.stringify([one, slow])})`
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'ignore', stderr: 'inherit' })
    const activity = () => database.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and query like '%create table half%' and pid <> pg_backend_pid()`
    await until('the migration to be under way', async () => (await activity()).length === 1)
    child.kill('SIGKILL')
    await child.exited
    // It waits until the database has noticed, too.
    expect(await migrate(database.sql, [one, { ...slow, text: 'create table half ();' }])).toEqual(['0002-slow.sql'])
    expect(await database.sql`select name from schema_migration order by name`).toHaveLength(2)
  })

  test('a migration may take longer than a statement may', async () => {
    await database.sql.unsafe('set statement_timeout = 50')
    const slow = { ...one, text: 'create table one (); select pg_sleep(0.2);' }
    const sql = database.sql
    await sql`select 1`
    expect(await migrate(sql, [slow])).toEqual(['0001-one.sql'])
  })

  describe('while another release may run', () => {
    const [major, minor, patch] = release.version.split('.').map(Number) as [number, number, number]
    const newer = `${major}.${minor + 1}.${patch}`
    const older = '0.0.1'
    const used = { ...one, text: 'create table instance (oldest_release text)' }
    const expand = { ...one, name: '0002-expand.sql', text: 'create table expanded ()' }
    const contract = { ...one, name: '0003-contract.sql', kind: 'contract', oldestRelease: release.version } as const
    const setOldest = (text: string) => database.sql`insert into instance (oldest_release) values (${text})`

    test('what it can live with is applied at once; what it cannot waits until the upgrade is finished', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      const all = [used, expand, { ...contract, text: 'drop table expanded' }]
      expect(await migrate(database.sql, all)).toEqual(['0002-expand.sql'])
      expect(await migrate(database.sql, all)).toEqual([])
      expect(await finishUpgrade(database.sql, all)).toEqual(['0003-contract.sql'])
      expect(await findOldestRelease(database.sql)).toBe(release.version)
      expect(await finishUpgrade(database.sql, all)).toEqual([])
    })

    test('an upgrade is not finished while a process of an earlier release is connected, unless that is meant', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      // A newer release and a program that is not ours are not in the way.
      const names = [`tributary-export ${older}`, `tributary ${older}`, `tributary ${newer}`, 'other-export 0.0.1']
      const processes = names.map(application_name =>
        postgres(database.url, { max: 2, idle_timeout: 0, connection: { application_name } }),
      )
      try {
        await Promise.all(processes.flatMap(one => [one`select pg_sleep(0.1)`, one`select pg_sleep(0.1)`]))
        await expect(finishUpgrade(database.sql, [used])).rejects.toThrow(
          `Processes of an earlier release are connected, here with their connections: tributary ${older} (2), tributary-export ${older} (2). Stop them or restart them with release ${release.version}`,
        )
        expect(await findOldestRelease(database.sql)).toBe(older)
        await finishUpgrade(database.sql, [used], { force: true })
        expect(await findOldestRelease(database.sql)).toBe(release.version)

        // One that ends in the meantime is waited for.
        const finished = finishUpgrade(database.sql, [used])
        await Promise.all(processes.slice(0, 2).map(one => one.end()))
        expect(await finished).toEqual([])
      } finally {
        await Promise.all(processes.map(one => one.end()))
      }
    })

    test('this release starts on a newer schema as long as it may', async () => {
      await migrate(database.sql, [used, expand])
      await setOldest(release.version)
      expect(await migrate(database.sql, [used])).toEqual([])
    })

    test('this release refuses a database whose upgrade to a newer one is finished, in one sentence, and cannot undo that', async () => {
      await migrate(database.sql, [used])
      await setOldest(newer)
      const refusal = `This is release ${release.version}, and the upgrade of this database to ${newer} is finished.`
      await expect(migrate(database.sql, [used])).rejects.toThrow(refusal)
      await expect(finishUpgrade(database.sql, [used])).rejects.toThrow(refusal)
      expect(await findOldestRelease(database.sql)).toBe(newer)
    })

    test('a migration that a release which may still run would not survive is refused, and nothing of it is applied', async () => {
      await migrate(database.sql, [used])
      await setOldest(older)
      const tooEarly = { ...expand, oldestRelease: '0.0.2' }
      await expect(migrate(database.sql, [used, tooEarly])).rejects.toThrow(
        'Release 0.0.1 may still run on this database, and would not survive 0002-expand.sql of this release. Upgrade to 0.0.2',
      )
      expect(await database.sql`select from schema_migration`).toHaveLength(1)
    })
  })
})

test('releases are compared number by number', () => {
  expect(isOlder('0.9.0', '0.10.0')).toBe(true)
  expect(isOlder('1.0.0', '0.10.9')).toBe(false)
  expect(isOlder('0.1.0', '0.1.0')).toBe(false)
  expect(isOlder('0.1.1', '0.1.2')).toBe(true)
})
