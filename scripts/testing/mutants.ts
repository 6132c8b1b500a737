// `scripts/mutants`: runs Stryker over files of the source, with the tests that import them, and lists the faults that no test notices.

import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage: scripts/mutants [options] [file …]

Introduces small faults into a copy of this checkout, one at a time (Stryker's mutators), runs the tests that should notice each, and
prints the survivors. Default: the files of src, workers and scripts that changed since --since.

  --since REV      compare with REV; default: main
  --tests FILES    run these tests instead of the nearest ones (comma-separated)
  --nearest N      run the N nearest tests by import; default: 8
  --help           this text

Exit status: 0, 1 if the tests fail without a fault, 2 for wrong usage.`

const root = join(import.meta.dir, '../..')

/** The file, from the root, that another one imports by a path or as one of our packages. */
const fileOf = (path: string, specifier: string): string =>
  specifier.startsWith('.')
    ? join(dirname(path), specifier)
    : relative(root, realpathSync(Bun.resolveSync(specifier, root)))

/** Test files that import `files` directly or indirectly, or start them as a process; nearest imports first. */
async function relatedTests(files: readonly string[]): Promise<string[]> {
  const users = new Map<string, Set<string>>()
  const use = (target: string, user: string): void => void users.set(target, (users.get(target) ?? new Set()).add(user))
  for await (const path of new Bun.Glob('{src,workers,scripts,tests}/**/*.{ts,tsx}').scan({ cwd: root })) {
    const text = await Bun.file(join(root, path)).text()
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'((?:\.|@tributary\/)[^']+)'/gm))
      use(fileOf(path, specifier!), path)
    for (const [, started] of text.matchAll(/['"`/]((?:src|workers|scripts)\/[\w/-]+\.ts)['"`]/g)) use(started!, path)
  }
  const found = new Set(files)
  for (const path of found) for (const user of users.get(path) ?? []) found.add(user)
  return [...found].filter(path => path.endsWith('.test.ts'))
}

function changedSince(revision: string): string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', 'diff', '--name-only', '--diff-filter=d', revision], {
    cwd: root,
  })
  if (exitCode !== 0) throw usage(`--since ${revision}: ${stderr.toString().trim()}`)
  return stdout
    .toString()
    .split('\n')
    .filter(path => /^(src|workers|scripts)\/.*\.tsx?$/.test(path))
}

/** The copy uses this checkout's third-party packages, and its own version of our packages. */
const linkPackages = `set -eu
mkdir node_modules
for package in '${root}'/node_modules/* '${root}'/node_modules/.bin; do ln -s "$package" node_modules/; done
rm node_modules/@tributary
cp -RP '${root}/node_modules/@tributary' node_modules/
`

showHelpIfAsked(help)
process.exitCode = await exitCode(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      since: { type: 'string', default: 'main' },
      tests: { type: 'string' },
      nearest: { type: 'string', default: '8' },
    },
  })
  const missing = positionals.find(file => !existsSync(join(root, file)))
  if (missing !== undefined) throw usage(`There is no file ${missing}.`)
  const nearest = wholeNumber('--nearest', values.nearest)
  const mutate = positionals.length > 0 ? positionals : changedSince(values.since)
  if (mutate.length === 0)
    throw usage(`No file in src, workers or scripts has changed since ${values.since}. Name files or pass --since.`)
  const tests = values.tests?.split(',') ?? (await relatedTests(mutate)).slice(0, nearest)
  if (tests.length === 0) throw usage(`No test imports ${mutate.join(', ')}. Name tests with --tests.`)

  const folder = await mkdtemp(join(tmpdir(), 'tributary-mutants-'))
  try {
    const config = join(folder, 'stryker.json')
    const link = join(folder, 'link-packages.sh')
    await writeFile(link, linkPackages)
    await writeFile(
      config,
      JSON.stringify({
        mutate,
        testRunner: 'command',
        commandRunner: { command: `bun test --bail ${tests.join(' ')}` },
        coverageAnalysis: 'off',
        // The tests start their own servers, so more at a time would only slow them down.
        concurrency: 1,
        // Added to one and a half times the duration of the tests without a fault. A mutant that loops costs this much each time.
        timeoutMS: 10_000,
        plugins: [],
        reporters: process.stdout.isTTY ? ['clear-text', 'progress'] : ['clear-text'],
        ignorePatterns: ['.data', '.tools', '.bench', 'dist'],
        tempDirName: join(folder, 'sandbox'),
        symlinkNodeModules: false,
        buildCommand: `sh ${link}`,
        disableTypeChecks: false,
        // It rewrites a tsconfig with TypeScript's former API, which TypeScript 7 lacks; Bun needs no rewriting.
        tsconfigFile: 'none',
      }),
    )
    const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js')
    const run = Bun.spawn([process.execPath, '--bun', stryker, 'run', config], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if ((await run.exited) !== 0) throw new Error('Stryker failed. See its output above.')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
