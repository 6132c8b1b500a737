// Applying in Chromium: by keyboard, with and without scripts, on the narrowest phone, in Spanish, without an error of accessibility.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { publishDefinition } from '../../../src/core/programs/publish.ts'
import { accessibilityErrors, openPage, pageWidth, useBrowser } from '../../support/browser.ts'
import { ExportClient } from '../../support/export-client.ts'
import { openedIf, useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aDefinition, aProgram, q } from '../../support/programs.ts'

const there = needs('chromium')
const database = await openedIf(there, () => useDatabase())
const service = await openedIf(there, () => useService(database, { apply: true, installationName: 'City of Arden' }))
const browser = await openedIf(there, useBrowser)

const rents = { question: 'housing', field: 'selection', operator: 'equal' as const, value: 'rent' }

async function openProgram(slug: string): Promise<ExportClient> {
  await aProgram(database.sql, {
    slug,
    screens: [
      { name: 'You', questions: [q.name('applicant name'), q.date('birthday')] },
      { name: 'Home', questions: [q.radio('housing', ['rent', 'own']), q.currency('rent', { visible_when: rents })] },
      { name: 'People', questions: [q.enumerator('people', [q.number('age')]), q.checkbox('needs', ['food', 'heat'])] },
    ],
  })
  return new ExportClient(service, await createTestKey(database.sql, { programs: [slug] }), slug)
}

/** Moves the focus with the Tab key to what this selector matches. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
  }
  throw new Error(`the Tab key does not lead to ${selector}`)
}

const field = (id: string): string => `[id="${id}"]`

/** Types into a control that the Tab key leads to. */
async function type(page: Page, id: string, text: string): Promise<void> {
  await tabTo(page, field(id))
  await page.keyboard.type(text)
}

async function pressEnter(page: Page): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
}

