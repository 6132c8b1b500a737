// A draft as an applicant meets it, screen by screen, without scripts.

import { describe, expect, test } from 'bun:test'
import { en } from '../../../src/web/questions/languages/en.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, ConsoleVisitor, fieldsOf, noticesOf, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aDraft, aProgram, everyKind, type ProgramSpec, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const ada = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)

const rents = { question: 'housing', field: 'selection', operator: 'equal' as const, value: 'rent' }
const adult = { question: 'own age', field: 'number', operator: 'greater_than' as const, value: 17 }
const program: ProgramSpec = {
  slug: 'previewed',
  screens: [
    { name: 'Home', questions: [q.radio('housing', ['rent', 'own']), q.currency('rent', { visible_when: rents })] },
    { name: 'Renters', visible_when: rents, questions: [q.text('landlord')] },
    {
      name: 'Household',
      questions: [q.enumerator('members', [q.number('own age'), q.text('own trade', { visible_when: adult })])],
    },
  ],
}
const draft = await aDraft(sql, program)
const path = '/admin/programs/previewed/draft/preview'
/** Whether nothing is left to ask, and nothing missing. */
const isEnd = (page: string): boolean => !page.includes('value="next"') && noticesOf(page).length === 0

/** What the page of the preview shows after this form was sent. */
async function send(page: string, typed: Record<string, string>): Promise<string> {
  const response = await ada.post(path, { ...fieldsOf(page, path), ...typed })
  expect(response.status).toBe(200)
  return response.text()
}
const headingOf = (page: string) => /<h2 dir="auto">([^<]*)/.exec(page)?.[1]

test('conditions apply across screens and within one, for each household member, and nothing is stored', async () => {
  expect(await ada.page('/admin/programs/previewed/questions')).toContain(`href="${path}"`)
  const first = await ada.page(path)
  expect([headingOf(first), first.includes('rent?')]).toEqual(['Home', false])
  const owner = await send(first, { '/housing/selection': 'own', go: 'next' })
  expect(headingOf(owner)).toBe('Household')

  const more = await send(first, { '/housing/selection': 'rent', go: 'next' })
  expect(headingOf(more)).toBe('Home')
  expect(noticesOf(more)).toEqual(['asks-more'])
  const wrong = await send(more, { '/housing/selection': 'rent', '/rent/currency_dollars': 'much', go: 'next' })
  expect(headingOf(wrong)).toBe('Home')
  expect(wrong).toContain('id="/rent/currency_dollars-error"')
  expect(wrong.match(/name="\/rent\/currency_dollars"/g)).toHaveLength(1)
  const renter = await send(wrong, { '/housing/selection': 'rent', '/rent/currency_dollars': '900', go: 'next' })
  expect(headingOf(renter)).toBe('Renters')
  const household = await send(renter, { '/landlord/text': 'Jo', go: 'next' })
  expect(headingOf(household)).toBe('Household')
  // The first is named, and a button asks for another.
  const ann = { '/members/entities/0/entity_name': 'Ann' }
  const both = { ...ann, '/members/entities/1/entity_name': 'Bo' }
  const second = await send(household, { ...ann, add: '/members/entities' })
  expect(second).toContain('name="/members/entities/1/entity_name"')
  const named = await send(second, { ...both, go: 'next' })
  for (const label of ['Ann: own age?', 'Bo: own age?']) expect(named).toContain(label)
  expect(named).not.toContain('trade?')
  const ages = { ...both, '/members/entities/0/own_age/number': '30' }
  const aged = await send(named, { ...ages, '/members/entities/1/own_age/number': '9', go: 'next' })
  expect([aged.includes('Ann: own trade?'), aged.includes('Bo: own trade?')]).toEqual([true, false])
  const without = await send(aged, { ...ages, remove: '/members/entities/0' })
  expect([without.includes('Ann'), without.includes('Bo: own age?')]).toEqual([false, true])
  const back = await send(aged, { ...ages, go: 'back' })
  expect([headingOf(back), back.includes('value="Jo"')]).toEqual(['Renters', true])
  const trade = { '/members/entities/0/own_trade/text': 'baker' }
  expect(isEnd(await send(aged, { ...ages, ...trade, go: 'next' }))).toBe(true)
  for (const table of ['applicant', 'application', 'application_in_progress'])
    expect(await sql`select from ${sql(table)}`).toHaveLength(0)
})

test('removing the second of eleven household members keeps the eleventh', async () => {
  const first = await ada.page(path)
  const owner = await send(first, { '/housing/selection': 'own', go: 'next' })
  const names = Array.from({ length: 11 }, (_, i) => [
    `/members/entities/${i}/entity_name`,
    `Person ${'abcdefghijk'[i]}`,
  ])
  const without = await send(owner, { ...Object.fromEntries(names), remove: '/members/entities/1' })
  const left = [...'abcdefghijk'].filter(letter => without.includes(`Person ${letter}"`)).join('')
  expect(left).toBe('acdefghijk')
})

