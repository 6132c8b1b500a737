// What pages of the console and the docs say, and must not say: small things that once misled their readers.

import { describe, expect, test } from 'bun:test'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, ConsoleVisitor, errorsOf, factsOf, noticesOf, rowsOf, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const long = 'a-slug-that-is-longer-than-any-phone-is-wide-and-goes-on-and-on-2026'
await aProgram(sql, { slug: 'food', display_name: 'Food', questions: [q.text('shared words'), q.text('first')] })
await aProgram(sql, {
  slug: 'care',
  display_name: 'Care',
  questions: [q.enumerator('household', [q.text('employer')])],
})
await aProgram(sql, { slug: long, display_name: 'Long' })
const ada = await aPerson(sql, { name: 'Ada Administrator' })
const maria = await aPerson(sql, { name: 'Maria Okafor', email: 'maria.okafor@example.gov', role: 'AUDITOR' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const now = Date.now() * 1000
const day = 86_400_000_000

describe('a key', () => {
  test('that is retired has no valid password, and no buttons to retire or rotate it', async () => {
    const { username } = await createTestKey(sql, { programs: ['food'], retiredAt: now })
    await sql`update api_key set earlier_secret_hash = secret_hash, earlier_secret_until = ${now + 7 * day} where api_key_id = ${username}`
    expect(noticesOf(await browser.page(`/admin/keys/${username}`))).not.toContain('two-passwords')
    for (const action of ['retire', 'rotate']) {
      const { status, headers } = await browser.get(`/admin/keys/${username}/${action}`)
      expect([status, headers.get('location')]).toEqual([303, `/admin/keys/${username}`])
    }
  })

  test('is tested only on request, with its own program selected', async () => {
    const { username } = await createTestKey(sql, { programs: ['food'], name: 'Judged' })
    const page = await browser.page(`/admin/keys/check?key=${username}`)
    expect(page).not.toContain('data-notice=')
    expect(page).toContain('<option value="food" selected')
    const asked = (address: string) => browser.page(`/admin/keys/check?key=${username}&address=${address}&program=food`)
    expect(await asked('192.0.2.7')).toContain('data-notice="passes"')
  })

  test('shows in the list how many programs it has beyond the first, and on its page all of them', async () => {
    const slugs = Array.from({ length: 9 }, (_, i) => `many-${i}`)
    const { username } = await createTestKey(sql, { programs: slugs, name: 'Many' })
    const row = rowsOf(await browser.page('/admin/keys'), 'Active API keys').find(({ Key }) => Key!.startsWith('Many'))
    expect(row!.Programs).toBe('many-0 many-1 many-2 many-3 and 5 more')
    expect(factsOf(await browser.page(`/admin/keys/${username}`)).Programs).toBe(slugs.join(' '))
  })
})

test('a program that cannot be created shows the error at the top and at the field', async () => {
  const unnamed = await browser.refused(400, '/admin/new-program', { display_name: ' ', slug: '' })
  // What the slug is made of is missing, which is no error of the slug.
  expect(errorsOf(unnamed)).toEqual(['display_name required'])
  expect(unnamed).toContain('id="display_name-error"')
  expect(unnamed).not.toContain('id="slug-error"')
  const both = await browser.refused(400, '/admin/new-program', { display_name: ' ', slug: 'Big Trees' })
  expect(errorsOf(both)).toEqual(['display_name required', 'slug wrong_characters'])
  for (const part of ['id="slug-error"', 'value="Big Trees"']) expect(both).toContain(part)
  const html = await browser.refused(400, '/admin/new-program', { display_name: 'Big Trees', slug: 'Big Trees' })
  expect(errorsOf(html)).toEqual(['slug wrong_characters'])
  expect(html).toContain('id="slug-error"')
  expect(html).toContain('such as <code>housing-aid-2026</code>')
  expect(html).not.toContain('`')
})

test('errors of an invitation are in the order of its fields', async () => {
  const html = await browser.refused(400, '/admin/people/invite', { name: '', email: '', role: '' })
  expect(errorsOf(html)).toEqual(['name missing', 'email not_an_email', 'role unknown_role'])
})

test('the audit log finds a person by part of the name', async () => {
  await new ConsoleVisitor(service).signIn(maria.email)
  for (const who of ['maria', 'OKAFOR', maria.email, `admin:${maria.email}`]) {
    const [, ...days] = (await browser.page(`/admin/audit?actor=${encodeURIComponent(who)}`)).split('<h2 id="day-')
    const rows = days.join()
    expect([who, rows.includes('signed in') || rows.includes('Signed in'), rows.includes(ada.email)]).toEqual([
      who,
      true,
      false,
    ])
  }
  expect(await browser.page('/admin/audit?actor=no+such+name')).not.toContain('<h2 id="day-')
})

test('a browser gets errors as a page, and a program as a problem document', async () => {
  for (const path of ['/nope', '/docs/api/programs/nope', '/docs/nope']) {
    const page = await browser.get(path, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
    expect(await page.text()).toMatch(/<h1>[^<]+<\/h1>/)
    const plain = await browser.get(path, { Accept: '*/*' })
    expect([path, plain.status, plain.headers.get('content-type')]).toEqual([path, 404, 'application/problem+json'])
  }
  const refused = await browser.get('/admin?x=%00')
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('href="/admin"')])
  // The way to where it would be found, as far as it is open.
  const missing = await (await browser.get('/admin/programs/none/applications/7')).text()
  expect(missing).toContain('href="/admin/applications">Go to Applications<')
  expect(missing).toContain('<a href="/admin/applications" aria-current="true">')
  expect(await (await browser.get('/admin/keys/none')).text()).toContain('>Go to API keys<')
  const stranger = await new ConsoleVisitor(service).get('/admin/nope?q=1')
  expect(await stranger.text()).toContain('/admin/sign-in?next=%2Fadmin%2Fnope%3Fq%3D1"')
  const api = await service.get('/api/v1/nope', { headers: { Accept: 'text/html' } })
  expect([api.status, api.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
})

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const chromium = await useBrowser()
  const open = (options = {}) =>
    openPage(chromium, service.baseUrl, { email: ada.email, password: testPassword, ...options })

  test('on a phone, the menu opens under the finger', async () => {
    const { page, context } = await open({ viewport: { width: 390, height: 800 } })
    await page.goto('/admin/keys')
    const menu = page.locator('.menu summary')
    const before = (await menu.boundingBox())!
    await menu.click()
    const after = (await menu.boundingBox())!
    expect(Math.abs(after.x - before.x)).toBeLessThan(12)
    expect(Math.abs(after.y - before.y)).toBeLessThan(12)
    await context.close()
  }, 60_000)

  test('Enter in the search of the docs goes to the match, not to its group', async () => {
    const { page, context } = await open()
    await page.goto('/docs/api/programs/care')
    await page.locator('[data-find]').fill('empl')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toContain('employer')
    await context.close()
  }, 60_000)

  test('a refused form has the focus on its errors, and their fields have a red border', async () => {
    const { page, context } = await open({ javaScriptEnabled: true })
    await page.goto('/admin/people/invite')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.waitForURL(/invite/)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-labelledby")')).toBe('errors')
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).borderTopColor`)
    expect(await colour('#name')).toBe(await colour('.field.wrong #email'))
    expect(
      await page.evaluate(
        'getComputedStyle(document.querySelector("#name")).borderTopColor === getComputedStyle(document.querySelector("#name-error")).color',
      ),
    ).toBe(true)
    await context.close()
  }, 60_000)
})
