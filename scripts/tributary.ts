// The single binary that scripts/build builds: service, worker and every operator task, as subcommands. A binary for each would contain
// all of Bun (about 100 MB), and parts of different releases could be mixed.

import { pullCommands, runCommand } from './pulling/pull-commands.ts'

/** Imported on demand, so that nothing else runs; with literal names, so that the binary contains them. */
const commands = {
  ...pullCommands,
  serve: { does: 'the service', start: () => import('../src/main.ts') },
  work: { does: 'the worker', start: () => import('../workers/main.ts') },
  health: {
    does: 'exits with 0 when the service, or the worker, is ready',
    start: () => import('./operator/health-probe.ts'),
  },
  migrate: { does: 'migrate the database to this release', start: () => import('./operator/migrate-database.ts') },
  admin: {
    does: 'create administrators, restore access',
    start: () => import('./operator/console-people.ts'),
  },
  'api-key': { does: 'API keys', start: () => import('./operator/api-key.ts') },
  audit: { does: 'verify and prune the audit log', start: () => import('./operator/audit-log.ts') },
  follow: { does: 'the CiviForm follower', start: () => import('../workers/follow-civiform.ts') },
  civiform: { does: 'check and manage following', start: () => import('./operator/civiform.ts') },
  distribute: {
    does: 'spread applications over a Citus cluster',
    start: () => import('./operator/distribute-installation.ts'),
  },
  erase: {
    does: 'erase applications and applicants',
    start: () => import('./operator/erase-records.ts'),
  },
  intake: { does: 'pause and resume the intake of a program', start: () => import('./operator/manage-intake.ts') },
  load: { does: 'bulk load', start: () => import('./operator/load.ts') },
  program: { does: 'program definitions', start: () => import('./operator/program.ts') },
  seed: { does: 'demo data', start: () => import('./seed-program/seed.ts') },
}

await runCommand(commands, 'tributary --version prints the release. In a checkout it is scripts/tributary.')