test('the end lists what prevents submission, by screen, for each household member', async () => {
  const go = 'next'
  const renters = await send(await send(await ada.page(path), { '/housing/selection': 'rent', go }), { go })
  const household = await send(renters, { go })
  const named = { '/members/entities/0/entity_name': 'Ann', '/members/entities/1/entity_name': 'Bo' }
  const ages = { ...named, '/members/entities/1/own_age/number': '30' }
  const end = await send(await send(await send(household, { ...named, go }), { ...ages, go }), { ...ages, go })
  expect(noticesOf(end)).toEqual(['refused'])
  const listed = [...end.matchAll(/<span dir="auto">([^<]*)<\/span> Must be answered/g)].map(([, text]) => text)
  expect(listed).toEqual(['rent?', 'landlord?', 'Ann: own age?', 'Bo: own trade?'])
  const screens = [...end.matchAll(/value="(\d)"[^>]*>Go to (\w+)/g)].map(([, value, name]) => [value, name])
  expect(screens).toEqual([
    ['0', 'Home'],
    ['1', 'Renters'],
    ['2', 'Household'],
  ])

  const again = await send(end, { go: '2' })
  expect(headingOf(again)).toBe('Household')
  const wrong = [...again.matchAll(/id="([^"]*)-error"/g)].map(([, name]) => name)
  expect(wrong).toEqual(['/members/entities/0/own_age/number', '/members/entities/1/own_trade/text'])
  // From there on, a screen asks for what is missing on it.
  expect(headingOf(await send(again, { ...ages, go }))).toBe('Household')
  const all = { ...ages, '/members/entities/0/own_age/number': '3', '/members/entities/1/own_trade/text': 'tailor' }
  const left = await send(again, { ...all, go })
  expect([noticesOf(left), left.includes('Ann: own age?')]).toEqual([['refused'], false])
  const home = await send(left, { go: '0' })
  const paid = await send(home, { '/housing/selection': 'rent', '/rent/currency_dollars': '900', go })
  const let_ = await send(paid, { '/landlord/text': 'Jo', go })
  expect(isEnd(await send(let_, { ...all, go }))).toBe(true)
})

test('everything about one person of a list is asked together, as applicants are asked', async () => {
  const members = q.enumerator('members', [q.number('own age'), q.text('own trade', { optional: true })])
  await aDraft(sql, { slug: 'together', screens: [{ questions: [members, q.text('other')] }] })
  const at = '/admin/programs/together/draft/preview'
  const names = { '/members/entities/0/entity_name': 'Ann', '/members/entities/1/entity_name': 'Bo' }
  const response = await ada.post(at, { ...fieldsOf(await ada.page(at), at), ...names, go: 'next' })
  const ids = [...(await response.text()).matchAll(/data-place="([^"]*)"/g)].map(([, id]) => id)
  const asked = ['own_age', 'own_trade']
  const about = [0, 1].flatMap(i => asked.map(key => `/members/entities/${i}/${key}`))
  expect(ids).toEqual(['/members', ...about, '/other'])
})

