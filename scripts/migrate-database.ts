// Brings the configured database to this release's schema and says what was done.

import { loadMigrations, migrate } from '../src/db/migrate.ts'
import { runScript } from './environment.ts'

// runScript has migrated already; asking again tells that nothing is left.
await runScript(async ({ sql }) => {
  const migrations = await loadMigrations()
  await migrate(sql, migrations)
  console.log(`The database is at ${migrations.at(-1)?.name ?? 'no migration'}.`)
})
