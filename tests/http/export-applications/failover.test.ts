// A failover that loses changes, on a real primary with two standbys: what was lost is reported, no id is reused, and no standby that
// still has what was lost is read (contract D36, D37, G13).

import { describe, expect, test } from 'bun:test'
import { noteLostChange } from '../../../src/db/walks/lost-change.ts'
import { Standbys } from '../../../src/export/servers/standbys.ts'
import { createLog } from '../../../src/log.ts'
import { annotate } from '../../../src/upkeep/annotate.ts'
import { eraseApplication } from '../../../src/upkeep/erase.ts'
import { ExportClient } from '../../support/export-client.ts'
import { endWithTest, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { type Node, useCluster } from '../../support/replication.ts'
import { databaseAt, poolsOf } from '../../support/standby-pools.ts'
import { until } from '../../support/until.ts'

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
  test('cursors and walks past any lost change are refused, ids continue after the lost ones, and a standby that has what was lost is not read', async () => {
    const cluster = await useCluster({}, endWithTest)
    const { primary } = cluster
    const [heir, abandoned] = cluster.standbys as [Node, Node]
    const database = databaseAt(cluster.url, endWithTest)
    const { sql } = database
    const service = await useService(
      database,
      { databaseUrl: cluster.url },
      { standbys: cluster.standbys.map(node => poolsOf(node.name, node.url)) },
      endWithTest,
    )
    const { standbys } = service.foundation
    const stateOf = (node: Node) => standbys.states().find(({ name }) => name === node.name)!

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
    const standIn = async (kind: string, one: Followed): Promise<Standing> => {
      const { page } = await new ExportClient(service, one.key, `lost-${kind}`).page({ pageSize: '5' })
      return { cursor: (await one.read('latest')).body.nextCursor, nextPageToken: page.nextPageToken! }
    }
    const before = new Map<string, Standing>()
    for (const [kind, one] of followed) before.set(kind, await standIn(kind, one))
    await until('the standbys to be read', () => standbys.usable().length === 2)
    // What a standby lacks proves nothing: it may lag.
    const lacking = { programId: 1, change: 1_000_000, mark: undefined, sealedAt: (Date.now() + 86_400_000) * 1000 }
    expect(await noteLostChange(heir.sql, lacking)).toBe(false)
    const at = await written(primary)
    await until('the heir to have it all', async () => (await replayed(heir)) >= at)

    // From here on only the other standby gets what happens.
    await heir.kill()
    const lost = new Map<string, Standing>()
    for (const [kind, one] of followed) {
      for (let n = 0; n < 3; n++) await one.happen(n)
      lost.set(kind, await standIn(kind, one))
    }
    const given = []
    for (let n = 0; n < 45; n++) given.push(await submit(n))
    const idsBefore = await sql<{ annotations: number; events: number }[]>`
      select (select max(annotation_id) from application_annotation) as annotations,
        (select max(audit_event_id) from audit_event) as events`
    const end = await written(primary)
    await until('the other to have it all', async () => (await replayed(abandoned)) >= end)
    cluster.cutReplication()
    await primary.kill()
    await until('no standby to be read while the primary is gone', () => standbys.usable().length === 0)
    await heir.startAgain()
    await heir.promote()
    cluster.pointTo(heir)

    // No id of an application or applicant that was ever acknowledged is given again, and the ids are moved once.
    const first = await until('the new primary to take a submission', () => submit(100).catch(() => undefined))
    const next = await submit(101)
    expect(first.application_id).toBeGreaterThan(Math.max(...given.map(one => one.application_id)) + 1_000_000)
    expect(first.applicant).toBeGreaterThan(Math.max(...given.map(one => one.applicant)) + 1_000_000)
    expect(next.application_id - first.application_id).toBeLessThan(100)
    expect(await sql`select from database_history`).toHaveLength(2)

    // As many other changes as were lost, and one more: another erasure of what the abandoned standby still has among them.
    for (const one of followed.values()) for (let n = 4; n < 8; n++) await one.happen(n)
    for (const [kind, one] of followed) {
      const refused = await one.read(lost.get(kind)!.cursor)
      expect([kind, refused.status]).toEqual([kind, 400])
      expect(refused.body).toMatchObject({ errors: [{ parameter: 'after', code: 'cursor_of_another_history' }] })
      const client = new ExportClient(service, one.key, `lost-${kind}`)
      const ended = await client.request({ nextPageToken: lost.get(kind)!.nextPageToken })
      expect([kind, ended.status]).toEqual([kind, 400])
      expect(await ended.json()).toMatchObject({
        errors: [{ parameter: 'nextPageToken', code: 'walk_of_another_history' }],
      })
      const goingOn = await client.page({ nextPageToken: before.get(kind)!.nextPageToken })
      // But for what was erased of it since.
      expect([kind, goingOn.page.payload.length]).toEqual([kind, kind === 'erased' ? 4 : 5])
      const reported = await one.read(before.get(kind)!.cursor)
      expect(reported.body.payload.map(change => change.kind)).toEqual([kind, kind, kind, kind])
    }
    const [idsAfter] = await sql<{ annotation: number; event: number }[]>`
      select (select min(annotation_id) from application_annotation where annotation_id > ${idsBefore[0]!.annotations}) as annotation,
        (select max(audit_event_id) from audit_event) as event`
    expect(idsAfter!.annotation).toBeGreaterThan(idsBefore[0]!.annotations + 1_000_000)
    expect(idsAfter!.event).toBeGreaterThan(idsBefore[0]!.events + 1_000_000)

    // The abandoned standby has an application that is erased here. It is left alone, also when the log here has passed its end.
    const { ids, key: reader } = followed.get('erased')!
    const left = [...ids.slice(0, 4), ...ids.slice(8)]
    const client = new ExportClient(service, reader, 'lost-erased')
    await until('the abandoned standby to be found', () => stateOf(abandoned).strangeness !== undefined)
    const { reads } = stateOf(abandoned)
    const walked = async () => (await client.walkAll({ pageSize: '2' })).map(one => one.application_id)
    expect(await walked()).toEqual(left)
    const large = await insertRawProgram(sql, 'large')
    await until('the new log to be longer', async () => {
      await insertRawApplications(sql, large, 50, () => 'x'.repeat(20_000))
      return (await written(heir)) > (await replayed(abandoned)) + 100_000
    })
    for (let n = 0; n < 3; n++) await standbys.look()
    expect(await walked()).toEqual(left)
    expect(stateOf(abandoned)).toMatchObject({
      isUsed: false,
      lagSeconds: undefined,
      reads,
      strangeness: expect.stringContaining('another timeline'),
    })
    expect(service.logText()).toContain('this server is on another timeline')
    // The new primary is one of EXPORT_DATABASE_URL too, and is read, once its connections of before have failed and are forgotten. One
    // that is promoted besides is not.
    await until('the new primary to be read', () => stateOf(heir).isUsed)
    expect(stateOf(heir)).toMatchObject({ isUsed: true, strangeness: undefined })
    await abandoned.promote()
    await until('it to be out of recovery', async () => {
      const [row] = await abandoned.sql`select pg_is_in_recovery() as is_standby`
      return !row!.is_standby
    })
    await standbys.look()
    expect(stateOf(abandoned)).toMatchObject({ isUsed: false, reads })
  }, 180_000)
})

