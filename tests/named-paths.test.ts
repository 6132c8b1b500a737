// Every path that a document or a comment names exists, and tables in documents can be read at a glance.

import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { documents } from './support/documents.ts'

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
  expect(await lost([...documents.keys(), 'CHANGELOG.md'], /`[^`\n]+`|\]\([^)]+\)/g)).toEqual([])
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

test('no cell of a table in a document has more than 120 characters', () => {
  const cells = [...documents].flatMap(([path, text]) =>
    [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^ *\|(.*)\|$/gm)].flatMap(([, row]) =>
      row!.split(/(?<!\\)\|/).map(cell => `${path}: ${cell.trim()}`),
    ),
  )
  expect(cells.length).toBeGreaterThan(500)
  expect(cells.filter(cell => cell.length - cell.indexOf(': ') - 2 > 120)).toEqual([])
})
