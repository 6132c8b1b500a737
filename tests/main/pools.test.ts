// The pools of a process: which waits take connections from whom. Contract G14: "what waits for one program or one reader never
// stops the others".

import { afterEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { aProgram, q } from '../support/programs.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
const busy = await aProgram(database.sql, { slug: 'busy', questions: [q.number('n')] })
const busyProgramId = busy.program_id
await aProgram(database.sql, { slug: 'calm', questions: [q.text('t')] })
const key = await createTestKey(database.sql, { programs: ['busy', 'calm'], maySubmit: true })
afterEach(endProcesses)

const clientOf = (url: string) => {
  const headers = { Authorization: key.authorization }
  return { get: (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init }) }
}

/** Connections that this database has, by the name of their pool. */
async function connectionsByPool(): Promise<Record<string, number>> {
  const rows = await database.sql<{ application_name: string; count: number }[]>`
    select application_name, count(*) as count from pg_stat_activity
    where datname = current_database() and application_name like 'tributary%' group by application_name`
  return Object.fromEntries(rows.map(row => [row.application_name.split(' ')[0], row.count]))
}

describe('the pools of src/main.ts', () => {
  test('G14: submissions that wait for one program stop neither exports nor checkAuth', async () => {
    const { url } = await startMain(database, {
      DATABASE_CONNECTIONS: '1',
      EXPORT_CONNECTIONS: '1',
      // Half of these is the most that submissions to one program take.
      INTAKE_CONNECTIONS: '4',
    })
    const client = clientOf(url)
    const frontEnd = new FrontEnd(client, key, 'busy')
    const applicants = await Promise.all([1, 2, 3, 4].map(() => frontEnd.register()))
    for (const applicant of applicants) await frontEnd.save(applicant, { n: { number: applicant } })

    const release = await holdTransaction(
      database.sql,
      tx => tx`select from submission_counter where program_id = ${busyProgramId} for update`,
    )
    // One that waited for its turn for too long is asked to come again; none is lost without a word.
    const submitting = applicants.map(applicant =>
      frontEnd.submit(applicant).then(
        () => 201,
        (error: unknown) => String(error),
      ),
    )
    const waiting = () => waitingForLocks(database.sql, 'tributary-intake ')
    await until('the pool of intake to be full of waiting', async () => (await waiting()) === 2)
    expect((await client.get('/api/v1/checkAuth')).status).toBe(200)
    for (const slug of ['calm', 'busy'])
      expect((await client.get(`/api/v1/admin/programs/${slug}/applications`)).status).toBe(200)
    await release()
    for (const answer of await Promise.all(submitting)) if (answer !== 201) expect(answer).toContain('answered 503')
  })

  test('each pool has its own connections, as many as its setting allows', async () => {
    const { url } = await startMain(database, {
      DATABASE_CONNECTIONS: '2',
      EXPORT_CONNECTIONS: '3',
      INTAKE_CONNECTIONS: '4',
    })
    const client = clientOf(url)
    const paths = ['/api/v1/checkAuth', '/api/v1/admin/programs/calm/applications', '/intake/v1/programs/calm']
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => paths.map(path => client.get(path))).flat())
      for (const answer of answers) await answer.arrayBuffer()
    }
    expect(await connectionsByPool()).toMatchObject({ 'tributary-export': 3, 'tributary-intake': 4 })
  })
})
