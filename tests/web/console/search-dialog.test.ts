// The search dialog in a real browser: opened and used from the keyboard, announced to screen readers, and recorded once per search.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityErrors, openPage, pageWidth, smallTargets, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const { sql } = database
  const service = await useService(database)
  const key = await createTestKey(sql, { name: 'Zurich sync', programs: ['harbor'], maySubmit: true })
  await aProgram(sql, { slug: 'harbor', questions: [q.name('applicant name')] })
  const frontEnd = new FrontEnd(service, key, 'harbor')
  const ids: number[] = []
  for (const first_name of ['Amal Zuri', 'Zuri']) {
    const answers = { applicant_name: { first_name, last_name: 'Vale' } }
    ids.push((await frontEnd.apply(await frontEnd.register(), answers)).application_id)
  }
  const browser = await useBrowser()
  const open = async (options: Parameters<typeof openPage>[2] = {}) => {
    const { email } = await aPerson(sql)
    return openPage(browser, service.baseUrl, { email, password: testPassword, ...options })
  }
  const field = (page: Page) => page.getByRole('combobox', { name: 'Search the console' })
  const announced = (page: Page) => page.locator('.finder [role=status]')
  /** The option that is chosen, as assistive technology sees it. */
  const chosen = async (page: Page) => {
    const id = await field(page).getAttribute('aria-activedescendant')
    return id === '' ? '' : page.locator(`#${id}[aria-selected="true"]`).getAttribute('href')
  }
  const listings = async (): Promise<number> => {
    const [row] = await sql`select count(*)::integer as events from audit_event where action = 'applications_listed'`
    return row!.events
  }

  test('opens with Ctrl K, searches while typing, works by keyboard, and records one search for applicants', async () => {
    const { page, complaints } = await open()
    const before = await listings()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zuri')
    await announced(page).getByText('3').waitFor()
    expect(await listings()).toBe(before + 1)
    expect(await field(page).getAttribute('aria-expanded')).toBe('true')
    const links = await page.getByRole('option').evaluateAll(all => all.map(option => option.getAttribute('href')))
    const pathOf = (id: number) => `/admin/programs/harbor/applications/${id}`
    expect(links).toEqual([`/admin/keys/${key.username}`, pathOf(ids[1]!), pathOf(ids[0]!)])
    for (const option of await page.getByRole('option').all())
      expect((await option.locator('small').textContent())!.length).toBeGreaterThan(0)
    expect(await chosen(page)).toBe('')
    for (const [pressed, i] of [
      ['ArrowDown', 0],
      ['ArrowDown', 1],
      ['ArrowUp', 0],
      ['ArrowUp', 2],
      ['ArrowDown', 0],
      ['ArrowDown', 1],
    ] as const) {
      await page.keyboard.press(pressed)
      expect([pressed, await chosen(page)]).toEqual([pressed, links[i]!])
    }
    expect(await field(page).and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname === pathOf(ids[1]!))
    expect(complaints).toEqual([])
  })

  test('Escape closes it, stops its search, and returns the focus', async () => {
    const { page } = await open()
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Programs' })
    await link.focus()
    const before = await listings()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zuri')
    await page.keyboard.press('Escape')
    expect(await field(page).isVisible()).toBe(false)
    expect(await link.and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Control+k')
    expect(await field(page).inputValue()).toBe('')
    await page.keyboard.type('nobody here')
    await announced(page).getByText('0').waitFor()
    expect(await field(page).getAttribute('aria-expanded')).toBe('false')
    expect(await listings()).toBe(before)
    await page.getByRole('dialog').getByRole('button').click()
    expect(await field(page).isVisible()).toBe(false)
  })

  test('the field in the sidebar opens it, and Enter without a choice leads to the page of results', async () => {
    const { page } = await open()
    await page.getByRole('searchbox').focus()
    expect(await field(page).isVisible()).toBe(false)
    await page.keyboard.type('harb')
    expect(await field(page).inputValue()).toBe('harb')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/admin\/search\?q=harb$/)
    await page.getByRole('searchbox').first().click()
    expect(await field(page).isVisible()).toBe(true)
  })

  test('a session that has ended leads to the sign-in, and from there to the results', async () => {
    const { page, context } = await open()
    await page.keyboard.press('Control+k')
    await context.clearCookies()
    await page.keyboard.type('harbor')
    await page.waitForURL(/\/admin\/sign-in\?next=.*search/)
  })

  test('without scripts, the field leads to the page of results', async () => {
    const { page } = await open({ javaScriptEnabled: false })
    await page.getByRole('searchbox').fill('harbor')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/admin\/search\?q=harbor$/)
    await page.locator('.results [href="/admin/programs/harbor"]').waitFor()
  })

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('is accessible and fits at %i px, %s', async (width, colorScheme) => {
    const { page } = await open({ viewport: { width, height: 900 }, colorScheme })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zuri')
    await announced(page).getByText('3').waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await accessibilityErrors(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    expect(await pageWidth(page)).toBe(width)
    const box = (await page.getByRole('dialog').boundingBox())!
    expect([box.x >= 0, box.x + box.width <= width]).toEqual([true, true])
    expect(box.y + box.height).toBeLessThanOrEqual(900)
  })
})