describe.skipIf(!needs('postgresql15'))('a standby is left alone', () => {
  test('while the primary is gone: the server that comes back may lack what the standby has', async () => {
    const cluster = await useCluster({}, endWithTest)
    const { primary } = cluster
    const standbys = new Standbys(
      cluster.standbys.map(node => poolsOf(node.name, node.url)),
      {
        primary: databaseAt(cluster.url, endWithTest).sql,
        isDistributed: false,
        lagMaxMs: 60_000,
        log: createLog('silent'),
      },
    )
    await standbys.look()
    expect(standbys.usable()).toHaveLength(2)
    await primary.kill()
    await standbys.look()
    expect(standbys.usable()).toHaveLength(0)
    expect(standbys.states().map(({ strangeness }) => strangeness)).toEqual([undefined, undefined])
    await primary.startAgain()
    await until('both to be read again', async () => {
      await standbys.look()
      return standbys.usable().length === 2
    })
  }, 120_000)

  test('while it has replayed more than the primary has written, and once it is promoted alongside it', async () => {
    const cluster = await useCluster({}, endWithTest)
    const [a, b] = cluster.standbys as [Node, Node]
    const lines: string[] = []
    const log = createLog('info', { write: line => void lines.push(line) })
    const watching = (node: Node, of: Node) =>
      new Standbys([poolsOf(node.name, node.url)], { primary: of.sql, isDistributed: false, lagMaxMs: 60_000, log })
    // What stands for a primary here replays no further, while its standby does.
    const ahead = watching(b, a)
    await ahead.look()
    expect(ahead.usable()).toHaveLength(1)
    await a.pause()
    await cluster.primary.sql`insert into program (slug, display_name) values ('another', 'Another')`
    const at = await written(cluster.primary)
    await until('the other to have it', async () => (await replayed(b)) >= at)
    await ahead.look()
    expect(ahead.usable()).toHaveLength(0)
    expect(ahead.states()[0]!.strangeness).toContain('has replayed more')
    await a.resume()
    await until('both to be at one', async () => (await replayed(a)) >= (await replayed(b)))
    await ahead.look()
    expect(ahead.usable()).toHaveLength(1)

    const promoted = watching(a, cluster.primary)
    await promoted.look()
    expect(promoted.usable()).toHaveLength(1)
    await a.promote()
    await promoted.look()
    expect(promoted.usable()).toHaveLength(0)
    expect(promoted.states()[0]!.strangeness).toContain('another timeline')
    expect(lines.join('')).toContain('no pages are read from a standby')
    expect(await cluster.primary.sql`select from database_history`).toHaveLength(1)
  }, 120_000)
})
