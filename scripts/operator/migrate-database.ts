// Brings the configured database to this release's schema and says what was done.

import { release } from '../../src/base/release.ts'
import { regenerateDocs } from '../../src/core/derived/sweep.ts'
import { prepareQueue } from '../../src/core/queue/connect.ts'
import { changeUnusedTimeZone } from '../../src/db/instance.ts'
import { finishUpgrade, grantRoles, migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { readLeftToSuperuser } from '../../src/db/object-owners.ts'
import { usage } from '../command-line/environment.ts'
import { command, runOnly } from '../command-line/script-commands.ts'

const help = `Usage: scripts/migrate [--roles] [--finish [--force]]

Brings the database to this release's schema, one migration after the other, each whole or not at all. Service and worker do
so themselves when they start, if they may; this is for doing it beforehand, as the owner of the schema. Processes of the release
before continue alongside it. Indexes on large tables are built while others write; run it again if that is interrupted.
While no application was ever stored, it also makes INSTANCE_TIME_ZONE the time zone of the database.

--roles   Also gives the roles tributary_service and tributary_worker what service and worker need and nothing else, and makes
          them if they are not there. Make a login role a member of one: create role web login in role tributary_service;
--finish  Ends an upgrade, when every process is of this release: earlier ones refuse to start from now on, and what had to wait
          for their end is done. Restart the processes when it suits; they then use all that is new. Refused while a process of an
          earlier release is connected to the database, unless --force is given.`

const flag = { type: 'boolean', default: false } as const

await runOnly(
  help,
  command([], { roles: flag, finish: flag, force: flag }, ({ roles, finish, force }) => {
    if (force && !finish) throw usage('--force goes with --finish.')
    // runScript has migrated already; this call confirms that nothing is left.
    return async ({ sql, config, actor }) => {
      if (finish) await finishUpgrade(sql, allMigrations, { force })
      else await migrate(sql, allMigrations)
      console.log(`The database is at ${allMigrations.at(-1)?.name ?? 'no migration'}.`)
      if (finish) console.log(`The upgrade is finished: releases before ${release.version} refuse to start.`)
      if (await changeUnusedTimeZone(sql, config.timeZone)) {
        // Their examples hold times.
        await regenerateDocs(sql, undefined, { actor })
        console.log(`Times are written in ${config.timeZone}.`)
      }
      if (!roles) return
      if (config.redisUrl === undefined) await prepareQueue(config.databaseUrl)
      await grantRoles(sql)
      console.log('tributary_service and tributary_worker may do what service and worker need, and nothing else.')
      for (const { why, statement } of await readLeftToSuperuser(sql))
        console.error(`${why} As a superuser: ${statement}`)
    }
  }),
)
