// The 96 cases by which following a CiviForm was specified: titles begin with the numbers that their test holds. A test that is gone
// leaves its number out of the list of its file.

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const cases = 96

/** Of each file the numbers in its titles, each as often as a title has it. */
const held: Readonly<Record<string, string>> = {
  away: '93',
  'followed-history': '40 51 54 55 57 58 59 62',
  'followed-keys': '79 80 81 82 83',
  'followed-requests': '22 56 58 63 73 76 77 78 84 92 94',
  'followed-walks': '84 85 91',
  'loose-data': '72 86 87 88 89 90 93 95 95 95 96 96',
  'stored-answers':
    '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 52 53 60 61 62 63 64 65 66 67 68 69 70 71 72 74 75',
}

/** `2, 3: …` → 2, 3; `36 to 39: …` → 36, 37, 38, 39. */
function numbersOf(title: string): number[] {
  const [, first, last] = /^(\d+) to (\d+)\b/.exec(title)?.map(Number) ?? []
  if (first !== undefined) return Array.from({ length: last! - first + 1 }, (_, i) => first + i)
  return [.../^[^:]*/.exec(title)![0].matchAll(/(?<![A-Z\d.])\d+(?![\d.])/g)].map(Number)
}

function heldBy(file: string): [string, number[]][] {
  const text = readFileSync(join(import.meta.dir, file), 'utf8')
  const titles = [...text.matchAll(/\btest(?:\.\w+\([^;]*?\))?\(\s*'(\d[^'\n]*:[^'\n]*)'/g)].map(([, title]) => title!)
  const numbers = titles.flatMap(numbersOf).sort((one, other) => one - other)
  return numbers.length === 0 ? [] : [[file.replace('.test.ts', ''), numbers]]
}

test('each case that following was specified by is held by a test, in the file given here', () => {
  const found = Object.fromEntries(
    readdirSync(import.meta.dir)
      .filter(file => file.endsWith('.test.ts'))
      .flatMap(heldBy),
  )
  const listed = Object.entries(held).map(([file, numbers]) => [file, numbers.split(' ').map(Number)])
  expect(found).toEqual(Object.fromEntries(listed))
  const all = new Set(Object.values(found).flat())
  expect(Array.from({ length: cases }, (_, i) => i + 1).filter(number => !all.has(number))).toEqual([])
})
