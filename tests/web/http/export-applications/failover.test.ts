// A failover that loses changes, on a real primary with two standbys: what was lost is reported, no id is reused, and no standby that
// still has what was lost is read (contract D36, D37, G13).

import { describe, expect, test } from 'bun:test'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../../src/core/applications/erase.ts'
import { noteLostChange } from '../../../../src/db/walks/lost-change.ts'
import { ExportClient, type ExportPage } from '../../../support/export-client.ts'
import { endWithTest, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { databaseAt, readPoolOf, readsOf } from '../../../support/read-address.ts'
import { type Node, useCluster } from '../../../support/replication.ts'
import { until } from '../../../support/until.ts'

const timeZone = 'UTC'
const replayed = async (node: Node): Promise<number> => {
  const [row] = await node.sql<{ bytes: number }[]>`select (pg_last_wal_replay_lsn() - '0/0')::bigint as bytes`
  return row!.bytes
}
const written = async (node: Node): Promise<number> => {
  const [row] = await node.sql<{ bytes: number }[]>`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`
  return row!.bytes
}

describe.skipIf(!needs('postgresql15'))('after a failover that lost changes', () => {
  test('cursors and walks past a lost change are refused, IDs continue after the lost ones, and a standby with the lost changes is not read', async () => {
    const cluster = await useCluster({}, endWithTest)
    const { primary } = cluster
    const [heir, abandoned] = cluster.standbys as [Node, Node]
    const database = databaseAt(cluster.url, endWithTest)
    const { sql } = database
    const service = await useService(
      database,
      { databaseUrl: cluster.url },
      { readDb: readPoolOf(abandoned.url) },
      endWithTest,
    )

    await aProgram(sql, { slug: 'main', questions: [q.text('words')] })
    const key = await createTestKey(sql, { programs: ['main'], mayExport: true, maySubmit: true, mayAnnotate: true })
    const frontEnd = new FrontEnd(service, key, 'main')
    const submit = async (n: number) => {
      const applicant = await frontEnd.register()
      const { application_id } = await frontEnd.apply(applicant, { words: { text: `${n}` } })
      return { applicant, application_id }
    }
    for (let n = 0; n < 5; n++) await submit(n)

    /** Something that happens to a program's applications, by kind: the nth time. */
    interface Followed {
      program_id: number
      ids: number[]
      key: TestKey
      read(after: string): Promise<{ status: number; body: { payload: { kind: string }[]; nextCursor: string } }>
      happen(n: number): Promise<unknown>
    }
    const kinds = ['submitted', 'status', 'note', 'erased'] as const
    const follow = async (kind: (typeof kinds)[number]): Promise<Followed> => {
      const program = await insertRawProgram(sql, `lost-${kind}`)
      const { program_id } = program
      const ids = await insertRawApplications(sql, program, 12)
      const own = await createTestKey(sql, { programs: [`lost-${kind}`] })
      const by = { actor: 'operator:test', reason: undefined }
      const noted = { program_id, actor: 'admin:test', timeZone }
      return {
        program_id,
        ids,
        key: own,
        read: async after => {
          const response = await service.get(`/api/v1/admin/programs/lost-${kind}/changes?after=${after}`, {
            headers: { Authorization: own.authorization },
          })
          return { status: response.status, body: (await response.json()) as never }
        },
        happen: n => {
          const application_id = ids[n]!
          const now = Date.now() * 1000
          if (kind === 'status')
            return annotate(sql, { ...noted, application_id, status: n % 2 ? 'Approved' : 'Received', now })
          if (kind === 'note') return annotate(sql, { ...noted, application_id, note: `note ${n}`, now })
          if (kind === 'erased') return eraseApplication(sql, { program_id, application_id }, by)
          return insertRawApplications(sql, program, 1, undefined, () => now)
        },
      }
    }
    const followed = new Map<string, Followed>()
    for (const kind of kinds) followed.set(kind, await follow(kind))
    await sql`update program set statuses = '{Approved,Received}' where slug like 'lost-%'`
    /** Where one stands in the changes of a program, and in a walk that has just begun. */
    interface Standing {
      cursor: string
      nextPageToken: string
    }
    const standIn = async (kind: string, followed: Followed): Promise<Standing> => {
      const { page } = await new ExportClient(service, followed.key, `lost-${kind}`).page({ pageSize: '5' })
      return { cursor: (await followed.read('latest')).body.nextCursor, nextPageToken: page.nextPageToken! }
    }
    const before = new Map<string, Standing>()
    for (const [kind, item] of followed) before.set(kind, await standIn(kind, item))
    // What a standby lacks proves nothing: it may lag.
    const lacking = { programId: 1, change: 1_000_000, mark: undefined, sealedAt: (Date.now() + 86_400_000) * 1000 }
    expect(await noteLostChange(heir.sql, lacking)).toBe(false)
    const at = await written(primary)
    await until('the heir to have it all', async () => (await replayed(heir)) >= at)

    // From here on only the other standby gets what happens.
    await heir.kill()
    const lost = new Map<string, Standing>()
    for (const [kind, item] of followed) {
      for (let n = 0; n < 3; n++) await item.happen(n)
      lost.set(kind, await standIn(kind, item))
    }
    const given = []
    for (let n = 0; n < 45; n++) given.push(await submit(n))
    const idsBefore = await sql<{ annotations: number; events: number }[]>`
      select (select max(annotation_id) from application_annotation) as annotations,
        (select max(audit_event_id) from audit_event) as events`
    const end = await written(primary)
    await until('the other to have it all', async () => (await replayed(abandoned)) >= end)
    const { ids, key: reader } = followed.get('erased')!
    const client = new ExportClient(service, reader, 'lost-erased')
    await until('the standby to be read', async () => {
      await client.page({ pageSize: '5' })
      return (await readsOf(service)).read > 0
    })
    const { read } = await readsOf(service)
    cluster.cutReplication()
    await primary.kill()
    await heir.startAgain()
    await heir.promote()
    cluster.pointTo(heir)

    // Before anyone has noticed, too, the standby of the old primary is not read: it lacks nothing of this walk, and has more.
    const resumed = await until('the new primary to be read', async () => {
      const response = await client.request({ nextPageToken: before.get('erased')!.nextPageToken })
      return response.status === 200 && ((await response.json()) as ExportPage)
    })
    expect(resumed.payload.map(application => application.application_id)).toEqual(ids.slice(5, 10))
    expect(await readsOf(service)).toMatchObject({ read, other_history: 1 })
    expect(await sql`select from database_history`).toHaveLength(1)

    // No id of an application or applicant that was ever acknowledged is given again, and the ids are moved once.
    const first = await until('the new primary to take a submission', () => submit(100).catch(() => undefined))
    const next = await submit(101)
    expect(first.application_id).toBeGreaterThan(Math.max(...given.map(item => item.application_id)) + 1_000_000)
    expect(first.applicant).toBeGreaterThan(Math.max(...given.map(item => item.applicant)) + 1_000_000)
    expect(next.application_id - first.application_id).toBeLessThan(100)
    expect(await sql`select from database_history`).toHaveLength(2)

    // As many other changes as were lost, and one more: another erasure of what the abandoned standby still has among them.
    for (const item of followed.values()) for (let n = 4; n < 8; n++) await item.happen(n)
    for (const [kind, item] of followed) {
      const refused = await item.read(lost.get(kind)!.cursor)
      expect([kind, refused.status]).toEqual([kind, 400])
      expect(refused.body).toMatchObject({ errors: [{ parameter: 'after', code: 'cursor_of_another_history' }] })
      const client = new ExportClient(service, item.key, `lost-${kind}`)
      const ended = await client.request({ nextPageToken: lost.get(kind)!.nextPageToken })
      expect([kind, ended.status]).toEqual([kind, 400])
      expect(await ended.json()).toMatchObject({
        errors: [{ parameter: 'nextPageToken', code: 'walk_of_another_history' }],
      })
      const goingOn = await client.page({ nextPageToken: before.get(kind)!.nextPageToken })
      // But for what was erased of it since.
      expect([kind, goingOn.page.payload.length]).toEqual([kind, kind === 'erased' ? 4 : 5])
      const reported = await item.read(before.get(kind)!.cursor)
      expect(reported.body.payload.map(change => change.kind)).toEqual([kind, kind, kind, kind])
    }
    const [idsAfter] = await sql<{ annotation: number; event: number }[]>`
      select (select min(annotation_id) from application_annotation where annotation_id > ${idsBefore[0]!.annotations}) as annotation,
        (select max(audit_event_id) from audit_event) as event`
    expect(idsAfter!.annotation).toBeGreaterThan(idsBefore[0]!.annotations + 1_000_000)
    expect(idsAfter!.event).toBeGreaterThan(idsBefore[0]!.events + 1_000_000)

    // The abandoned standby has an application that is erased here.
    const left = [...ids.slice(0, 4), ...ids.slice(8)]
    const walked = async (by: ExportClient) =>
      (await by.walkAll({ pageSize: '2' })).map(application => application.application_id)
    expect(await walked(client)).toEqual(left)
    // The new primary may be what DATABASE_READ_URL leads to.
    const readDb = readPoolOf(heir.url)
    const other = await useService(database, { databaseUrl: cluster.url }, { readDb }, endWithTest)
    expect(await walked(new ExportClient(other, reader, 'lost-erased'))).toEqual(left)
    expect(await readsOf(other)).toMatchObject({ read: 4, other_history: 0 })
    await abandoned.promote()
    expect(await walked(client)).toEqual(left)
    const { unreachable, other_history, ...others } = await readsOf(service)
    expect(others).toMatchObject({ read })
    expect(other_history).toBeGreaterThan(4)
  }, 180_000)
})
