// `bun scripts/check.ts [folder]`: holds a checkout to the rules of the house, and prints each breach as `file:line: sentence`.
// It must not know the rules; they are in house-rules.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { breachesOf, type SourceFile } from './house-rules.ts'

const root = process.argv[2] ?? join(import.meta.dir, '..')
const sources: SourceFile[] = []
for await (const path of new Bun.Glob('{src,workers,scripts}/**/*.{ts,tsx}').scan({ cwd: root, dot: true })) {
  sources.push({ path, text: await readFile(join(root, path), 'utf8') })
}
if (sources.length === 0) {
  console.error(`There is nothing to check in ${root}: no TypeScript in src, workers or scripts.`)
  process.exit(2)
}
const breaches = breachesOf(sources)
for (const { path, line, sentence } of breaches) console.log(`${path}:${line}: ${sentence}`)
process.exit(breaches.length === 0 ? 0 : 1)
