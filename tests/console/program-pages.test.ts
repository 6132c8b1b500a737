// Programs in a real browser: a draft is edited without scripts, and published by keyboard alone.

import { describe, expect, test } from 'bun:test'
import { findActiveVersion, findDraftVersion, findProgram } from '../../src/db/programs/programs.ts'
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

  test('a screen’s condition and a question with bounds are added to a draft without scripts, each error at its field', async () => {
    await aProgram(sql, {
      slug: 'screens',
      display_name: 'Screens',
      screens: [{ questions: [q.number('years of age')] }, { name: 'More', questions: [q.text('more words')] }],
    })
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    const fillCondition = async (value: string): Promise<void> => {
      await page.getByLabel('only when all of these hold').check()
      await page.getByLabel('Question of line 1').selectOption({ label: 'years of age?' })
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Value of line 1').fill(value)
    }
    const error = page.getByRole('alert').getByRole('link')
    const kept = page.getByText('Kept in the draft.')
    await page.goto('/admin/programs/screens/screen?index=1')
    await page.getByLabel('Heading').fill('For adults')
    await fillCondition('many')
    await page.getByRole('button', { name: 'Keep in draft' }).click()
    await error.first().click()
    expect(await page.getByLabel('Heading').inputValue()).toBe('For adults')
    await page.getByLabel('Value of line 1').fill('18')
    await page.getByRole('button', { name: 'Keep in draft' }).click()
    await kept.waitFor()

    await page.getByRole('link', { name: 'Add here a question, on For adults' }).click()
    await page.getByRole('radio', { name: 'Number', exact: true }).check()
    await page.getByLabel('What the applicant reads').fill('How many children?')
    await page.getByLabel('At most optional', { exact: true }).fill('none')
    await fillCondition('21')
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    // What was shown stays shown, with what was typed.
    await error.first().click()
    expect(await page.getByLabel('Value of line 1').inputValue()).toBe('21')
    await page.getByLabel('At most optional', { exact: true }).fill('20')
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    await kept.waitFor()

    const draft = (await findDraftVersion(sql, (await findProgram(sql, 'screens'))!.program_id))!
    expect(draft.screens[1]).toMatchObject({ name: 'For adults', visible_when: expect.anything() })
    expect(draft.questions.at(-1)!.settings).toMatchObject({ text: 'How many children?', max: 20 })
    expect(draft.screens[1]!.questions.at(-1)!.visible_when).not.toBeNull()
  })

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
