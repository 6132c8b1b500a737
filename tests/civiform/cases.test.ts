// The 96 cases by which following a CiviForm was specified: titles begin with the numbers that their test holds.

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const cases = 96

/** `2, 3: …` → 2, 3; `36 to 39: …` → 36, 37, 38, 39. */
function numbersOf(title: string): number[] {
  const [, first, last] = /^(\d+) to (\d+)\b/.exec(title)?.map(Number) ?? []
  if (first !== undefined) return Array.from({ length: last! - first + 1 }, (_, i) => first + i)
  return [.../^[^:]*/.exec(title)![0].matchAll(/(?<![A-Z\d.])\d+(?![\d.])/g)].map(Number)
}

const heldBy = (file: string): number[] =>
  [
    ...readFileSync(join(import.meta.dir, file), 'utf8').matchAll(
      /\btest(?:\.\w+\([^;]*?\))?\(\s*'(\d[^'\n]*:[^'\n]*)'/g,
    ),
  ].flatMap(([, title]) => numbersOf(title!))

test('each numbered case of the specification for following has a test', () => {
  const files = readdirSync(import.meta.dir).filter(file => file.endsWith('.test.ts'))
  const all = new Set(files.flatMap(heldBy))
  expect(Array.from({ length: cases }, (_, i) => i + 1).filter(number => !all.has(number))).toEqual([])
})
