// CiviForm's database restored from a dump, as its manual describes: the server's log continues, and ids that were lost are given again.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readFollowFigures } from '../../src/civiform/db/follow-state.ts'
import { runScript } from '../scripts/run-script.ts'
import { type CiviFormDatabase, useCiviForm } from '../support/civiform/civiform-database.ts'
import { type Following, useFollowedClient, useFollowing } from '../support/civiform/following.ts'
import type { ExportClient } from '../support/export-client.ts'
import { useFolder, usePool } from '../support/fixtures.ts'
import { type InstalledPostgres, useInstalledPostgres } from '../support/installed-postgres.ts'
import { needs } from '../support/needs.ts'
import { succeeds } from '../support/refusal.ts'
import { until } from '../support/until.ts'

const program = 'rent relief'
const hasServer = needs('postgresql15')
const answers = (text: string) => ({ job: { text } })

describe.skipIf(!hasServer)('a restored dump of CiviForm’s database', async () => {
  if (!hasServer) return
  const server = await useInstalledPostgres()
  const folder = await useFolder()
  let made = 0

  interface Restored extends Following {
    client: ExportClient
    submit(text: string, draft?: number): Promise<number>
    /** What a client gets that asks from its last Snapshot-Time on. */
    poll(): Promise<(number | string | null)[][]>
    dump(): Promise<void>
    restore(...options: string[]): Promise<void>
    url: string
  }

  async function opened({ sequences = true } = {}): Promise<Restored> {
    const name = `civiform_${++made}`
    await server.run('psql', server.url, '-qc', `create database ${name}`)
    const url = server.addressOf(name)
    const sql = usePool({ url, connectionsMax: 2, prepare: false })
    const database = { url, sql, drop: async () => {} }
    const civiformDatabase: CiviFormDatabase = await useCiviForm('2026', { sequences, database })
    const following = await useFollowing({ civiform: civiformDatabase })
    const { civiform } = following
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
    await following.catchUp()
    const client = await useFollowedClient(following)
    const file = join(folder, `${name}.dump`)
    let from: string | undefined
    return {
      ...following,
      client,
      url,
      submit: async (text, draft) =>
        civiform.submit({ applicant: await civiform.applicant(), program, answers: answers(text), draft }),
      poll: async () => {
        const { response } = await client.page()
        const walked = await client.walkAll(from === undefined ? {} : { fromDate: from })
        from = response.headers.get('Snapshot-Time')!
        return walked.map(application => [
          application.application_id,
          application.status,
          application.application.job!.text as string,
        ])
      },
      dump: async () => void (await server.run('pg_dump', '--format=custom', `--file=${file}`, url)),
      restore: async (...options) => void (await server.run('pg_restore', `--dbname=${url}`, ...options, file)),
    }
  }

  const settled = async ({ sql, catchUp }: Following): Promise<void> => {
    await until('all is compared again', async () => {
      await catchUp()
      return (await sql`select from civiform_source where not scan_whole and rollback_evidence is null`).length === 1
    })
  }

  const ways: [string, boolean, (of: Restored, server: InstalledPostgres) => Promise<void>, boolean][] = [
    [
      'restored over the existing tables (“clean before restore”)',
      false,
      of => of.restore('--clean', '--if-exists', '--single-transaction'),
      true,
    ],
    [
      'restored into a recreated database',
      false,
      async (of, { run, url }) => {
        const name = new URL(of.url).pathname.slice(1)
        await run('psql', url, '-qc', `drop database ${name} with (force)`)
        await run('psql', url, '-qc', `create database ${name}`)
        await of.restore()
      },
      true,
    ],
    [
      'with only rows and sequences restored, which the role may read',
      true,
      async of => {
        await of.civiform.app`truncate applications, application_events`
        await of.restore('--data-only', '-t', 'applications', '-t', 'application_events')
        const sequences = ['-t', 'applications_id_seq', '-t', 'application_events_id_seq']
        await of.restore('--data-only', ...sequences)
      },
      false,
    ],
    [
      'with only rows and sequences restored, which the role may not read',
      false,
      async of => {
        await of.civiform.app`truncate applications, application_events`
        await of.restore('--data-only', '-t', 'applications', '-t', 'application_events')
        await of.restore('--data-only', '-t', 'applications_id_seq', '-t', 'application_events_id_seq')
      },
      false,
    ],
  ]

  test.each(ways)(
    'limit 6: %s: lost applications disappear, and new ones with their IDs reach polling clients immediately',
    async (_, sequences, restore, isMadeAgain) => {
      const of = await opened({ sequences })
      const { civiform, catchUp, submit, poll, log, sql } = of
      const old = await submit('old')
      const draft = await civiform.draft(await civiform.applicant(), program)
      await catchUp()
      await of.dump()
      const lost = [await submit('lost 0', draft)]
      for (let i = 1; i < 5; i++) lost.push(await submit(`lost ${i}`))
      await civiform.setStatus(old, 'Approved')
      await catchUp()
      expect(await poll()).toEqual([[old, 'Approved', 'old'], ...lost.map((id, i) => [id, null, `lost ${i}`])])

      await restore(of, server)
      const again = [await submit('again 0', draft)]
      for (let i = 1; i < 5; i++) again.push(await submit(`again ${i}`))
      expect(again).toEqual(lost)
      await until('it is reached again', () => succeeds(catchUp()))
      expect(await poll()).toEqual(again.map((id, i) => [id, null, `again ${i}`]))
      await settled(of)
      expect(
        (await of.client.walkAll()).map(application => [
          application.application_id,
          application.status,
          application.application.job!.text,
        ]),
      ).toEqual([[old, null, 'old'], ...again.map((id, i) => [id, null, `again ${i}`])])
      expect(await readFollowFigures(sql)).toMatchObject({ rollbacks: 1 })
      const [line, ...more] = log.filter(({ fields }) => fields.before !== undefined)
      const [before, now] = [line!.fields.before, line!.fields.now] as { incarnation: string }[]
      expect([line!.level, before!.incarnation !== now!.incarnation, more]).toEqual(['error', isMadeAgain, []])
      // Events are drawn from the beginning again, and are followed from there.
      await civiform.setStatus(again[4]!, 'Denied')
      await catchUp()
      expect((await of.client.walkAll()).at(-1)).toMatchObject({ application_id: again[4], status: 'Denied' })
      expect(await poll()).toEqual([])
    },
  )

  test('a deleted application that the restore brings back reaches polling clients, and one erased here stays erased', async () => {
    const of = await opened()
    const { civiform, catchUp, submit, poll, sql } = of
    const ids = [await submit('deleted'), await submit('kept'), await submit('erased')]
    await catchUp()
    await of.dump()
    await civiform.remove(ids[0]!)
    await sql`delete from application where application_id = ${ids[2]!}`
    await catchUp()
    expect(await poll()).toEqual([[ids[1]!, null, 'kept']])
    await of.restore('--clean', '--if-exists', '--single-transaction')
    await until('it is reached again', () => succeeds(catchUp()))
    await settled(of)
    expect(await poll()).toEqual([[ids[0]!, null, 'deleted']])
    await sql`delete from application where application_id = ${ids[0]!}`
    await catchUp()
    expect(await poll()).toEqual([])
    expect(await sql`select late_applications from civiform_source`).toMatchObject([{ late_applications: 0 }])
  })

  test('an operator reports a restore that the follower cannot detect', async () => {
    const of = await opened({ sequences: false })
    const { civiform, catchUp, submit, sql } = of
    const [first, second] = [await submit('first'), await submit('second')]
    await catchUp()
    await civiform.remove(second)
    const said = await runScript('civiform', of.database.url, ['restored'], '', {})
    expect(said.code).toBe(0)
    await of.follower.round()
    expect(await sql`select application_id as id from application`).toMatchObject([{ id: first }])
    const events =
      await sql`select actor, detail from audit_event where action in ('civiform_restored', 'civiform_rolled_back') order by 1`
    expect(events).toHaveLength(2)
    expect(await sql`select rollbacks, rollback_evidence from civiform_source`).toMatchObject([
      { rollbacks: 1, rollback_evidence: null },
    ])
  })
})
