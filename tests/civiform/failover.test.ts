// The servers behind the address: a standby that became the primary and lacks the last commits, a standby that is none yet, and
// transactions that were prepared.

import { describe, expect, test } from 'bun:test'
import { readFollowFigures } from '../../src/civiform/db/follow-state.ts'
import { formatMicros } from '../../src/domain/values/offset-time.ts'
import { runScript } from '../scripts/run-script.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { type Following, useFollowedClient, useFollowing } from '../support/civiform/following.ts'
import { SimulatedCiviForm } from '../support/civiform/simulated-civiform.ts'
import { usePool } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { failureOf, succeeds } from '../support/refusal.ts'
import { type Cluster, useCluster } from '../support/replication.ts'
import { until } from '../support/until.ts'

const program = 'rent relief'
const hasCluster = needs('postgresql15')

async function onCluster(cluster: Cluster, name: string, statistics = true): Promise<Following> {
  await cluster.primary.sql`create database ${cluster.primary.sql(name)}`
  const url = new URL(cluster.url)
  url.pathname = `/${name}`
  const sql = usePool({ url: url.href, connectionsMax: 4, applicationName: 'test' })
  const database = { url: url.href, sql, drop: async () => {} }
  const civiform = await useCiviForm('2026', { statistics, database })
  return useFollowing({ civiform })
}

