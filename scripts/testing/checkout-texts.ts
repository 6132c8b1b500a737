// All texts of a checkout, and the snapshot of them that is reviewed like code.

import { join } from 'node:path'
import { type FoundText, textsOf } from './find-texts.ts'
import { textKinds } from './text-kinds.ts'

export const checkout = join(import.meta.dir, '../..')
/** From the root of a checkout. */
export const snapshotPath = 'tests/texts.snapshot.txt'
/** Files with texts, by their names in Git. */
export const hasTexts = (path: string): boolean =>
  /^(src|workers|scripts)\/.*\.(tsx?|js)$/.test(path) && !path.endsWith('.d.ts')

/** By path, then line. */
export async function readTexts(root = checkout): Promise<FoundText[]> {
  const paths = await Array.fromAsync(new Bun.Glob('{src,workers,scripts}/**/*.{ts,tsx,js}').scan({ cwd: root }))
  const found = await Promise.all(
    paths
      .filter(hasTexts)
      .sort()
      .map(async path => textsOf(path, await Bun.file(join(root, path)).text())),
  )
  return found.flat()
}

/** Texts by kind, each kind with its heading. */
export const byKind = (texts: readonly FoundText[]): [heading: string, texts: FoundText[]][] =>
  Object.entries(textKinds).map(([kind, heading]) => [heading, texts.filter(text => text.kind === kind)])

/**
 * Each text once, sorted by kind and then by text, so that neither a moved line nor a renamed file changes it. Without the first lines of files,
 * which are reviewed in place.
 */
export const snapshotOf = (texts: readonly FoundText[]): string =>
  byKind(texts.filter(({ kind }) => kind !== 'heads'))
    .filter(([, ofKind]) => ofKind.length > 0)
    .map(([heading, ofKind]) => `# ${heading}\n\n${[...new Set(ofKind.map(({ text }) => text))].sort().join('\n')}\n`)
    .join('\n')
