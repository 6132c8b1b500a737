// The order of a search: applicants whose own name has the words come first over the whole list, whatever is submitted while it is paged.

import { expect, test } from 'bun:test'
import { readFoundApplications } from '../../../src/db/applications/found-applications.ts'
import { findProgram } from '../../../src/db/programs/programs.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { multiplyApplications } from '../../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, {}, { consoleDb: await useConsoleRole(database) })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const key = await createTestKey(sql, { programs: ['ranked', 'upside-down'], maySubmit: true })
const optional = { optional: true }

await aProgram(sql, {
  slug: 'ranked',
  statuses: ['Approved'],
  questions: [q.name('applicant name'), q.enumerator('member', [q.name('member name', optional)], optional)],
})
const frontEnd = new FrontEnd(service, key, 'ranked')
const apply = async (first_name: string, member: string) =>
  (
    await frontEnd.apply(await frontEnd.register(), {
      applicant_name: { first_name, last_name: 'Okafor' },
      member: { entities: [{ entity_name: 'One', member_name: { first_name: member, last_name: 'Okafor' } }] },
    })
  ).application_id
const own = () => apply('Zuri', 'Chidi')
const elsewhere = () => apply('Chidi', 'Zuri')
const firstOwn = await own()
await elsewhere()
// Three pages: of own names, of both, of the others.
await multiplyApplications(sql, 74)
await sql`update submission_counter set submit_seq = submit_seq + 1`

const list = '/admin/programs/ranked/applications'
const idsIn = (html: string): number[] =>
  [...html.matchAll(/class="strong" dir="auto" href="[^"]*\/applications\/(\d+)/g)].map(([, id]) => Number(id))
const linkIn = (html: string, rel: 'next' | 'prev'): string | undefined =>
  new RegExp(`<a[^>]*rel="${rel}"[^>]*>`)
    .exec(html)?.[0]
    .match(/href="([^"]*)"/)?.[1]
    ?.replaceAll('&amp;', '&')

/** All that are there, in the order of the search. */
const ranked = async (): Promise<number[]> => {
  const rows = await sql<{ application_id: number }[]>`
    select application_id from application join program using (program_id)
    where slug = 'ranked'
    order by snapshot like '%"applicant_name":{"question_type":"NAME","first_name":"Zuri"%' desc, submit_time desc, submit_seq desc`
  return rows.map(row => row.application_id)
}

test('a page over the end of applicants’ own names has no more applications than requested', async () => {
  const { program_id } = (await findProgram(sql, 'ranked'))!
  const place = { direction: 'older', beyond: undefined } as const
  const all = await ranked()
  for (const rowsMax of [1, all.length / 2 + 20, all.length - 1]) {
    const rows = await readFoundApplications(sql, program_id, { words: 'zuri' }, place, rowsMax)
    expect(rows.map(row => row.application_id)).toEqual(all.slice(0, rowsMax))
  }
})

async function pages(first: string, rel: 'next' | 'prev', between: () => Promise<unknown> = async () => undefined) {
  const pages: number[][] = []
  let last = first
  for (let path: string | undefined = first; path !== undefined; ) {
    const page: string = await browser.page(path)
    pages.push(idsIn(page))
    last = path
    path = linkIn(page, rel)
    if (path !== undefined) await between()
  }
  return { pages, last }
}

test('own names come first over all pages, in both directions', async () => {
  const all = await ranked()
  expect(all.length).toBeGreaterThanOrEqual(150)
  const there = await pages(`${list}?q=zuri`, 'next')
  expect(there.pages.slice(0, -1).every(page => page.length === 50)).toBe(true)
  expect(there.pages.flat()).toEqual(all)
  const back = await pages(there.last, 'prev')
  expect(back.pages.toReversed().flat()).toEqual(all)
})

test('submissions during a search neither hide nor repeat applications on its pages', async () => {
  const before = await ranked()
  const more: number[] = []
  const submit = async () => more.push(await own(), await elsewhere())
  const there = (await pages(`${list}?q=zuri`, 'next', submit)).pages.flat()
  expect(new Set(there).size).toBe(there.length)
  expect(there.filter(id => before.includes(id))).toEqual(before)
  // Of those that are new, only others that were there when their list began.
  expect(there.filter(id => !before.includes(id))).toEqual([more[1]!])

  const all = await ranked()
  const last = `${list}?q=zuri&older=${await placeOf(all.at(-11)!)}`
  const [first = [], ...rest] = (await pages(last, 'prev', submit)).pages.toReversed()
  expect(new Set(rest.flat()).size).toBe(rest.flat().length)
  // The first page is filled up, with what the one after it has.
  const back = [...new Set([first, ...rest].flat())]
  expect(back).toEqual((await ranked()).filter(id => back.includes(id)))
  expect(all.slice(0, -11).filter(id => !back.includes(id))).toEqual([])
})

