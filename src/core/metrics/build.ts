// The build of a process: release, commit, Bun and database schema.

import { release } from '../../base/release.ts'
import type { Db } from '../../db/client.ts'
import { findNewestMigration } from '../../db/migrate.ts'

export interface Build {
  version: string
  commit: string
  bun: string
  /** The newest migration of the database when the process started. */
  schema: string
}

export async function buildOf(db: Db): Promise<Build> {
  const schema = (await findNewestMigration(db)) ?? 'none'
  return { version: release.version, commit: release.commit ?? 'unknown', bun: Bun.version, schema }
}
