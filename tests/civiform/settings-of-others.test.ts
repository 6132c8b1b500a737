// What service and workers are set to alongside a CiviForm: another profile than the follower's is refused at the start, a missing salt reported.

import { afterEach, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { useFollowing } from '../support/civiform/following.ts'
import { endProcesses, refusalOf, spawnProcess, startMain, startWorker } from '../support/processes.ts'
import { until } from '../support/until.ts'

afterEach(endProcesses)

const { civiform, database, catchUp } = await useFollowing({ profile: 'origin' })
await civiform.publish({ 'rent relief': [{ name: 'job', type: 'TEXT' }] })
const [id, secret] = [Buffer.alloc(16, 1).toString('base64'), Buffer.alloc(32, 1).toString('base64')]
await civiform.app`
  insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
  values ('city', ${id}, ${createHmac('sha256', 'their-salt-of-16').update(secret).digest('base64')}, '0.0.0.0/0', '2200-01-01',
    '{"programGrants": {"rent-relief": ["READ"]}}')`
await catchUp()

const origin = { CIVIFORM_PROFILE: 'origin' }
const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

for (const program of ['src/main.ts', 'workers/main.ts'] as const)
  test(`${program} refuses to start with a profile other than the follower's, and names the setting`, async () => {
    for (const environment of [{}, { CIVIFORM_PROFILE: 'contract' }] as Record<string, string>[])
      expect(await refusalOf(spawnProcess(program, database, environment))).toContain('CIVIFORM_PROFILE is contract')
  })

test('two processes with the same profile both start', async () => {
  await startWorker(database, origin)
  await startMain(database, origin)
})

/** What the log says of keys at the start, and of a request with the key. */
async function logged(environment: Record<string, string>) {
  const { url, log } = await startMain(database, { ...origin, ...environment })
  const { status } = await fetch(`${url}/api/v1/checkAuth`, { headers: { Authorization: authorization } })
  await until('the request to be logged', () => log.some(line => line.path === '/api/v1/checkAuth'))
  const { reason } = log.find(line => line.path === '/api/v1/checkAuth')!
  return {
    status,
    reason,
    warned: log.flatMap(({ level, keys }) => (level === 'warn' && keys !== undefined ? [keys] : [])),
  }
}

test('CiviForm keys are reported at the start if the salt is missing, and refused with their own reason in the log', async () => {
  expect(await logged({})).toEqual({ status: 401, reason: 'origin_salt_not_set', warned: [1] })
  expect(await logged({ CIVIFORM_API_SECRET_SALT: 'another-salt-of-16' })).toEqual({
    status: 401,
    reason: 'wrong_secret_or_salt',
    warned: [],
  })
  expect(await logged({ CIVIFORM_API_SECRET_SALT: 'their-salt-of-16' })).toEqual({
    status: 200,
    reason: undefined,
    warned: [],
  })
})
