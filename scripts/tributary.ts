// The one program that scripts/build makes: service, worker and every operator's task, as sub-commands. One rather than two or
// twelve, because each would bring the whole of Bun (about 100 MB) with it, and parts of different releases could be mixed.

import { releaseName } from '../src/release.ts'

/** Imported when asked for, so that nothing else of the program runs; by literal names, so that they are in the binary. */
const commands: Readonly<Record<string, { does: string; start: () => Promise<unknown> }>> = {
  pull: { does: 'every application of a program, into files', start: () => import('./pulling/pull.ts') },
  verify: { does: 'whether a file has what was pulled into it', start: () => import('./pulling/verify-pulled.ts') },
  types: { does: 'TypeScript for the applications of a program', start: () => import('./pulling/program-types.ts') },
  serve: { does: 'the service', start: () => import('../src/main.ts') },
  work: { does: 'the worker', start: () => import('../workers/main.ts') },
  health: {
    does: 'exits with 0 when the service, or the worker, is ready',
    start: () => import('./operator/health-probe.ts'),
  },
  migrate: { does: 'bring the database to this release', start: () => import('./operator/migrate-database.ts') },
  admin: { does: 'people of the console', start: () => import('./operator/console-people.ts') },
  'api-key': { does: 'API keys', start: () => import('./operator/api-key.ts') },
  application: {
    does: 'status, note and history of one application',
    start: () => import('./operator/annotate-application.ts'),
  },
  audit: { does: 'list, verify and prune the audit log', start: () => import('./operator/audit-log.ts') },
  follow: { does: 'the follower of a CiviForm', start: () => import('../workers/follow-civiform.ts') },
  civiform: { does: 'check, compare and settle what is followed', start: () => import('./operator/civiform.ts') },
  distribute: {
    does: 'spread applications over a Citus cluster',
    start: () => import('./operator/distribute-installation.ts'),
  },
  docs: { does: 'generated docs', start: () => import('./operator/docs.ts') },
  erase: {
    does: 'erase applications and applicants, and retention',
    start: () => import('./operator/erase-records.ts'),
  },
  intake: { does: 'pause and resume the intake of a program', start: () => import('./operator/manage-intake.ts') },
  load: { does: 'bulk load', start: () => import('./operator/load.ts') },
  program: { does: 'program definitions', start: () => import('./operator/program.ts') },
  'rerender-times': { does: 'write all times in another zone', start: () => import('./operator/rerender-times.ts') },
  seed: { does: 'demo data', start: () => import('./seed-program/seed.ts') },
}

const name = process.argv[2] ?? '--help'
if (name === '--version') {
  console.log(releaseName)
} else if (name === '--help' || name === '-h') {
  console.log(usage())
} else if (Object.hasOwn(commands, name)) {
  // What is started finds its own arguments where it would find them as a script.
  process.argv.splice(2, 1)
  await commands[name]!.start()
} else {
  console.error(`There is no command ${name}. tributary --help lists them.`)
  process.exit(2)
}

function usage(): string {
  const width = Math.max(...Object.keys(commands).map(command => command.length))
  const lines = Object.entries(commands).map(([command, { does }]) => `  ${command.padEnd(width)}  ${does}`)
  const more = 'tributary --version prints the release. In a checkout it is scripts/tributary.'
  return [`Usage: tributary <command> [arguments]`, '', ...lines, '', more].join('\n')
}
