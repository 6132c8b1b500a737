// Distributes the configured database's applications over the workers of a Citus cluster.

import { distributeApplications } from '../../src/db/distribution.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { command, runOnly, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage: scripts/distribute [--shards <n>]

Distributes applications and their data over the workers of a Citus cluster by program, once and permanently. Everything else stays on
the coordinator, which DATABASE_URL must point to. Submissions and exports wait while every row is sent to its worker. Restart the
service and the worker afterwards. For what to set up first and what changes, see SCALE.md.

--shards <n>  Number of shards, 1 to 1000. Default: 32. A program is always in one shard, and a shard on one worker, so use
              several times the largest number of workers you expect to have.`

await runOnly(
  help,
  command([], { shards: { type: 'string', default: '32' } }, given => {
    const shards = wholeNumber('--shards', given.shards, 1000)
    return async ({ sql }) => {
      await migrate(sql, allMigrations)
      await distributeApplications(sql, shards)
      console.log(
        `Applications are distributed across ${shards} shards by program. Restart the service and the worker.`,
      )
    }
  }),
)
