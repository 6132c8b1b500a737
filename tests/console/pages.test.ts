// The console in a real browser: inviting, organizations and tokens without scripts.

import { describe, expect, test } from 'bun:test'
import { createAdminToken } from '../../src/people/admin-tokens.ts'
import { openPage, useBrowser } from '../support/browser.ts'
import { aPerson, testPassword } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const ada = await aPerson(database.sql, { name: 'Ada Administrator' })
  const by = { actor: 'operator:test', now: Date.now() * 1000 }
  const draft = {
    name: 'nightly report of keys that expire',
    scopes: ['keys:read', 'audit:read'],
    expires_at: by.now + 30 * 86_400_000_000,
  }
  const browser = await useBrowser()
  const signedIn = { email: ada.email, password: testPassword }

  test('a person is invited without scripts, the form comes back as it was typed, and the link lets them in', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto('/admin/people/invite')
    await page.getByLabel('Name', { exact: true }).fill('No Script')
    await page.getByLabel('E-mail').fill('not an e-mail')
    await page.getByLabel('Auditor').check()
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByRole('alert').getByRole('link').first().waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('No Script')
    await page.getByLabel('E-mail').fill('noscript@example.gov')
    await page.getByRole('button', { name: 'Make the link' }).click()
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

  test('an organization and a person of it are added, renamed and disabled without scripts', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto('/admin/intermediaries/new')
    await page.getByRole('button', { name: 'Add the organization' }).click()
    await page.getByRole('alert').getByRole('link').first().waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Bay Food Bank')
    await page.getByRole('button', { name: 'Add the organization' }).click()
    await page.getByRole('heading', { name: 'Bay Food Bank' }).waitFor()
    await page.getByLabel('E-mail').fill('kim@bay.example.org')
    await page.getByRole('button', { name: /^Add/ }).click()
    await page.getByText('kim@bay.example.org').first().waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Bay Area Food Bank')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Bay Area Food Bank' }).waitFor()
    await page.getByRole('button', { name: 'Disable Bay Area Food Bank' }).click()
    await page.getByText('No one of this organization is listed any more').waitFor()
  })

  test('a person’s page lists their tokens, and one is retired without scripts', async () => {
    const theirs = await aPerson(database.sql, { name: 'Rhea Retired' })
    const { tokenId } = await createAdminToken(database.sql, theirs, draft, by)
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto(`/admin/people/${theirs.person_id}`)
    const row = page.getByRole('row', { name: tokenId })
    await row.getByText('keys:read').waitFor()
    await row.getByRole('button', { name: `Retire ${draft.name}` }).click()
    await page.getByText('The token is retired.').waitFor()
    await row.getByText('retired', { exact: true }).waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
  })
})
