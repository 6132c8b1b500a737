import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadMigrations, migrate } from '../../src/db/migrate.ts'
import { createBareDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createBareDatabase()
})
afterAll(() => database.drop())

describe('migrate', () => {
  test('two processes starting at once migrate once', async () => {
    const migrations = await loadMigrations()
    const [first, second] = await Promise.all([migrate(database.sql, migrations), migrate(database.sql, migrations)])
    expect([...first!, ...second!].sort()).toEqual(migrations.map(m => m.name))
  })

  test('refuses a migration that was edited after it was applied, naming it', async () => {
    const migrations = await loadMigrations()
    const edited = migrations.map((m, i) => (i === 0 ? { ...m, sha256: '0'.repeat(64) } : m))
    expect(migrate(database.sql, edited)).rejects.toThrow(/0001-foundation\.sql was applied with other contents/)
  })

  test('refuses a database of a newer release', async () => {
    expect(migrate(database.sql, [])).rejects.toThrow(/migrated by a newer release/)
  })

  test('a failing migration leaves nothing behind and can be tried again', async () => {
    const migrations = await loadMigrations()
    const broken = { name: '9999-broken.sql', text: 'create table half (); select 1 / 0;', sha256: 'x' }
    expect(migrate(database.sql, [...migrations, broken])).rejects.toThrow(
      /9999-broken\.sql failed and was rolled back/,
    )
    const mended = { ...broken, text: 'create table half ();' }
    expect(await migrate(database.sql, [...migrations, mended])).toEqual(['9999-broken.sql'])
  })
})
