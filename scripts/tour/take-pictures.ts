// Takes the pictures in README and EXCEL.md from a running demo: the list of keys, the feed address in a program's docs, and a new key's
// Username and Password. Run it again when these pages change, with the values that scripts/start printed:
//   scripts/bun scripts/tour/take-pictures.ts http://127.0.0.1:8080 demo@tributary.example PASSWORD

import { join } from 'node:path'
import { chromium, type Locator, type Page } from 'playwright-core'

const [baseURL, email, password] = process.argv.slice(2)
if (baseURL === undefined || email === undefined || password === undefined)
  throw new Error('Enter the demo’s address, and the email and password that scripts/start printed.')

const program = 'utility-assistance'
const browser = await chromium.launch({ executablePath: Bun.which('chromium') ?? '', args: ['--no-sandbox'] })
const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } })
const page = await context.newPage()
await page.goto('/admin/sign-in')
await page.getByLabel('Email').fill(email)
await page.getByLabel('Password').fill(password)
await page.getByRole('button', { name: 'Sign in' }).click()
await page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))

await page.goto('/admin/keys')
await capture(page, 'api-keys', { x: 0, y: 0, width: 1440, height: 900 })

await page.goto(`/docs/api/programs/${program}`)
await take(
  page,
  'feed-address',
  page.getByRole('heading', { level: 1 }),
  page.getByText('Excel and Power BI: Get Data'),
)

await page.setViewportSize({ width: 996, height: 900 })
await page.goto('/admin/keys/new')
await page.locator('[name=name]').fill('Excel')
await page.locator('[name=may][value=export]').check()
await page.locator(`[name=programs][value=${program}]`).check()
await page.locator('[name=from][value=anywhere]').check()
await page.getByRole('button', { name: 'Create' }).click()
await take(page, 'feed-key', page.getByRole('heading', { level: 1 }), page.locator('#password'))

// Leaves no key behind.
await page.goto(page.url().replace(/\/[^/]+$/, '/retire'))
await page.locator('[name=confirmation]').fill('Excel')
await page.getByRole('button', { name: 'Retire the key' }).click()
await page.waitForURL(url => !url.pathname.endsWith('/retire'))
await browser.close()

/** From one part of a page to another. */
async function take(of: Page, name: string, first: Locator, last: Locator): Promise<void> {
  const [from, to] = [await first.boundingBox(), await last.boundingBox()]
  if (from === null || to === null) throw new Error(`${name}: the element to show is not on the page`)
  const margin = 14
  const height = to.y + to.height - from.y + 2 * margin
  await capture(of, name, { x: from.x - margin, y: from.y - margin, width: 700, height })
}

/** As WebP in this folder. */
async function capture(
  of: Page,
  name: string,
  clip: { x: number; y: number; width: number; height: number },
): Promise<void> {
  const session = await of.context().newCDPSession(of)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    clip: { ...clip, scale: 1 },
  })
  await Bun.write(join(import.meta.dir, `${name}.webp`), Buffer.from(data, 'base64'))
}
