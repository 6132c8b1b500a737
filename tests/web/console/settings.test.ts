// Settings in the console: what the instance is configured with, and how long programs keep their applications.

import { describe, expect, test } from 'bun:test'
import { settingGroups, settings } from '../../../src/config/all-settings.ts'
import { aPerson, ConsoleVisitor, fieldsOf, isEmptyList, noticesOf } from '../../support/console.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
const environment = {
  REQUESTS_PER_MINUTE: '1234',
  API_KEY_PEPPER: 'CANARY-3J9vXq2LmZ8wR5tYb7NcD4fGhP6s',
  PAGE_TOKEN_KEYS: 'CANARY',
}
const service = await useService(database, {}, { environment })
const ada = await aPerson(database.sql)
const auditor = await aPerson(database.sql, { role: 'AUDITOR' })
const admin = await new ConsoleVisitor(service).signIn(ada.email)

const dayMs = 86_400_000
/** A program with an application of each of these ages, in days. */
async function programWith(slug: string, ages: readonly number[]) {
  const raw = await insertRawProgram(database.sql, slug)
  const now = Date.now()
  await insertRawApplications(database.sql, raw, ages.length, undefined, i => (now - ages[i]! * dayMs) * 1000)
  return { path: `/admin/programs/${slug}/retention`, slug, programId: raw.program_id }
}
const keptOf = async (slug: string) =>
  (await database.sql<{ retention_days: number | null }[]>`select retention_days from program where slug = ${slug}`)[0]!
    .retention_days
const entriesOf = async (slug: string) => [
  ...(await database.sql`
    select actor, host(address) as address, detail from audit_event
    where action = 'program_retention_set' and subject = ${slug} order by audit_event_id`),
]

test('every setting is shown with its value and meaning, and no secret', async () => {
  const reader = await new ConsoleVisitor(service).signIn(auditor.email)
  const page = await reader.page('/admin/settings')
  for (const { name } of Object.values(settings)) expect(page).toContain(`>${name}</code>`)
  expect(page).toContain('1234')
  expect(page).not.toContain('CANARY')
  const namesOf = (found: string) => [...found.matchAll(/<code class="strong">([^<]*)/g)].map(([, name]) => name)
  expect(namesOf(await reader.page('/admin/settings?q=session_idle'))).toEqual(['SESSION_IDLE'])
  expect(namesOf(await reader.page('/admin/settings?show=set')).sort()).toEqual(Object.keys(environment).sort())
  const nothingSet = await new ConsoleVisitor(await useService(database, {}, {}, endWithTest)).signIn(auditor.email)
  expect(isEmptyList(await nothingSet.page('/admin/settings?show=set'))).toBe(true)
  const set = await reader.page('/admin/settings?show=set&q=nothing')
  expect(isEmptyList(set)).toBe(true)
  expect(fieldsOf(set, '/admin/settings')).toEqual({ q: 'nothing', show: 'set' })
})

test('groups are folded with the number of their settings, and open in a search', async () => {
  const reader = await new ConsoleVisitor(await useService(database, {}, {}, endWithTest)).signIn(auditor.email)
  const foldsOf = (page: string) =>
    [
      ...page.matchAll(/<details class="card settings"( open)?><summary><h2>([^<]*)<\/h2> <span class="soft">([^<]*)/g),
    ].map(([, open, name, count]) => ({ open: open !== undefined, name, count }))
  const folds = foldsOf(await reader.page('/admin/settings'))
  expect(folds.map(({ open, name, count }) => [open, name, count])).toEqual(
    Object.entries(settingGroups).map(([name, group]) => [false, name, `${Object.keys(group).length} settings`]),
  )
  expect(foldsOf(await reader.page('/admin/settings?q=session_idle'))).toEqual([
    { open: true, name: 'The console', count: '1 setting' },
  ])
})

describe('how long a program keeps its applications', () => {
  test('is set, shown and removed, with audit entries', async () => {
    const { path, slug } = await programWith('kept', [0.5, 2.5])
    expect((await admin.post(path, { keep: 'days', days: '30', seen: '' })).status).toBe(303)
    expect(await keptOf(slug)).toBe(30)
    const page = await admin.page(path)
    expect(page).toContain('30 days')
    expect(page).toContain('in 27 days')
    expect(await admin.page('/admin/settings/retention?q=kept')).toContain('30 days')
    expect((await admin.post(path, { keep: 'ever', days: '30', seen: '30' })).status).toBe(303)
    expect(await keptOf(slug)).toBeNull()
    expect(await admin.page(path)).toContain('kept permanently')
    const actor = `admin:${ada.email}`
    expect(await entriesOf(slug)).toEqual([
      { actor, address: '127.0.0.1', detail: { days: 30, before: null } },
      { actor, address: '127.0.0.1', detail: { days: null, before: 30 } },
    ])
  })

  test('shows what it would erase, and requires the slug', async () => {
    const { path, slug } = await programWith('shorter', [1, 40, 50])
    const text = await admin.refused(400, path, { keep: 'days', days: '35', seen: '' })
    expect(noticesOf(text)).toEqual(['erases'])
    expect(text).toContain(' 2 applications')
    const before = Date.parse(/submitted before <time dateTime="([^"]*)"/i.exec(text)![1]!)
    expect(Math.abs(Date.now() - 35 * dayMs - before)).toBeLessThan(dayMs / 2)
    expect(text).toMatch(/<label for="confirmation"[^>]*>[^<]*\bshorter\b/)
    expect(text).not.toContain('href="#confirmation"')
    expect(text).toContain('value="35"')
    expect(await keptOf(slug)).toBeNull()
    const wrong = await admin.post(path, { keep: 'days', days: '35', seen: '', confirmation: 'other' })
    expect([wrong.status, await keptOf(slug)]).toEqual([400, null])
    expect(await wrong.text()).toContain('href="#confirmation"')
    const confirmed = await admin.post(path, { keep: 'days', days: '35', seen: '', confirmation: 'shorter' })
    expect([confirmed.status, await keptOf(slug)]).toEqual([303, 35])
    // The worker erases, not the console.
    expect(
      await database.sql`select from application a join program using (program_id) where slug = ${slug}`,
    ).toHaveLength(3)
    expect(await admin.page(path)).toContain('2 applications past')
  })

  test('needs no confirmation for a longer time', async () => {
    const { path, slug } = await programWith('longer', [40])
    await admin.post(path, { keep: 'days', days: '10', seen: '', confirmation: slug })
    expect((await admin.post(path, { keep: 'days', days: '20', seen: '10' })).status).toBe(303)
  })

  test.each(['0', '36501', '-3', 'a year', '1.5', ''])('refuses %j days at the field, as entered', async days => {
    const { path, slug } = await programWith(`refused-${crypto.randomUUID()}`, [])
    const refused = await admin.post(path, { keep: 'days', days, seen: '' })
    const text = await refused.text()
    expect([refused.status, await keptOf(slug)]).toEqual([400, null])
    expect(text).toContain('id="days-error"')
    expect(text).toContain(days === '' ? 'value' : `value="${days}"`)
  })

  test('set by two people at once is shown to the second as the first set it', async () => {
    const { path, slug } = await programWith('contended', [])
    await admin.post(path, { keep: 'days', days: '90', seen: '' })
    const second = await admin.post(path, { keep: 'days', days: '60', seen: '' })
    expect([second.status, await keptOf(slug)]).toEqual([409, 90])
    const text = await second.text()
    for (const part of ['set this to 90 days', 'value="90"']) expect(text).toContain(part)
  })
})
