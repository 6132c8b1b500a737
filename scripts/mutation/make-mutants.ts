// Makes faults from the text of a file, as Biome formats it: turned comparisons, numbers off by one, what is left out.

import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

type Rule = readonly [pattern: RegExp, instead: (found: string) => string]

const swaps: Readonly<Record<string, string>> = {
  ' < ': ' <= ',
  ' <= ': ' < ',
  ' > ': ' >= ',
  ' >= ': ' > ',
  ' === ': ' !== ',
  ' !== ': ' === ',
  ' && ': ' || ',
  ' || ': ' && ',
  ' + ': ' - ',
  ' - ': ' + ',
  true: 'false',
  false: 'true',
}

// Binary operators stand between spaces, and angle brackets of types do not.
const rules: readonly Rule[] = [
  [/(?<=[\w)\]]) (<|<=|>|>=|===|!==|&&|\|\||\+|-) (?=[\w(!#-])/g, found => swaps[found]!],
  [/(?<=[=(,:] |return )\b(true|false)\b/g, found => swaps[found]!],
  [/(?<![\w.'"`#$-])\d[\d_]*(?![\w.'"`])/g, found => String(Number(found.replaceAll('_', '')) + 1)],
  [/(?<=[ (])!(?=[\w(#])/g, () => ''],
  [/\bawait (?=[\w(])/g, () => ''],
  [/^ +if \(.*\) (return|throw|continue|break)\b.*$/gm, () => ''],
  [/^ +(await )?[\w.#!?]+\([^\n]*\)$(?!\n\s*[.?:)])/gm, () => ''],
]

/** The faults of a file in the order of their places, at most `most` of them, spread evenly. */
export async function makeMutants(root: string, file: string, most: number): Promise<Mutant[]> {
  const text = await Bun.file(join(root, file)).text()
  // Comments and imports hold nothing to change; types hold no values, but cannot be told from them here.
  const code = text.replace(/^\s*(\/\/|\/?\*).*$|^(import|export type|export interface)\b.*$/gm, gone =>
    ' '.repeat(gone.length),
  )
  const mutants: Mutant[] = rules
    .flatMap(([pattern, instead]) =>
      [...code.matchAll(pattern)].map(({ index, 0: find }) => ({ index, find, replace: instead(find) })),
    )
    .sort((a, b) => a.index - b.index)
    .map((one, i) => ({ id: `made ${i + 1}`, file, line: text.slice(0, one.index + 1).split('\n').length, ...one }))
  const step = Math.max(1, mutants.length / most)
  return mutants.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
}
