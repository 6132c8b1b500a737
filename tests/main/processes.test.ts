// Several processes behind one port (PROCESSES): as one service to clients, to the platform and to who operates it.

import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { walkIds } from '../support/export-client.ts'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, refusalOf, spawnProcess, startMain, type TestMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const export_ = '/api/v1/admin/programs/raw/applications'
const database = await useDatabase()
const program = await insertRawProgram(database.sql, 'raw')
const ids = await insertRawApplications(database.sql, program, 300, () => 'x'.repeat(2000))
const key = await createTestKey(database.sql, { programs: ['raw'] })
afterEach(endProcesses)

const environment = { PROCESSES: '2', REQUESTS_PER_MINUTE: '0', EXPORTS_AT_A_TIME: '0' }

/** Who serves: the processes that the service started, by what the operating system says. */
const childrenOf = ({ child }: TestMain): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** On a connection of its own, so that any process may get it; again when the connection breaks, as the spec tells clients. */
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

/** The value of a metric without labels. */
async function metric({ health }: TestMain, name: string): Promise<number> {
  const text = await (await fetch(`${health}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

const readiness = async ({ health }: TestMain): Promise<string> => (await fetch(`${health}/readyz`)).text()

describe('several processes', () => {
  test('share one port, and have all together the connections that were configured', async () => {
    const service = await startMain(database, {
      ...environment,
      EXPORT_CONNECTIONS: '3',
      DATABASE_CONNECTIONS: '5',
    })
    expect(childrenOf(service)).toHaveLength(2)
    await until('both to have served', async () => {
      await get(`${service.url}/api/v1/checkAuth`)
      return new Set(service.log.filter(line => line.msg === 'request').map(line => line.process)).size === 2
    })
    const text = await (await fetch(`${service.health}/metrics`)).text()
    expect(text).toContain('tributary_pool_connections_max{pool="export"} 3')
    expect(text).toContain('tributary_pool_connections_max{pool="general"} 5')
  })

  test('G1 to G4: walks under way miss and repeat nothing while one is killed (kill -9); it is back, and the counts never fall', async () => {
    const service = await startMain(database, environment)
    const walks = [1, 2, 3].map(() => walk(service.url, 7))
    await until('pages', async () => (await metric(service, 'tributary_exported_applications_total')) > 100)
    const before = await metric(service, 'tributary_exported_applications_total')
    const [victim, other] = childrenOf(service)
    process.kill(victim!, 'SIGKILL')
    await until('its end to be noticed', () => service.log.some(line => line.msg === 'a process ended unasked'))
    expect(await metric(service, 'tributary_exported_applications_total')).toBeGreaterThanOrEqual(before)
    for (const found of await Promise.all(walks)) expect(found).toEqual(ids)
    await until('two processes', async () => (await readiness(service)).includes('2 of 2 processes'))
    expect(childrenOf(service)).toContain(other!)
    expect(childrenOf(service)).not.toContain(victim!)
    expect(await metric(service, 'tributary_process_restarts_total')).toBe(1)
    expect(await metric(service, 'tributary_processes')).toBe(2)
  })

  test('SIGHUP replaces them one by one: never none that listens, and walks under way go on', async () => {
    const service = await startMain(database, environment)
    const before = childrenOf(service)
    const walks = [1, 2].map(() => walk(service.url, 7))
    service.child.kill('SIGHUP')
    await until('all to be replaced', () => service.log.some(line => line.msg === 'all processes were replaced'))
    for (const found of await Promise.all(walks)) expect(found).toEqual(ids)
    const after = childrenOf(service)
    expect(after).toHaveLength(2)
    expect(after.filter(pid => before.includes(pid))).toEqual([])
    expect(await readiness(service)).toStartWith('ready\n2 of 2 processes\n')
    // What those that ended had counted is still counted.
    expect(await metric(service, 'tributary_exported_applications_total')).toBeGreaterThanOrEqual(2 * ids.length)
  })

  test('SIGTERM ends all, each after its exports: status 0, not ready meanwhile, the trail written', async () => {
    const service = await startMain(database, environment)
    const [row] = await database.sql`select count(*) as before from audit_event`
    const children = childrenOf(service)
    const page = await fetch(`${service.url}${export_}`, { headers: { Authorization: key.authorization } })
    // A service manager may tell each process itself.
    for (const pid of children) process.kill(pid, 'SIGTERM')
    service.child.kill('SIGTERM')
    expect(((await page.json()) as { payload: unknown[] }).payload).toHaveLength(ids.length)
    expect(await service.child.exited).toBe(0)
    await service.reading
    expect(children.filter(isAlive)).toEqual([])
    expect(service.log.at(-1)).toMatchObject({ msg: 'all processes have stopped' })
    const [after] = await database.sql`select count(*) as after from audit_event`
    expect(after!.after - row!.before).toBe(1)
  })

  test('end by themselves when their supervisor is killed', async () => {
    const service = await startMain(database, environment)
    const children = childrenOf(service)
    service.child.kill('SIGKILL')
    await until('all to have ended', () => !children.some(isAlive))
  })

  test('refuse to start where one cannot, in the words of that one', async () => {
    const unreachable = { ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/x' }
    expect(await refusalOf(spawnProcess('src/main.ts', database, unreachable))).toMatch(
      /^The database at 127\.0\.0\.1:1 cannot be reached[\s\S]*A process of the service did not start\./,
    )
    expect(await refusalOf(spawnProcess('src/main.ts', database, { PROCESSES: '5' }))).toMatch(
      /CONSOLE_CONNECTIONS: must be at least 5, so that each of PROCESSES gets one/,
    )
  })
})
