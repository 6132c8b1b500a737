// Which clients were ever sent an application: what the audit log says against what the clients got (contract, section 3: "per export:
// which key, which walk, filters, how many applications, up to which sequence, from which address").

import { beforeAll, describe, expect, test } from 'bun:test'
import { eraseApplication } from '../../../../src/core/applications/erase.ts'
import { findApplicationPlaces, readClientsSent, readPagesWith } from '../../../../src/db/audit/disclosures.ts'
import { formatMicros, type Micros } from '../../../../src/domain/values/offset-time.ts'
import { everyChoice } from '../../../support/any-filters.ts'
import { unlimited } from '../../../support/config.ts'
import { aPerson, ConsoleVisitor, isEmptyList, noticesOf, rowsOf } from '../../../support/console.ts'
import { ExportClient, type Fetched } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { lines as inputLines, load } from '../../../support/load-input.ts'
import type { FeedPage } from '../../../support/odata-feed.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const slug = 'food'
const database = await useDatabase()
const { sql } = database
const service = await useService(database, unlimited)
const ada = await aPerson(sql, { role: 'AUDITOR' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const newest = { beforeId: undefined, rowsMax: 1000 }

/** By the id of each request that was answered with a page: which applications it had. */
const got = new Map<string, number[]>()
const lines = async (): Promise<number> => {
  const rows = await sql`select from audit_event where action = 'applications_exported'`
  return rows.length
}

async function keep(pages: AsyncIterable<Fetched> | Fetched[]): Promise<void> {
  for await (const { response, page } of pages)
    got.set(
      response.headers.get('X-Request-Id')!,
      page.payload.map(({ application_id }) => application_id),
    )
}

/** The pages of an OData feed whose ids meet a filter. */
async function keepFeed({ authorization }: TestKey, filter: string): Promise<void> {
  let path: string | undefined = `/odata/v1/${slug}/Applications?$filter=${encodeURIComponent(filter)}`
  while (path !== undefined) {
    const headers = { Authorization: authorization, Prefer: 'odata.maxpagesize=3' }
    const response = await service.get(path, { headers })
    const { value, '@odata.nextLink': link } = (await response.json()) as FeedPage
    got.set(
      response.headers.get('X-Request-Id')!,
      value.map(row => Number(row.application_id)),
    )
    path = link?.slice(service.baseUrl.length)
  }
}

/** The requests whose pages the audit log says had the application, for certain and possibly. */
async function sentTo(applicationId: number): Promise<{ certain: string[]; possible: string[] }> {
  const [place] = await findApplicationPlaces(sql, applicationId)
  const sentTo = { certain: [] as string[], possible: [] as string[] }
  for (const { detail, was_there, meets_filters } of await readPagesWith(sql, place!, newest)) {
    const certain = was_there && meets_filters === true && detail.outcome === 'complete'
    sentTo[certain ? 'certain' : 'possible'].push(detail.request_id as string)
  }
  return { certain: sentTo.certain.sort(), possible: sentTo.possible.sort() }
}

/** What the pages of the report on an application have, from the first to the last. */
async function report(applicationId: number) {
  const found = { rows: [] as Record<string, string>[], events: [] as number[] }
  let next: string | undefined = `/admin/audit/sent?application=${applicationId}`
  while (next !== undefined) {
    const page: string = await browser.page(next)
    found.rows.push(...rowsOf(page, `Export pages with application ${applicationId} of Program food`))
    found.events.push(...[...page.matchAll(/audit\/events\/(\d+)"/g)].map(([, id]) => Number(id)))
    next = /rel="next" href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  }
  return found
}

const truth = (applicationId: number): string[] =>
  [...got].flatMap(([request, ids]) => (ids.includes(applicationId) ? [request] : [])).sort()

let programId: number
let county: ExportClient
let warehouse: ExportClient
const applicants: number[] = []
let ids: number[] = []

beforeAll(async () => {
  const program = await aProgram(sql, { slug, questions: [q.text('plain', { optional: true })] })
  programId = program.program_id
  // The ids of what was loaded are in another order than its times.
  const more = { application: { plain: { question_type: 'TEXT', text: 'loaded' } } }
  await load(sql, inputLines(program, { id: 900, at: 1, more }, { id: 800, at: 2, more }))
  await aProgram(sql, { slug: 'other', questions: [q.text('another', { optional: true })] })
  const key = await createTestKey(sql, { programs: [slug, 'other'], maySubmit: true, name: 'County sync' })
  const second = await createTestKey(sql, { programs: [slug], name: 'Warehouse' })
  county = new ExportClient(service, key, slug)
  warehouse = new ExportClient(service, second, slug)
  const frontEnd = new FrontEnd(service, key, slug)
  const intermediary = { type: 'TRUSTED_INTERMEDIARY', email: 'desk@example.gov', organization: 'Help desk' }
  const other = new FrontEnd(service, key, 'other')
  for (let i = 0; i < 12; i++) {
    applicants.push(await frontEnd.register())
    await frontEnd.apply(applicants[i]!, { plain: { text: `answer ${i}` } }, i % 3 === 0 ? intermediary : undefined)
    await other.apply(applicants[i]!, { another: { text: `answer ${i}` } })
  }
  let again = 0
  const resubmit = () =>
    frontEnd.apply(
      applicants[again++ % 12]!,
      { plain: { text: `again ${again}` } },
      again % 2 ? intermediary : undefined,
    )
  await resubmit()
  // Pages of every size, with every filter, of windows, with submissions in between that supersede.
  for (const choice of everyChoice)
    for (const pageSize of Object.keys(choice).length < 2 ? ['1', '3', '5', '1000'] : ['7'])
      await keep(county.walk({ pageSize, ...choice }, resubmit))
  const times = await sql<{ submit_time: Micros }[]>`
    select submit_time from application where program_id = ${programId} order by submit_seq`
  for (const [from, to] of [
    [2, 9],
    [0, 5],
    [5, 30],
  ]) {
    const window = { fromDate: formatMicros(times[from!]!.submit_time), toDate: formatMicros(times[to!]!.submit_time) }
    await keep(warehouse.walk({ pageSize: '2', ...window }, resubmit))
  }
  const [middle] = await sql<{ id: number }[]>`
    select percentile_disc(0.5) within group (order by application_id) as id from application where program_id = ${programId}`
  for (const filter of [
    'application_id le 800',
    `application_id le ${middle!.id}`,
    `application_id gt ${middle!.id}`,
    `application_id eq ${middle!.id}`,
  ])
    await keepFeed(second, filter)
  await keep(new ExportClient(service, key, 'other').walk({ pageSize: '5' }))
  await until('a line for every page', async () => (await lines()) === got.size)
  const rows = await sql<{ application_id: number }[]>`select application_id from application order by application_id`
  ids = rows.map(({ application_id }) => application_id)
})

/** Other tests add entries of pages that no client fetched. */
const fetched = (requests: string[]): string[] => requests.filter(request => got.has(request))

describe('which clients were ever sent an application', () => {
  test('is certain for every application: exactly the pages that had it', async () => {
    expect(ids.length).toBeGreaterThan(50)
    const there = await sql<
      { application_id: number }[]
    >`select application_id from application order by application_id`
    expect(there.length).toBeGreaterThan(50)
    for (const { application_id: id } of there) {
      const { certain, possible } = await sentTo(id)
      expect([id, fetched(certain), fetched(possible)]).toEqual([id, truth(id), []])
    }
  })

  test('is also in the list of applications: each client as certain, or otherwise as possible', async () => {
    // A line that says nothing of filters had none.
    await sql`
      insert into audit_event (actor, action, subject, detail)
      select 'key:z', action, subject, detail - 'filters' || '{"request_id": "no filters"}' from audit_event
      where action = 'applications_exported' and subject = ${slug}
      order by audit_event_id limit 1`
    const there = await sql<{ application_id: number }[]>`
      select application_id from application where program_id = ${programId}`
    const thoseThere = there.map(item => item.application_id)
    const sent = await readClientsSent(sql, { program_id: programId, slug }, thoseThere, 1000)
    for (const { application_id } of there) {
      const [place] = await findApplicationPlaces(sql, application_id)
      const pages = await readPagesWith(sql, place!, newest)
      const clients = [...Map.groupBy(pages, ({ actor }) => actor)].map(([actor, own]) => {
        const whole = own.filter(({ detail }) => detail.outcome === 'complete')
        const last = whole[0] ?? own[0]!
        return { application_id, actor, is_certain: whole.length > 0, sent_at: last.happened_at, is_bounded: false }
      })
      const listed = sent.filter(clientSent => clientSent.application_id === application_id)
      expect(listed).toEqual(clients.sort((a, b) => b.sent_at - a.sent_at))
    }
    expect(sent.some(({ actor, is_certain }) => actor === 'key:z' && is_certain)).toBe(true)
    const list = `/admin/programs/${slug}/applications`
    const rows = rowsOf(await browser.page(list), 'Applications')
    expect(rows.length).toBe(50)
    for (const { Number: id, 'Exported by': clients } of rows)
      expect([id, clients === 'not yet']).toEqual([
        id,
        !sent.some(clientSent => String(clientSent.application_id) === id),
      ])
    const some = await readClientsSent(sql, { program_id: programId, slug }, thoseThere, 2)
    for (const { application_id, is_bounded } of some)
      expect([application_id, is_bounded]).toEqual([application_id, truth(application_id).length > 1])
    // Other tests add clients that are no keys.
    const names = new Map(
      (await sql<{ id: string; name: string }[]>`select api_key_id as id, name from api_key`).map(key => [
        `key:${key.id}`,
        key.name,
      ]),
    )
    const [id] = [...Map.groupBy(sent, clientSent => clientSent.application_id)].find(([, own]) => own.length > 1)!
    // The list looks at a hundred pages of each application at most.
    const clients = await readClientsSent(sql, { program_id: programId, slug }, [id], 100)
    const [first, second] = clients.map(
      client => `${names.get(client.actor) ?? client.actor}${client.is_certain ? '' : ' (possibly)'}`,
    )
    const [row] = rowsOf(await browser.page(`${list}?application=${id}`), 'Applications')
    const more = clients.length - 2
    const others = clients[0]!.is_bounded ? ' and possibly others' : ''
    const said = `${first}, ${second}${more > 0 ? ` and ${more} more` : ''}${others}`
    expect(row!['Exported by']!.replace(' ,', ',')).toBe(said)
  })

  test('is shown on a page with client, time, address, walk and page', async () => {
    const { rows } = await report(ids[0]!)
    const sent = {
      System: expect.stringMatching(/^(County sync|Warehouse) key:tribk_\w+$/),
      When: expect.stringMatching(/^\w+ \d+, \d+, \d\d:\d\d$/),
      Address: '127.0.0.1',
      Page: expect.stringMatching(/^rows \d+–\d+ of the export( walk [0-9a-f]{16})?$/),
      Questions: 'all',
      Delivery: 'delivered',
    }
    // Other tests add pages of keys that are none.
    expect(rows.filter(({ System }) => !/^[xyz] key$/.test(System!))).toEqual(truth(ids[0]!).map(() => sent))
    const last = ids.at(-1)!
    expect(isEmptyList(await browser.page(`/admin/audit/sent?application=${last}`))).toBe(truth(last).length === 0)
  })

  test('explains what to enter instead of an invalid ID, and that an unknown application was sent to no client', async () => {
    const refused = await browser.get('/admin/audit/sent?application=4711x')
    const text = await refused.text()
    expect([refused.status, text.includes('id="application-error"'), text.includes('value="4711x"')]).toEqual([
      400,
      true,
      true,
    ])
    expect(noticesOf(await browser.page('/admin/audit/sent?application=999999999'))).toEqual(['never-there'])
  })

  const positionOf = async (id: number): Promise<{ submit_seq: number; submit_time: Micros }> => {
    const rows = await sql<{ submit_seq: number; submit_time: Micros }[]>`
      select submit_seq, submit_time from application where application_id = ${id}`
    return rows[0]!
  }

  test('is only possible for an interrupted page, up to where the client may have read', async () => {
    const id = ids[4]!
    const { submit_seq, submit_time } = await positionOf(id)
    const before = await sentTo(id)
    const line = (after_seq: number, last_seq: number, outcome: string) => sql`
      insert into audit_event (actor, action, subject, detail)
      values ('key:x', 'applications_exported', ${slug}, ${sql.json({
        request_id: `${outcome}-${after_seq}-${last_seq}`, walk: 'x', horizon: 1000, filters: { page_size: 5 }, applications: 5,
        applications_before: 0, after_micros: submit_time, after_seq, last_micros: submit_time, last_seq, outcome,
      })})` // biome-ignore format: one line of the audit log
    await line(submit_seq - 1, submit_seq, 'client_gone')
    await line(submit_seq, submit_seq + 5, 'client_gone')
    await line(0, submit_seq - 1, 'client_gone')
    expect(await sentTo(id)).toEqual({
      certain: before.certain,
      possible: [`client_gone-${submit_seq - 1}-${submit_seq}`],
    })
    expect(await browser.page(`/admin/audit/sent?application=${id}`)).toContain('>possible<')
  })

  test('remains known after the application is erased, certain for exports that had ended, and never for later ones', async () => {
    const id = ids[2]!
    const had = truth(id)
    const { submit_seq, submit_time } = await positionOf(id)
    const withoutFilter = new Set(
      (
        await sql<{ request_id: string }[]>`
          select detail->>'request_id' as request_id from audit_event
          where action = 'applications_exported' and not detail->'filters' ?| ${['revision_state', 'submitter_type']}`
      ).map(({ request_id }) => request_id),
    )
    await eraseApplication(
      sql,
      { program_id: programId, application_id: id },
      { actor: 'operator:test', reason: undefined },
    )
    const after = await sentTo(id)
    expect(fetched(after.certain)).toEqual(had.filter(request => withoutFilter.has(request)))
    // What revision state it had is not known any more: so nothing that is possible is left out.
    expect([...after.certain, ...after.possible].sort()).toEqual(expect.arrayContaining(had))
    const page = await browser.page(`/admin/audit/sent?application=${id}`)
    expect(page).toContain('Erased')

    // A page that begins long after has it no more.
    const late = Date.now() * 1000 + 3_600_000_000
    const line = (began_at: Micros) => sql`
      insert into audit_event (actor, action, subject, detail)
      values ('key:x', 'applications_exported', ${slug}, ${sql.json({
        request_id: String(began_at), horizon: 1000, filters: {}, after_micros: submit_time, after_seq: submit_seq - 1, last_micros: submit_time, last_seq: submit_seq, outcome: 'complete', began_at: formatMicros(began_at),
      })})` // biome-ignore format: one line of the audit log
    await line(late)
    await line(late - 3_600_000_000)
    expect((await sentTo(id)).possible).toContain(String(late - 3_600_000_000))
    expect((await sentTo(id)).possible).not.toContain(String(late))
  })

  test('is shown page by page', async () => {
    const id = ids[0]!
    const [place] = await findApplicationPlaces(sql, id)
    const all = async () => (await readPagesWith(sql, place!, newest)).map(({ audit_event_id }) => audit_event_id)
    await sql`
      insert into audit_event (actor, action, subject, detail)
      select 'key:y', action, subject, detail || jsonb_build_object('request_id', 'copy ' || n)
      from audit_event, generate_series(1, 10) n
      where audit_event_id = any(${await all()})`
    expect((await report(id)).events).toEqual(await all())
    expect((await all()).length).toBeGreaterThan(100)
  })
})
