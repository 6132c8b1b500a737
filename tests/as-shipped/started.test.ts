// What scripts/start starts: service, worker, queue and demo data, on PostgreSQL alone and with Redis; and a process that is started
// when everything is kept.

import { join } from 'node:path'
import { freePort } from '../../scripts/processes/free-port.ts'
import { testPepper, testTokenKey } from '../support/config.ts'
import { endWithFile, useBareDatabase, useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain } from '../support/processes.ts'
import { useRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { playStory } from './story.ts'
import { describeShipped, type Shipped } from './table.ts'

const timeZone = 'America/Los_Angeles'

async function start(settings: Record<string, string>): Promise<Shipped> {
  const { url, sql } = await useBareDatabase()
  const [port, health] = [await freePort(), await freePort()]
  const environment = {
    PATH: process.env.PATH ?? '',
    TRIBUTARY_DATA: await useFolder(),
    DATABASE_URL: url,
    API_KEY_PEPPER: testPepper,
    PAGE_TOKEN_KEYS: testTokenKey,
    INSTANCE_TIME_ZONE: timeZone,
    ...settings,
  }
  const child = Bun.spawn([join(import.meta.dir, '../../scripts/start')], {
    env: { ...environment, PORT: String(port), HEALTH_PORT: String(health) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  endWithFile(async () => {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await child.exited
  })
  let said = ''
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of child.stdout) said += decoder.decode(chunk, { stream: true })
  })()
  await until('scripts/start to say how to try it', async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${said}${await new Response(child.stderr).text()}`)
    return /^curl .+$/m.test(said)
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const truth = await playStory({ sql, baseUrl, timeZone })
  const later = await startMain({ url }, { INSTANCE_TIME_ZONE: timeZone, ...settings })
  return { sql, processes: [baseUrl, later.url], truth }
}

endWithFile(endProcesses)

describeShipped('scripts/start on PostgreSQL alone', () => start({}))

if (needs('redis'))
  describeShipped('scripts/start with Redis', async () => start({ REDIS_URL: (await useRedis()).url }))
