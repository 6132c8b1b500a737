// Files in Chromium: with scripts they are uploaded when they are chosen; without, with the form. On a phone and a desk, light and dark.

import { describe, expect, test } from 'bun:test'
import { accessibilityErrors, openPage, pageWidth, useBrowser } from '../../support/browser.ts'
import { aPdf, aPng } from '../../support/files.ts'
import { openedIf, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

const there = needs('chromium')
const database = await openedIf(there, () => useDatabase())
const folder = await openedIf(there, () => useFolder())
const service = await openedIf(there, () => useService(database, { apply: true, filesDir: { folder } }))
const browser = await openedIf(there, useBrowser)
const shots = process.env.TRIBUTARY_SHOTS

describe.skipIf(!there)('in a browser', () => {
  test.each([
    { javaScriptEnabled: true, colorScheme: 'light', width: 390 },
    { javaScriptEnabled: true, colorScheme: 'dark', width: 1280 },
    // Without scripts axe can't run, so one is enough.
    { javaScriptEnabled: false, colorScheme: 'dark', width: 390 },
  ] as const)('files are chosen, refused, removed and sent: %p', async ({ width, javaScriptEnabled, colorScheme }) => {
    const slug = `files-${width}-${colorScheme}`
    const hasMore = { question: 'more', field: 'selection', operator: 'equal' as const, value: 'yes' }
    const questions = [
      q.text('reason'),
      q.file('proof', { max_count: 3 }),
      q.radio('more', ['yes', 'no'], { optional: true }),
      q.file('others', { optional: true, visible_when: hasMore }),
    ]
    await aProgram(database.sql, { slug, questions })
    const viewport = { width, height: 900 }
    const { page, complaints } = await openPage(browser, service.baseUrl, { javaScriptEnabled, colorScheme, viewport })
    await page.goto(`/apply/${slug}/screens/1`)
    const look = async (name: string) => {
      expect(await pageWidth(page)).toBe(width)
      if (javaScriptEnabled) expect(await accessibilityErrors(page)).toEqual([])
      if (shots !== undefined)
        await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
    const input = page.locator('input[type=file]')
    const choose = async (name: string, buffer: Buffer) => {
      await input.setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
      if (!javaScriptEnabled) await page.click('button[name=upload]')
    }
    await page.fill('[id="/reason/text"]', 'Typed before')
    await choose('fake.pdf', Buffer.from('<html>no</html>'))
    await page.waitForSelector('.field.wrong')
    await look('refused')
    await choose('bill.pdf', aPdf(2_000_000))
    await page.waitForSelector('.files li')
    expect(await page.locator('.field.wrong').count()).toBe(0)
    await choose('صورة‎.png', aPng)
    await page.waitForSelector('.files li:nth-child(2)')
    expect(await page.locator('.files li > span').allTextContents()).toEqual(['bill.pdf', 'صورة.png'])
    expect(await page.inputValue('[id="/reason/text"]')).toBe('Typed before')
    await look('chosen')
    await page.locator('button[name=drop]').first().click()
    await page.waitForSelector('.files li:nth-child(2)', { state: 'detached' })
    const visible = async () => await page.locator('button[name=upload]').filter({ visible: true }).count()
    expect(await visible()).toBe(javaScriptEnabled ? 0 : 1)
    if (javaScriptEnabled) {
      await page.check('[id="/more/selection-0"]')
      await page.waitForSelector('[data-place="/others"] input[type=file]')
      expect(await visible()).toBe(0)
    }
    await page.click('form#answers .actions button[value=next]')
    await page.waitForSelector('#code')
    await page.click('main a.button')
    expect(new URL(page.url()).pathname).toBe(`/apply/${slug}/check`)
    await look('check')
    await page.click('main form button[type=submit]')
    await page.waitForSelector('[data-application]')
    const [made] = await database.sql<{ snapshot: string }[]>`
      select snapshot from application join program using (program_id) where slug = ${slug}`
    expect(made!.snapshot.match(/\/files\/[0-9a-f]{40}/g)).toHaveLength(2)
    expect(made!.snapshot).toContain('Typed before')
    // Pages of errors came with 400.
    expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  })

  test('a file stays if its upload ends before the answer to an earlier question has been processed', async () => {
    const hasMore = { question: 'more', field: 'selection', operator: 'equal' as const, value: 'yes' }
    const questions = [q.file('proof'), q.radio('more', ['yes', 'no']), q.text('reason', { visible_when: hasMore })]
    await aProgram(database.sql, { slug: 'overtaken', questions })
    const { page } = await openPage(browser, service.baseUrl)
    const { promise: uploaded, resolve: continueAnswer } = Promise.withResolvers<void>()
    await page.route('**/overtaken/screens/1', async route => {
      if (route.request().resourceType() !== 'fetch') return route.continue()
      const response = await route.fetch()
      await uploaded
      await route.fulfill({ response })
    })
    await page.goto('/apply/overtaken/screens/1')
    await page.check('[id="/more/selection-0"]')
    await page.setInputFiles('input[type=file]', { name: 'bill.pdf', mimeType: 'application/pdf', buffer: aPdf(1000) })
    await page.waitForSelector('.files li')
    await page.focus('[id="/more/selection-0"]')
    continueAnswer()
    await page.waitForSelector('[id="/reason/text"]')
    expect(await page.locator('.files li > span').allTextContents()).toEqual(['bill.pdf'])
  })
})
