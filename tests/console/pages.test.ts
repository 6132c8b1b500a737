// The console in a real browser: inviting without scripts.

import { describe, expect, test } from 'bun:test'
import { openPage, useBrowser } from '../support/browser.ts'
import { aPerson, testPassword } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const ada = await aPerson(database.sql, { name: 'Ada Administrator' })
  const browser = await useBrowser()
  const signedIn = { email: ada.email, password: testPassword }

  test('a person is invited without scripts, the form comes back as it was typed, and the link lets them in', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto('/admin/people/invite')
    await page.getByLabel('Name', { exact: true }).fill('No Script')
    await page.getByLabel('E-mail').fill('not an e-mail')
    await page.getByLabel('Auditor').check()
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByRole('alert').getByRole('link').first().waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('No Script')
    await page.getByLabel('E-mail').fill('noscript@example.gov')
    await page.getByRole('button', { name: 'Create the link' }).click()
    const link = await page.locator('#link').textContent()
    const { page: theirs, complaints } = await openPage(browser, service.baseUrl)
    await theirs.goto(link!)
    await theirs.getByLabel('New password', { exact: true }).fill('a few words in a row')
    await theirs.getByLabel('New password again').fill('a few words in a row')
    await theirs.getByRole('button', { name: 'Choose it and sign in' }).click()
    await theirs.waitForURL(url => !url.pathname.startsWith('/admin/invitations'))
    await theirs.goto('/admin/account')
    await theirs.getByText('noscript@example.gov').waitFor()
    expect(complaints).toEqual([])
    await page.goto('/admin/people')
    expect(await page.content()).not.toContain('/admin/invitations/')
  })
})
