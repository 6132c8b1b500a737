// A database that was set back on the same server, as by restoring a snapshot of its disk. Nothing about the server tells; what clients hold does.

import { beforeEach, expect, test } from 'bun:test'
import { readMaintenanceState } from '../../../src/db/derived/maintenance-state.ts'
import { noteLostChange } from '../../../src/db/walks/lost-change.ts'
import { tamper } from '../../support/audit-log.ts'
import type { TestDatabase } from '../../support/database.ts'
import { ExportClient } from '../../support/export-client.ts'
import { endWithTest, useDatabase, usePool, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { useLogin } from '../../support/logins.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../support/raw-applications.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

let sql: TestDatabase['sql']
/** As it is installed: the login may draw ids, and not move a sequence. */
let own: TestDatabase['sql']
let service: TestService
let program: RawProgram
let client: ExportClient
let authorization: string
let known: number
let ids: number

const histories = async (): Promise<number> => (await sql`select from database_history`).length
const lastId = async (): Promise<number> =>
  Number((await sql`select last_value as id from application_application_id_seq`)[0]!.id)
const changes = (after: string) =>
  service.get(`/api/v1/admin/programs/${program.slug}/changes?after=${after}`, {
    headers: { Authorization: authorization },
  })

const settled = () =>
  until('tokens to have been looked at', async () => {
    const [row] = await sql`
      select count(*) as looking from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid() and query ~ 'note_lost_change'`
    return Number(row!.looking) === 0
  })

beforeEach(async () => {
  // Of its own for each test: a refusal does not wait until its token has been looked at.
  const database = await useDatabase({}, endWithTest)
  sql = database.sql
  const url = await useLogin(database, 'tributary_service', endWithTest)
  own = usePool({ url, connectionsMax: 5, applicationName: 'test' }, endWithTest)
  service = await useService({ ...database, url, sql: own }, {}, {}, endWithTest)
  // A while ago, as in an installation.
  await sql`update database_history set noticed_at = noticed_at - interval '1 hour'`
  program = await insertRawProgram(sql, 'set-back')
  await insertRawApplications(sql, program, 20)
  const key = await createTestKey(sql, { programs: [program.slug] })
  authorization = key.authorization
  client = new ExportClient(service, key, program.slug)
  known = await histories()
  ids = await lastId()
})

async function loseAllAfter(kept: number, more: number): Promise<void> {
  await tamper(
    sql,
    `delete from application where program_id = ${program.program_id} and submit_seq > ${kept};
     update submission_counter set submit_seq = ${kept} where program_id = ${program.program_id}`,
  )
  if (more > 0) {
    await insertRawApplications(
      sql,
      program,
      more,
      i => `after ${i}`,
      i => 1_800_000_000_000_000 + i,
    )
    ids = await lastId()
  }
}

const noticed = () => until('it to be noticed', async () => (await histories()) > known)

/** What a client holds of a walk, by what it presents. */
const presented = {
  'a page token': async () => {
    const { page } = await client.page({ pageSize: '5' })
    return () => client.request({ nextPageToken: page.nextPageToken! })
  },
  'a link of the OData feed': async () => {
    const headers = { Authorization: authorization, Prefer: 'odata.maxpagesize=5' }
    const page = (await (await service.get(`/odata/v1/${program.slug}/Applications`, { headers })).json()) as Record<
      string,
      string
    >
    const link = new URL(page['@odata.nextLink']!)
    return () => service.get(link.pathname + link.search, { headers })
  },
  'the token of a receipt': async () => {
    const { response } = await client.page({ pageSize: '5' })
    const token = response.headers.get('Walk-Token')!
    return () =>
      service.get(`/api/v1/admin/programs/${program.slug}/receipt?walk=${token}`, {
        headers: { Authorization: authorization },
      })
  },
}

/** With fewer changes than were lost, as many, and more. */
const cases = Object.keys(presented).flatMap(what => [0, 5, 9].map(more => [what, more] as const))

test.each(cases)('D50: %s past a lost change moves the IDs once (%d others came since)', async (what, more) => {
  const present = await presented[what as keyof typeof presented]()
  await loseAllAfter(15, more)
  const refused = await Promise.all([present(), present(), present(), present()])
  expect([...new Set(refused.map(({ status }) => status))]).toEqual([more < 5 ? 503 : 400])
  await noticed()
  expect(await lastId()).toBeGreaterThanOrEqual(ids + 10_000_000)
  expect((await readMaintenanceState(own)).setBackSeconds).toBeLessThan(60)
  await present()
  await settled()
  expect(await histories()).toBe(known + 1)
  expect(await lastId()).toBeLessThan(ids + 10_001_000)
})

test('D50: when many requests in several processes notice at once, one moves the IDs', async () => {
  await loseAllAfter(15, 0)
  const sealedAt = Date.now() * 1000
  const lost = { programId: program.program_id, change: 20, mark: { time: 1, application_id: 1 }, sealedAt }
  const news = await Promise.all(Array.from({ length: 12 }, () => noteLostChange(own, lost)))
  expect(news.filter(Boolean)).toHaveLength(1)
  expect(await histories()).toBe(known + 1)
})

test('no invalid cursor, earlier token or cursor with an existing change moves the IDs', async () => {
  const { page, response } = await client.page({ pageSize: '5' })
  expect((await changes('999.1700000000000000.5')).status).toBe(400)
  expect((await client.request({ nextPageToken: `${page.nextPageToken!.slice(0, -1)}0` })).status).toBe(400)
  const mine = response.headers.get('Change-Cursor')!.split('.').map(Number)
  const sealedAt = Date.now() * 1000
  const mark = { time: mine[1]!, application_id: mine[2]! }
  expect(await noteLostChange(own, { programId: program.program_id, change: mine[0]!, mark, sealedAt })).toBe(false)
  await loseAllAfter(15, 0)
  // As after a failover that was noticed since: it has been seen to.
  await sql`update database_history set noticed_at = clock_timestamp() where number = (select max(number) from database_history)`
  expect((await client.request({ nextPageToken: page.nextPageToken! })).status).toBe(503)
  expect((await changes(mine.join('.'))).status).toBe(400)
  await settled()
  expect([await histories(), await lastId()]).toEqual([known, ids])
})
