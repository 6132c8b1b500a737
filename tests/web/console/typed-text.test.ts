// What is typed in the editor of a question while an answer is on its way, before Back and before the page is loaded again: none of it is
// lost, and the focus stays where it is (D38).

import { describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
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
  const ada = await aPerson(database.sql)
  const browser = await useBrowser()
  const questions = [q.text('name'), q.radio('pet', ['cat', 'dog']), q.enumerator('child')]
  await aProgram(database.sql, { slug: 'food', questions })
  const add = '/admin/programs/food/add-question'

  async function open(path = add) {
    const { page, context, complaints } = await openPage(browser, service.baseUrl, {
      email: ada.email,
      password: testPassword,
    })
    await page.goto(path)
    return { page, context, complaints }
  }

  /** Holds back the answers to forms that are rearranged, until `release`. */
  async function hold(page: Page) {
    const held: Route[] = []
    let isHolding = true
    await page.route(`**${add}`, async route => {
      if (isHolding && /(?:^|&)edit=(?:when|option)/.test(route.request().postData() ?? '')) held.push(route)
      else await route.continue()
    })
    const arrived = (count = 1) => until('the form that was sent', async () => held.length >= count)
    const release = async () => {
      isHolding = false
      await page.evaluate('document.querySelector("#asking").dataset.before = ""')
      for (const route of held) await route.continue().catch(() => {})
    }
    return { arrived, release }
  }
  const conditionReplaced = (page: Page) => page.locator('#asking:not([data-before])').waitFor()
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id')
  const optionTexts = (page: Page): Promise<string[]> =>
    page.evaluate('[...document.querySelectorAll("[name^=option_text_]")].map(field => field.value)')

  const fields = [
    ['text', 'One of several'],
    ['admin_name', 'One of several'],
    ['help', 'One of several'],
    ['new_screen', 'One of several'],
    ['option_text_1', 'One of several'],
    ['option_id_2', 'One of several'],
    ['min', 'Number'],
    ['max_length', 'Text'],
  ] as const
  test('a field keeps what is typed in it while a choice is answered, and the focus, by keyboard too', async () => {
    const { page, context, complaints } = await open()
    for (const [i, [name, kind]] of fields.entries()) {
      await page.goto(add)
      await page.getByRole('radio', { name: kind, exact: true }).check()
      const { arrived, release } = await hold(page)
      if (i % 2 === 0) await page.getByLabel('Repeated').selectOption({ index: 1 })
      else {
        await page.getByLabel('Repeated').focus()
        await page.keyboard.press('ArrowDown')
      }
      await arrived()
      await page.locator(`#${name}`).focus()
      await page.keyboard.type('typed in ')
      await release()
      await conditionReplaced(page)
      await page.keyboard.type('between')
      expect([name, await page.locator(`#${name}`).inputValue(), await focused(page)]).toEqual([
        name,
        'typed in between',
        name,
      ])
      expect(await page.getByLabel('Repeated').inputValue()).toBe('child')
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a condition keeps the value that is typed while its comparison is answered; a later choice takes the place of an earlier one', async () => {
    const { page, context } = await open()
    await page.getByRole('radio', { name: 'only when all of these hold' }).check()
    await page.getByLabel('Question of line 1').selectOption({ index: 1 })
    await page.locator('#when_value_0').waitFor()
    const { arrived, release } = await hold(page)
    await page.getByLabel('Comparison of line 1').selectOption({ index: 1 })
    await arrived()
    await page.locator('#when_value_0').focus()
    await page.keyboard.type('Ada, ')
    await release()
    await conditionReplaced(page)
    await page.keyboard.type('Bo')
    expect([await page.locator('#when_value_0').inputValue(), await focused(page)]).toEqual(['Ada, Bo', 'when_value_0'])
    const again = await hold(page)
    await page.getByLabel('Comparison of line 1').selectOption({ index: 0 })
    await again.arrived()
    await page.getByLabel('Question of line 1').selectOption({ index: 2 })
    await again.arrived(2)
    await again.release()
    await page.getByRole('radio', { name: 'Option cat' }).waitFor()
    await context.close()
  })

  test('the focus follows an option that is moved, and buttons that are pressed faster than they are answered are all obeyed', async () => {
    const { page, context } = await open()
    await page.getByRole('radio', { name: 'One of several', exact: true }).check()
    for (const [i, text] of ['A', 'B', 'C'].entries()) await page.locator(`#option_text_${i}`).fill(text)
    await page.locator('#option-up-2').focus()
    await page.keyboard.press('Enter')
    await until('the first move', async () => (await optionTexts(page)).join('') === 'ACB')
    expect(await focused(page)).toBe('option-up-1')
    await page.keyboard.press('Enter')
    await until('the second move', async () => (await optionTexts(page)).join('') === 'CAB')
    expect(await focused(page)).toBe('option-up-0')
    const { arrived, release } = await hold(page)
    await page.locator('#option-down-0').click()
    await arrived()
    await page.locator('#option-down-0').click()
    await page.locator('#option_text_2').focus()
    await page.keyboard.press('End')
    await page.keyboard.type('ee')
    await release()
    await until('both moves', async () => (await optionTexts(page)).join(' ') === 'A Bee C')
    expect(await focused(page)).toBe('option_text_1')
    await context.close()
  })

  test('an option keeps what is typed in it while others are added, removed and pasted', async () => {
    const { page, context } = await open()
    await page.getByRole('radio', { name: 'One of several', exact: true }).check()
    for (const [i, text] of ['A', 'B'].entries()) await page.locator(`#option_text_${i}`).fill(text)
    const during = async (act: () => Promise<void>, field: string, text: string): Promise<void> => {
      const { arrived, release } = await hold(page)
      await act()
      await arrived()
      await page.locator(field).focus()
      await page.keyboard.press('End')
      await page.keyboard.type(text)
      await release()
    }
    await during(() => page.getByRole('button', { name: 'Another option' }).click(), '#option_text_0', 'sh')
    await page.locator('#option_text_3').waitFor()
    expect(await optionTexts(page)).toEqual(['Ash', 'B', '', ''])
    await during(() => page.locator('#option-remove-0').click(), '#option_text_1', 'eech')
    await page.locator('#option_text_3').waitFor({ state: 'detached' })
    expect([await optionTexts(page), await focused(page)]).toEqual([['Beech', '', ''], 'option_text_0'])
    // A list that is pasted takes the empty rows away: what was typed in one joins the list.
    await page.getByText('Paste a list').click()
    await page.locator('#option_list').fill('Elm\nFir')
    await during(() => page.getByRole('button', { name: 'Make rows of it' }).click(), '#option_text_2', 'Oak')
    await until('the list', async () => (await optionTexts(page)).join(' ') === 'Beech Elm Fir')
    expect((await page.locator('#option_list').inputValue()).trim()).toBe('Oak')
    await context.close()
  })

  test('rows and all that was typed are there after Back and when the page is loaded again, and leaving asks first', async () => {
    const { page, context } = await open()
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.getByRole('radio', { name: 'One of several', exact: true }).check()
    await page.getByRole('button', { name: 'Another option' }).click()
    await page.locator('#option_text_3').fill('The fourth')
    await page.locator('#text').fill('Which one?')
    await page.getByRole('radio', { name: 'only when all of these hold' }).check()
    await page.getByLabel('Question of line 1').selectOption({ index: 1 })
    await page.locator('#when_value_0').fill('Ada')
    const whole = async () => {
      await page.locator('#when_value_0').waitFor()
      return [
        await page.locator('#text').inputValue(),
        await page.locator('#option_text_3').inputValue(),
        await page.locator('#when_value_0').inputValue(),
      ]
    }
    await page.reload()
    expect(await whole()).toEqual(['Which one?', 'The fourth', 'Ada'])
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(/\/questions$/)
    await page.goBack()
    expect(await whole()).toEqual(['Which one?', 'The fourth', 'Ada'])
    expect(asked).toEqual(['beforeunload', 'beforeunload'])
    // Once it is sent there is nothing to ask.
    await page.getByRole('button', { name: 'Keep in draft', exact: true }).click()
    await page.waitForURL(/done=saved/)
    expect(asked).toHaveLength(2)
    // Opened again, the form is empty.
    await page.goto(add)
    expect(await page.locator('#text').inputValue()).toBe('')
    await context.close()
  })
})
