// Spreads the configured database's applications over the workers of a Citus cluster.

import { distributeApplications, migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { command, runOnly, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage: scripts/distribute [--shards <n>]

Spreads applications, and what is kept of each, over the workers of a Citus cluster, by program: once and for good. Everything else stays
on the coordinator, to which DATABASE_URL points. Submissions and exports wait in the meantime; every row is sent to its worker. Restart
service and worker afterwards. What to set up first, and what is different then: SCALE.md.

--shards <n>  In how many parts, 1 to 1000; 32 unless given. A program is always in one of them, and a part on one worker: take a few
              times as many as you will ever have workers.`

await runOnly(
  help,
  command([], { shards: { type: 'string', default: '32' } }, given => {
    const shards = wholeNumber('--shards', given.shards, 1000)
    return async ({ sql }) => {
      await migrate(sql, allMigrations)
      await distributeApplications(sql, shards)
      console.log(`Applications are distributed in ${shards} shards by program. Restart service and worker.`)
    }
  }),
)
