// An intermediary in Chromium: signs in, registers a client and applies. Every format of the export then has that same application.

import { describe, expect, test } from 'bun:test'
import { accessibilityErrors, openPage, pageWidth, useBrowser } from '../../support/browser.ts'
import { testPassword } from '../../support/console.ts'
import { csvRecordOf } from '../../support/csv-page.ts'
import { ExportClient } from '../../support/export-client.ts'
import { openedIf, useDatabase, useService } from '../../support/fixtures.ts'
import { anIntermediary, anOrganization } from '../../support/intermediary.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { walkFeed } from '../../support/odata-feed.ts'
import { formats } from '../../support/page-formats.ts'
import { aProgram, q } from '../../support/programs.ts'

const there = needs('chromium')
const database = await openedIf(there, () => useDatabase())
const service = await openedIf(there, () => useService(database, { apply: true }))
const browser = await openedIf(there, useBrowser)
const slug = 'for-clients'

describe.skipIf(!there)('an intermediary in a browser', () => {
  test('applies for a client, and JSON, CSV, NDJSON, OData and the change feed have the same application', async () => {
    const { sql } = database
    await aProgram(sql, {
      slug,
      screens: [
        { questions: [q.name('client name'), q.checkbox('needs', ['food', 'heat'])] },
        { questions: [q.enumerator('people', [q.number('age')]), q.text('remark')] },
      ],
    })
    const { email } = await anIntermediary(sql, await anOrganization(sql, 'Casa "Latina", α'))
    const viewport = { width: 320, height: 800 }
    const { page, complaints } = await openPage(browser, service.baseUrl, { viewport, email, password: testPassword })
    const look = async (path: string) => {
      await page.waitForURL(`**${path}`)
      expect([await pageWidth(page), await accessibilityErrors(page)]).toEqual([320, []])
    }
    const next = () => page.click('main form button[value=next]')
    await look('/apply/-/clients')
    await page.click('main a.button')
    await look('/apply/-/clients/new')
    await page.fill('[name=name]', 'روزا Díaz')
    await page.click('main button[type=submit]')
    await look('/apply/-/code')
    await page.click('main a.button')
    await look('/apply/-/applications')
    await page.click('main a[href="/apply"]')
    await look('/apply')
    await page.click(`main a[href="/apply/${slug}"]`)
    await look(`/apply/${slug}`)
    await page.click('main a.button')
    await look(`/apply/${slug}/screens/1`)
    expect(await page.textContent('aside.client b')).toBe('روزا Díaz')
    await page.fill('[id="/client_name/first_name"]', 'روزا')
    await page.fill('[id="/client_name/last_name"]', 'Díaz')
    for (const i of [0, 1]) await page.check(`[id="/needs/selections-${i}"]`)
    await next()
    await look(`/apply/${slug}/screens/2`)
    await page.fill('[id="/people/entities/0/entity_name"]', 'Ana')
    await page.fill('[id="/remark/text"]', '=1+1 "quoted", ‏ً and \\')
    await next()
    await page.fill('[id="/people/entities/0/age/number"]', '7')
    await next()
    await look(`/apply/${slug}/check`)
    await page.click('main form button[type=submit]')
    await look(`/apply/${slug}/received`)
    const number = Number(await page.getAttribute('[data-application]', 'data-application'))
    await page.click('aside.client a')
    await look('/apply/-/clients')
    await page.click('[data-client] button')
    await look('/apply/-/applications')
    expect(await page.textContent('main')).toContain(String(number))
    expect(complaints).toEqual([])

    const key = await createTestKey(sql, { programs: [slug] })
    const [made, ...others] = await new ExportClient(service, key, slug).walkAll()
    expect(others).toEqual([])
    expect(made).toMatchObject({
      application_id: number,
      submitter_type: 'TRUSTED_INTERMEDIARY',
      ti_email: email,
      ti_organization: 'Casa "Latina", α',
      application: {
        client_name: { first_name: 'روزا', last_name: 'Díaz' },
        needs: { selections: ['food', 'heat'] },
        people: { entities: [{ entity_name: 'Ana', age: { number: 7 } }] },
        remark: { text: '=1+1 "quoted", ‏ً and \\' },
      },
    })
    const ask = async (path: string): Promise<{ text: string; head: Headers }> => {
      const response = await service.get(path, { headers: { Authorization: key.authorization } })
      expect(response.status).toBe(200)
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
      return { text, head: response.headers }
    }
    const path = `/api/v1/admin/programs/${slug}`
    for (const [format, { read, itemOf }] of Object.entries(formats)) {
      const { text, head } = await ask(`${path}/applications?format=${format}`)
      expect<unknown[]>(read(text, head).items).toEqual([itemOf(made!)])
    }
    const feed = JSON.parse((await ask(`${path}/changes?include=application`)).text) as { payload: unknown[] }
    expect(feed.payload).toEqual([expect.objectContaining({ kind: 'submitted', application: made })])
    const rowsOf = (table: string) => walkFeed(async path => (await ask(path)).text, `/odata/v1/${slug}/${table}`)
    // Its columns are those of the CSV, with other names.
    const rows = (await rowsOf('Applications')).map(row => Object.entries(row))
    const asCsv = rows.map(row =>
      row.map(([name, cell]) => [name.replace('__', '.'), cell === null ? cell : `${cell}`]),
    )
    expect(asCsv.map(row => Object.fromEntries(row))).toEqual([csvRecordOf(made!)])
    expect(await rowsOf('people')).toMatchObject([{ application_id: number, entity_name: 'Ana', age__number: 7 }])
  }, 60_000)
})
