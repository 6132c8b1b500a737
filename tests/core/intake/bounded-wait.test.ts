import { describe, expect, test } from 'bun:test'
import { withBoundedWait } from '../../../src/core/intake/bounded-wait.ts'
import { lockWaitMs } from '../../../src/db/applications/submissions.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { failureOf } from '../../support/refusal.ts'

const { sql } = await useDatabase()

const failingWith = (code: string) =>
  failureOf(
    withBoundedWait(sql, async tx => {
      await tx.unsafe(`do $$ begin raise exception 'as it comes' using errcode = '${code}'; end $$`)
    }),
  )

describe('a transaction that waits for others (contract G14: "every wait … has a named deadline and an answer")', () => {
  test.each([
    ['lock_not_available', '55P03'],
    ['deadlock_detected', '40P01'],
    ['serialization_failure', '40001'],
    ['query_canceled', '57014'],
  ])('%s gets a 503, to be tried again', async (_, code) => {
    expect(await failingWith(code)).toMatchObject({
      kind: 'unavailable',
      internal: 'lock_wait',
      retryAfterSeconds: 1,
    })
  })

  test.each(['23505', 'P0001', '22012'])('%s does not count as waiting', async code => {
    expect(await failingWith(code)).toMatchObject({ code })
  })

  test('sets its deadline in the database with its first statement, and no other transaction does', async () => {
    const limitOf = async (db: Pick<typeof sql, 'unsafe'>) =>
      (await db.unsafe('show lock_timeout'))[0]!.lock_timeout as string
    expect(await withBoundedWait(sql, limitOf)).toBe(`${lockWaitMs / 1000}s`)
    expect(await limitOf(sql)).toBe('0')
  })
})
