// scripts/migrate: migrates the configured database to this release's schema and reports what was done.

import { release } from '../../src/base/release.ts'
import { regenerateDocs } from '../../src/core/derived/sweep.ts'
import { prepareQueue } from '../../src/core/queue/connect.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { changeUnusedTimeZone } from '../../src/db/instance.ts'
import { finishUpgrade, migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { readLeftToSuperuser } from '../../src/db/object-owners.ts'
import { usage } from '../command-line/environment.ts'
import { command, runOnly } from '../command-line/script-commands.ts'

const help = `Usage: scripts/migrate [--roles] [--finish [--force]]

Migrates the database to this release's schema. Each migration is applied in full or not at all. The service and the worker also do this
at startup if permitted; use this command to do it beforehand, as the owner of the schema. Processes of the previous release keep running.
Indexes on large tables are built without blocking writes; if that is interrupted, run the command again.
Before the first application is stored, it also sets the database's time zone to INSTANCE_TIME_ZONE.

--roles   Also creates the roles tributary_service and tributary_worker, with the privileges that the service and the worker need
          and no others. Then make your login role a member: create role web login in role tributary_service;
--finish  Ends an upgrade, once every process runs this release: earlier releases refuse to start from then on, and postponed changes
          are made. Restart the processes at any time to use all new features. Fails while a process of an earlier release is
          connected to the database, unless --force is given.`

const flag = { type: 'boolean', default: false } as const

await runOnly(
  help,
  command([], { roles: flag, finish: flag, force: flag }, ({ roles, finish, force }) => {
    if (force && !finish) throw usage('--force needs --finish.')
    // runScript has migrated already; this call confirms that nothing is left.
    return async ({ sql, config, actor }) => {
      if (finish) await finishUpgrade(sql, allMigrations, { force })
      else await migrate(sql, allMigrations)
      console.log(`The database schema is at ${allMigrations.at(-1)?.name ?? 'no migration'}.`)
      if (finish) console.log(`The upgrade is finished. Releases before ${release.version} now refuse to start.`)
      if (await changeUnusedTimeZone(sql, config.timeZone)) {
        // Their examples contain times.
        await regenerateDocs(sql, undefined, { actor })
        console.log(`Times are written in ${config.timeZone}.`)
      }
      if (!roles) return
      if (config.redisUrl === undefined) await prepareQueue(config.databaseUrl)
      await grantRoles(sql)
      console.log(
        'tributary_service and tributary_worker have the privileges that the service and the worker need, and no others.',
      )
      for (const { why, statement } of await readLeftToSuperuser(sql))
        console.error(`${why} Run this as a superuser: ${statement}`)
    }
  }),
)
