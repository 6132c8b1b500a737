// While applicants submit, and the follower is killed at random: every application below the watermark is there exactly once, as
// CiviForm has it, in walks that hold what the contract promises of every walk.

import { describe, expect, test } from 'bun:test'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { useFollowing } from '../support/civiform/following.ts'
import { SimulatedCiviForm } from '../support/civiform/simulated-civiform.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { seededRandom } from '../support/random.ts'

const random = seededRandom(import.meta.file)

const writers = 8
const submissionsEach = 40
const program = 'rent relief'
const questions = [{ name: 'job', type: 'TEXT' }] as const

const following = await useFollowing({ slackMs: 20 })
const { civiform, database, sql, source, restarted, catchUp } = following
await civiform.publish({ [program]: questions })
const service = await useService(database, { maxPageSize: 7, ...unlimited })

interface Truth {
  id: number
  lifecycle_stage: string
  job: string
  time: string
}
const truth = (): PromiseLike<Truth[]> => civiform.app<Truth[]>`
  select id, lifecycle_stage, (object #>> '{}')::jsonb #>> '{applicant,job,text}' as job, submit_time::text as time
  from applications
  where lifecycle_stage in ('active', 'obsolete')
  order by submit_time, id`

const some = (max: number): number => Math.floor(random() * max)
const breathe = (ms: number) => Bun.sleep(some(ms))

/** A server of CiviForm's: its applicants save drafts early, submit slowly, and again. */
async function write(writer: number): Promise<void> {
  const applicants = [await civiform.applicant(), await civiform.applicant()]
  const drafts = await Promise.all(applicants.map(applicant => civiform.draft(applicant, program)))
  for (let i = 0; i < submissionsEach; i++) {
    const value = some(2)
    const id = await civiform.submit({
      applicant: applicants[value]!,
      program,
      answers: { job: { text: `writer ${writer}, ${i}` } },
      draft: drafts[value],
      doubleEncoded: i % 5 === 0,
      beforeTime: () => breathe(30),
      afterTime: () => breathe(60),
    })
    drafts[value] = i % 3 === 0 ? await civiform.draft(applicants[value]!, program) : (undefined as never)
    if (i % 4 === 0) await civiform.setStatus(id, 'Approved')
  }
}

describe('alongside 8 writers', () => {
  test('G1, G2, G3, G5, G6: a repeatedly killed follower copies each application once, and walks are exact', async () => {
    await restarted().round()
    const key = await createTestKey(sql, { programs: ['rent-relief'] })
    const client = new ExportClient(service, key, 'rent-relief')
    let writing = true
    const written = Promise.all(Array.from({ length: writers }, (_, i) => write(i))).then(() => {
      writing = false
    })
    // Killed: its connection to CiviForm, and what it has begun here, end in the middle of whatever it does.
    const kill = async (): Promise<void> => {
      while (writing) {
        await breathe(120)
        await database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`
        await civiform.database.admin`
          select pg_terminate_backend(pid) from pg_stat_activity
          where usename = ${civiform.database.reader} and state = 'active'`
      }
    }
    const follow = async (): Promise<number> => {
      let failures = 0
      while (writing) {
        const follower = restarted()
        for (let i = some(4); i >= 0; i--) await follower.round().catch(() => failures++)
      }
      return failures
    }
    const incremental: number[] = []
    let from: string | undefined
    const pull = async (): Promise<void> => {
      const parameters: Record<string, string> = from === undefined ? {} : { fromDate: from }
      const seen: { id: number; applicant: number; state: string }[] = []
      for await (const { page, response } of client.walk({ ...parameters, pageSize: String(1 + some(7)) })) {
        from = response.headers.get('Snapshot-Time') ?? from
        for (const application of page.payload)
          seen.push({
            id: application.application_id,
            applicant: application.applicant_id,
            state: application.revision_state,
          })
      }
      incremental.push(...seen.map(item => item.id))
    }
    const walkCurrent = async (): Promise<void> => {
      const walked = await client.walkAll({ revisionState: 'CURRENT', pageSize: '3' })
      const applicants = walked.map(application => application.applicant_id)
      expect(new Set(applicants).size).toBe(applicants.length)
    }
    const read = async (): Promise<void> => {
      while (writing) {
        await pull()
        await walkCurrent()
      }
    }
    const [, , failures] = await Promise.all([written, kill(), follow(), read()])
    expect(failures).toBeGreaterThan(0)
    await catchUp(restarted())
    await pull()
    const expected = await truth()
    const walked = await client.walkAll()
    expect(walked.map(application => application.application_id)).toEqual(expected.map(item => item.id))
    expect(walked.map(application => application.application.job!.text)).toEqual(expected.map(item => item.job))
    expect(walked.map(application => application.revision_state)).toEqual(
      expected.map(item => (item.lifecycle_stage === 'active' ? 'CURRENT' : 'OBSOLETE')),
    )
    // A client that always asks from the last Snapshot-Time on has got each of them once.
    expect(incremental.toSorted((a, b) => a - b)).toEqual(expected.map(item => item.id).toSorted((a, b) => a - b))
    const [row] = await sql<{ late_applications: number }[]>`select late_applications from civiform_source`
    expect(row!.late_applications).toBe(0)
  }, 120_000)
})

describe('CiviForm’s database', () => {
  test('cannot be written to by a follower, and keeps every row of every table unchanged, locks included', async () => {
    const tables = await civiform.app<{ name: string }[]>`select relname as name from pg_stat_user_tables order by 1`
    const fingerprint = (): Promise<unknown[]> =>
      Promise.all(
        tables.map(
          ({ name }) =>
            civiform.app`select md5(string_agg(concat(ctid, xmin, xmax), ',' order by ctid)) from ${civiform.app(name)}`,
        ),
      )
    const before = await fingerprint()
    await restarted().round()
    await catchUp()
    expect(await fingerprint()).toEqual(before)
    await expect(source`create table more (id int)`).rejects.toMatchObject({ code: '25006' })
    await expect(source`update applications set latest_status = 'x'`).rejects.toMatchObject({ code: '25006' })
  })
})

describe('a follower that cannot see when transactions began', () => {
  test('84, 85, 91: copies an application with an earlier time and a later commit once and in its place', async () => {
    const database2 = await useCiviForm('2026', { statistics: false })
    const slow = new SimulatedCiviForm(database2)
    await slow.publish({ [program]: questions })
    const blind = await useFollowing({ civiform: database2 })
    const applicants = await Promise.all([slow.applicant(), slow.applicant(), slow.applicant()])
    const draft = await slow.draft(applicants[0]!, program)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const held = slow.submit({
      applicant: applicants[0]!,
      program,
      answers: {},
      draft,
      afterTime: async () => {
        begun.resolve()
        await release.promise
      },
    })
    await begun.promise
    const second = await slow.submit({ applicant: applicants[1]!, program, answers: {} })
    for (let i = 0; i < 5; i++) await blind.follower.round()
    const copied = async (): Promise<number[]> =>
      (
        await blind.sql<
          { application_id: number }[]
        >`select application_id from application order by submit_time, submit_seq`
      ).map(item => item.application_id)
    expect(await copied()).toEqual([])
    release.resolve()
    await held
    await blind.catchUp()
    expect(await copied()).toEqual([draft, second])
  })
})
