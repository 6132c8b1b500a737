// The search over the console: what it finds, in which order, why, and that nobody finds what they could not open.

import { expect, test } from 'bun:test'
import type { Role } from '../../../src/core/people/roles.ts'
import { readPeople } from '../../../src/db/people/person-rows.ts'
import { furtherPages } from '../../../src/web/html/navigation.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, {}, { consoleDb: await useConsoleRole(database) })
const optional = { optional: true }
const key = await createTestKey(sql, { name: 'Harbor sync', programs: ['harbor', 'inland'], maySubmit: true })
const ids: Record<string, number[]> = {}
for (const slug of ['harbor', 'inland']) {
  const names = [
    q.name(`${slug} applicant name`),
    q.enumerator(`${slug} member`, [q.name(`${slug} member name`, optional)], optional),
  ]
  await aProgram(sql, { slug, questions: names })
  const frontEnd = new FrontEnd(service, key, slug)
  const apply = async (first_name: string, member: string) => {
    const entities = [{ entity_name: 'One', [`${slug}_member_name`]: { first_name: member, last_name: 'Vale' } }]
    const answers = { [`${slug}_applicant_name`]: { first_name, last_name: 'Vale' }, [`${slug}_member`]: { entities } }
    return (await frontEnd.apply(await frontEnd.register(), answers)).application_id
  }
  ids[slug] = [await apply('Zuri', 'Chidi'), await apply('Chidi', 'Zuri')]
}

const visitorOf = async (role: Role, programs: string[] = []) => {
  const { email } = await aPerson(sql, { role, programs, name: `Harbor ${role}` })
  return new ConsoleVisitor(service).signIn(email)
}
const visitors = {
  ADMINISTRATOR: await visitorOf('ADMINISTRATOR'),
  PROGRAM_ADMINISTRATOR: await visitorOf('PROGRAM_ADMINISTRATOR', ['inland']),
  AUDITOR: await visitorOf('AUDITOR'),
}
const foundBy = async (role: keyof typeof visitors, sought: string) => {
  const html = await visitors[role].page(`/admin/search?${new URLSearchParams({ q: sought })}`)
  return [...html.matchAll(/<li data-kind="(\w+)"><a class="strong" href="([^"]*)".*?<small>(.*?)<\/small>/gs)].map(
    ([, kind, path, reason]) => ({ kind: kind!, path: path!, reason: reason! }),
  )
}
const kindsOf = (found: { kind: string }[]) => [...new Set(found.map(({ kind }) => kind))].sort()
const pathOf = (slug: string, i: number) => `/admin/programs/${slug}/applications/${ids[slug]![i]}`
const listings = async (): Promise<number> => {
  const [row] = await sql`select count(*)::integer as events from audit_event where action = 'applications_listed'`
  return row!.events
}

