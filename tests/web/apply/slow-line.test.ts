// A phone on 3G, in Chromium: every page takes its time, buttons are pressed twice, and nothing is lost or sent twice.

import { describe, expect, test } from 'bun:test'
import { openPage, useBrowser } from '../../support/browser.ts'
import { ExportClient } from '../../support/export-client.ts'
import { openedIf, useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

const there = needs('chromium')
const database = await openedIf(there, () => useDatabase())
const service = await openedIf(there, () => useService(database, { apply: true }))
const browser = await openedIf(there, useBrowser)

/** What Chromium's own tools call slow 3G, in bytes a second. */
const slow3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

describe.skipIf(!there)('on 3G', () => {
  test.each([true, false])(
    'pressing each button twice makes one application with all answers, scripts: %p',
    async javaScriptEnabled => {
      const slug = `slow-${javaScriptEnabled}`
      const rents = { question: 'housing', field: 'selection', operator: 'equal' as const, value: 'rent' }
      await aProgram(database.sql, {
        slug,
        screens: [
          { questions: [q.text('reason')] },
          { questions: [q.radio('housing', ['rent', 'own']), q.currency('rent', { visible_when: rents })] },
          { questions: [q.number('people')] },
        ],
      })
      const viewport = { width: 390, height: 800 }
      const { page, context, complaints } = await openPage(browser, service.baseUrl, { javaScriptEnabled, viewport })
      const line = await context.newCDPSession(page)
      await line.send('Network.enable')
      await line.send('Network.emulateNetworkConditions', slow3G)
      const pressTwice = async (next: string) => {
        await page.locator('main form button[type=submit]').first().dblclick({ noWaitAfter: true })
        await page.waitForSelector(next)
        // On a busy machine, the second press may come so late that it sends the next page, which is then shown again.
        await page.waitForLoadState('networkidle')
      }
      const begun = performance.now()
      await page.goto(`/apply/${slug}`)
      expect(performance.now() - begun).toBeGreaterThan(slow3G.latency)
      await page.click('main a.button')
      await page.fill('[id="/reason/text"]', 'Rent')
      await pressTwice('#code')
      await page.click('main a.button')
      await page.check('[id="/housing/selection-0"]')
      if (!javaScriptEnabled) await pressTwice('[id="/rent/currency_dollars"]')
      await page.fill('[id="/rent/currency_dollars"]', '950')
      await pressTwice('[id="/people/number"]')
      await page.fill('[id="/people/number"]', '3')
      await pressTwice('[data-answer]')
      await pressTwice('[data-application]')
      const number = await page.getAttribute('[data-application]', 'data-application')
      // Sent again from the page before, as by who doubts that it worked.
      await page.goBack()
      await page.waitForLoadState()

      const client = new ExportClient(service, await createTestKey(database.sql, { programs: [slug] }), slug)
      const made = await client.walkAll()
      expect(made.map(({ application_id }) => String(application_id))).toEqual([number!])
      expect(made[0]!.application).toMatchObject({
        reason: { text: 'Rent' },
        housing: { selection: 'rent' },
        rent: { currency_dollars: 950 },
        people: { number: 3 },
      })
      expect(complaints).toEqual([])
      // Without scripts, both first saves may arrive and register an applicant each.
      const left = await database.sql`
        select from application_in_progress join program using (program_id)
        where slug = ${slug} and (${javaScriptEnabled} or applicant_id = (
          select applicant_id from application where application_id = ${number!}))`
      expect(left.length).toBe(0)
    },
    120_000,
  )
})
