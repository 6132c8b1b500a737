// The follower as a process of its own, killed without a word again and again while applicants submit: in the first copy, and after it.

import { describe, expect, test } from 'bun:test'
import { startFollowerProcess } from '../support/civiform/follower-process.ts'
import { useFollowedClient, useFollowing } from '../support/civiform/following.ts'
import { seededRandom } from '../support/random.ts'
import { until } from '../support/until.ts'

const random = seededRandom(import.meta.file)

const program = 'rent relief'
const writers = 8
const kills = 6
const before = 3000
const { civiform, database, sql, ownUrl } = await useFollowing()
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
const some = (max: number): number => Math.floor(random() * max)

/** What had been submitted before it was followed: a first copy of several steps. */
async function fill(): Promise<void> {
  const id = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {}, time: '2024-01-01' })
  await civiform.app`
    insert into applicants (object) select '{}' from generate_series(1, ${before})`
  await civiform.app`
    insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
    select p.id, a.program_id, jsonb_build_object('applicant', jsonb_build_object('job', jsonb_build_object('text', repeat('x', 3000)))),
      'active', a.create_time, a.submit_time + p.id * interval '1 millisecond'
    from applications a, applicants p
    where a.id = ${id} and p.account_id is null`
}

const copied = async (): Promise<number> =>
  (await sql<{ n: number }[]>`select count(*) as n from civiform_application`)[0]!.n
const submitted = async (): Promise<number> =>
  (await civiform.app<{ n: number }[]>`select count(*) as n from applications where submit_time is not null`)[0]!.n

const connections = async (): Promise<number> =>
  (
    await civiform.database.admin<{ n: number }[]>`
      select count(*) as n from pg_stat_activity where usename = ${civiform.database.reader}`
  )[0]!.n

describe('a follower that is killed repeatedly', () => {
  test('G1: copies each application once and in its place, during the first copy and alongside 8 writers', async () => {
    await fill()
    let writing = true
    let made = 0
    const write = async (writer: number): Promise<void> => {
      const applicant = await civiform.applicant()
      for (let i = 0; writing; i++) {
        const draft = i % 3 === 0 ? await civiform.draft(applicant, program) : undefined
        const id = await civiform.submit({
          applicant,
          program,
          answers: { job: { text: `writer ${writer}, ${i}` } },
          draft,
          beforeTime: () => Bun.sleep(some(20)),
          afterTime: () => Bun.sleep(some(150)),
        })
        made++
        if (i % 4 === 0) await civiform.setStatus(id, 'Approved')
      }
    }
    const written = Promise.all(Array.from({ length: writers }, (_, i) => write(i)))
    const found: number[] = []
    for (let i = 0; i < kills; i++) {
      const from = await copied()
      const follower = startFollowerProcess({ url: ownUrl, readerUrl: civiform.database.readerUrl })
      // At another moment each time: before it has begun, in the middle of a step, between two.
      const wanted = from + 1 + some(from < before ? before / 4 : 20)
      if (i % 4 === 3) await until('it is connected', async () => (await connections()) > 0)
      else
        await until(
          'it has copied some',
          async () => (await copied()) >= Math.min(wanted, (await submitted()) - writers),
        )
      await follower.kill()
      found.push(await copied())
    }
    writing = false
    await written
    expect(made).toBeGreaterThan(writers)
    expect(found[0]!).toBeLessThan(before)
    const last = startFollowerProcess({ url: ownUrl, readerUrl: civiform.database.readerUrl })
    await until('everything is copied', async () => (await copied()) === (await submitted()))
    await until('every status is here', async () => {
      const [row] = await sql<{ n: number }[]>`select count(*) as n from application where status is not null`
      const [there] = await civiform.app<{ n: number }[]>`
        select count(*) as n from applications where latest_status is not null`
      return row!.n === there!.n
    })
    await until('everything is settled', async () => {
      const rows = await sql`select from civiform_application where stage = 'obsolete' and not superseded`
      return rows.length === 0
    })
    expect((await last.stop()).code).toBe(0)
    const client = await useFollowedClient({ database, sql })
    const expected = await civiform.app<{ id: number; stage: string; job: string; status: string | null }[]>`
      select id, lifecycle_stage as stage, object #>> '{applicant,job,text}' as job, latest_status as status
      from applications
      where lifecycle_stage in ('active', 'obsolete')
      order by submit_time, id`
    const walked = await client.walkAll({ pageSize: '1000' })
    expect(
      walked.map(application => [
        application.application_id,
        application.revision_state,
        application.status,
        application.application.job?.text ?? null,
      ]),
    ).toEqual(expected.map(item => [item.id, item.stage === 'active' ? 'CURRENT' : 'OBSOLETE', item.status, item.job]))
    expect(await sql`select late_applications, rollbacks from civiform_source`).toMatchObject([
      { late_applications: 0, rollbacks: 0 },
    ])
  }, 120_000)
})
