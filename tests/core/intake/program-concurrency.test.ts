import { describe, expect, test } from 'bun:test'
import {
  ProgramConcurrency,
  saveConcurrency,
  submissionConcurrency,
} from '../../../src/core/intake/program-concurrency.ts'
import { failureOf, rejection } from '../../support/refusal.ts'

/** Work that continues until it is ended. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  return {
    run: () => {
      begun = true
      return promise
    },
    end: resolve,
    begun: () => begun,
  }
}

const settle = () => new Promise(setImmediate)

describe('turns in a program (contract G14: "what waits for one program … never stops the others")', () => {
  test('are limited and granted in order of arrival, without delaying another program', async () => {
    const turns = new ProgramConcurrency({ atATime: 2, waitingMax: 10, waitMs: 60_000 })
    const works = Array.from({ length: 5 }, work)
    const runs = works.map(item => turns.run(1, item.run))
    await settle()
    expect(works.map(item => item.begun())).toEqual([true, true, false, false, false])
    expect(await turns.run(2, async () => 'done')).toBe('done')
    works[1]!.end()
    await settle()
    expect(works.map(item => item.begun())).toEqual([true, true, true, false, false])
    for (const item of works) item.end()
    await Promise.all(runs)
    expect(works.map(item => item.begun())).toEqual([true, true, true, true, true])
  })

  test('are refused immediately with Retry-After when the queue is full', async () => {
    const turns = new ProgramConcurrency({ atATime: 1, waitingMax: 1, waitMs: 60_000 })
    const [first, second] = [work(), work()]
    const runs = [turns.run(1, first.run), turns.run(1, second.run)]
    const refused = await rejection(turns.run(1, async () => 'never'))
    expect(refused).toMatchObject({ kind: 'unavailable', internal: 'program_busy', retryAfterSeconds: 3 })
    first.end()
    second.end()
    await Promise.all(runs)
    expect(await turns.run(1, async () => 'again')).toBe('again')
  })

  test('are refused if they do not come in time, and their work never begins', async () => {
    const turns = new ProgramConcurrency({ atATime: 1, waitingMax: 10, waitMs: 1 })
    const [first, late] = [work(), work()]
    const run = turns.run(1, first.run)
    expect(await rejection(turns.run(1, late.run))).toMatchObject({ internal: 'program_busy' })
    first.end()
    await run
    await settle()
    expect(late.begun()).toBe(false)
    expect(await turns.run(1, async () => 'free')).toBe('free')
  })

  test('pass on after work that failed', async () => {
    const turns = new ProgramConcurrency({ atATime: 1, waitingMax: 10, waitMs: 60_000 })
    const failing = turns.run(1, () => Promise.reject(new Error('broken')))
    const next = turns.run(1, async () => 'next')
    expect(await failureOf(failing)).toMatchObject({ message: 'broken' })
    expect(await next).toBe('next')
  })

  test('leave some connections to other programs if there are at least four', () => {
    for (let connections = 4; connections <= 500; connections++) {
      const taken = submissionConcurrency(connections).atATime + saveConcurrency(connections).atATime
      expect(taken).toBeLessThan(connections)
    }
  })
})