const placeOf = async (id: number): Promise<string> => {
  const [row] = await sql<{ submit_time: number; submit_seq: number }[]>`
    select submit_time, submit_seq from application where application_id = ${id}`
  return `${row!.submit_time}-${row!.submit_seq}`
}

test('a search has the same applications in its count, its file, its selection and the pages of the API', async () => {
  const all = (await ranked()).toSorted((a, b) => a - b)
  const page = await browser.page(`${list}?q=zuri`)
  expect(page).toContain(`href="${list}/spreadsheet?q=zuri"`)
  await (await browser.get(`${list}/download?q=zuri`)).text()
  const [event] = await sql<{ ids: number[] }[]>`
    select detail -> 'applications' as ids from audit_event where action = 'applications_downloaded'`
  // In the order of the list.
  expect(event!.ids).toEqual(await ranked())
  const choice = await browser.page(`${list}/status?set=is%3AApproved&all=yes&q=zuri`)
  const chosen = [...choice.matchAll(/name="seen" value="(\d+)-/g)].map(([, id]) => Number(id))
  expect(chosen.toSorted((a, b) => a - b)).toEqual(all)

  const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
  const listed: { application_id: number; is_own_name: boolean }[] = []
  for (let older: string | null = ''; older !== null; ) {
    const { body } = await api.ask('GET', `/programs/ranked/applications?q=zuri&older=${older}`)
    listed.push(...body.items)
    older = body.older
  }
  expect(listed.map(row => row.application_id)).toEqual(await ranked())
  expect(listed.findLast(row => row.is_own_name)!.application_id).toBe(firstOwn)
})

test('the neighbor of the last own name is the first of the others, and vice versa', async () => {
  const all = await ranked()
  const at = all.indexOf(firstOwn)
  const linked = async (i: number) => {
    const page = await browser.page(`${list}/${all[i]}?q=zuri`)
    return (['prev', 'next'] as const).map(rel => Number(/applications\/(\d+)/.exec(linkIn(page, rel) ?? '')?.[1]))
  }
  expect(await linked(at)).toEqual([all[at - 1]!, all[at + 1]!])
  expect(await linked(at + 1)).toEqual([all[at]!, all[at + 2]!])
})

test('the own name is the first name answered outside of any list, wherever it is asked', async () => {
  const home = q.enumerator(
    'home',
    [q.enumerator('job', [q.name('boss', optional)], optional), q.name('person', optional)],
    optional,
  )
  const names = [q.name('applicant name', optional), q.name('partner name', optional)]
  await aProgram(sql, { slug: 'upside-down', questions: [home, ...names] })
  const frontEnd = new FrontEnd(service, key, 'upside-down')
  const named = (first_name: string) => ({ first_name, last_name: '{"entity_name":' })
  const jobs = {
    entities: [
      { entity_name: 'A', boss: named('Bo') },
      { entity_name: 'B', boss: named('Bea') },
    ],
  }
  const household = {
    entities: [
      { entity_name: 'C', job: jobs, person: named('Pat') },
      { entity_name: 'D', person: named('Peg') },
    ],
  }
  const applyAs = async (answers: Record<string, unknown>) => frontEnd.apply(await frontEnd.register(), answers)
  await applyAs({ home: household, applicant_name: named('Ann'), partner_name: named('Paul') })
  await applyAs({ home: household, partner_name: named('Paul') })
  await applyAs({ home: household })
  const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
  const isOwn = async (sought: string) =>
    (await api.ask('GET', `/programs/upside-down/applications?q=${sought}`)).body.items.map(
      (row: { is_own_name: boolean }) => row.is_own_name,
    )
  expect(await isOwn('ann')).toEqual([true])
  expect(await isOwn('paul')).toEqual([true, false])
  expect(await isOwn('ann+paul')).toEqual([false])
  for (const inHome of ['bo', 'bea', 'pat', 'peg']) expect(await isOwn(inHome)).toEqual([false, false, false])
})
