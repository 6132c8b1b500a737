// What the supervisor does with processes that will not run: small ones of our own, which are told on each start what to do.

import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../src/log.ts'
import { startProcess } from '../../src/processes/supervise.ts'
import { type Started, Supervisor } from '../../src/processes/supervisor.ts'
import { until } from '../support/until.ts'

const listen = `process.on('message', m => m.order && process.exit(0)); process.on('disconnect', () => process.exit(0));
  process.send({ says: 'listening', port: 1, url: 'http://localhost:1/' })`
const fail = 'process.exit(3)'
const folder = mkdtempSync(join(tmpdir(), 'tributary-supervisor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const supervisors: Supervisor[] = []
afterEach(async () => {
  for (const supervisor of supervisors.splice(0)) await supervisor.end(0)
})

function superviseSmall(count: number, script: (start: number) => string) {
  const seen = { starts: 0, gaveUp: 0, lines: '' }
  const log = createLog('info', {
    write: line => {
      seen.lines += line
    },
  })
  const children: Started[] = []
  const supervisor = new Supervisor({
    count,
    port: 0,
    log,
    pauseMs: 1,
    keep: () => {},
    giveUp: () => void seen.gaveUp++,
    start: (place, hear) => {
      const main = join(folder, `${++seen.starts}-${crypto.randomUUID()}.js`)
      writeFileSync(main, script(seen.starts))
      const child = startProcess({ main, environment: process.env }, place, hear)
      children.push(child)
      return child
    },
  })
  supervisors.push(supervisor)
  return { supervisor, seen, children }
}

describe('the supervisor', () => {
  test('does not begin with less than all: when one ends at its start the others are ended, and who began it is told', async () => {
    const { supervisor, children } = superviseSmall(3, start => (start === 3 ? fail : listen))
    const begun = await supervisor.begin().then(
      () => undefined,
      error => error,
    )
    expect(String(begun)).toContain('ended before it listened')
    expect(await Promise.all(children.map(child => child.exited))).toHaveLength(3)
    expect(supervisor.running).toBe(0)
  })

  test('starts a process again however often it dies, as long as it came to listen', async () => {
    const { supervisor, seen, children } = superviseSmall(1, () => listen)
    await supervisor.begin()
    for (let death = 1; death <= 3; death++) {
      children.at(-1)!.kill('SIGKILL')
      await until('the next', () => supervisor.restarts === death && supervisor.running === 1)
    }
    expect(seen.gaveUp).toBe(0)
  })

  test('gives up loudly, once, when a process ended ten times in a row before it listened', async () => {
    const { supervisor, seen, children } = superviseSmall(2, start => (start > 2 ? fail : listen))
    await supervisor.begin()
    children[0]!.kill('SIGKILL')
    await until('it to give up', () => seen.gaveUp > 0)
    expect(seen.gaveUp).toBe(1)
    expect(seen.lines).toContain('a process cannot be started: the service ends')
    expect(supervisor.running).toBe(1)
  })

  test('replaces none by what cannot start: those that run go on', async () => {
    const { supervisor, seen, children } = superviseSmall(2, start => (start > 2 ? fail : listen))
    await supervisor.begin()
    await supervisor.replaceAll()
    expect(seen.starts).toBe(3)
    expect(supervisor.running).toBe(2)
    expect(children.slice(0, 2).map(child => child.endedBy)).toEqual([null, null])
  })

  test('asks a process in vain that hears nothing any more, and ends it all the same', async () => {
    const deaf = `process.send({ says: 'listening', port: 1, url: 'http://localhost:1/' }, undefined, undefined, () => process.disconnect());
      setInterval(() => {}, 1000)`
    const { supervisor, children } = superviseSmall(1, () => deaf)
    await supervisor.begin()
    expect((await supervisor.readiness()).ready).toBe(false)
    await supervisor.end(100)
    expect(await children[0]!.exited).not.toBe(0)
    expect(children[0]!.endedBy).toBe('SIGKILL')
  })
})
