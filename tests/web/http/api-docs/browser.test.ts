// The docs in a real browser: complete without scripts, accessible to every user, and hostile words in them are words.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPage, useBrowser, wrappedLines } from '../../../support/browser.ts'
import { aPerson, testPassword } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { lines, load, reasonProgram } from '../../../support/load-input.ts'
import { needs } from '../../../support/needs.ts'
import { aDraft, aProgram, everyKind, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const hostile = `</script><img src=x onerror="alert(1)">'&quot;{{7*7}}`
const letters = (i: number): string =>
  [...String(i).padStart(3, '0')].map(digit => 'abcdefghij'[Number(digit)]).join('')

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const { sql } = database
  const common = { slug: 'shown', display_name: `Help ${hostile}` }
  const bad = q.radio('bad', ['one', 'two'], {
    text: hostile,
    options: [
      { admin_id: 'one', text: hostile },
      { admin_id: 'two', text: 'Two' },
    ],
  })
  await aProgram(sql, { ...common, questions: [...everyKind, bad] })
  await aDraft(sql, { ...common, questions: [...everyKind.slice(2), q.text('brand new', { text: hostile })] })
  const many = Array.from({ length: 200 }, (_, i) => q.radio(`question ${letters(i)}`, ['yes', 'no']))
  await aProgram(sql, { slug: 'large', questions: many })
  const ada = await aPerson(sql)
  const signedIn = { email: ada.email, password: testPassword }
  const browser = await useBrowser()
  const pages = [
    '/docs/api/programs',
    '/docs/api/programs/shown',
    '/docs/api/programs/shown/versions/draft',
    '/docs/api/programs/large',
    '/docs/api',
  ]
  const exampleOf = async (page: Page, version: string): Promise<string> => {
    const answer = await page.request.get(`/docs/api/programs/shown/versions/${version}`, {
      headers: { Accept: 'application/json' },
    })
    return JSON.stringify(((await answer.json()) as { example: unknown }).example, null, 2)
  }

  test('a program with 200 questions makes no page of 30,000 px, and a link to a question unfolds it without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled })
      await page.goto('/docs/api/programs/large')
      const height = (await page.locator('main').boundingBox())!.height
      expect(height).toBeLessThan(6500)
      const fields = page.getByText('application.question_bjj')
      expect(await fields.isVisible()).toBe(false)
      await page.locator('#find a[href="#q-question_bjj"]').click()
      await fields.waitFor()
      expect(page.url()).toEndWith('#q-question_bjj')
    }
  })

  test.each([
    [1440, 6000],
    [390, 10_000],
  ])(
    'operations are folded at %i px, and a link to one unfolds it with its sample without scripts',
    async (width, most) => {
      const { page } = await openPage(browser, service.baseUrl, {
        ...signedIn,
        javaScriptEnabled: false,
        viewport: { width, height: 900 },
      })
      await page.goto('/docs/api')
      expect((await page.locator('main').boundingBox())!.height).toBeLessThan(most)
      const sample = page.locator('#adminRotateApiKey-request')
      expect(await sample.isVisible()).toBe(false)
      await page.goto('/docs/api#adminRotateApiKey')
      await sample.waitFor()
      const [facts, samples] = [
        page.locator('#adminRotateApiKey > div').first(),
        page.locator('#adminRotateApiKey > .samples'),
      ]
      const [read, copied] = [(await facts.boundingBox())!, (await samples.boundingBox())!]
      // Alongside where there is room, below where there is none.
      expect(copied.x >= read.x + read.width).toBe(width === 1440)
      expect(copied.y >= read.y + read.height).toBe(width === 390)
    },
  )

  test('the side list is filtered by key and text while typing, from the keyboard', async () => {
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/docs/api/programs/large')
    await page.keyboard.press('/')
    await page.keyboard.type('question_bc')
    const list = page.getByRole('navigation', { name: 'On this page' })
    await list.getByText('10 found').waitFor({ state: 'attached' })
    expect(await list.locator('li:visible').count()).toBe(10)
    await page.keyboard.press('Enter')
    await page.waitForURL(/#q-question_bca$/)
    await list.getByRole('searchbox').fill('no such thing at all')
    await list.getByText('Nothing found').waitFor({ state: 'attached' })
    await page.goto('/docs/api/programs/shown')
    await list.getByRole('searchbox').fill('member name?')
    const titles = await list.locator('li:visible > a').evaluateAll(all => all.map(link => link.getAttribute('title')))
    expect(titles).toEqual(['household_member', 'member_name'])
  })

  test.each(['active', 'draft'])(
    'foldable JSON is character by character the example, and is copied so: %s',
    async version => {
      const { page, context } = await openPage(browser, service.baseUrl, signedIn)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`/docs/api/programs/shown/versions/${version}`)
      const example = await exampleOf(page, version)
      const tree = page.locator('#example-json')
      expect(await tree.textContent()).toBe(example)
      expect(await tree.locator('details').count()).toBeGreaterThan(3)
      // The application in which nothing is answered is folded; what is folded is copied, too.
      expect(await tree.locator('details:not([open])').count()).toBeGreaterThan(0)
      await page.getByRole('button', { name: /^Example page: .*Copy/ }).click()
      await page.getByRole('button', { name: /^Example page: .*Copied/ }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(example)
      // As lines, every one once: a fold adds none. A long line would take several.
      await page.evaluate('document.querySelector("#example-json").style.whiteSpace = "pre"')
      await page.evaluate('for (const one of document.querySelectorAll("#example-json details")) one.open = true')
      const lineHeight = Number.parseFloat(
        String(await page.evaluate('getComputedStyle(document.querySelector("#example-json")).lineHeight')),
      )
      const height = Number(await page.evaluate('document.querySelector("#example-json").clientHeight')) - 28
      expect(Math.round(height / lineHeight)).toBe(example.split('\n').length)
    },
  )

  test('on a phone, wrapped lines of JSON keep their indentation, and a selection is copied as JSON', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, viewport: { width: 390, height: 844 } })
    await page.goto('/docs/api/programs/shown')
    const { wrapped, outdented } = await wrappedLines(page, '#example-json')
    expect(wrapped).toBeGreaterThan(5)
    expect(outdented).toEqual([])
    await page.evaluate('for (const one of document.querySelectorAll("#example-json details")) one.open = true')
    await page.evaluate('getSelection().selectAllChildren(document.querySelector("#example-json"))')
    const selected = (await page.evaluate('String(getSelection())')) as string
    expect(JSON.parse(selected)).toEqual(JSON.parse(await exampleOf(page, 'active')))
  })

  test('Enter in the list goes to the best match rather than its group, and groups without a match are hidden', async () => {
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/docs/api/programs/shown')
    const list = page.getByRole('navigation', { name: 'On this page' })
    await list.getByRole('searchbox').fill('empl')
    expect(await list.locator('h2:visible a').evaluateAll(all => all.map(link => link.getAttribute('href')))).toEqual([
      '#screen-1',
    ])
    await list.getByRole('searchbox').press('Enter')
    await page.waitForURL(/#q-household_member\.member_job\.employer$/)
  })

  test('the example follows the question being read, and a draft marks its changes in it', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, viewport: { width: 1440, height: 900 } })
    await page.goto('/docs/api/programs/shown')
    await page
      .locator('.question', { has: page.locator('#q-bad') })
      .locator('summary')
      .focus()
    const followed = page.locator('#example-json .followed')
    expect(await followed.textContent()).toBe('"bad"')
    await until('the example to be scrolled to it', async () => {
      const [box, member] = [
        await page.locator('.scroll:has(#example-json)').boundingBox(),
        await followed.boundingBox(),
      ]
      return member!.y >= box!.y && member!.y < box!.y + box!.height
    })
    await page.goto('/docs/api/programs/shown/versions/draft')
    expect(await page.locator('#example-json .new').allTextContents()).toContain('"brand_new"')
    expect(await page.locator('#example-json .new').allTextContents()).not.toContain('"household_member"')
  })

  test('Run sends the request with the page’s key, and each line of the response leads to its question', async () => {
    const tried = await reasonProgram(sql, 'tried')
    await load(sql, lines(tried, { id: 1 }, { id: 2 }))
    const { username, password } = await createTestKey(sql, { programs: ['tried'] })
    const { page, complaints } = await openPage(browser, service.baseUrl, { httpCredentials: { username, password } })
    await page.goto('/docs/api/programs/tried')
    const run = async (of: string, shown: string): Promise<string> => {
      await page.locator(`${of} [data-run]:visible`).click()
      await page.locator('[data-status]', { hasText: shown }).waitFor()
      return (await page.locator('#response-body').textContent()) ?? ''
    }
    const { payload } = JSON.parse(await run('.folds', '200')) as { payload: { application_id: number }[] }
    expect(payload.map(({ application_id }) => application_id)).toEqual([1, 2])
    expect(await page.locator('[data-headers]').textContent()).toContain('snapshot-time')
    const leading = page.locator('#response-body a[href="#q-reason"]')
    expect(await leading.allTextContents()).toEqual(payload.flatMap(() => ['"reason"', '"question_type"', '"text"']))
    expect(JSON.parse(await run('.panel:has(#check-key)', 'checkAuth'))).toMatchObject({ api_key_id: username })
    expect(JSON.parse(await run('.panel:has(#poll)', 'fromDate=20'))).toEqual({ payload: [], nextPageToken: null })
    expect(complaints).toEqual([])
  })

  test('Run shows staff a sample instead, and a key that cannot export has none', async () => {
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/docs/api/programs/shown')
    await page.locator('.folds [data-run]:visible').click()
    await page.locator('#response-body a').first().waitFor()
    expect(await page.locator('#response-body').textContent()).toBe(`${await exampleOf(page, 'active')}\n`)
    const submitting = await createTestKey(sql, { programs: ['shown'], mayExport: false, maySubmit: true })
    const headers = { Authorization: submitting.authorization }
    const theirs = await (await service.get('/docs/api/programs/shown', { headers })).text()
    expect([...theirs.matchAll(/data-run="[^"]*\/([^"/]*)"/g)].map(([, name]) => name)).toEqual(['checkAuth', 'shown'])
  })

  test('the chosen language is open on the next page', async () => {
    const { page } = await openPage(browser, service.baseUrl, signedIn)
    await page.goto('/docs/api/programs/shown')
    await page.locator('summary', { hasText: 'Python' }).click()
    await page.goto('/docs/api/programs/large')
    await page.getByText('#!/usr/bin/env python3').waitFor()
    expect(await page.getByText('pageSize=5').isVisible()).toBe(false)
  })

  test('without scripts, samples are tabs, and no button is without function', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto('/docs/api/programs/shown')
    await page.getByText('pageSize=5').waitFor()
    await page.locator('summary', { hasText: /^curl$/ }).click()
    await page.getByText('#!/bin/sh').waitFor()
    await page.locator('summary', { hasText: 'Python' }).click()
    await page.getByText('#!/usr/bin/env python3').waitFor()
    expect(await page.getByText('#!/bin/sh').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: /Copy|Run/ }).count()).toBe(0)
    expect(await page.getByRole('searchbox').count()).toBe(0)
    await page
      .getByRole('navigation', { name: 'Versions' })
      .getByRole('link', { name: /^Draft: / })
      .click()
    await page.locator('h2#changes').waitFor()
  })

  test('on a phone, questions, parameters and fields are folded, but for what a link leads to', async () => {
    const opened = async (width: number, hash: string) => {
      const { page, context } = await openPage(browser, service.baseUrl, {
        ...signedIn,
        viewport: { width, height: 844 },
      })
      await page.goto(`/docs/api/programs/shown${hash}`)
      const folds = page.locator('details.question, details.parts')
      const [all, open] = [await folds.count(), await folds.and(page.locator('[open]')).count()]
      if (hash !== '') await page.locator(hash).waitFor()
      await context.close()
      return { all, open }
    }
    const { all, open } = await opened(1440, '')
    expect(all).toBeGreaterThan(10)
    expect(open).toBe(all)
    expect(await opened(390, '')).toEqual({ all, open: 0 })
    expect(await opened(390, '#field-status')).toEqual({ all, open: 1 })
  })

  test('on a phone the list opens on request, and closes after a choice, without scripts', async () => {
    const { page } = await openPage(browser, service.baseUrl, {
      ...signedIn,
      javaScriptEnabled: false,
      viewport: { width: 360, height: 800 },
    })
    await page.goto('/docs/api/programs/shown')
    const entry = page.locator('#find a[href="#q-date_of_birth"]')
    expect(await entry.isVisible()).toBe(false)
    await page.getByRole('link', { name: 'On this page' }).click()
    await entry.click()
    await page.getByText('application.date_of_birth').waitFor()
    expect(await entry.isVisible()).toBe(false)
  })

  test('hostile names, questions and options are plain text on every page', async () => {
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    page.on('dialog', () => complaints.push('a dialog'))
    for (const path of pages) {
      await page.goto(path)
      expect([path, await page.locator('img').count()]).toEqual([path, 0])
    }
    await page.goto('/docs/api/programs/shown')
    await page.getByRole('heading', { level: 1, name: `Help ${hostile}` }).waitFor()
    expect(await page.locator('#q-bad').textContent()).toContain(`one ${hostile}`)
    const entry = page.locator('#find a[href="#q-bad"]')
    expect([await entry.textContent(), await entry.getAttribute('title')]).toEqual([hostile, 'bad'])
    await page.goto('/docs/api/programs/shown/versions/draft')
    expect(await page.locator('.question', { has: page.locator('#q-brand_new') }).textContent()).toContain(hostile)
    expect(complaints).toEqual([])
  })
})
