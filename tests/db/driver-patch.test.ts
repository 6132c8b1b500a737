// The files of patches/ themselves (patches/README.md).

import { expect, test } from 'bun:test'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { useFolder } from '../support/fixtures.ts'

const root = join(import.meta.dir, '../..')
const patch = join(root, 'patches/postgres@3.4.9.patch')

const folder = await useFolder()
await cp(join(root, 'node_modules/postgres/src'), join(folder, 'src'), { recursive: true })
// A repository of its own, since within another git applies to that.
await $`git init -q`.cwd(folder).quiet()
// Taken back, it leaves the driver as it is published; it cannot be where another is installed.
await $`git apply -R ${patch}`.cwd(folder).quiet()

test('the patch changes only the build that Bun loads, and that build is installed', async () => {
  const files = [...(await readFile(patch, 'utf8')).matchAll(/^diff --git a\/(\S+)/gm)].map(([, file]) => file!)
  expect(files.filter(file => !file.startsWith('src/'))).toEqual([])
  expect(new Set(files)).toContain('src/connection.js')
  expect(await readFile(join(folder, 'src/index.js'), 'utf8')).not.toContain('tributary')
})

test('each fix applies on its own to the published driver', async () => {
  const fixes = (await readdir(join(root, 'patches/upstream'))).filter(name => name.endsWith('.patch'))
  expect(fixes.length).toBeGreaterThan(0)
  const applied = fixes.map(name =>
    $`git apply --check ${join(root, 'patches/upstream', name)}`.cwd(folder).nothrow().quiet(),
  )
  for (const [i, { exitCode, stderr }] of (await Promise.all(applied)).entries())
    expect([fixes[i], exitCode, stderr.toString()]).toEqual([fixes[i], 0, ''])
})
