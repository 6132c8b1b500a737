// Brings the configured database to this release's schema and says what was done.

import { parseArgs } from 'node:util'
import { grantRoles, migrate } from '../src/db/migrate.ts'
import { allMigrations } from '../src/db/migrations/all-migrations.ts'
import { prepareQueue } from '../src/queue/connect.ts'
import { readCommandLine, runScript, UsageError } from './environment.ts'

const help = `Usage: scripts/migrate [--roles]

Brings the database to this release's schema, one migration after the other, each whole or not at all. Service and worker do
so themselves when they start, if they may; this is for doing it beforehand, as the owner of the schema.

--roles   Also gives the roles tributary_service and tributary_worker what service and worker need and nothing else, and makes
          them if they are not there. Make a login role a member of one: create role web login in role tributary_service;`

const { roles } = await readCommandLine(help, args => {
  const { values, positionals } = parseArgs({ args, options: { roles: { type: 'boolean' } }, allowPositionals: true })
  if (positionals.length > 0)
    throw new UsageError(`Unexpected: ${positionals.join(' ')}. scripts/migrate --help tells more.`)
  return { roles: values.roles === true }
})

// runScript has migrated already; asking again tells that nothing is left.
await runScript(async ({ sql, config }) => {
  await migrate(sql, allMigrations)
  console.log(`The database is at ${allMigrations.at(-1)?.name ?? 'no migration'}.`)
  if (!roles) return
  if (config.redisUrl === undefined) await prepareQueue(config.databaseUrl)
  await grantRoles(sql)
  console.log('tributary_service and tributary_worker may do what service and worker need, and nothing else.')
})
