// What the service loads when it starts, and what only with the first request for it.

import { afterEach, describe, expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'

const root = join(import.meta.dir, '../..')
const database = await useDatabase()
afterEach(endProcesses)

/** Every module that is loaded with a file, ours by path from the root, others by name; and what the files import later. */
async function loadedWith(file: string): Promise<{ now: Set<string>; later: Set<string> }> {
  const found = { now: new Set([file]), later: new Set<string>() }
  for (const path of found.now) {
    // Text that is taken in as it stands, such as SQL, imports nothing.
    if (!/^src\/.*\.tsx?$/.test(path)) continue
    const scanner = new Bun.Transpiler({ loader: path.endsWith('x') ? 'tsx' : 'ts' })
    for (const { path: to, kind } of scanner.scanImports(await Bun.file(join(root, path)).text())) {
      const target = to.startsWith('.')
        ? join(dirname(path), to)
        : to.startsWith('@tributary/')
          ? relative(root, Bun.resolveSync(to, root))
          : to
      if (kind === 'import-statement') found.now.add(target)
      else if (kind === 'dynamic-import') found.later.add(target)
    }
  }
  return found
}

describe('modules that the service loads', () => {
  test('exclude pages, and packages that only pages need, until a page is requested', async () => {
    const { now, later } = await loadedWith('src/service.ts')
    expect(now).toContain('src/web/http/export/export-applications.ts')
    expect(
      [...now].filter(path => /^src\/(web\/(apply|console|docs|editor|html|questions)|civiform)\//.test(path)),
    ).toEqual([])
    for (const name of ['preact', 'preact-render-to-string', '@elysiajs/swagger', 'openid-client', 'ioredis'])
      expect(now).not.toContain(name)
    expect([...later].sort()).toEqual([
      'src/civiform/public.ts',
      'src/core/queue/counting-redis.ts',
      'src/web/lazy-apply.ts',
      'src/web/lazy-routes.ts',
    ])
  })

  test('every page responds to its first request, even among concurrent ones, as do all other routes', async () => {
    const { url } = await startMain(database)
    const key = await createTestKey(database.sql)
    const headers = { Authorization: key.authorization }
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(url + path, { headers, redirect: 'manual' })).status
    const pages = [
      '/',
      '/docs/api',
      '/docs/api/programs',
      '/docs/api/openapi.json',
      '/openapi.json',
      '/admin',
      '/assets/docs.css',
    ]
    expect(await Promise.all(pages.map(statusOf))).toEqual([307, 200, 200, 200, 307, 303, 200])
    expect(await Promise.all(['/api/v1/checkAuth', '/docss', '/administration', '/nothing'].map(statusOf))).toEqual([
      200, 404, 404, 404,
    ])
  })
})
