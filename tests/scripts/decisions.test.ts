// The list of decisions and promises that comments and tests cite, compared with the citations.

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const citation = /\b(?:D[1-9]\d?|G(?:[1-9]|1\d))\b/g

test('every decision or promise cited in code or tests, such as D12 or G5, is listed, and every listed one is cited', async () => {
  const listed = (await Bun.file(join(root, 'tests/decisions.txt')).text())
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split(' ')[0]!)
  expect(listed).toEqual([...new Set(listed)])
  const cited = new Set<string>()
  const isOther = /texts\.snapshot|decisions|demo|\/random\/|api-types/
  for await (const path of new Bun.Glob('{src,tests,scripts,workers}/**/*.{ts,tsx,sql}').scan({ cwd: root }))
    if (!isOther.test(path))
      for (const [code] of (await Bun.file(join(root, path)).text()).matchAll(citation)) cited.add(code)
  expect([...cited].sort()).toEqual([...listed].sort())
})
