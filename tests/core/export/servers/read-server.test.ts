// When the server of DATABASE_READ_URL is tried, what it must have, and what becomes of a cursor that it fails.

import { expect, spyOn, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { ReadConnections } from '../../../../src/core/export/servers/read-connections.ts'
import { type ReadOutcome, ReadServer, TurnedToPrimary } from '../../../../src/core/export/servers/read-server.ts'
import { findPrimaryState, isAsOnPrimary, type PrimaryState } from '../../../../src/db/walks/primary-state.ts'
import { tamper } from '../../../support/audit-log.ts'
import { leastPrivileged } from '../../../support/database.ts'
import { endWithTest, useDatabase, usePool } from '../../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { failureOf } from '../../../support/refusal.ts'

const database = await useDatabase()
const { sql } = database
/** With the rights of the service. */
const served = usePool({ url: leastPrivileged(database, 'test_service'), connectionsMax: 2 })
const program = await insertRawProgram(sql, 'read-elsewhere')
const programId = program.program_id
await insertRawApplications(sql, program, 2)

function aServer() {
  const outcomes: ReadOutcome[] = []
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const count = (outcome: ReadOutcome) => void outcomes.push(outcome)
  const connections = new ReadConnections(served, 2)
  return { server: new ReadServer({ connections, primary: served, isDistributed: false, log, count }), outcomes, lines }
}

const failing = (code: string) => async (): Promise<void> => {
  throw Object.assign(new Error(code), { code })
}

test.each<[string, ReadOutcome, boolean]>([
  ['TB001', 'behind', true],
  ['TB002', 'other_history', true],
  ['TB004', 'behind', true],
  ['TB005', 'other_history', true],
  ['40001', 'failed', true],
  ['57014', 'failed', true],
  ['CONNECTION_BUSY', 'failed', true],
  ['ECONNREFUSED', 'unreachable', false],
  ['CONNECTION_SILENT', 'unreachable', false],
  ['57P01', 'unreachable', false],
  ['28P01', 'unreachable', false],
])(
  'after a failure with %s, rows are read from the primary, counted as %s; next cursor tries the standby again: %p',
  async (code, outcome, tried) => {
    const { server, outcomes, lines } = aServer()
    for (let n = 0; n < 3; n++)
      expect(await failureOf(server.read('long', programId, failing(code)))).toBeInstanceOf(TurnedToPrimary)
    expect(outcomes).toEqual([outcome, outcome, outcome])
    expect(lines).toHaveLength(1)
    expect(server.mayTry()).toBe(tried)
  },
)

test('an error while handling rows is passed on and does not change the server', async () => {
  const { server, outcomes } = aServer()
  const error = await failureOf(
    server.read('long', programId, async () => {
      throw new Error('a stored text does not match its program version')
    }),
  )
  expect(error).not.toBeInstanceOf(TurnedToPrimary)
  expect([outcomes, server.mayTry()]).toEqual([[], true])
})

test('an unreachable server is tried again by one cursor after a pause, and by all cursors after that one succeeds', async () => {
  let nowMs = 1000
  const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
  endWithTest(() => clock.mockRestore())
  const { server, outcomes } = aServer()
  await failureOf(server.read('long', programId, failing('ECONNREFUSED')))
  nowMs += 4999
  expect(server.mayTry()).toBe(false)
  nowMs += 1
  expect([server.mayTry(), server.mayTry()]).toEqual([true, false])
  await server.read('long', programId, async () => {})
  expect([server.mayTry(), server.mayTry()]).toEqual([true, true])
  expect(outcomes).toEqual(['unreachable', 'unreachable', 'unreachable', 'read'])
})

test('a server with fewer or more changes than the primary, another last change, or another history is refused', async () => {
  const state = (await findPrimaryState(served, programId))!
  const codeFor = async (changes: Partial<PrimaryState>) =>
    (await failureOf(served`select ${isAsOnPrimary(served, programId, { ...state, ...changes })}`))?.code
  expect(state.change).toBe(2)
  expect(await codeFor({})).toBeUndefined()
  expect(await codeFor({ change: 3 })).toBe('TB001')
  expect(await codeFor({ change: 1 })).toBe('TB001')
  expect(await codeFor({ change_time: 0 })).toBe('TB002')
  expect(await codeFor({ history: crypto.randomUUID() })).toBe('TB005')
})

test('until a new primary is recorded, no other server is read', async () => {
  const [{ place }] = await sql<[{ place: string }]>`select place from database_history`
  await tamper(sql, `update database_history set place = '1/00000001'`)
  endWithTest(() => tamper(sql, `update database_history set place = '${place}'`).then(() => {}))
  const { server, outcomes } = aServer()
  expect(await failureOf(server.read('long', programId, async () => {}))).toBeInstanceOf(TurnedToPrimary)
  expect(outcomes).toEqual(['other_history'])
})
