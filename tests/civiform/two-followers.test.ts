// Two followers at once: by the lock one waits, and even without it neither could take a step that the other has taken.

import { describe, expect, test } from 'bun:test'
import { FollowedElsewhere } from '../../src/civiform/applications/store-applications.ts'
import type { Round } from '../../src/civiform/following/follower.ts'
import { keepFollowing } from '../../src/civiform/following/keep-following.ts'
import { type Following, useFollowing } from '../support/civiform/following.ts'
import { usePool } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const { civiform, sql, own, ownUrl, restarted, catchUp } = await useFollowing()
const program = 'rent relief'
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
const submit = async (): Promise<number> =>
  civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
const copied = async (): Promise<number[]> =>
  (await sql<{ application_id: number }[]>`select application_id from application order by submit_seq`).map(
    item => item.application_id,
  )

/** A follower of its own that goes on until it is stopped, with its rounds so far, and whether it waits for another. */
function started(
  { own, ownUrl, follower }: Pick<Following, 'own' | 'ownUrl' | 'follower'>,
  pollIntervalMs = 10,
  onFailure = (error: unknown, _pauseMs: number): void => {
    throw error
  },
) {
  const stopping = new AbortController()
  const rounds: Round[] = []
  let waits = false
  const lock = usePool({ url: ownUrl, connectionsMax: 1, applicationName: 'test-lock' })
  const done = keepFollowing({
    follower,
    sql: own,
    lock,
    pollIntervalMs,
    signal: stopping.signal,
    onRound: round => rounds.push(round),
    onFailure,
    onWaiting: () => {
      waits = true
    },
  })
  const stop = async (): Promise<void> => {
    stopping.abort()
    await done
    await lock.end({ timeout: 1 })
  }
  return { rounds, waits: () => waits, stop }
}

describe('two followers', () => {
  test('that continue from the same place copy each application once', async () => {
    await catchUp()
    const ids: number[] = []
    const [follower, two] = [restarted(), restarted()]
    for (let i = 0; i < 15; i++) {
      ids.push(await submit())
      for (const ended of await Promise.allSettled([follower.round(), two.round()]))
        if (ended.status === 'rejected') expect(ended.reason).toBeInstanceOf(FollowedElsewhere)
    }
    await catchUp()
    expect(await copied()).toEqual(ids)
  })

  test('share one lock, so the second waits and takes over when the first ends', async () => {
    const first = started({ own, ownUrl, follower: restarted() })
    await until('the first follows', () => first.rounds.length > 0)
    const second = started({ own, ownUrl, follower: restarted() })
    await until('the second waits', () => second.waits())
    expect(second.rounds).toEqual([])
    await first.stop()
    await until('the second follows', () => second.rounds.length > 0)
    await second.stop()
  })
})

test('pauses grow while CiviForm’s database is unreachable, and start small again at each outage', async () => {
  const { civiform, ...following } = await useFollowing()
  const { admin, reader } = civiform.database
  const pauses: number[] = []
  const { rounds, stop } = started(following, 10, (_, pauseMs) => pauses.push(pauseMs))
  for (const _ of ['one outage', 'another']) {
    const before = rounds.length
    await until('it follows', () => rounds.length > before)
    pauses.length = 0
    await admin.unsafe(`alter role ${reader} nologin`)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${reader}`
    await until('it to have failed three times', () => pauses.length >= 3)
    expect(pauses.slice(0, 3)).toEqual([10, 20, 40])
    await admin.unsafe(`alter role ${reader} login`)
  }
  await stop()
})

test('the rounds of the first copy follow each other without a pause', async () => {
  const { civiform, ...following } = await useFollowing({ batchRows: 1 })
  await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
  for (let i = 0; i < 7; i++)
    await civiform.submit({ applicant: await civiform.applicant(), program, answers: {}, time: '2024-06-01T00:00:00Z' })
  const { rounds, stop } = started(following, 3_600_000)
  await until('all to be copied', () => rounds.at(-1)?.more === false)
  await stop()
  expect(rounds.map(({ stored }) => stored)).toEqual([4, 3])
})
