// The pools of a process: each has connections of its own, so that what waits for those of one stops no other.

import { afterEach, expect, test } from 'bun:test'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { aProgram, q } from '../support/programs.ts'

const database = await useDatabase()
await aProgram(database.sql, { slug: 'calm', questions: [q.text('t')] })
const { authorization } = await createTestKey(database.sql, { programs: ['calm'], maySubmit: true })
afterEach(endProcesses)

test('each pool has its own connections, up to its setting', async () => {
  const { url } = await startMain(database, {
    DATABASE_CONNECTIONS: '2',
    EXPORT_CONNECTIONS: '3',
    INTAKE_CONNECTIONS: '4',
  })
  const paths = ['/api/v1/checkAuth', '/api/v1/admin/programs/calm/applications', '/intake/v1/programs/calm']
  for (let round = 0; round < 5; round++) {
    const asked = Array.from({ length: 8 }, () => paths).flat()
    const answers = await Promise.all(
      asked.map(path => fetch(url + path, { headers: { Authorization: authorization } })),
    )
    for (const answer of answers) await answer.arrayBuffer()
  }
  const pools = await database.sql<{ pool: string; connections: number }[]>`
    select split_part(application_name, ' ', 1) as pool, count(*) as connections from pg_stat_activity
    where datname = current_database() and application_name like 'tributary%' group by 1`
  expect(Object.fromEntries(pools.map(({ pool, connections }) => [pool, connections]))).toMatchObject({
    tributary: 2,
    'tributary-export': 3,
    'tributary-intake': 4,
  })
})