describe.skipIf(!hasCluster)('a CiviForm on a primary with standbys', async () => {
  if (!hasCluster) return
  const cluster = await useCluster()
  const check = async ({ database }: Following, url: string) =>
    runScript('civiform', database.url, ['check'], '', {
      CIVIFORM_DATABASE_URL: url,
      CIVIFORM_BASE_URL: 'https://forms.example.test',
    })

  test.each([
    ['transaction start times', true],
    ['locks', false],
  ] as const)(
    '7.4: a prepared transaction, detected by %s, holds the watermark and is reported',
    async (_, statistics) => {
      const following = await onCluster(cluster, `prepared_${statistics}`, statistics)
      const { civiform, sql, follower, catchUp } = following
      await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
      const submit = async (): Promise<number> =>
        civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
      const first = await submit()
      await catchUp()
      const applicant = await civiform.applicant()
      const reservedSql = await civiform.app.reserve()
      await reservedSql`begin`
      const [under] = await reservedSql<{ id: number }[]>`
      insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
      select ${applicant}, program_id, '{}', 'active', now() at time zone 'UTC', clock_timestamp() at time zone 'UTC'
      from applications limit 1
      returning id`
      await reservedSql`prepare transaction 'half'`
      reservedSql.release()
      const second = await submit()
      const copied = async (): Promise<number[]> =>
        (
          await sql<{ id: number }[]>`select application_id as id from application order by submit_time, submit_seq`
        ).map(row => row.id)
      for (let i = 0; i < 4; i++) expect((await follower.round()).heldBy).toContain('1 prepared transaction')
      expect(await copied()).toEqual([first])
      expect(await sql`select last_error from civiform_source`).toMatchObject([
        { last_error: expect.stringMatching(/^1 .*pg_prepared_xacts/) },
      ])
      const checked = await check(following, civiform.database.readerUrl)
      expect([checked.code, checked.out]).toEqual([1, expect.stringContaining('[prepared_transactions]')])
      await civiform.app`commit prepared 'half'`
      await catchUp()
      expect(await copied()).toEqual([first, under!.id, second])
      expect(await sql`select last_error from civiform_source`).toMatchObject([{ last_error: null }])
    },
  )

  test('7.4 (c): a follower refuses to start on a standby, and waits if its server becomes one later', async () => {
    const following = await onCluster(cluster, 'standby')
    const { civiform, sql, follower, restarted, catchUp } = following
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
    await catchUp()
    const [standby] = cluster.standbys
    await until('the standby to have it', async () => {
      const [row] = await cluster.primary.sql`
        select bool_and(replay_lsn >= pg_current_wal_lsn()) as has from pg_stat_replication`
      return row!.has
    })
    cluster.pointTo(standby!)
    const dropped = civiform.database.reader
    await cluster.primary.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${dropped}`
    const refused = async (): Promise<{ kind?: string }> => {
      for (;;) {
        const error = await failureOf<{ kind?: string }>(follower.round())
        if (error?.kind !== undefined) return error
      }
    }
    expect(await refused()).toMatchObject({ kind: 'unavailable', internal: 'standby' })
    await expect(restarted().round()).rejects.toMatchObject({ kind: 'conflict', internal: 'standby' })
    const checked = await check(following, civiform.database.readerUrl)
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining('[standby]')])
    cluster.pointTo(cluster.primary)
    await standby!.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${dropped}`
    await until('it continues', () => succeeds(follower.round()))
    expect(await sql`select rollbacks from civiform_source`).toMatchObject([{ rollbacks: 0 }])
  })

  test('limit 6: a failover that lost commits is reported, their changes are undone, and reused IDs are new applications', async () => {
    // One of its own: the primary is killed.
    const cluster = await useCluster()
    const following = await onCluster(cluster, 'failover')
    const { civiform, sql, log, restarted, catchUp } = following
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
    const [value, two] = [await civiform.applicant(), await civiform.applicant()]
    const answers = (text: string) => ({ job: { text } })
    const old = await civiform.submit({ applicant: value, program, answers: answers('old') })
    const other = await civiform.submit({ applicant: two, program, answers: answers('other') })
    await catchUp()
    await until('both standbys to have all of it', async () => {
      const [row] = await cluster.primary.sql`
        select bool_and(replay_lsn >= pg_current_wal_lsn()) as has from pg_stat_replication`
      return row!.has
    })
    cluster.cutReplication()
    // Ids of before are in the log some steps ahead: these are beyond what the standbys know of.
    const [{ drawn }] = (await civiform.app`
      select max(nextval('applications_id_seq')) as drawn from generate_series(1, 40)`) as unknown as [
      { drawn: number },
    ]
    const lost = await civiform.submit({ applicant: value, program, answers: answers('lost, again') })
    const lostToo = await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('lost') })
    await civiform.setStatus(other, 'Approved')
    await civiform.rewrite(old, answers('rewritten'))
    await catchUp()
    const client = await useFollowedClient(following)
    const before = await client.page()
    const shown = async (parameters: Record<string, string> = {}) =>
      (await client.walkAll(parameters)).map(a => [
        a.application_id,
        a.revision_state,
        a.status,
        a.application.job!.text as string,
      ])
    expect(await shown()).toEqual([
      [old, 'OBSOLETE', null, 'rewritten'],
      [other, 'CURRENT', 'Approved', 'other'],
      [lost, 'CURRENT', null, 'lost, again'],
      [lostToo, 'CURRENT', null, 'lost'],
    ])

    const [standby] = cluster.standbys
    await cluster.primary.kill()
    await standby!.promote()
    cluster.pointTo(standby!)
    // CiviForm continues with the database it has, and gives the ids again.
    const renewed = usePool({ url: civiform.database.appUrl, connectionsMax: 4, prepare: false })
    const after = new SimulatedCiviForm(civiform.database, renewed)
    let id = 0
    while (id < drawn)
      id = ((await renewed`select nextval('applications_id_seq') as id`) as unknown as [{ id: number }])[0].id
    const again = await after.submit({ applicant: two, program, answers: answers('given again') })
    expect(again).toBe(lost)
    await after.setStatus(old, 'Denied')

    const follower = restarted()
    await until('it is reached again', () => succeeds(follower.round()))
    while ((await sql`select from civiform_source where scan_whole`).length > 0) await catchUp(follower)
    await catchUp(follower)
    expect(await shown()).toEqual([
      [other, 'OBSOLETE', null, 'other'],
      // What had taken over from it is gone: it is there again, after what walks have seen of it.
      [old, 'CURRENT', 'Denied', 'old'],
      [again, 'CURRENT', null, 'given again'],
    ])
    // Who pulls from the last Snapshot-Time on gets both, though their ids are known.
    expect(await shown({ fromDate: before.response.headers.get('Snapshot-Time')! })).toEqual([
      [old, 'CURRENT', 'Denied', 'old'],
      [again, 'CURRENT', null, 'given again'],
    ])
    const changes = await sql`select application_id as id from civiform_change where what = 'deleted' order by 1`
    expect(changes.map(row => row.id)).toEqual([old, lost, lostToo])
    expect(await readFollowFigures(sql)).toMatchObject({ rollbacks: 1 })
    expect(log.filter(line => line.fields.before !== undefined)).toMatchObject([
      { level: 'error', fields: { now: { timeline: 2 }, before: { timeline: 1 } } },
    ])
    expect(await sql`select detail from audit_event where action = 'civiform_rolled_back'`).toHaveLength(1)
    const status = await runScript('civiform', following.database.url, ['status'], '', {})
    const [{ at }] = (await sql`select rolled_back_at as at from civiform_source`) as unknown as [{ at: number }]
    // Everything has been compared since: no application is named up to which it was.
    expect(status.out).toMatch(new RegExp(`: +\\D+${formatMicros(at)}\\D*$`, 'm'))
  })
})
