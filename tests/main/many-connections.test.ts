// Contract section 3, "Everything has a bound and a name": 10,000 idle connections of one address keep neither callers nor the
// platform out, where the service may have 20,000 descriptors.

import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain, withDescriptors } from '../support/processes.ts'
import { until } from '../support/until.ts'

const connections = 10_000
/** What so many connections may cost the service: 10 KB each. */
const memoryMaxKb = connections * 10

const database = await useDatabase()
const key = await createTestKey(database.sql)
const floods: Bun.Subprocess<'pipe', 'pipe', 'inherit'>[] = []
afterEach(async () => {
  for (const flood of floods.splice(0)) {
    flood.kill('SIGKILL')
    await flood.exited
  }
  await endProcesses()
})

/** A client with so many connections, each of which sends `text` and stays. */
async function startFlood(url: string, text: string) {
  const script = join(import.meta.dir, '../support/flood.ts')
  const command = [process.execPath, script, new URL(url).port, String(connections), text]
  const child = Bun.spawn(withDescriptors(connections + 100, command), {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  floods.push(child)
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return {
    state: async (): Promise<{ open: number; tried: number }> => {
      child.stdin.write('\n')
      child.stdin.flush()
      return JSON.parse((await lines.read()).value!)
    },
  }
}

/** The most memory that a process has had, in KB. */
const peakKb = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(await Bun.file(`/proc/${pid}/status`).text())![1])

describe('10,000 idle connections from one address, with 20,000 descriptors', () => {
  for (const [what, text] of [
    ['after a 401', 'GET /api/v1/checkAuth HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['in the middle of a request head', 'GET /api/v1/checkAuth HTTP/1.1\r\nHo'],
    // The kernel keeps these to itself until they have said something.
    ['that send nothing', ''],
  ] as const)
    test(`${what} delay a valid key and health checks by less than 1 s, with bounded memory`, async () => {
      const { child, health, url } = await startMain(database, { TEST_DESCRIPTORS: '20000' })
      const headers = { Authorization: key.authorization, Connection: 'close' }
      const secondsOf = async (address: string): Promise<number> => {
        const beganMs = performance.now()
        expect((await fetch(address, { headers })).status).toBe(200)
        return (performance.now() - beganMs) / 1000
      }
      await secondsOf(`${url}/api/v1/checkAuth`)
      const beforeKb = await peakKb(child.pid)
      const flood = await startFlood(url, text)
      await until('all to have tried', async () => (await flood.state()).tried === connections)
      // What the machine does besides may hold up one answer, and not each of them.
      for (const address of [`${url}/api/v1/checkAuth`, `${health}/livez`, `${health}/readyz`])
        await until(`${address} to answer within 1 s`, async () => (await secondsOf(address)) < 1)
      await until('all to be open', async () => (await flood.state()).open === connections)
      expect((await peakKb(child.pid)) - beforeKb).toBeLessThan(memoryMaxKb)
    })
})
