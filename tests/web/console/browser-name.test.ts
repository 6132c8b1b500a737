// Sessions are listed by browser and system: what a browser says of itself is bounded, and nothing of it reaches a page but known names.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { browserName } from '../../../src/web/console/signing-in/browser-name.ts'
import { aPerson, ConsoleVisitor, rowsOf, seenIn } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const known: Readonly<Record<string, string>> = {
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36`]: 'Chrome on Windows',
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`]:
    'Microsoft Edge on Windows',
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webKit} Chrome/141.0.0.0 Mobile Safari/537.36`]: 'Chrome on Android',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0': 'Firefox on Linux',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15':
    'Safari on macOS',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1':
    'Safari on iOS',
}

test.each(Object.entries(known))('%s is named', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})

const hostile = ['<script>alert(1)</script>', 'Evil<img src=x>/1.0 (x)', '"><b>/2', 'curl/8.5.0', '(', '/']

test('an unknown user agent is an unknown browser', () => {
  for (const userAgent of ['', ...hostile, 'x'.repeat(512), '(('.repeat(256)])
    expect(browserName(userAgent)).toBe(browserName(null))
})

test('an unknown browser on a known system has the name of the system', () => {
  expect(browserName('Made Up/1.0 (Windows NT 10.0)')).toBe(`${browserName(null)} on Windows`)
})

test('the name of any user agent consists of known names', () => {
  const parts = fc.constantFrom(
    'Chrome/1',
    'Mozilla/5.0',
    '(Windows NT',
    'Android;',
    '(',
    ')',
    '/',
    ' ',
    '<b>',
    'Opera',
    ';',
  )
  const header = fc.oneof(
    fc.string({ maxLength: 512 }),
    fc.array(parts, { maxLength: 40 }).map(some => some.join('')),
  )
  fc.assert(
    fc.property(header, userAgent => {
      expect(browserName(userAgent)).toMatch(/^[A-Za-z0-9 ./+-]{1,60}$/)
    }),
    { numRuns: 500 },
  )
})

test('the account page lists sessions by browser and marks the current one, and a stored user agent is limited in length', async () => {
  const database = await useDatabase()
  const service = await useService(database)
  const ada = await aPerson(database.sql, {})
  const [chrome = ''] = Object.keys(known)
  await new ConsoleVisitor(service, { 'User-Agent': chrome }).signIn(ada.email)
  await new ConsoleVisitor(service, { 'User-Agent': `<b>${'x'.repeat(4000)}` }).signIn(ada.email)
  const reader = await new ConsoleVisitor(service, { 'User-Agent': Object.keys(known)[3]! }).signIn(ada.email)
  const page = await reader.page('/admin/account')
  expect(page).not.toContain('xxxx')
  const seen = rowsOf(page, 'Active sessions').map(row => seenIn(row.Browser!))
  expect(seen.slice(1)).toEqual([browserName(null), 'Chrome on Windows'])
  expect(seen[0]).toStartWith('Firefox on Linux')
  expect(page.match(/class="badge good"/g)).toHaveLength(1)
  const [longest] = await database.sql`select max(length(user_agent)) as characters from console_session`
  expect(longest!.characters).toBe(512)
})