test('every kind of question is shown with the applicant’s text', async () => {
  await aDraft(sql, { slug: 'every-preview', questions: everyKind })
  const page = await ada.page('/admin/programs/every-preview/draft/preview')
  for (const { question } of everyKind) expect(page).toContain(question.text)
  const labels = [...page.matchAll(/<label for="\/home_address[^>]*>([^<]*)/g)].map(([, label]) => label)
  expect(labels).toHaveLength(5)
  expect(page).not.toContain('value="back"')
})

test('the address of a draft’s preview stays the same when the draft is saved, and leads to the questions without a draft', async () => {
  const first = await ada.page(path)
  const saved = await aDraft(sql, { ...program, display_name: 'Saved again' })
  expect(saved.program_version_id).not.toBe(draft.program_version_id)
  expect((await ada.get(path.replace('draft', `versions/${draft.program_version_id}`))).status).toBe(404)
  expect(await ada.page(path)).toContain('<bdi>Saved again</bdi>')
  // What was filled in before is still there.
  expect(headingOf(await send(first, { '/housing/selection': 'own', go: 'next' }))).toBe('Household')
  await aProgram(sql, { slug: 'published', questions: [q.text('why')] })
  const gone = await ada.get('/admin/programs/published/draft/preview')
  expect([gone.status, gone.headers.get('location')]).toEqual([303, '/admin/programs/published/questions?done=nodraft'])
})

test('texts in another language than the page are marked with it, also among what is missing at the end', async () => {
  await aDraft(sql, { slug: 'spanish', details: { default_language: 'es' }, questions: [q.text('por qué')] })
  const at = '/admin/programs/spanish/draft/preview'
  const first = await ada.page(at)
  expect(first).toContain('<bdi lang="es">por qué?</bdi>')
  const end = await (await ada.post(at, { ...fieldsOf(first, at), go: 'next' })).text()
  expect(noticesOf(end)).toEqual(['refused'])
  expect(end).toMatch(/<h3 [^>]*lang="es"[^>]*>[\s\S]*<bdi lang="es">por qué\?<\/bdi>/)
})

const editLinks = (page: string) => [...page.matchAll(/class="edit-here" href="([^"]*)"/g)].map(([, href]) => href)

test('a screen shows its number, and links from it and from each question to the editor for people who may edit', async () => {
  const first = await ada.page(path)
  expect(first).toMatch(/1 of 3/)
  expect(editLinks(first)).toEqual(['screen-1', 'question-housing'].map(at => `/admin/programs/previewed/edit#${at}`))
  const household = await send(first, { '/housing/selection': 'own', go: 'next' })
  expect(household).toMatch(/3 of 3/)
  const auditor = await new ConsoleVisitor(service).signIn((await aPerson(sql, { role: 'AUDITOR' })).email)
  expect(editLinks(await auditor.page(path))).toEqual([])
  const active = await aProgram(sql, { slug: 'active', questions: [q.text('why so?')] })
  const activePath = `/admin/programs/active/versions/${active.program_version_id}/preview`
  expect(editLinks(await ada.page(activePath))).toEqual([
    '/admin/programs/active/edit#screen-1',
    '/admin/programs/active/edit#question-why%20so%3F',
  ])
  // With a draft, the editor opens the draft.
  await aDraft(sql, { slug: 'active', questions: [q.text('why so?'), q.text('what for')] })
  expect(editLinks(await ada.page(activePath))).toEqual([])
})

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const browser = await useBrowser()
  const bo = await aPerson(sql, { email: 'bo@example.gov' })

  test('questions appear and disappear immediately with the answers, and the focused field keeps its focus and text', async () => {
    const { page, complaints } = await openPage(browser, service.baseUrl, { email: bo.email, password: testPassword })
    await page.goto(path)
    let loads = 0
    page.on('load', () => loads++)
    const focused = () => page.evaluate('document.activeElement.name + " " + document.activeElement.value')
    await page.getByLabel('Option rent').check()
    await page.getByLabel('rent?').last().fill('900')
    await page.getByLabel('Option own').check()
    await page.locator('[id="/rent/currency_dollars"]').waitFor({ state: 'detached' })
    await page.getByLabel('Option own').press('ArrowUp')
    await page.locator('[id="/rent/currency_dollars"]').waitFor()
    expect(await page.locator('[id="/rent/currency_dollars"]').inputValue()).toBe('900')
    expect(await focused()).toBe('/housing/selection rent')
    expect(loads).toBe(0)
    // It was seen, so that the button leads on.
    await page.getByRole('button', { name: en.pages.next }).click()
    await page.getByLabel('landlord?').fill('Jo')
    await page.getByRole('button', { name: en.pages.next }).click()
    for (const [i, name] of ['Ann', 'Bo'].entries()) {
      if (i > 0) await page.locator('button[name=add]').click()
      await page.locator(`[id="/members/entities/${i}/entity_name"]`).fill(name)
      await page.keyboard.press('Tab')
    }
    // The question that Tab leads to arrives after the name that brings it.
    await page.getByLabel('Bo: own age?').waitFor()
    await page.getByLabel('Ann: own age?').fill('30')
    // While it is typed, the question that Ann's age brings arrives before it.
    await page.getByLabel('Bo: own age?').focus()
    await page.keyboard.type('1')
    await page.getByLabel('Ann: own trade?').waitFor()
    await page.keyboard.type('9')
    expect(await focused()).toBe('/members/entities/1/own_age/number 19')
    await page.keyboard.press('Tab')
    await page.getByLabel('Bo: own trade?').waitFor()
    expect(complaints).toEqual([])
  })

  test('a link to the editor opens the right element, on a wide screen and on a phone', async () => {
    const { page } = await openPage(browser, service.baseUrl, { email: bo.email, password: testPassword })
    const questions = Array.from({ length: 60 }, (_, i) => q.text(`number ${'x'.repeat(i + 1)}`, { optional: true }))
    await aDraft(sql, {
      slug: 'linked',
      screens: [
        { name: 'Many', questions },
        { name: 'Few', questions: [q.text('last of all', { optional: true })] },
      ],
    })
    await page.goto('/admin/programs/linked/draft/preview')
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport)
      await page.goto('/admin/programs/linked/draft/preview')
      await page.locator('.edit-here').last().click()
      const current = page.locator('.structure .entry[aria-current]')
      await current.filter({ hasText: questions.at(-1)!.question.text }).waitFor()
      const isShown = 'innerHeight > document.querySelector("#content").getBoundingClientRect().top'
      expect(await page.evaluate<boolean>(isShown)).toBe(true)
      if (viewport.width > 1000) {
        const { top } = await current.evaluate(element => element.getBoundingClientRect())
        expect(top).toBeLessThan(viewport.height)
      }
      await page.goto('/admin/programs/linked/edit#screen-2')
      await page.reload()
      await current.filter({ hasText: 'Few' }).waitFor()
    }
  })
})
