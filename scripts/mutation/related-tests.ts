// Which tests a file has to do with: those that import it through any number of others, or start it as a process.

import { dirname, join, relative } from 'node:path'

/** For a file of the checkout, the test files related to it, those that are nearest by import first. */
export async function relatedTests(root: string): Promise<(file: string) => string[]> {
  const users = new Map<string, Set<string>>()
  const use = (target: string, user: string): void => void users.set(target, (users.get(target) ?? new Set()).add(user))
  for await (const path of new Bun.Glob('{src,workers,scripts,tests}/**/*.{ts,tsx}').scan({ cwd: root })) {
    const text = await Bun.file(join(root, path)).text()
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'(\.[^']+)'/gm))
      use(relative(root, join(root, dirname(path), specifier!)), path)
    // A process is started by its path.
    for (const [, started] of text.matchAll(/['"`/]((?:src|workers|scripts)\/[\w/-]+\.ts)['"`]/g)) use(started!, path)
  }
  return file => {
    const nearest = new Map([[file, 0]])
    for (const [path, hops] of nearest)
      for (const user of users.get(path) ?? []) if (!nearest.has(user)) nearest.set(user, hops + 1)
    return [...nearest.keys()].filter(path => path.endsWith('.test.ts'))
  }
}
