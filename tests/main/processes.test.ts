// Several processes of the service on one port (REUSE_PORT).

import { afterEach, expect, test } from 'bun:test'
import { walkIds } from '../support/export-client.ts'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const export_ = '/api/v1/admin/programs/raw/applications'
const database = await useDatabase()
const program = await insertRawProgram(database.sql, 'raw')
const ids = await insertRawApplications(database.sql, program, 300, () => 'x'.repeat(2000))
const key = await createTestKey(database.sql, { programs: ['raw'] })
afterEach(endProcesses)

const environment = { REUSE_PORT: 'on', REQUESTS_PER_MINUTE: '0', EXPORTS_AT_A_TIME: '0' }

/** On a connection of its own, so that any process may get it; again when the connection breaks, as the specification asks of clients. */
async function get(url: string): Promise<Response> {
  return until('an answer', async () => {
    try {
      const response = await fetch(url, { headers: { Authorization: key.authorization, Connection: 'close' } })
      const text = await response.text()
      return response.status < 500 ? new Response(text, response) : undefined
    } catch {
      return undefined
    }
  })
}

const walk = (url: string, pageSize: number): Promise<number[]> =>
  walkIds(query => get(`${url}${export_}?${query}`), `pageSize=${pageSize}`)

test('two processes on one port share its connections; walks under way miss and repeat nothing while one is killed (kill -9)', async () => {
  const first = await startMain(database, { ...environment, PORT: '0' })
  const port = new URL(first.url).port
  const second = await startMain(database, { ...environment, PORT: port })
  const served = ({ log }: TestMain): boolean => log.some(line => line.msg === 'request')
  await until('both to have served', async () => {
    await get(`${first.url}/api/v1/checkAuth`)
    return served(first) && served(second)
  })
  const walks = [1, 2, 3].map(() => walk(first.url, 7))
  await until('pages', () => second.log.filter(line => line.msg === 'request').length > 20)
  second.child.kill('SIGKILL')
  for (const found of await Promise.all(walks)) expect(found).toEqual(ids)
})
