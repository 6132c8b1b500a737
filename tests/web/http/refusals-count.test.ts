// "Requests that are refused because the program is not granted count too" (src/web/http/server/program-request.ts): or guessing slugs has no limit.

import { describe, expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey, ensureTestProgram, type TestKeyOptions } from '../../support/keys.ts'

const database = await useDatabase()
const service = await useService(database, { requestsPerMinute: 1, authFailuresPerMinute: 0 })
for (const slug of ['granted', 'other']) await ensureTestProgram(database.sql, slug)

const programRoutes = (await service.routes()).filter(
  ({ method, path }) =>
    !['ALL', 'HEAD', 'OPTIONS'].includes(method) &&
    /:(programSlug|slug)\b/.test(path) &&
    /^\/(api|odata|intake)\//.test(path),
)
const isIntake = (path: string): boolean => path.startsWith('/intake/')

/** What the same request gets twice with a fresh key. */
async function askTwice(method: string, path: string, slug: string, may: TestKeyOptions): Promise<number[]> {
  const { authorization } = await createTestKey(database.sql, { programs: ['granted'], ...may })
  const address = path
    .replace(/:(programSlug|slug)\b/, slug)
    .replaceAll(/:\w+Id\b|\*/g, '1')
    .replace(/:\w+/, 'x')
  const statuses: number[] = []
  for (let i = 0; i < 2; i++) {
    const response = await service.get(address, {
      method,
      headers: { Authorization: authorization, ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }) },
      ...(method === 'GET' ? {} : { body: '{}' }),
    })
    await response.body?.cancel()
    statuses.push(response.status)
  }
  return statuses
}

describe('a refused request counts towards the limit of its key', () => {
  test('the routes of programs are known', () => expect(programRoutes.length).toBeGreaterThan(12))

  test.each(programRoutes.map(({ method, path }) => [method, path] as const))(
    '%s %s: for a program that is not granted',
    async (method, path) => {
      const may = { mayExport: true, maySubmit: true, mayAnnotate: true }
      expect(await askTwice(method, path, 'other', may)).toEqual([401, 429])
    },
  )

  test.each(programRoutes.map(({ method, path }) => [method, path] as const))(
    '%s %s: with a key without this permission',
    async (method, path) => {
      const may = { mayExport: isIntake(path), maySubmit: !isIntake(path) }
      expect(await askTwice(method, path, 'granted', may)).toEqual([401, 429])
    },
  )
})