describe.skipIf(!there)('in a browser', () => {
  test.each([
    { javaScriptEnabled: true, colorScheme: 'light', language: 'en' },
    { javaScriptEnabled: false, colorScheme: 'dark', language: 'es' },
  ] as const)('an applicant at 320 px needs only the keyboard: %p', async ({ language, ...options }) => {
    const slug = `by-keyboard-${language}`
    const client = await openProgram(slug)
    const context = { ...options, viewport: { width: 320, height: 640 }, locale: language === 'es' ? 'es-US' : 'en-US' }
    const { page, complaints } = await openPage(browser, service.baseUrl, context)
    const look = async () => {
      expect(await pageWidth(page)).toBe(320)
      expect(await page.getAttribute('html', 'lang')).toBe(language)
      if (options.javaScriptEnabled) expect(await accessibilityErrors(page)).toEqual([])
    }
    /** Follows a link or presses a button, with the Enter key. */
    const go = async (selector: string) => {
      await tabTo(page, selector)
      await pressEnter(page)
      await look()
    }
    await page.goto('/apply')
    await look()
    await go(`a[href="/apply/${slug}"]`)
    await go('main a.button')
    expect(new URL(page.url()).pathname).toBe(`/apply/${slug}/screens/1`)
    await type(page, '/applicant_name/first_name', 'Ruth')
    await pressEnter(page)
    // The summary of errors is what is read first, and leads to the field.
    await page.waitForSelector('.problem:focus')
    await look()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Fernández')
    for (const [part, text] of [
      ['month', '1'],
      ['day', '22'],
      ['year', '2003'],
    ] as const)
      await type(page, `/birthday/date/${part}`, text)
    await pressEnter(page)
    await page.waitForSelector('#code')
    await look()
    const code = await page.textContent('#code')
    await go('main a.button')
    await tabTo(page, field('/housing/selection-0'))
    await page.keyboard.press('Space')
    if (options.javaScriptEnabled) {
      // Asked as soon as it is answered, with the focus where it was.
      await page.waitForSelector('[id="/rent/currency_dollars"]')
      expect(await page.evaluate('document.activeElement.id')).toBe('/housing/selection-0')
    } else await pressEnter(page)
    await type(page, '/rent/currency_dollars', '950')
    await pressEnter(page)
    await type(page, '/people/entities/0/entity_name', 'Ana')
    await tabTo(page, field('/needs/selections-1'))
    await page.keyboard.press('Space')
    await pressEnter(page)
    await type(page, '/people/entities/0/age/number', '7')
    await pressEnter(page)
    expect(new URL(page.url()).pathname).toBe(`/apply/${slug}/check`)
    await look()
    await go('main form button[type=submit]')
    await page.waitForSelector('[data-application]')
    expect(await page.textContent('#code')).toBe(code)
    const [made, ...more] = await client.walkAll()
    expect(more).toEqual([])
    expect(made).toMatchObject({
      language,
      submitter_type: 'APPLICANT',
      application: {
        applicant_name: { first_name: 'Ruth', last_name: 'Fernández' },
        birthday: { date: '2003-01-22' },
        rent: { currency_dollars: 950 },
        people: { entities: [{ entity_name: 'Ana', age: { number: 7 } }] },
        needs: { selections: ['heat'] },
      },
    })
    // The page of errors came with 400.
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
  })

  test('Back leads to a page with errors, or with another entry of a list, without sending its form again', async () => {
    await openProgram('back')
    const { page } = await openPage(browser, service.baseUrl)
    const [next, add] = ['main button[value=next]', 'button[name=add]']
    await page.goto('/apply/back/screens/1')
    await page.click(next)
    await page.waitForSelector('.problem')
    await page.fill(field('/applicant_name/first_name'), 'Ruth')
    await page.fill(field('/applicant_name/last_name'), 'Ito')
    for (const part of ['month', 'day', 'year'])
      await page.fill(field(`/birthday/date/${part}`), part === 'year' ? '1985' : '3')
    await page.click(next)
    await page.waitForSelector('#code')
    expect((await page.goBack())?.status()).toBe(200)
    expect(await page.inputValue(field('/applicant_name/first_name'))).toBe('Ruth')
    await page.goto('/apply/back/screens/3')
    await page.fill(field('/people/entities/0/entity_name'), 'Ana')
    await page.click(add)
    await page.waitForSelector(field('/people/entities/1/entity_name'))
    await page.click('footer a')
    await page.waitForSelector('#code')
    expect((await page.goBack())?.status()).toBe(200)
    expect(new URL(page.url()).pathname).toBe('/apply/back/screens/3')
  })

  test('questions about a person follow a corrected name, and errors stay until the form is sent', async () => {
    const people = q.enumerator('people', [q.number('age')])
    const housing = [q.radio('housing', ['rent', 'own']), q.currency('rent', { visible_when: rents })]
    await aProgram(database.sql, { slug: 'renamed', screens: [{ questions: [people, ...housing] }] })
    const { page } = await openPage(browser, service.baseUrl)
    const age = field('/people/entities/0/age/number')
    const name = async (text: string) => {
      await page.fill(field('/people/entities/0/entity_name'), text)
      await page.keyboard.press('Tab')
      await page.waitForSelector(`label:has-text("${text}")`)
    }
    await page.goto('/apply/renamed/screens/1')
    await name('Ana')
    await page.fill(age, '7')
    await name('Eva')
    expect(await page.inputValue(age)).toBe('7')
    await page.fill(age, '')
    await page.click('main button[value=next]')
    await page.waitForSelector('.problem')
    await page.check(field('/housing/selection-0'))
    await page.waitForSelector(field('/rent/currency_dollars'))
    expect(await page.getAttribute(age, 'aria-invalid')).toBe('true')
  })

  test('each question is on the page once, with what was typed and the focus, when an answer moves those about a person', async () => {
    const people = q.enumerator('people', [q.text('nickname', { visible_when: rents }), q.number('age')])
    const questions = [q.radio('housing', ['rent', 'own']), people, q.text('reason')]
    const { screens, ...definition } = aDefinition({ slug: 'moved', questions })
    const [housing, list, nickname, age, reason] = screens[0]!.questions
    const asked = [housing!, list!, nickname!, reason!, age!]
    await publishDefinition(
      database.sql,
      { ...definition, screens: [{ ...screens[0]!, questions: asked }] },
      'admin:test',
    )
    const { page } = await openPage(browser, service.baseUrl)
    const about = '/people/entities/0'
    const places = () =>
      page.evaluate<string[]>('[...document.querySelectorAll("[data-place]")].map(place => place.dataset.place)')
    /** Chooses an answer without moving the focus. */
    const choose = (option: number) => page.evaluate(`document.getElementById('/housing/selection-${option}').click()`)
    await page.goto('/apply/moved/screens/1')
    await page.fill(field(`${about}/entity_name`), 'Ana')
    await page.keyboard.press('Tab')
    await page.fill(field(`${about}/age/number`), '7')
    expect(await places()).toEqual(['/housing', '/people', '/reason', `${about}/age`])
    await choose(0)
    await page.waitForSelector(field(`${about}/nickname/text`))
    expect(await places()).toEqual(['/housing', '/people', `${about}/nickname`, `${about}/age`, '/reason'])
    expect(await page.evaluate('document.activeElement.id')).toBe(`${about}/age/number`)
    await choose(1)
    await page.waitForSelector(field(`${about}/nickname/text`), { state: 'detached' })
    expect(await places()).toEqual(['/housing', '/people', '/reason', `${about}/age`])
    expect(await page.inputValue(field(`${about}/age/number`))).toBe('7')
  })

  test('the second press of a double click sends nothing', async () => {
    await openProgram('pressed-twice')
    const { page } = await openPage(browser, service.baseUrl)
    await page.goto('/apply/pressed-twice/screens/1')
    const prevented = await page.evaluate(`
      const prevented = []
      addEventListener('submit', event => prevented.push(event.defaultPrevented))
      const button = document.querySelector('main button[value=next]')
      button.click()
      button.click()
      prevented`)
    expect(prevented).toEqual([false, true])
    await page.waitForSelector('.problem')
  })

  test('a link with a code fills it in and removes it from the address', async () => {
    const { page } = await openPage(browser, service.baseUrl)
    await page.goto('/apply/-/return#BCDF-2345-GHJK')
    expect(await page.inputValue('[name=code]')).toBe('BCDF-2345-GHJK')
    expect(new URL(page.url()).hash).toBe('')
    expect(await accessibilityErrors(page)).toEqual([])
  })
})
