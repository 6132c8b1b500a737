// CiviForm's database out of reach for an hour in which everything continued there, and upgraded in the middle of the first copy.

import { describe, expect, test } from 'bun:test'
import { readFollowFigures } from '../../src/civiform/db/follow-state.ts'
import { upgrade } from '../support/civiform/civiform-database.ts'
import { startFollowerProcess } from '../support/civiform/follower-process.ts'
import { type Following, useFollowedClient, useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import type { ExportClient } from '../support/export-client.ts'
import { until } from '../support/until.ts'

const program = 'rent relief'
const job: SimulatedQuestion = { name: 'job', type: 'TEXT' }
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** What CiviForm has, in the order of an export. */
const truth = async ({ civiform }: Following) =>
  (
    await civiform.app<{ id: number; applicant: number; stage: string; status: string | null; job: string | null }[]>`
      select id, coalesce((to_jsonb(a) ->> 'original_applicant_id')::bigint, applicant_id) as applicant, lifecycle_stage as stage,
        latest_status as status, object #>> '{applicant,job,text}' as job
      from applications a
      where lifecycle_stage in ('active', 'obsolete')
      order by submit_time, id`
  ).map(a => [a.id, a.applicant, a.stage === 'active' ? 'CURRENT' : 'OBSOLETE', a.status, a.job])

const exported = async (client: ExportClient, parameters: Record<string, string> = {}) =>
  (await client.walkAll(parameters)).map(a => [
    a.application_id,
    a.applicant_id,
    a.revision_state,
    a.status,
    a.application.job!.text as string | null,
  ])

/** Changes tables that are being read. One that ends in a deadlock with the reader has changed nothing, and is tried again. */
async function whole(change: () => Promise<unknown>): Promise<void> {
  for (;;)
    try {
      await change()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error
    }
}

describe('a CiviForm database that is unreachable for an hour', () => {
  test('is reported while exports continue, and the same process then copies everything that happened meanwhile', async () => {
    const following = await useFollowing()
    const { civiform, sql, ownUrl } = following
    await civiform.publish({ [program]: [job] })
    const applicants = await Promise.all(Array.from({ length: 6 }, () => civiform.applicant()))
    const early: number[] = []
    for (const [i, applicant] of applicants.entries())
      early.push(
        await civiform.submit({ applicant, program, answers: { job: { text: `early ${i}` } }, time: ago(90 - i) }),
      )
    const follower = startFollowerProcess({ url: ownUrl, readerUrl: civiform.database.readerUrl })
    await until(
      'all is compared',
      async () => (await sql`select from civiform_source where scan_ended_at is not null`).length === 1,
    )
    const client = await useFollowedClient(following)
    const before = await exported(client)
    const { response } = await client.page()

    const { admin, reader } = civiform.database
    await admin.unsafe(`alter role ${reader} nologin`)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${reader}`
    await until(
      'the follower to have noticed',
      async () => (await sql`select from civiform_source where last_error is not null`).length === 1,
    )
    // The hour passes: what was last known, and last looked at, lies so far back.
    await sql`
      update civiform_source
      set watermark = watermark - interval '1 hour', reached_at = reached_at - interval '1 hour',
        scan_begun_at = scan_begun_at - interval '1 hour', scan_ended_at = scan_ended_at - interval '1 hour'`
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; i < 5; i++)
        await civiform.submit({
          applicant: i === 2 ? applicants[writer % 3]! : await civiform.applicant(),
          program,
          answers: { job: { text: `writer ${writer}, ${i}` } },
          time: ago(55 - 10 * i - writer),
        })
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))
    await civiform.setStatus(early[3]!, 'Approved')
    await civiform.rewrite(early[4]!, { job: { text: 'rewritten' } })
    await civiform.remove(early[5]!)
    await civiform.publish({ [program]: [job, { name: 'hours', type: 'NUMBER' }] })
    expect(await exported(client)).toEqual(before)
    const figures = (await readFollowFigures(sql))!
    expect(figures).toMatchObject({ copying: false, late: 0, findings: [] })
    const hours = [figures.lagSeconds!, figures.reachedSeconds!, figures.comparedSeconds!].map(s => s / 3600)
    expect(hours.map(Math.floor)).toEqual([1, 1, 1])

    await admin.unsafe(`alter role ${reader} login`)
    const expected = await truth(following)
    expect(expected).toHaveLength(5 + 40)
    await until('all that happened is here', async () => Bun.deepEquals(await exported(client), expected))
    const since = await exported(client, { fromDate: response.headers.get('Snapshot-Time')! })
    expect(since).toEqual(expected.filter(item => !early.includes(item[0] as number)))
    await until(
      'it is reached',
      async () => (await sql`select from civiform_source where last_error is null`).length === 1,
    )
    expect(await sql`select late_applications, rollbacks from civiform_source`).toMatchObject([
      { late_applications: 0, rollbacks: 0 },
    ])
    const { code, lines } = await follower.stop()
    expect(code).toBe(0)
    expect(lines.filter(line => 'again_in_ms' in line).length).toBeGreaterThan(0)
  })
})

describe('a CiviForm upgrade in the middle of the first copy', () => {
  test('93: the follower fills new columns of applications already copied, and loses or duplicates nothing', async () => {
    const following = await useFollowing({ age: '2023' })
    const { civiform, sql, follower, catchUp } = following
    await civiform.publish({ [program]: [job] })
    const first = await civiform.submit({
      applicant: await civiform.applicant(),
      program,
      answers: { job: { text: 'x'.repeat(20_000) } },
      time: ago(600),
    })
    await civiform.app`insert into applicants (object) select '{}' from generate_series(1, 2000)`
    await civiform.app`
      insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
      select p.id, a.program_id, a.object, 'active', a.create_time, a.submit_time + p.id * interval '1 millisecond'
      from applications a, applicants p
      where a.id = ${first} and p.account_id is null`
    const copied = async (): Promise<number> =>
      (await sql<{ n: number }[]>`select count(*) as n from civiform_application`)[0]!.n
    let upgraded = false
    const upgrading = async (): Promise<void> => {
      await until('some is copied', async () => (await copied()) > 400)
      await whole(() => upgrade(civiform.database, '2024'))
      await whole(() => upgrade(civiform.database, '2026'))
      await whole(() => civiform.app`alter table applications add column more uuid not null default gen_random_uuid()`)
      // Merged by the new release: of those that were copied, and of those that were not.
      await civiform.app`
        update applications set original_applicant_id = applicant_id, applicant_id = ${await civiform.applicant()}
        where id % 400 = 0`
    }
    let failures = 0
    const rounds = async (): Promise<void> => {
      while (!upgraded) await follower.round().catch(() => failures++)
    }
    await Promise.all([upgrading().finally(() => (upgraded = true)), rounds()])
    await catchUp()
    while ((await sql`select from civiform_source where scan_whole`).length > 0) await follower.round()
    const client = await useFollowedClient(following)
    const expected = await truth(following)
    expect(expected).toHaveLength(2001)
    expect(await exported(client, { pageSize: '500' })).toEqual(expected)
    expect(await sql`select evolution, late_applications from civiform_source`).toMatchObject([
      { evolution: 98, late_applications: 0 },
    ])
  }, 60_000)
})
