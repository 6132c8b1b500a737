// Applications in a real browser: found, read and annotated without scripts.

import { beforeAll, describe, expect, test } from 'bun:test'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { openPage, useBrowser, wrappedLines } from '../../support/browser.ts'
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
  await aProgram(sql, {
    slug: 'utility',
    display_name: 'Utility Assistance',
    statuses: ['In review', 'Approved'],
    questions: [
      q.name('applicant name', { text: 'What is your name?' }),
      q.file('bills', { text: 'Your latest bills', optional: true }),
      q.text('reason', { text: 'Why?', optional: true }),
      q.enumerator('member', [q.date('born', { text: 'Born when?', optional: true })], {
        text: 'Who lives with you?',
        optional: true,
      }),
    ],
  })
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const key = await createTestKey(sql, { programs: ['utility'], maySubmit: true })
  const frontEnd = new FrontEnd(service, key, 'utility')
  const browser = await useBrowser()
  const signedIn = { email: ada.email, password: testPassword }
  const list = '/admin/programs/utility/applications'
  let application = ''

  beforeAll(async () => {
    const applicant = await frontEnd.register()
    const answers = { applicant_name: { first_name: 'Ursula', last_name: 'Ibrahim' } }
    await frontEnd.apply(applicant, { ...answers, reason: { text: 'First words' } })
    const { application_id } = await frontEnd.apply(applicant, {
      ...answers,
      // Nothing in it to break a line at.
      reason: { text: 'w'.repeat(500) },
      bills: { file_urls: [`https://files.example/${'long-name'.repeat(20)}.pdf`] },
      member: { entities: [{ entity_name: 'n'.repeat(200), born: { date: '1984-07-19' } }] },
    })
    application = `${list}/${application_id}`
  })

  test('further filters are folded on a phone, and visible where there is room', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    for (const path of [list, '/admin/audit']) {
      await page.goto(path)
      const [field, fold] = [page.locator('[name=from]'), page.getByText('More filters')]
      expect([path, await field.isVisible(), await fold.isVisible()]).toEqual([path, true, false])
      await page.setViewportSize({ width: 390, height: 900 })
      expect([path, await field.isVisible(), await fold.isVisible()]).toEqual([path, false, true])
      await fold.click()
      await field.fill('2020-01-01')
      await page.locator('form.sieve button[type=submit]').click()
      await page.locator('.chips a.badge').click()
      expect(new URL(page.url()).search).toBe('')
      await page.goto(`${path}?from=never`)
      expect(await field.isVisible()).toBe(true)
      await page.setViewportSize({ width: 1440, height: 900 })
    }
  })

  test('an application has one line, an obsolete one is marked, and the number selected is shown', async () => {
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto(list)
    const rows = page.locator('tbody tr')
    expect(await rows.getByText('obsolete').count()).toBe((await rows.count()) - 1)
    for (const row of await rows.all()) expect((await row.boundingBox())!.height).toBeLessThan(60)
    await page.getByLabel('all selected').waitFor()
    for (const box of await page.getByRole('checkbox', { name: 'Select application' }).all()) await box.check()
    await page.getByLabel('the 2 selected').waitFor()
    expect(complaints).toEqual([])
  })

  test('from 1,400 px, all columns are visible without scrolling, even the reasons of a search', async () => {
    const status = 'More information needed'
    const { program_id } = await aProgram(sql, {
      slug: 'wide',
      statuses: [status],
      questions: [
        q.name('wide name'),
        q.email('wide mail'),
        q.phone('wide phone'),
        q.enumerator('relative', [q.name('relative name')], { optional: true }),
      ],
    })
    const wideKey = await createTestKey(sql, { name: 'County caseworker sync', programs: ['wide'], maySubmit: true })
    const apply = new FrontEnd(service, wideKey, 'wide')
    const { application_id } = await apply.apply(await apply.register(), {
      wide_name: { first_name: 'Maria Thu Hà', last_name: 'van der Berg-Gonçalves' },
      wide_mail: { email: 'maria.thu.ha.vanderberg9828@mail.example.org' },
      wide_phone: { phone_number: '+19075550100' },
      relative: { entities: [{ entity_name: 'One', relative_name: { first_name: 'Leilani', last_name: 'Ibrahim' } }] },
    })
    await apply.apply(await apply.register(), {
      wide_name: { first_name: 'Leilani', last_name: 'Ibrahim' },
      wide_mail: { email: 'maria.vanderberg9828@mail.example.net' },
      wide_phone: { phone_number: '+19075550101' },
    })
    const at = { program_id, application_id, timeZone: service.config.timeZone }
    await annotate(sql, { ...at, actor: 'admin:test', status, now: Date.now() * 1000 })
    await fetch(`${service.baseUrl}/api/v1/admin/programs/wide/applications`, {
      headers: { Authorization: wideKey.authorization },
    })
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    for (const query of ['', '?q=leilani'])
      for (const width of [1400, 1440, 1700, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(`/admin/programs/wide/applications${query}`)
        expect([query, width, await page.getByRole('columnheader').count()]).toEqual([query, width, 8])
        const hidden = await page.locator('.card.table').evaluate(table => table.scrollWidth - table.clientWidth)
        expect([query, width, hidden]).toEqual([query, width, 0])
        // An address of usual length breaks at its @ alone.
        const lines: number = await page.evaluate(`
          const email = [...document.querySelectorAll('.roomy .email')].find(found => found.textContent.startsWith('maria.vanderberg'))
          email.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(email).lineHeight)`)
        expect([query, width, Math.round(lines) <= 2]).toEqual([query, width, true])
      }
  })

  test('every action works without scripts', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto(application)
    await page.getByLabel('Note').fill('Of one')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('cell', { name: 'First words' }).waitFor()
    await page.goto(`${application}/exported`)
    await page.getByText('Exact bytes').click()
    const [shown, download] = [
      await page.locator('#exact').textContent(),
      await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]),
    ]
    expect(await Bun.file(await download[0].path()).text()).toBe(shown!)
  })

  test('on a phone, wrapped lines of the exported JSON keep their indentation, and the text is the same', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, viewport: { width: 390, height: 844 } })
    await page.goto(`${application}/exported`)
    const exact = JSON.parse((await page.locator('#exact').textContent())!) as unknown
    const lines = page.locator('pre.document').first()
    expect(await lines.textContent()).toBe(JSON.stringify(exact, null, 2))
    const { wrapped, outdented } = await wrappedLines(page, 'pre.document')
    expect(wrapped).toBeGreaterThan(5)
    expect(outdented).toEqual([])
  })
})
