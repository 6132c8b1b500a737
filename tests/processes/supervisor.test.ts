// What the supervisor does with processes that will not run: small ones of our own, which are told on each start what to do.

import { afterEach, describe, expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import type { ToSupervisor } from '../../src/processes/process-messages.ts'
import { Supervisor } from '../../src/processes/supervisor.ts'
import { until } from '../support/until.ts'

const listen = `process.on('message', m => m.order && process.exit(0)); process.on('disconnect', () => process.exit(0));
  process.send({ says: 'listening', port: 1, url: 'http://localhost:1/' })`
const fail = 'process.exit(3)'
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
  const children: Bun.Subprocess[] = []
  const supervisor = new Supervisor({
    count,
    port: 0,
    log,
    pauseMs: 1,
    keep: () => {},
    giveUp: () => void seen.gaveUp++,
    start: (_place, hear) => {
      const child = Bun.spawn([process.execPath, '-e', script(++seen.starts)], {
        stdio: ['ignore', 'ignore', 'ignore'],
        serialization: 'json',
        ipc: message => hear(message as ToSupervisor),
      })
      children.push(child)
      return {
        pid: child.pid,
        exited: child.exited,
        endedBy: null,
        send: message => {
          if (child.exitCode === null && child.signalCode === null) child.send(message)
        },
        kill: signal => child.kill(signal),
      }
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
    expect(children.slice(0, 2).map(child => child.exitCode)).toEqual([null, null])
  })
})
