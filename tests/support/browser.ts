// A real browser for tests of pages: Debian's Chromium, headless, driven by playwright-core; axe looks for what shuts people out.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { testPassword } from './console.ts'
import { endWithFile } from './fixtures.ts'
import { findNeeded } from './needs.ts'

interface TestBrowser {
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
}

/** One browser for the file. Call it only where `needs('chromium')` holds. One that crashed fails the test it crashed in, and not the next. */
export async function useBrowser(): Promise<TestBrowser> {
  let browser = await launch()
  endWithFile(() => browser.close())
  return {
    newContext: async options => {
      if (!browser.isConnected()) browser = await launch()
      return browser.newContext(options)
    },
  }
}

const launch = () =>
  chromium.launch({
    executablePath: findNeeded('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A page of its own, signed in to the console unless no e-mail is given. What the page complains about ends up in `complaints`. */
export async function openPage(
  browser: TestBrowser,
  baseUrl: string,
  options: BrowserContextOptions & { email?: string | undefined; password?: string } = {},
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const { email, password, ...rest } = options
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1440, height: 900 }, ...rest })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  if (email !== undefined) {
    await page.goto('/admin/sign-in')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))
  }
  return { page, context, complaints }
}

/** How wide the page is, px: more than its viewport where something sticks out. */
export const pageWidth = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth')

interface Visit {
  /** Who looks at the pages; not signed in without it. */
  email?: string
  paths: readonly string[]
}

/** Tests of all these pages: that they are accessible, in the light and in the dark, and fit a phone, a tablet and a screen. */
export function testPages(
  browser: TestBrowser,
  { baseUrl }: { baseUrl: string },
  visits: () => readonly Visit[] | Promise<readonly Visit[]>,
): void {
  const each = async (options: BrowserContextOptions, look: (page: Page, path: string) => Promise<void>) => {
    for (const { email, paths } of await visits()) {
      const { page } = await openPage(browser, baseUrl, { ...options, email, password: testPassword })
      for (const path of paths) {
        await page.goto(path)
        await look(page, path)
      }
    }
  }
  test.each(['light', 'dark'] as const)(
    'no page has a serious error of accessibility, %s',
    colorScheme =>
      each({ colorScheme }, async (page, path) => expect([path, await accessibilityErrors(page)]).toEqual([path, []])),
    240_000,
  )
  test.each([320, 768, 1440])(
    'nothing is wider than a screen of %d px',
    width =>
      each({ viewport: { width, height: 800 } }, async (page, path) =>
        expect([path, await pageWidth(page)]).toEqual([path, width]),
      ),
    240_000,
  )
}

const axeSource = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')

/** What axe finds of serious or worse on a page, as lines to read; none is wanted. The page's scripts must be on. */
export async function accessibilityErrors(page: Page): Promise<string[]> {
  // Evaluated by the debugger, so the page's own policy, which would refuse it as a script, stays as it is.
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }).axe.run(),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

/** What axe finds of these rules, whatever their impact, as lines to read. */
export async function errorsOfRules(page: Page, rules: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource)
  const only = JSON.stringify({ runOnly: { type: 'rule', values: rules } })
  const { violations } = (await page.evaluate(`axe.run(${only})`)) as { violations: AxeViolation[] }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

interface AxeViolation {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}