test('each role finds exactly what it can open', async () => {
  const everything = ['key', 'person', 'program', 'question']
  expect(kindsOf(await foundBy('ADMINISTRATOR', 'harbor'))).toEqual(everything)
  expect(kindsOf(await foundBy('AUDITOR', 'harbor'))).toEqual(everything)
  expect(await foundBy('PROGRAM_ADMINISTRATOR', 'harbor')).toEqual([])
  expect(kindsOf(await foundBy('PROGRAM_ADMINISTRATOR', 'inland'))).toEqual(['program'])
  expect(kindsOf(await foundBy('PROGRAM_ADMINISTRATOR', 'audit'))).toEqual([])
  expect(kindsOf(await foundBy('AUDITOR', 'audit'))).toContain('page')
  expect((await foundBy('PROGRAM_ADMINISTRATOR', 'zone')).map(({ path }) => path)).toEqual(['/admin/account'])
  for (const { path, roles } of furtherPages)
    for (const role of roles) {
      const name = role as keyof typeof visitors
      expect((await visitors[name].get(path)).status).toBe(200)
    }
  for (const role of ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR'] as const)
    for (const sought of ['harbor', 'inland', 'zuri', 'key', String(ids.inland![0])])
      for (const { path } of await foundBy(role, sought)) expect((await visitors[role].get(path)).status).toBe(200)
})

test('people who may read answers find applicants in all their programs, own names first, others with the reason', async () => {
  const before = await listings()
  const found = await foundBy('ADMINISTRATOR', 'zuri')
  expect(new Set(found.slice(0, 2).map(({ path }) => path))).toEqual(
    new Set([pathOf('harbor', 0), pathOf('inland', 0)]),
  )
  expect(new Set(found.slice(2).map(({ path }) => path))).toEqual(new Set([pathOf('harbor', 1), pathOf('inland', 1)]))
  for (const { reason } of found.slice(2)) expect(reason).toContain('Zuri Vale')
  // An entry for each program in which somebody was found.
  expect(await listings()).toBe(before + 2)
  expect((await foundBy('PROGRAM_ADMINISTRATOR', 'zuri')).map(({ path }) => path)).toEqual([
    pathOf('inland', 0),
    pathOf('inland', 1),
  ])
  expect(await listings()).toBe(before + 3)
  expect(await foundBy('AUDITOR', 'zuri')).toEqual([])
  // Two letters are no name to look through all programs for.
  const short = await foundBy('ADMINISTRATOR', 'zu')
  expect(short.filter(({ kind }) => kind === 'applicant')).toEqual([])
  expect(await listings()).toBe(before + 3)
})

test('if a program has more matches than are shown, a result links to all of them', async () => {
  const slug = 'crowded'
  await aProgram(sql, { slug, questions: [q.name('crowded applicant name')] })
  const frontEnd = new FrontEnd(service, await createTestKey(sql, { programs: [slug], maySubmit: true }), slug)
  const apply = async () => {
    const answers = { crowded_applicant_name: { first_name: 'Wanjiru', last_name: 'Vale' } }
    await frontEnd.apply(await frontEnd.register(), answers)
  }
  const kindsFound = async () => (await foundBy('ADMINISTRATOR', 'wanjiru')).map(({ kind }) => kind)
  const five = Array.from({ length: 5 }, () => 'applicant')
  for (const _ of five) await apply()
  expect(await kindsFound()).toEqual(five)
  await apply()
  expect(await kindsFound()).toEqual([...five, 'list'])
  const all = await visitors.ADMINISTRATOR.page((await foundBy('ADMINISTRATOR', 'wanjiru')).at(-1)!.path)
  expect(all.split('name="ticked"')).toHaveLength(1 + 6)
})

test('a search while typing finds no applicants and records nothing', async () => {
  const before = await listings()
  const html = await visitors.ADMINISTRATOR.page('/admin/search?q=zuri&applicants=no')
  expect(html).not.toContain('data-kind="applicant"')
  expect(await visitors.ADMINISTRATOR.page('/admin/search?q=harbor&applicants=no')).toContain('data-kind="program"')
  expect(await listings()).toBe(before)
})

test('people who may see a program find its applications by number', async () => {
  const [number] = ids.harbor!
  for (const sought of [String(number), `#${number}`])
    for (const role of ['ADMINISTRATOR', 'AUDITOR'] as const)
      expect((await foundBy(role, sought)).map(({ path }) => path)).toContain(pathOf('harbor', 0))
  expect((await foundBy('PROGRAM_ADMINISTRATOR', String(number))).map(({ path }) => path)).not.toContain(
    pathOf('harbor', 0),
  )
})

test('exact matches come before beginnings, and beginnings before other parts', async () => {
  for (const name of ['The sync of all', 'Sync', 'Sync hourly'])
    await createTestKey(sql, { name, programs: ['harbor'] })
  const html = await visitors.ADMINISTRATOR.page('/admin/search?q=sync')
  const names = [...html.matchAll(/<li data-kind="key"><a[^>]*>([^<]*)/g)].map(([, name]) => name)
  expect(names.slice(0, 2)).toEqual(['Sync', 'Sync hourly'])
  expect(names.slice(2).toSorted()).toEqual(['Harbor sync', 'The sync of all'])
  const [ada] = await readPeople(sql)
  expect((await foundBy('ADMINISTRATOR', ada!.email))[0]).toMatchObject({ kind: 'person' })
})
