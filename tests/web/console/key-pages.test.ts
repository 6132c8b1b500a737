// Pages of keys in a real browser: how short the form is, what it shows with which choice, and menus.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const { sql, ...database } = await useDatabase()
  const service = await useService({ sql, ...database })
  const questions = [...'abcdefghijklmnopqrst'].map(letter => q.text(`words ${letter}`))
  for (const slug of 'abcdefgh') await aProgram(sql, { slug, questions: slug === 'a' ? questions : [] })
  const ada = await aPerson(sql)
  const browser = await useBrowser()
  const open = async (path: string, width = 1440, javaScriptEnabled = false): Promise<Page> => {
    const viewport = { width, height: 900 }
    const signedIn = { email: ada.email, password: testPassword, viewport, javaScriptEnabled }
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto(path)
    return page
  }
  const bottomOf = async (page: Page): Promise<number> => {
    const { y, height } = (await page.locator('main form[method=post] [type=submit]').last().boundingBox())!
    return y + height
  }

  test('a key of one of eight programs is created without scrolling, and on a phone within two screens', async () => {
    expect(await bottomOf(await open('/admin/keys/new'))).toBeLessThan(900)
    expect(await bottomOf(await open('/admin/keys/new', 390))).toBeLessThan(1400)
  })

  test('fields that belong to a choice are shown with it, or if filled in, even without scripts', async () => {
    const page = await open('/admin/keys/new')
    const [frontEnd, day] = [page.getByLabel('Front end', { exact: true }), page.getByLabel(/^Day/)]
    const seen = () => Promise.all([frontEnd.isVisible(), day.isVisible()])
    expect(await seen()).toEqual([false, false])
    await page.getByLabel('Submit applications').check()
    await page.getByLabel('Expires').selectOption('day')
    expect(await seen()).toEqual([true, true])
    await frontEnd.fill('portal')
    await day.fill('2030-01-31')
    await page.getByLabel('Submit applications').uncheck()
    await page.getByLabel('Expires').selectOption('In 30 days')
    expect(await seen()).toEqual([false, false])
    await page.locator('main form[method=post] [type=submit]').last().click()
    expect(await seen()).toEqual([true, true])
  })
  test('only one menu is open at a time, even without scripts, and with scripts it closes on Escape and on a click elsewhere', async () => {
    for (const name of ['First', 'Second']) await createTestKey(sql, { name, programs: ['a'] })
    for (const scripts of [false, true]) {
      const page = await open('/admin/keys', 1440, scripts)
      const menu = (name: string) => page.locator(`summary[aria-label="Actions for ${name}"]`)
      const opened = () => page.locator('details[open]').count()
      const retire = page.getByRole('link', { name: 'Retire…' })
      await menu('First').click()
      await menu('Second').click()
      expect([await opened(), await retire.count()]).toEqual([1, 1])
      await page.keyboard.press('Escape')
      expect(await opened()).toBe(scripts ? 0 : 1)
      if (!scripts) continue
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions for Second')
      await page.keyboard.press('Enter')
      expect(await opened()).toBe(1)
      await page.locator('h1').click()
      expect(await opened()).toBe(0)
      await menu('First').click()
      await retire.click()
      await page.waitForURL(/\/retire$/)
    }
  })
})
