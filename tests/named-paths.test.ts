// Every path that a document or a comment names exists: none leads to a file that was moved or never was.

import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const tops = 'src|workers|scripts|tests|patches|deploy|\\.ci'
const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
  .join('|')
/** A path from the root, from src as ARCHITECTURE.md writes them, or in the driver we patch; the ending may be left out. */
const namedPath = new RegExp(`(?<![\\w/.{}-])(?:(?:${tops})/|(?:${rooms})/(?=[a-z]))[\\w./-]*[\\w-]`, 'g')
const endings = ['', '.ts', '.tsx', '.md', '.test.ts', '.test.tsx']

const exists = (path: string): boolean =>
  [path, `src/${path}`, `node_modules/postgres/${path}`].some(candidate =>
    endings.some(ending => existsSync(join(root, candidate + ending))),
  )

const documents = [
  'README.md',
  'EXPORT.md',
  'src/clients/pull/PULL.md',
  'src/clients/pull/EXCEL.md',
  'src/clients/python/PYTHON.md',
  'src/web/console/CONSOLE.md',
  'deploy/SETTINGS.md',
  'deploy/SCALE.md',
  'src/civiform/CIVIFORM.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'deploy/OPERATIONS.md',
  'scripts/benchmark/PERFORMANCE.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'patches/README.md',
  'scripts/COMMANDS.md',
  'src/core/intake/INTAKE.md',
]
const source = [...new Bun.Glob('{src,workers,scripts,tests}/**/*.{ts,tsx,sql}').scanSync({ cwd: root })]
const programs = [...new Bun.Glob('{scripts/*,.ci/run}').scanSync({ cwd: root, dot: true })].filter(
  path => !path.includes('.ts'),
)
const comment = /(?:^|\s)\/\/ .*|^\s*\/?\*.*|(?:^|\s)-- .*/gm
const shellComment = /(?:^|\s)# .*/gm

/** `file: path` for each that is named and not there. */
async function lost(files: readonly string[], pattern: RegExp): Promise<string[]> {
  const found: string[] = []
  for (const file of files) {
    const text = await Bun.file(join(root, file)).text()
    for (const [line] of text.matchAll(pattern))
      for (const [path] of line.matchAll(namedPath)) if (!exists(path)) found.push(`${file}: ${path}`)
  }
  return found
}

test('every path named in a document exists', async () => {
  expect(
    await lost(
      documents.filter(path => existsSync(join(root, path))),
      /`[^`\n]+`|\]\([^)]+\)/g,
    ),
  ).toEqual([])
})

test('every path named in a comment exists', async () => {
  expect(await lost(source, comment)).toEqual([])
  expect(await lost(programs, shellComment)).toEqual([])
  expect(await lost(['scripts/test-citus'], /(?<=^ +(?:\.\/)?)tests.*/gm)).toEqual([])
})

test('a path that is not there would be found', () => {
  const named = [
    ...'see `src/db/walks/walks.ts`, web/http/server/errors and core/nowhere-at-all'.matchAll(namedPath),
  ].map(found => found[0])
  expect(named).toEqual(['src/db/walks/walks.ts', 'web/http/server/errors', 'core/nowhere-at-all'])
  expect(named.map(exists)).toEqual([true, true, false])
})
