// Brings the configured database to this release's schema and says what was done.

import { loadMigrations, migrate } from '../src/db/migrate.ts'
import { readCommandLine, runScript, UsageError } from './environment.ts'

const help = `Usage: scripts/migrate

Brings the database to this release's schema, one migration after the other, each whole or not at all. Service and worker do
so themselves when they start; this is for doing it beforehand.`

await readCommandLine(help, args => {
  if (args.length > 0) throw new UsageError(`Unexpected: ${args.join(' ')}. scripts/migrate --help tells more.`)
})

// runScript has migrated already; asking again tells that nothing is left.
await runScript(async ({ sql }) => {
  const migrations = await loadMigrations()
  await migrate(sql, migrations)
  console.log(`The database is at ${migrations.at(-1)?.name ?? 'no migration'}.`)
})
