// A demo program in Arabic, in Chromium: pages run from right to left, nothing sticks out, and the code is read as it is written.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { utilityAssistance } from '../../../scripts/seed-program/utility-assistance.ts'
import { definitionsOf } from '../../../scripts/seed-program/versioned-definition.ts'
import { publishDefinition } from '../../../src/core/programs/publish.ts'
import { ar } from '../../../src/web/questions/languages/ar.ts'
import {
  accessibilityErrors,
  openPage,
  pageWidth,
  smallTargets,
  undirected,
  useBrowser,
} from '../../support/browser.ts'
import { decoded } from '../../support/console.ts'
import { ExportClient } from '../../support/export-client.ts'
import { aPdf } from '../../support/files.ts'
import { openedIf, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { runOutboxJobs } from '../../support/outbox-jobs.ts'

const there = needs('chromium')
const database = await openedIf(there, () => useDatabase())
const folder = await openedIf(there, () => useFolder())
const service = await openedIf(there, () => useService(database, { apply: true, filesDir: { folder } }))
const browser = await openedIf(there, useBrowser)
const { slug } = utilityAssistance
const shots = process.env.TRIBUTARY_SHOTS

const textsIn = (texts: object): string[] =>
  Object.values(texts).flatMap(text => (typeof text === 'string' ? [text] : textsIn(text)))

/** Beginnings of elements whose text is the pages' own, not the program's or the applicant's. */
const ownTexts = [...textsIn(ar.pages), ...textsIn(ar.questions)].map(
  text => new RegExp(`^${RegExp.escape(text).replaceAll(/\\\{\w+\\\}/g, '.*')}`),
)

const isOwnText = (found: string): boolean => {
  const text = decoded(found.replace('without dir: ', '').replaceAll(/<[^>]*(?:>|$)/g, '')).trim()
  return ownTexts.some(pattern => pattern.test(text))
}

/** Of each pair, the first is further right; where they are below one another, both end at the right. */
const mirrored = (page: Page): Promise<string[]> =>
  page.evaluate(`
    const wrong = []
    const box = one => one.getBoundingClientRect()
    const pairs = [['.city', 'header nav'], ['.choice input', '.choice label'], ['dt', 'dd.change'], ['footer > p', 'footer > form']]
    for (const [first, second] of pairs) {
      const [one, other] = [document.querySelector(first), document.querySelector(second)]
      if (one === null) continue
      const below = box(other).top >= box(one).bottom
      if (below ? Math.abs(box(one).right - box(other).right) > 1 : box(one).left < box(other).right) wrong.push(first)
    }
    const edge = box(document.querySelector('main')).right - 16
    for (const one of document.querySelectorAll('main :is(h1, h2, legend, label, dt, dd p, .hint)')) {
      if (one.closest('.choice, .unseen, .row, .received')) continue
      const range = document.createRange()
      range.selectNodeContents(one)
      if (edge - box(range).right > 20) wrong.push(one.outerHTML.slice(0, 200))
    }
    wrong`)

/** Hints in Arabic that begin with something else, so that browsers take them for texts from left to right. */
const leftToRightHints = (page: Page): Promise<string[]> =>
  page.evaluate(`
    [...document.querySelectorAll('.hint')]
      .filter(hint => /\\p{Script=Arabic}/u.test(hint.textContent) && getComputedStyle(hint).direction !== 'rtl')
      .map(hint => hint.outerHTML.slice(0, 200))`)

/** The text of an element as it is seen: its letters from left to right. */
const fromLeft = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`
    const text = document.querySelector(${JSON.stringify(selector)}).firstChild
    const letters = [...text.textContent].map((letter, i) => {
      const range = document.createRange()
      range.setStart(text, i)
      range.setEnd(text, i + 1)
      return [range.getBoundingClientRect().left, letter]
    })
    letters.toSorted(([a], [b]) => a - b).map(([, letter]) => letter).join('')`)

