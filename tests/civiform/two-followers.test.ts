// Two followers at once: by the lock one waits, and even without it neither could take a step that the other has taken.

import { describe, expect, test } from 'bun:test'
import { FollowedElsewhere } from '../../src/civiform/applications/store-applications.ts'
import { keepFollowing } from '../../src/civiform/following/keep-following.ts'
import { useFollowing } from '../support/civiform/following.ts'
import { usePool } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const { civiform, sql, own, ownUrl, restarted, catchUp } = await useFollowing()
const program = 'rent relief'
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
const submit = async (): Promise<number> =>
  civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
const copied = async (): Promise<number[]> =>
  (await sql<{ application_id: number }[]>`select application_id from application order by submit_seq`).map(
    one => one.application_id,
  )

describe('two followers', () => {
  test('that both continue from one place copy each application once', async () => {
    await catchUp()
    const ids: number[] = []
    const [one, two] = [restarted(), restarted()]
    for (let i = 0; i < 15; i++) {
      ids.push(await submit())
      for (const ended of await Promise.allSettled([one.round(), two.round()]))
        if (ended.status === 'rejected') expect(ended.reason).toBeInstanceOf(FollowedElsewhere)
    }
    await catchUp()
    expect(await copied()).toEqual(ids)
  })

  test('of which one has the lock: the other waits, and takes over when it ends', async () => {
    const started = (): { stop: AbortController; done: Promise<void>; rounds: () => number; waited: () => boolean } => {
      const lock = usePool({ url: ownUrl, connectionsMax: 1, applicationName: 'test-lock' })
      const stop = new AbortController()
      let rounds = 0
      let waited = false
      const done = keepFollowing({
        follower: restarted(),
        sql: own,
        lock,
        pollIntervalMs: 10,
        signal: stop.signal,
        onRound: () => rounds++,
        onFailure: error => {
          throw error
        },
        onWaiting: () => {
          waited = true
        },
      }).finally(() => lock.end({ timeout: 1 }))
      return { stop, done, rounds: () => rounds, waited: () => waited }
    }
    const first = started()
    await until('the first follows', () => first.rounds() > 0)
    const second = started()
    await until('the second waits', () => second.waited())
    expect(second.rounds()).toBe(0)
    first.stop.abort()
    await first.done
    await until('the second follows', () => second.rounds() > 0)
    second.stop.abort()
    await second.done
  })
})
