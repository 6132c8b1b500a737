// The API reference in Scalar: self-hosted, under the policy of every page, and able to send requests to this service only.

import { describe, expect, test } from 'bun:test'
import { accessibilityErrors, openPage, pageWidth, useBrowser } from '../../../support/browser.ts'
import { aPerson, testPassword } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'

const database = await useDatabase()
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: ['any'] })
const get = (path: string, fields: Record<string, string> = {}): Promise<Response> =>
  service.get(path, { headers: { Authorization: key.authorization, ...fields } })

test('each response has a policy that allows no inline code, and style elements only with its own nonce', async () => {
  const [first, second] = [await get('/swagger'), await get('/swagger')]
  const policies = [first, second].map(({ headers }) => headers.get('content-security-policy')!)
  expect(policies[0]).not.toBe(policies[1]!)
  const usual = (await get('/docs/api')).headers.get('content-security-policy')
  for (const policy of policies) expect(policy.replace(/ 'nonce-[^']+'/, '')).toBe(usual!)
  const [, nonce] = /'nonce-([^']+)'/.exec(policies[0]!)!
  const html = await first.text()
  expect(html).toContain(`content="${nonce}"`)
  expect([...html.matchAll(/<script[^>]*>([^<]*)</g)].map(([, code]) => code)).toEqual(['', ''])
})

test('its script is the same in every coding, and cached for a year at a versioned address', async () => {
  const [path] = /\/assets\/scalar\.js\?v=[\w-]+/.exec(await (await get('/swagger')).text())!
  const sizes: Record<string, number> = {}
  const texts = new Set<string>()
  for (const coding of ['zstd', 'gzip', 'identity'] as const) {
    const response = await fetch(service.baseUrl + path, {
      headers: { 'Accept-Encoding': coding },
      decompress: false,
    } as RequestInit)
    const bytes = Buffer.from(await response.arrayBuffer())
    sizes[coding] = bytes.length
    const unpacked = { zstd: Bun.zstdDecompressSync, gzip: Bun.gunzipSync, identity: (same: Buffer) => same }
    texts.add(Buffer.from(unpacked[coding](bytes)).toString())
    expect(response.headers.get('cache-control')).toContain('immutable')
  }
  expect(texts.size).toBe(1)
  expect(sizes.zstd!).toBeLessThan(1_100_000)
  expect(sizes.gzip!).toBeLessThan(1_400_000)
  for (const other of ['/assets/scalar.js', '/assets/scalar.js?v=old', '/assets/docs.js'])
    expect((await get(other)).headers.get('cache-control')).toBe('public, max-age=3600')
})

/** What axe finds in Scalar's own parts: unlabeled buttons and fields, and a list that scrolls but takes no focus. */
const findingsOfScalar = /^(aria-input-field-name|aria-required-attr|button-name|scrollable-region-focusable): /

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const browser = await useBrowser()
  const open = async (options: Parameters<typeof openPage>[2]) => {
    const opened = await openPage(browser, service.baseUrl, options)
    const foreign: string[] = []
    opened.page.on('request', request => {
      const url = request.url()
      if (!url.startsWith(`${service.baseUrl}/`) && !/^(data|blob):/.test(url)) foreign.push(url)
    })
    await opened.page.goto('/swagger')
    await opened.page
      .locator('#reference a[href*="checkauth" i]')
      .first()
      .waitFor({ state: 'attached', timeout: 60_000 })
    return { ...opened, foreign }
  }
  const { username, password } = key

  test('sends a request with the page’s key, from the keyboard, and none to another site', async () => {
    const { page, complaints, foreign } = await open({ httpCredentials: { username, password } })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/docs/api')
    await page.locator('#reference a[href*="checkauth" i]').first().press('Enter')
    await page.waitForURL(/#.*checkauth/i)
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .press('Enter')
    const sent = page.waitForResponse(response => response.url().endsWith('/api/v1/checkAuth'))
    await Promise.all([sent, page.locator('[data-addressbar-action="send"]:visible').press('Enter')])
    expect((await sent).status()).toBe(200)
    await page.getByRole('dialog').getByText(username).first().waitFor()
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
  }, 120_000)

  test.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)(
    'at %i px in %s, axe finds errors only in known parts of Scalar',
    async (width, colorScheme) => {
      const { email } = await aPerson(database.sql)
      const viewport = { width, height: 900 }
      const { page, complaints, foreign } = await open({ email, password: testPassword, viewport, colorScheme })
      expect((await accessibilityErrors(page)).filter(error => !findingsOfScalar.test(error))).toEqual([])
      expect(await pageWidth(page)).toBe(width)
      expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
    },
    120_000,
  )

  test('without scripts, it links to the reference that needs none', async () => {
    const { page } = await openPage(browser, service.baseUrl, {
      httpCredentials: { username, password },
      javaScriptEnabled: false,
    })
    await page.goto('/swagger')
    expect(await page.locator('noscript').isVisible()).toBe(true)
    await page.getByRole('link').click()
    await page.waitForURL(/\/docs\/api$/)
  })
})
