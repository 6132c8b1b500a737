import { afterAll, describe, expect, test } from 'bun:test'
import { loadMigrations, migrate } from '../../src/db/migrate.ts'
import { createBareDatabase, type TestDatabase } from '../support/database.ts'

const databases: TestDatabase[] = []
afterAll(() => Promise.all(databases.map(database => database.drop())))

const migrations = await loadMigrations()

/** A database of the test's own, with no schema at all, so that no test depends on another. */
async function emptyDatabase(): Promise<TestDatabase['sql']> {
  const database = await createBareDatabase()
  databases.push(database)
  return database.sql
}

async function migratedDatabase(): Promise<TestDatabase['sql']> {
  const sql = await emptyDatabase()
  await migrate(sql, migrations)
  return sql
}

describe('migrate', () => {
  test('two processes starting at once migrate once', async () => {
    const sql = await emptyDatabase()
    const [first, second] = await Promise.all([migrate(sql, migrations), migrate(sql, migrations)])
    expect([...first!, ...second!].sort()).toEqual(migrations.map(m => m.name))
  })

  test('refuses a migration that was edited after it was applied, naming it', async () => {
    const edited = migrations.map((m, i) => (i === 0 ? { ...m, sha256: '0'.repeat(64) } : m))
    await expect(migrate(await migratedDatabase(), edited)).rejects.toThrow(
      /0001-foundation\.sql was applied with other contents/,
    )
  })

  test('refuses a database of a newer release', async () => {
    await expect(migrate(await migratedDatabase(), [])).rejects.toThrow(/migrated by a newer release/)
  })

  test('a failing migration leaves nothing behind and can be tried again', async () => {
    const sql = await migratedDatabase()
    const broken = { name: '9999-broken.sql', text: 'create table half (); select 1 / 0;', sha256: 'x' }
    await expect(migrate(sql, [...migrations, broken])).rejects.toThrow(/9999-broken\.sql failed and was rolled back/)
    const mended = { ...broken, text: 'create table half ();' }
    expect(await migrate(sql, [...migrations, mended])).toEqual(['9999-broken.sql'])
  })
})
