// The editor in a real browser: a whole program with few clicks, by keyboard, on a bad connection, without a session, and with two people
// at it.

import { describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { saveDraft } from '../../../src/core/programs/save-draft.ts'
import { findActiveVersion, findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { describeForEditing, describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { programTexts } from '../../../src/domain/languages/program-texts.ts'
import { asciiName } from '../../../src/domain/values/slug.ts'
import { accessibilityErrors, openPage, pageWidth, smallTargets, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, everyKind, publish, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const { sql } = database
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const signedIn = { email: ada.email, password: testPassword }
  const browser = await useBrowser()

  async function version(slug: string) {
    const { program_id } = (await findProgram(sql, slug))!
    return (await findDraftVersion(sql, program_id)) ?? (await findActiveVersion(sql, program_id))!
  }
  const stored = async (slug: string) => describeVersion(await version(slug))
  const textsOf = async (slug: string) => (await stored(slug)).questions.map(({ text }) => text)

  /** The editor of a program, opened by an administrator. */
  async function open(slug: string): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
    const opened = await openPage(browser, service.baseUrl, signedIn)
    await opened.page.goto(`/admin/programs/${slug}/edit`)
    await opened.page.locator('.panes').waitFor()
    return opened
  }
  const reaches = (page: Page, state: string) => page.locator(`.save-state[data-state="${state}"]`).waitFor()
  const entry = (page: Page, text: string) => page.locator('.structure .entry', { hasText: text }).first()
  const text = (page: Page) => page.getByLabel('Question', { exact: true })

  test('twelve questions on four screens, with a list and a conditional screen, are published with at most 24 clicks', async () => {
    const { page, complaints, context } = await openPage(browser, service.baseUrl, signedIn)
    let clicks = 0
    const click = async (role: 'link' | 'button', name: string | RegExp) => {
      clicks++
      await page.getByRole(role, { name }).first().click()
    }
    /** A select is opened and chosen from. */
    const choose = async (label: string, value: string) => {
      clicks += 2
      await page.getByLabel(label, { exact: true }).selectOption(value)
    }
    const screen = async (heading: string) => {
      await click('button', '+ Screen')
      await page.keyboard.type(heading)
      await click('button', '+ Question')
    }
    /** Typed into the new question that has the focus; Enter leads on to the next. */
    const ask = async (...texts: string[]) => {
      for (const [i, value] of texts.entries()) {
        if (i > 0) await page.keyboard.press('Enter')
        await page.keyboard.type(value)
      }
    }
    await page.goto('/admin/programs')
    await click('link', 'New program')
    await page.getByLabel('Name', { exact: true }).fill('Heating help')
    await click('button', 'Create draft')
    await click('button', '+ Question')
    await ask('What is your name?', 'When were you born?', 'What is your phone?', 'What is your email address?')
    await screen('Your home')
    await ask('Do you rent or own?')
    await choose('Answer type', 'RADIO')
    await page.getByLabel('New option').focus()
    for (const option of ['We rent it', 'We own it']) {
      await page.keyboard.type(option)
      await page.keyboard.press('Enter')
    }
    await text(page).focus()
    await page.keyboard.press('Enter')
    await ask('What is your rent?')
    await screen('Your household')
    await ask('Who lives with you?', 'What is their name?', 'When were they born?')
    await screen('Your landlord')
    await ask('Who is your landlord?', 'How can we reach them?', 'Is there anything else?')
    await entry(page, 'Your landlord').click()
    clicks++
    await choose('Show this screen', 'if')
    // At once: the link saves first.
    await click('link', 'Review and publish')
    await click('button', 'Publish')
    await page.locator('[data-notice=published]').waitFor()
    const { screens, questions } = await stored('heating-help')
    expect(screens.map(({ name, questions }) => [name, questions.length])).toEqual([
      ['About you', 4],
      ['Your home', 2],
      ['Your household', 3],
      ['Your landlord', 3],
    ])
    expect(
      questions.map(({ kind, enumerator }) => (enumerator === undefined ? kind : `${kind} of ${enumerator}`)),
    ).toEqual([
      'NAME',
      'DATE',
      'PHONE',
      'EMAIL',
      'RADIO',
      'CURRENCY',
      'ENUMERATOR',
      'NAME of who lives with you',
      'DATE of who lives with you',
      'TEXT',
      'PHONE',
      'TEXT',
    ])
    expect(screens[3]!.visible_when).toEqual({
      question: 'do you rent or own',
      field: 'selection',
      operator: 'equal',
      value: 'we_rent_it',
    })
    if (process.env.EDITOR_FIGURES) console.log(`${clicks} clicks for twelve questions`)
    expect(clicks).toBeLessThanOrEqual(24)
    expect(complaints).toEqual([])
    await context.close()
  }, 120_000)

  test.each([400, 2000])(
    'no input is lost if the service takes %p ms to respond',
    async ms => {
      const slug = `slow-${ms}`
      await aProgram(sql, { slug, questions: [q.text(`first ${ms === 400 ? 'a' : 'b'}`)] })
      const { page, context } = await open(slug)
      await page.route('**/admin/api/**', async route => {
        await Bun.sleep(ms)
        await route.continue()
      })
      const written = ['What colour is your house?', 'Which trees do you have?', 'How do you heat it?']
      for (const value of written) {
        await page.getByRole('button', { name: '+ Question' }).click()
        await page.keyboard.type(value, { delay: 25 })
        await page.getByLabel('Answer type').selectOption('CHECKBOX')
        await page.getByLabel('New option').fill('Red')
        await page.keyboard.press('Enter')
        await page.getByLabel('Help text').pressSequentially('Roughly', { delay: 25 })
      }
      await reaches(page, 'saved')
      const { questions } = await stored(slug)
      expect(questions.slice(1).map(({ text, help, options }) => [text, help, options?.length])).toEqual(
        written.map(value => [value, 'Roughly', 1]),
      )
      await context.close()
    },
    120_000,
  )

  test('offline input survives a reload, and is saved when the connection is back', async () => {
    await aProgram(sql, { slug: 'offline', questions: [q.text('only one here')] })
    const { page, context } = await open('offline')
    await page.route('**/admin/api/**', route =>
      route.request().method() === 'GET' && route.request().url().includes('/editing')
        ? route.continue()
        : route.abort(),
    )
    await text(page).fill('Typed on the train?')
    await page.locator('[data-notice=unreachable]').waitFor()
    page.once('dialog', dialog => void dialog.accept())
    await page.reload()
    await page.locator('.panes').waitFor()
    expect(await text(page).inputValue()).toBe('Typed on the train?')
    await page.locator('[data-notice=unreachable]').waitFor()
    await page.unroute('**/admin/api/**')
    await page.getByRole('button', { name: 'Try now' }).click()
    await reaches(page, 'saved')
    expect(await textsOf('offline')).toEqual(['Typed on the train?'])
    await context.close()
  }, 60_000)

  test('an expired session loses nothing: after signing in in another tab, the draft is saved automatically', async () => {
    await aProgram(sql, { slug: 'signed-out', questions: [q.text('only that one')] })
    const { page, context } = await open('signed-out')
    await context.clearCookies()
    await text(page).fill('Typed too late?')
    await page.locator('[data-notice=signed-out]').waitFor()
    const tab = context.waitForEvent('page')
    await page.locator('[data-notice=signed-out] a').click()
    const other = await tab
    await other.getByLabel('Email').fill(ada.email)
    await other.getByLabel('Password').fill(testPassword)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.waitForURL(/account/)
    await other.close()
    await page.evaluate('dispatchEvent(new Event("focus"))')
    await reaches(page, 'saved')
    expect(await textsOf('signed-out')).toEqual(['Typed too late?'])
    await context.close()
  }, 60_000)

  /** Saves the draft as another person, with this text in place of that one. */
  async function saveAs(slug: string, from: string, to: string): Promise<void> {
    const document = describeForEditing(await version(slug))
    const changed = JSON.parse(JSON.stringify(document).replaceAll(`"text":"${from}"`, `"text":"${to}"`)) as object
    await saveDraft(sql, changed, 'admin:ben@example.gov')
  }

  test.each([
    ['Keep both', ['Mine?', 'Theirs?']],
    ['Use theirs', ['One?', 'Theirs?']],
    ['Use mine', ['Mine?', 'Two?']],
  ])(
    'two people editing a draft see each other’s changes, and one decides: %s',
    async (button, expected) => {
      const slug = asciiName(button, '-')
      const names = ['one', 'two'].map(name => `${name} of ${button.toLowerCase()}`)
      await aProgram(sql, {
        slug,
        questions: [q.text(names[0]!, { text: 'One?' }), q.text(names[1]!, { text: 'Two?' })],
      })
      const { page, context } = await open(slug)
      await text(page).waitFor()
      await saveAs(slug, 'Two?', 'Theirs?')
      await text(page).fill('Mine?')
      const notice = page.locator('[data-notice=conflict]')
      await notice.waitFor()
      for (const part of ['ben@example.gov', 'Theirs?', 'Mine?']) expect(await notice.textContent()).toContain(part)
      expect(await accessibilityErrors(page)).toEqual([])
      await page.getByRole('button', { name: button }).click()
      await reaches(page, 'saved')
      expect(await textsOf(slug)).toEqual(expected)
      await context.close()
    },
    60_000,
  )

  test('if both changed one question, only one change can be kept', async () => {
    await aProgram(sql, { slug: 'clash', questions: [q.text('contested', { text: 'One?' })] })
    const { page, context } = await open('clash')
    await saveAs('clash', 'One?', 'Theirs?')
    await text(page).fill('Mine?')
    await page.locator('[data-notice=conflict]').waitFor()
    expect(await page.getByRole('button', { name: 'Keep both' }).count()).toBe(0)
    await context.close()
  }, 60_000)

  test('by keyboard, questions and options are moved with the focus, and their position is announced', async () => {
    await aProgram(sql, {
      slug: 'by-keys',
      screens: [
        { name: 'Early', questions: [q.radio('which tree', ['oak', 'ash', 'fir']), q.text('why that one')] },
        { name: 'Late', questions: [q.text('since when')] },
      ],
    })
    const { page, context } = await open('by-keys')
    await page.locator('[id="handle question why that one"]').focus()
    await page.keyboard.press('ArrowDown')
    await until('the move is said', async () => (await page.locator('p[role=status]').textContent())?.includes('Late'))
    await page.keyboard.press('ArrowDown')
    await page.locator('[id="handle option 2"]').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate('document.activeElement.id')).toBe('handle option 0')
    await page.getByLabel('New option').focus()
    await page.keyboard.press('Tab')
    await reaches(page, 'saved')
    const { screens, questions } = await stored('by-keys')
    expect(screens.map(({ questions }) => questions.map(({ question }) => question))).toEqual([
      ['which tree'],
      ['since when', 'why that one'],
    ])
    expect(questions[0]!.options!.map(({ admin_id }) => admin_id)).toEqual(['fir', 'oak', 'ash'])
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await reaches(page, 'saved')
    await until('the move is undone', async () => (await stored('by-keys')).screens[0]!.questions.length === 2)
    await context.close()
  }, 60_000)

  test('a question is dragged by mouse', async () => {
    await aProgram(sql, { slug: 'dragged', questions: [q.text('alpha'), q.text('beta'), q.text('gamma')] })
    const { page, context } = await open('dragged')
    const middle = async (name: string) => {
      const { x, y, width, height } = (await page.locator(`[id="handle question ${name}"]`).boundingBox())!
      return { x: x + width / 2, y: y + height / 2, height }
    }
    const [from, to] = [await middle('alpha'), await middle('gamma')]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x + 20, to.y, { steps: 3 })
    await page.mouse.move(to.x + 20, to.y + 8)
    await page.mouse.up()
    await reaches(page, 'saved')
    expect((await stored('dragged')).screens[0]!.questions.map(({ question }) => question)).toEqual([
      'beta',
      'gamma',
      'alpha',
    ])
    await context.close()
  }, 60_000)

  test('a question is dragged by touch past the edge of a phone’s screen, as the page scrolls along', async () => {
    const names = [...'abcdefghijklmnopqrstuvwxyz'].map(letter => `touched ${letter}`)
    await aProgram(sql, { slug: 'touched', questions: names.map(name => q.text(name)) })
    const phone = { ...signedIn, hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } }
    const { page, context } = await openPage(browser, service.baseUrl, phone)
    await page.goto('/admin/programs/touched/edit')
    await page.locator('.panes').waitFor()
    const session = await context.newCDPSession(page)
    const { x, y } = (await page.locator(`[id="handle question ${names[0]}"]`).boundingBox())!
    const touch = (type: 'touchStart' | 'touchMove', top: number) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: x + 8, y: top }] })
    await touch('touchStart', y + 8)
    await touch('touchMove', y + 60)
    // Held at the bottom edge until the last question has come up.
    await touch('touchMove', 690)
    const last = page.locator(`[data-item="question ${names.at(-1)}"]`)
    await until('the end of the list', async () => (await last.getAttribute('class'))?.includes('over-after') ?? false)
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await reaches(page, 'saved')
    expect((await stored('touched')).screens[0]!.questions.map(({ question }) => question)).toEqual([
      ...names.slice(1),
      names[0]!,
    ])
    await context.close()
  }, 60_000)

  test('a pasted list becomes options with IDs from their texts', async () => {
    await aProgram(sql, { slug: 'pasted', questions: [q.text('before it')] })
    const { page, context } = await open('pasted')
    await page.getByRole('button', { name: '+ Question' }).click()
    await page.keyboard.type('Which trees grow there?')
    await page.getByLabel('Answer type').selectOption('CHECKBOX')
    await page.getByLabel('New option').focus()
    await page.evaluate(`{
      const data = new DataTransfer()
      data.setData('text', '1. Oak\\n2. Red maple\\n')
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }`)
    await page.getByLabel('Text of option 1').fill('Big oak')
    await reaches(page, 'saved')
    const { questions } = await stored('pasted')
    expect(questions[1]!.options).toEqual([
      { admin_id: 'big_oak', text: 'Big oak' },
      { admin_id: 'red_maple', text: 'Red maple' },
    ])
    await context.close()
  }, 60_000)

  test('a question similar to one in the bank is offered that one, and keys in the bank are avoided', async () => {
    await aProgram(sql, { slug: 'has-it', questions: [q.date('birth day', { text: 'Your birth date?' })] })
    await aProgram(sql, { slug: 'wants-it', questions: [q.text('something else')] })
    const { page, context } = await open('wants-it')
    await page.getByRole('button', { name: '+ Question' }).click()
    await page.keyboard.type('Your date of birth?')
    // The bank's answer arrives after the next question was typed, which it leaves as it is.
    const isTyped = Promise.withResolvers<void>()
    await page.route('**/api/v1/questions?*', async route => {
      await isTyped.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Use this question' }).first().click()
    await page.getByRole('button', { name: '+ Question' }).click()
    await page.keyboard.type('Birth day')
    isTyped.resolve()
    const named = async () =>
      (await stored('wants-it')).questions.map(({ admin_name, text }) => `${admin_name === 'birth day'} ${text}`)
    await until('both questions to be stored', async () =>
      Bun.deepEquals((await named()).slice(1), ['true Your birth date?', 'false Birth day']),
    )
    expect(await text(page).inputValue()).toBe('Birth day')
    await context.close()
  }, 60_000)

  test('the preview reacts to sample answers, and missing texts link to their place', async () => {
    const rent = { question: 'tenure', field: 'selection', operator: 'equal' as const, value: 'rent' }
    await aProgram(sql, {
      slug: 'seen',
      questions: [
        q.radio('tenure', ['rent', 'own']),
        q.text('landlord of it', { visible_when: rent }),
        q.radio('lone', ['x']),
      ],
    })
    const { page, context } = await open('seen')
    const landlord = page.locator('.seen [name="/landlord of it/text"]')
    expect(await landlord.count()).toBe(0)
    await page.locator('.seen [name="/tenure/selection"][value=rent]').check()
    await landlord.fill('Somebody')
    await page.locator('.seen [name="/tenure/selection"][value=own]').check()
    await until('the question goes', async () => (await landlord.count()) === 0)
    await page.locator('[data-remark=one_option]').click()
    expect(await page.locator('.item.current').getAttribute('data-item')).toBe('question lone')
    expect(await page.locator('.save-state').getAttribute('data-state')).toBe('unchanged')
    await context.close()
  }, 60_000)

  test('texts are translated side by side, and Enter goes to the next missing one', async () => {
    const options = Array.from({ length: 27 }, (_, i) => `o${i}`)
    await aProgram(sql, {
      slug: 'translated',
      statuses: ['Received'],
      screens: [
        { name: 'You', description: 'About you', questions: [q.text('first of them', { help: 'Say' })] },
        { name: 'Trees', questions: [q.checkbox('trees of them', options)] },
      ],
    })
    const { page, complaints, context } = await open('translated')
    await page.getByLabel('Languages shown').selectOption({ index: 1 })
    await page.keyboard.type('Spanish')
    await page.keyboard.press('Enter')
    const row = page.locator('[data-language=es]')
    const all = 7 + options.length
    expect(await row.getAttribute('data-missing')).toBe(String(all))
    expect(await page.locator('.field.missing').count()).toBe(1)
    await page.locator('[data-remark=untranslated]').click()
    for (let i = 0; i < all; i++) {
      await page.locator('.field.missing :focus').waitFor()
      await page.keyboard.type(`Texto ${i}`)
      await page.keyboard.press('Enter')
    }
    await until('none is missing', async () => (await page.locator('.missing-texts').count()) === 0)
    // The preview follows, and goes back where another language is chosen for it.
    const seen = page.locator('.seen [id="/trees of them/selections-0"] + label')
    expect(await seen.textContent()).toStartWith('Texto')
    await page.getByLabel('Language of the preview').selectOption('en')
    expect(await seen.textContent()).toBe((await stored('translated')).questions[1]!.options![0]!.text)
    await reaches(page, 'saved')
    const document = await stored('translated')
    expect(document.languages).toEqual(['es'])
    expect(programTexts(document).map(({ element, field }) => element.translations?.es?.[field])).toEqual(
      Array.from({ length: all }, (_, i) => `Texto ${i}`),
    )
    // A reload keeps the language; removing it takes the translations along, and undoing brings them back.
    await page.reload()
    await page.locator('.structure > .entry').click()
    await row.getByRole('button').last().click()
    await until('it is removed', async () => (await stored('translated')).languages === undefined)
    await page.keyboard.press('Control+z')
    await until('it is back', async () => (await stored('translated')).languages?.length === 1)
    expect(await stored('translated')).toEqual(document)
    expect(complaints).toEqual([])
    await context.close()
  }, 120_000)

  test('that no statuses are there leads to the button that adds one, and information text asks for no answer', async () => {
    await aProgram(sql, {
      slug: 'informs',
      statuses: [],
      questions: [q.static('what to know'), q.text('what is asked')],
    })
    const { page, context } = await open('informs')
    const required = page.locator('[id$="-optional"]')
    await entry(page, 'asked').click()
    expect(await required.count()).toBe(1)
    await entry(page, 'know').click()
    expect(await required.count()).toBe(0)
    await page.locator('[data-remark=no_statuses]').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Received')
    await reaches(page, 'saved')
    expect(await stored('informs')).toMatchObject({ statuses: ['Received'] })
    await context.close()
  }, 60_000)

  test('a status gets a color and a public name, which stay with it when it moves', async () => {
    await aProgram(sql, { slug: 'colored', statuses: ['Received', 'Approved'], questions: [q.text('any of it')] })
    const { page, context } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/admin/programs/colored/settings')
    await page.locator('a[href$="/edit#program"]').click()
    await page.getByLabel('Color of status 2').selectOption('green')
    await page.getByLabel('Public name of status 2').fill('Granted')
    await page.locator('[id="handle status 1"]').focus()
    await page.keyboard.press('ArrowUp')
    await reaches(page, 'saved')
    expect(await stored('colored')).toMatchObject({
      statuses: ['Approved', 'Received'],
      status_details: [{ status: 'Approved', color: 'green', public_name: 'Granted' }],
    })
    await context.close()
  }, 60_000)

  test('an option ID that meant something else in an earlier version has a warning at the option and can be replaced (D56)', async () => {
    const fuels = (...options: [id: string, text: string][]) => ({
      slug: 'fuels',
      questions: [q.radio('fuel', [], { options: options.map(([admin_id, text]) => ({ admin_id, text })) })],
    })
    await aProgram(sql, fuels(['oil', 'Heating oil'], ['gas', 'Gas']))
    await publish(sql, fuels(['gas', 'Gas']))
    const { page, context } = await open('fuels')
    await page.getByLabel('New option').focus()
    for (const option of ['Coal', 'Oil']) {
      await page.keyboard.type(option)
      await page.keyboard.press('Enter')
    }
    const said = page.locator('[data-item="2"] [data-code=option_reused]')
    expect(await said.textContent()).toContain('Heating oil')
    expect(await page.locator('[data-code=option_reused]').count()).toBe(1)
    expect(await accessibilityErrors(page)).toEqual([])
    await said.getByRole('button').click()
    await until('it is said no more', async () => (await said.count()) === 0)
    await reaches(page, 'saved')
    const [fuel] = (await stored('fuels')).questions
    expect(fuel!.options!.map(({ admin_id }) => admin_id)).toEqual(['gas', 'coal', 'oil_2'])
    await context.close()
  }, 60_000)

  test('on a phone, the selection scrolls into view, and a link leads back to the structure', async () => {
    const names = [...'abcdefghijklmnopqrst'].map(letter => `phone question ${letter}`)
    await aProgram(sql, { slug: 'on-a-phone', questions: names.map(name => q.text(name)) })
    const { page, context } = await open('on-a-phone')
    await page.setViewportSize({ width: 390, height: 800 })
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())!.y
    expect(await topOf('.panel')).toBeGreaterThan(800)
    await entry(page, names[3]!).click()
    await until('the panel is in view', async () => Math.abs(await topOf('.panel')) < 400)
    await page.locator('.to-structure').click()
    await until('the structure is', async () => Math.abs(await topOf('.structure')) < 400)
    await context.close()
  }, 60_000)

  test('axe finds nothing in any part, light or dark, wide or narrow, with every kind of question', async () => {
    await aProgram(sql, { slug: 'all-kinds', questions: everyKind, details: { languages: ['es', 'ar'] } })
    const { page, complaints, context } = await open('all-kinds')
    await page.getByLabel('Languages shown').selectOption('ar')
    const found: string[] = []
    const look = async (what: string) => {
      const errors = [...(await accessibilityErrors(page)), ...(await smallTargets(page))]
      const wide = await pageWidth(page)
      if (wide > page.viewportSize()!.width) errors.push(`${wide} px wide`)
      found.push(...errors.map(error => `${what}: ${error}`))
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const part of ['Name, languages', '1 · ', 'utilities', 'household size', 'member job']) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await entry(page, part).click()
      await look(`${part}, dark`)
      await page.setViewportSize({ width: 390, height: 900 })
      await look(`${part}, phone`)
    }
    await page.setViewportSize({ width: 320, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await look('narrow, light')
    expect(found).toEqual([])
    expect(complaints).toEqual([])
    // To look is not to change.
    expect(await page.locator('.save-state').getAttribute('data-state')).toBe('unchanged')
    await context.close()
  }, 180_000)
})
