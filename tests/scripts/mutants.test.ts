// scripts/mutants tells a fault that the tests notice from one that they do not, and one that no longer fits from both.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeMutants } from '../../scripts/mutation/make-mutants.ts'
import { type Mutant, mutated } from '../../scripts/mutation/mutant.ts'
import { relatedTests } from '../../scripts/mutation/related-tests.ts'
import { openWorkshop } from '../../scripts/mutation/workshop.ts'
import { useFolder } from '../support/fixtures.ts'

const root = join(import.meta.dir, '../..')
const folder = await useFolder()

test('faults are made of comparisons, numbers, conditions, waits and whole statements, and of nothing in a comment or a type', async () => {
  await Bun.write(
    join(folder, 'made.ts'),
    `// a < b
import { c } from './c.ts'
export async function f(a: Map<string, number>): Promise<boolean> {
  if (a.size > 9) return true
  await c(a)
  return !a.has('x') && a.size <= 2
}
`,
  )
  const text = await Bun.file(join(folder, 'made.ts')).text()
  const changed = (await makeMutants(folder, 'made.ts', 100)).map(mutant => {
    const { text: after, line } = mutated(text, mutant)!
    return [line, after.split('\n')[line - 1]!.trim()]
  })
  expect(changed).toEqual([
    [4, ''],
    [4, 'if (a.size >= 9) return true'],
    [4, 'if (a.size > 10) return true'],
    [4, 'if (a.size > 9) return false'],
    [5, ''],
    [5, 'c(a)'],
    [6, "return a.has('x') && a.size <= 2"],
    [6, "return !a.has('x') || a.size <= 2"],
    [6, "return !a.has('x') && a.size < 2"],
    [6, "return !a.has('x') && a.size <= 3"],
  ])
  expect(await makeMutants(folder, 'made.ts', 3)).toHaveLength(3)
})

test('the tests of a file are those that import it or start it as a process, the nearest first', async () => {
  const related = await relatedTests(root)
  expect(related('src/domain/values/base62.ts')[0]).toBe('tests/domain/values/base62.test.ts')
  expect(related('workers/main.ts')).toContain('tests/workers/main.test.ts')
  expect(related('src/domain/values/base62.ts')).not.toContain('tests/domain/questions/visibility.test.ts')
})

test('a fault is tried in a copy: noticed, unnoticed, or stale when what it replaces is not there exactly once', async () => {
  const file = 'src/domain/values/base62.ts'
  const before = await Bun.file(join(root, file)).text()
  const fault = (find: string, replace: string): Mutant => ({ id: 'x', file, find, replace })
  await using workshop = await openWorkshop(root, 60_000)
  await using bench = await workshop.bench()
  const tryOut = (mutant: Mutant) => bench.tryOut(mutant, ['tests/domain/values/base62.test.ts'])
  expect(await tryOut(fault('export function encodeBase62', 'export function nothingOfTheSort'))).toBe('noticed')
  expect(await tryOut(fault('export function encodeBase62', 'export  function encodeBase62'))).toBe('unnoticed')
  expect(await tryOut(fault('no such text', ''))).toBe('stale')
  expect(await tryOut(fault('export function', ''))).toBe('stale')
  expect(await Bun.file(join(root, file)).text()).toBe(before)
})
