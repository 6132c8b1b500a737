// Brings a database to the newest schema: numbered SQL files, forward only, each in one transaction, remembered with its checksum.
// It must not know what the files say. The only place where SQL text is run as it stands in a file.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Problem } from '../problem.ts'
import type { Sql } from './client.ts'

const folder = new URL('./migrations/', import.meta.url)
/** Any fixed number will do: whoever migrates this database holds this advisory lock. */
const lockId = 7_319_042_551

export interface Migration {
  name: string
  text: string
  sha256: string
}

/** The migrations of this release, in order. */
export async function loadMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Applies what is missing and returns its names. Safe when several processes start at once: one migrates, the others wait.
 * Throws a Problem when a migration that was applied has since been edited, or is unknown to this release.
 */
export async function migrate(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  const connection = await sql.reserve()
  try {
    await connection`select pg_advisory_lock(${lockId}::bigint)`
    await connection`
      create table if not exists schema_migration (
        name text primary key,
        sha256 text not null,
        applied_at timestamptz not null default now()
      )`
    const rows = await connection<
      { name: string; sha256: string }[]
    >`select name, sha256 from schema_migration order by name`
    refuseDrift(rows, migrations)
    const done = new Set(rows.map(row => row.name))
    const missing = migrations.filter(migration => !done.has(migration.name))
    for (const migration of missing) {
      await connection`begin`
      try {
        await connection.unsafe(migration.text).simple()
        await connection`insert into schema_migration (name, sha256) values (${migration.name}, ${migration.sha256})`
        await connection`commit`
      } catch (error) {
        await connection`rollback`
        throw new Error(`migration ${migration.name} failed and was rolled back`, { cause: error })
      }
    }
    return missing.map(migration => migration.name)
  } finally {
    // The lock goes with the session if the connection is already gone.
    await connection`select pg_advisory_unlock(${lockId}::bigint)`.catch(() => {})
    connection.release()
  }
}

function refuseDrift(rows: readonly { name: string; sha256: string }[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(migration => [migration.name, migration.sha256]))
  for (const { name, sha256 } of rows) {
    const expected = known.get(name)
    if (expected === undefined) {
      throw new Problem('conflict', {
        detail: `The database was migrated by a newer release: ${name} is unknown to this one. Start that release instead.`,
      })
    }
    if (expected !== sha256) {
      throw new Problem('conflict', {
        detail: `Migration ${name} was applied with other contents than the file has now. Migrations only go forward: restore the file and add a new one.`,
      })
    }
  }
}
