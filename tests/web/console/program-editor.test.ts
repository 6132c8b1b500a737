// The editor of programs in a real browser: a whole program from nothing, with few clicks; options and conditions with scripts, without
// any, and by keyboard alone.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findActiveVersion, findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { asciiName } from '../../../src/domain/values/slug.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const { sql } = database
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const signedIn = { email: ada.email, password: testPassword }
  const browser = await useBrowser()

  async function stored(slug: string) {
    const { program_id } = (await findProgram(sql, slug))!
    const [draft, active] = [await findDraftVersion(sql, program_id), await findActiveVersion(sql, program_id)]
    return describeVersion((draft ?? active)!)
  }

  interface Added {
    text: string
    kind?: string
    screen?: string
    options?: string
    under?: string
  }

  const program: readonly Added[] = [
    { text: 'What is your name?', kind: 'Name' },
    { text: 'When were you born?', kind: 'Date' },
    { text: 'How can we call you?', kind: 'Phone' },
    { text: 'Do you rent or own?', kind: 'One of several', screen: 'Your home', options: 'We rent it\nWe own it' },
    { text: 'What is your rent?', kind: 'Money' },
    { text: 'Who lives with you?', kind: 'List of people or things', screen: 'Your household' },
    { text: 'What is their name?', kind: 'Name', under: 'for each of: Who lives with you?' },
    { text: 'When were they born?', kind: 'Date' },
    { text: 'Who is your landlord?', screen: 'Your landlord', under: 'no, it is asked once' },
    { text: 'How can we reach them?', kind: 'Phone' },
    { text: 'Anything else?' },
  ]

  /** Fills in one question of a form that is open, and sends it; says how often something was clicked or chosen. */
  async function addQuestion(page: Page, one: Added, last: boolean): Promise<number> {
    let clicks = 1
    await page.getByLabel('What the applicant reads').fill(one.text)
    if (one.kind !== undefined) {
      await page.getByRole('radio', { name: one.kind, exact: true }).check()
      clicks++
    }
    if (one.screen !== undefined) await page.getByLabel('Or on a new screen optional').fill(one.screen)
    if (one.under !== undefined) {
      await page.getByLabel('Repeated').selectOption({ label: one.under })
      clicks++
    }
    for (const [i, text] of (one.options ?? '').split('\n').entries())
      if (text !== '') await page.getByLabel(`Text of option ${i + 1}`).fill(text)
    await page.getByRole('button', { name: last ? 'Keep in draft' : 'Keep and add another', exact: true }).click()
    await page.getByText('Kept in the draft.').waitFor()
    return clicks
  }

  test.each([true, false])(
    'eleven questions on four screens, one of them on a condition, are published with at most 35 clicks (scripts: %p)',
    async javaScriptEnabled => {
      const slug = javaScriptEnabled ? 'with-scripts' : 'without-scripts'
      const { page, complaints } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled })
      let clicks = 0
      const click = async (role: 'link' | 'button' | 'radio', name: string | RegExp) => {
        clicks++
        await page.getByRole(role, { name }).first().click()
      }
      await page.goto('/admin/programs')
      await click('link', 'New program')
      await page.getByLabel('Name', { exact: true }).fill(slug.replace('-', ' '))
      await click('button', 'Create the draft')
      await click('link', 'Add here')
      for (const [i, one] of program.entries()) clicks += await addQuestion(page, one, i === program.length - 1)
      await page.getByText('Change this screen, Your landlord').click()
      clicks++
      await page.locator(`a[href$="/screen?index=3"]`).click()
      clicks++
      await click('radio', 'only when all of these hold')
      await page.getByLabel('Question of line 1').selectOption({ label: 'Do you rent or own?' })
      clicks++
      if (!javaScriptEnabled) await click('button', 'Continue')
      await page.getByLabel('We rent it').check()
      clicks++
      await click('button', 'Keep in draft')
      await page.getByText('Kept in the draft.').waitFor()
      await click('link', 'Review and publish')
      const row = page.getByRole('cell', { name: 'What is your rent?' })
      await row.waitFor()
      // On a phone the button is in sight without scrolling past all that is new.
      await page.setViewportSize({ width: 390, height: 900 })
      expect(await row.isVisible()).toBe(false)
      expect((await page.getByRole('button', { name: 'Publish' }).boundingBox())!.y).toBeLessThan(900)
      await click('button', 'Publish')
      await page.getByText('Published.').waitFor()
      const { screens, questions } = await stored(slug)
      expect(screens.map(({ name, questions }) => [name, questions.length])).toEqual([
        ['About you', 3],
        ['Your home', 2],
        ['Your household', 3],
        ['Your landlord', 3],
      ])
      expect(questions.find(({ text }) => text === 'Do you rent or own?')?.options).toEqual([
        { admin_id: 'we_rent_it', text: 'We rent it' },
        { admin_id: 'we_own_it', text: 'We own it' },
      ])
      expect(questions.filter(({ enumerator }) => enumerator !== undefined)).toHaveLength(2)
      expect(screens[3]!.visible_when).toMatchObject({ operator: 'equal', value: 'we_rent_it' })
      expect(clicks).toBeLessThanOrEqual(35)
      expect(complaints).toEqual([])
    },
    120_000,
  )

  test('the slug that a new program gets is shown while its name is typed, as the service makes it', async () => {
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/admin/new-program')
    for (const name of [
      'Trees & Hedges, für Höfe',
      'Émile’s ½ “Café”',
      '  Ämter—2026  ',
      'İstanbul Yardımı',
      '日本',
      `${'a'.repeat(59)} and more`,
      'x'.repeat(80),
    ]) {
      await page.getByLabel('Name', { exact: true }).fill(name)
      const shown = await page.getByLabel('Slug').getAttribute('placeholder')
      expect([name, shown]).toEqual([name, asciiName(name, '-')])
    }
    await page.getByLabel('Name', { exact: true }).fill('Shown while typed')
    await page.getByRole('button', { name: 'Create the draft', exact: true }).first().click()
    await page.getByText('Add its questions').waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/programs/shown-while-typed/questions')
    expect(complaints).toEqual([])
  })

  test('options are pasted, moved and removed by keyboard alone, and the page stays where it is', async () => {
    await aProgram(sql, { slug: 'rows', display_name: 'Rows', questions: [q.radio('colour', ['red', 'green'])] })
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/admin/programs/rows/question?name=colour')
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Another option')
    await page.getByLabel('Text of option 3').waitFor()
    const paste = (row: number, text: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer()
        clipboardData.setData('text', ${JSON.stringify(text)})
        const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
        document.querySelector('#option_text_${row}').dispatchEvent(pasted)
      }`)
    await paste(2, '- Blue as the sky\n- Grün wie Gras')
    await page.getByLabel('Text of option 4').waitFor()
    await press('Move option 4 up')
    await until('the row that moved', async () =>
      (await page.locator('#option_text_3').inputValue()).startsWith('Blue'),
    )
    await press('Remove option 1')
    await page.getByLabel('Text of option 4').waitFor({ state: 'detached' })
    // A list over what is selected takes its place.
    await page.getByLabel('Text of option 3').selectText()
    await paste(2, 'Teal\nPlum')
    await page.getByLabel('Text of option 4').waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/programs/rows/question')
    await page.getByLabel('Text of option 1').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Kept in the draft.').waitFor()
    expect((await stored('rows')).questions[0]!.options).toEqual([
      { admin_id: 'green', text: 'Option green' },
      { admin_id: 'grun_wie_gras', text: 'Grün wie Gras' },
      { admin_id: 'teal', text: 'Teal' },
      { admin_id: 'plum', text: 'Plum' },
    ])
    expect(complaints).toEqual([])
  })

  test.each([true, false])(
    'a question is seen as the applicant sees it while it is written, and its fields send nothing (scripts: %p)',
    async javaScriptEnabled => {
      const slug = javaScriptEnabled ? 'seen-at-once' : 'seen-when-sent'
      await aProgram(sql, { slug, display_name: slug, questions: [q.text('kept')] })
      const { page, complaints } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled })
      await page.goto(`/admin/programs/${slug}/add-question?screen=0`)
      await page.getByText('Nothing yet.').waitFor()
      await page.getByLabel('What the applicant reads').fill('Which tree?')
      await page.getByRole('radio', { name: 'One of several' }).check()
      await page.getByLabel('Text of option 1').fill('Oak')
      await page.getByLabel('Help').fill('Native ones only.')
      await page.getByLabel('May be left unanswered').check()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Another option' }).click()
      const seen = page.getByRole('group', { name: 'As the applicant sees it' })
      await seen.getByRole('radio', { name: 'Oak' }).waitFor()
      await until('all that was typed', async () =>
        /^Which tree\? optional\s*Native ones only\.\s*Oak$/.test((await seen.textContent()) ?? ''),
      )
      expect(await seen.getByRole('radio', { name: 'Oak' }).isDisabled()).toBe(true)
      expect(await page.locator('[name=option_text]').first().inputValue()).toBe('Oak')
      await page.getByRole('button', { name: 'Keep in draft' }).click()
      await page.getByText('Kept in the draft.').waitFor()
      await page.getByRole('link', { name: 'Which tree?' }).first().click()
      await seen.getByRole('radio', { name: 'Oak' }).waitFor()
      expect(complaints).toEqual([])
    },
  )
})