describe.skipIf(!there)('in Arabic', () => {
  test.each([320, 1280])(
    'the demo program is mirrored and accessible, and its answers are exported completely, at %p px',
    async width => {
      await publishDefinition(database.sql, definitionsOf(utilityAssistance).at(-1)!, 'admin:test', { move: 'all' })
      await runOutboxJobs(database.sql)
      const { page, complaints } = await openPage(browser, service.baseUrl, {
        viewport: { width, height: 800 },
        locale: 'ar-EG',
        colorScheme: width === 320 ? 'light' : 'dark',
      })
      const look = async (name: string) => {
        if (shots !== undefined) await page.screenshot({ path: `${shots}/arabic-${name}-${width}.png`, fullPage: true })
        expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual([
          'ar',
          'rtl',
        ])
        const found = [
          await accessibilityErrors(page),
          await smallTargets(page),
          (await undirected(page)).filter(found => !isOwnText(found)),
          await mirrored(page),
          await leftToRightHints(page),
        ]
        expect([name, await pageWidth(page), ...found]).toEqual([name, width, [], [], [], [], []])
        // Nor does anything stick out on the left, where a page from right to left scrolls.
        await page.evaluate('scrollTo(-1000, 0)')
        expect(await page.evaluate('scrollX')).toBe(0)
      }
      const next = () => page.click('main form button[value=next]')
      await page.goto('/apply')
      await look('programs')
      await page.click('main a.program')
      await look('program')
      await page.click('main a.button')
      await look('about')
      await next()
      await page.waitForSelector('.problem')
      await look('errors')
      const typed = {
        '/applicant_name/first_name': 'فاطمة',
        '/applicant_name/last_name': 'الزهراء',
        '/date_of_birth/date/month': '١',
        '/date_of_birth/date/day': '22',
        '/date_of_birth/date/year': '2003',
        '/phone_number/phone_number': '(206) 555-0100',
        '/home_address/street': '12 Harbor Ave',
        '/home_address/city': 'Seattle',
        '/home_address/zip': '٩٨١٠١',
      }
      for (const [id, text] of Object.entries(typed)) await page.fill(`[id="${id}"]`, text)
      await page.selectOption('[id="/home_address/state"]', 'WA')
      await next()
      await page.waitForSelector('#code')
      // A code that begins with digits would be turned around.
      for (const place of ['#code', 'footer .code']) {
        await page.evaluate(`document.querySelector('${place}').textContent = '2345-6789-KRTP'`)
        expect(await fromLeft(page, place)).toBe('2345-6789-KRTP')
      }
      await page.reload()
      await look('code')
      await page.click('main a.button')
      await page.check('[id="/housing/selection-0"]')
      await page.fill('[id="/landlord_name/text"]', 'أبو بكر (الدور 3)')
      await page.fill('[id="/monthly_rent/currency_dollars"]', '950')
      await page.fill('[id="/bedrooms/number"]', '2')
      await look('home')
      await next()
      await page.check('[id="/utilities/selections-0"]')
      await page.fill('[id="/account_number/id"]', '١٢٣٤٥٦')
      await page.fill('[id="/amount_past_due/currency_dollars"]', '80.50')
      await page.check('[id="/shutoff_notice/selection-1"]')
      await page.setInputFiles('input[type=file]', {
        name: 'فاتورة 1.pdf',
        mimeType: 'application/pdf',
        buffer: aPdf(),
      })
      await page.waitForSelector('.files li')
      await look('bill')
      await next()
      await page.fill('[id="/household_members/entities/0/entity_name"]', 'ليلى')
      await look('household')
      await next()
      await page.waitForSelector('[id="/household_members/entities/0/member_name/first_name"]')
      await look('member')
      const member = '/household_members/entities/0'
      await page.fill(`[id="${member}/member_name/first_name"]`, 'ليلى')
      await page.fill(`[id="${member}/member_name/last_name"]`, 'الزهراء')
      await page.selectOption(`[id="${member}/relationship/selection"]`, 'child')
      await page.check(`[id="${member}/member_student/selection-0"]`)
      await next()
      await page.check('[id="/consent/selection-0"]')
      await look('last')
      await next()
      await look('check')
      await page.click('main form button[type=submit]')
      await page.waitForSelector('[data-application]')
      await look('received')
      const number = Number(await page.getAttribute('[data-application]', 'data-application'))
      await page.goto('/apply/-/applications')
      await look('applications')
      await page.goto('/apply/-/return')
      await look('return')
      const key = await createTestKey(database.sql, { programs: [slug] })
      const made = await new ExportClient(service, key, slug).walkAll()
      expect(made.find(({ application_id }) => application_id === number)).toMatchObject({
        language: 'ar',
        application: {
          applicant_name: { first_name: 'فاطمة', last_name: 'الزهراء' },
          date_of_birth: { date: '2003-01-22' },
          home_address: { zip: '98101' },
          account_number: { id: '123456' },
          phone_number: { phone_number: '+12065550100' },
          landlord_name: { text: 'أبو بكر (الدور 3)' },
          household_members: { entities: [{ entity_name: 'ليلى', relationship: { selection: 'child' } }] },
        },
      })
      expect(complaints.filter(text => !text.includes('400'))).toEqual([])
    },
    60_000,
  )
})
