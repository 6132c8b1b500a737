// Programs in a real browser: a document is edited and published by keyboard alone.

import { describe, expect, test } from 'bun:test'
import { findActiveVersion, findProgram } from '../../src/db/programs/programs.ts'
import { openPage, useBrowser } from '../support/browser.ts'
import { aPerson, testPassword } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { aProgram, q } from '../support/programs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const { sql } = database
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const signedIn = { email: ada.email, password: testPassword }
  const browser = await useBrowser()

  test('a document is changed and published by keyboard alone', async () => {
    await aProgram(sql, {
      slug: 'keys',
      display_name: 'Keys',
      questions: [q.text('key words', { text: 'Old words?' })],
    })
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/admin/programs/keys/document')
    const field = page.getByLabel('Document', { exact: true })
    await field.focus()
    const document = (await field.inputValue()).replace('Old words?', 'New words?')
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(document)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Kept in the draft.').waitFor()
    await page.getByRole('link', { name: 'Review and publish' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Publish' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Published. It is asked from now on.').waitFor()
    const active = await findActiveVersion(sql, (await findProgram(sql, 'keys'))!.program_id)
    expect(active!.questions[0]!.settings.text).toBe('New words?')
    expect(complaints).toEqual([])
  })
})
