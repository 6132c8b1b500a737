// Pages as they are sent: compressed to those who take it so, with addresses below the path of BASE_URL.

import { beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { addIntermediary, addOrganization } from '../../../src/core/people/intermediaries.ts'
import { roles } from '../../../src/core/people/roles.ts'
import { addWebhook } from '../../../src/core/webhooks/endpoints.ts'
import { consolePages } from '../../../src/web/console/console.ts'
import type { Deps } from '../../../src/web/http/server/deps.ts'
import { unlimited } from '../../support/config.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
// Two answers of one page are compared: how long ago something was is the same in both.
const now = Date.now() * 1000
const service = await useService(database, {}, { now: () => now })
const ada = await aPerson(database.sql)
const visitor = await new ConsoleVisitor(service).signIn(ada.email)
const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** The bytes as they were sent. */
async function sent(path: string, accepted: string, more: Record<string, string> = {}) {
  const headers = { Accept: 'text/html', Cookie: cookie, 'Accept-Encoding': accepted, ...more }
  const response = await fetch(service.baseUrl + path, { headers, decompress: false })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

const paths = ['/admin/settings', '/admin/nothing-here', '/docs/api/programs', '/assets/console.css']

describe.each(paths)('%s', path => {
  test.each([
    ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
    ['zstd', (bytes: Buffer) => Bun.zstdDecompressSync(bytes)],
  ] as const)('is sent as %s to browsers that accept it, and much smaller', async (coding, decoded) => {
    const plain = await sent(path, 'identity')
    const coded = await sent(path, coding)
    expect(plain.response.headers.get('content-encoding')).toBeNull()
    expect(coded.response.headers.get('content-encoding')).toBe(coding)
    expect(coded.response.headers.get('vary')).toContain('Accept-Encoding')
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2)
    const withoutToken = (bytes: Uint8Array) =>
      Buffer.from(bytes)
        .toString()
        .replaceAll(/name="csrf" value="[^"]*"/g, '')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
    expect(withoutToken(decoded(coded.bytes))).toBe(withoutToken(plain.bytes))
  })
})

test('a font is sent uncompressed, and a cached asset is not sent again in either form', async () => {
  expect((await sent('/assets/public-sans.woff2', 'gzip')).response.headers.get('content-encoding')).toBeNull()
  const [plain, coded] = [await sent('/assets/console.css', 'identity'), await sent('/assets/console.css', 'gzip')]
  const [value, other] = [plain.response.headers.get('etag')!, coded.response.headers.get('etag')!]
  expect(value).not.toBe(other)
  expect((await sent('/assets/console.css', 'gzip', { 'If-None-Match': other })).response.status).toBe(304)
  expect((await sent('/assets/console.css', 'gzip', { 'If-None-Match': value })).response.status).toBe(200)
})

test('the form token differs on each page, and each is accepted', async () => {
  const tokens = new Set<string>()
  for (let i = 0; i < 3; i++) tokens.add(await visitor.csrf())
  expect(tokens.size).toBe(3)
  for (const csrf of tokens)
    expect((await visitor.post('/admin/people/invite', { csrf, name: '', email: '' })).status).toBe(400)
  const wrong = [...tokens][0]!.replace(/^./, first => (first === 'A' ? 'B' : 'A'))
  expect((await visitor.post('/admin/people/invite', { csrf: wrong, name: '', email: '' })).status).toBe(403)
})

const hostile = '<script>alert(1)</script>"\'&<img src=x>'
/** Where forms of pages go, and who may send them. */
const sentTo = consolePages(service.foundation as Deps).flatMap(({ method, path, roles }) =>
  method === 'POST' ? [{ roles, at: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }] : [],
)
const below = await useService(database, { ...unlimited, baseUrl: 'http://127.0.0.1/apply' })
/** How many pages each role finds, at least. */
const pagesOf: Readonly<Record<(typeof roles)[number], number>> = {
  ADMINISTRATOR: 50,
  PROGRAM_ADMINISTRATOR: 20,
  AUDITOR: 30,
}
const forms = { get: (path: string, init?: RequestInit) => below.get(path, init), baseUrl: 'http://127.0.0.1' }
beforeAll(async () => {
  const { program_id } = await aProgram(database.sql, {
    slug: 'food',
    display_name: hostile,
    questions: [q.radio('pet " href="/dog', ['cat'])],
  })
  await aDraft(database.sql, { slug: 'food', questions: [q.text('other')] })
  const rules = { keys: service.config.webhookKeys, allowedNetworks: [] }
  const by = { actor: 'operator:test', now }
  await addWebhook(
    database.sql,
    rules,
    { program_id, slug: 'food', url: new URL(`https://example.org/${hostile}`) },
    by,
  )
  await addIntermediary(database.sql, await addOrganization(database.sql, hostile, by), '<img/src=x>"@example.org', by)
  await aToken(database.sql, ada)
  const key = await createTestKey(database.sql, { name: hostile, programs: ['food'], maySubmit: true })
  const frontEnd = new FrontEnd(service, key, 'food')
  await frontEnd.apply(await frontEnd.register(), { pet__hrefdog: { selection: 'cat' } })
})

test.each(roles)(
  'each page linked %s from the first one opens, offers no form that is refused, and is below BASE_URL',
  async role => {
    const { email } = await aPerson(database.sql, { role, name: hostile, programs: ['food'] })
    const reader = await new ConsoleVisitor(forms).signIn(email)
    const pages = new Set(['/admin'])
    const refused = new Set<string>()
    for (const path of pages) {
      const response = await reader.get(path)
      if (response.status !== 200) refused.add(`${path}: ${response.status}`)
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue
      let text = await response.text()
      // What was searched for comes back with what was found.
      if (text.includes(' name="q"'))
        text += await (await reader.get(`${path}?q=${encodeURIComponent(hostile)}`)).text()
      if (/<script>|<img/.test(text)) refused.add(`${path}: has what is read as more than text`)
      for (const [, form] of text.matchAll(/<form method="post" action="\/apply([^"?]*)/g))
        if (!sentTo.some(({ roles, at }) => at.test(form!) && roles.includes(role))) refused.add(`${path}: ${form}`)
      for (const [, address] of text.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)) {
        expect([path, address]).toEqual([path, expect.stringMatching(/^\/apply\/(?:admin|docs|assets|swagger|$)/)])
      }
      for (const [, link] of text.matchAll(/ href="\/apply(\/(?:admin|docs)[^"?#]*)"/g)) pages.add(link!)
    }
    expect([...refused]).toEqual([])
    expect(pages.size).toBeGreaterThan(pagesOf[role])
  },
)

test('below the path of BASE_URL, a secret is shown once, and signing in leads back', async () => {
  const reader = await new ConsoleVisitor(forms).signIn(ada.email)
  const made = await reader.post('/admin/account/tokens/new', { name: 'Below', expiry: '30d', scopes: 'keys:read' })
  const at = made.headers.get('location')!
  const setAt = reader.setCookies
  await reader.page(at.slice('/apply'.length))
  for (const cookies of [setAt, reader.setCookies])
    expect(cookies).toEqual([expect.stringMatching(new RegExp(`^token=[\\w-]*; Path=${at}; Max-Age=(60|0); HttpOnly`))])
  const Referer = `${below.config.baseUrl}/admin/people?q=a`
  const asked = await new ConsoleVisitor(forms).refused(401, '/admin/people/1/disable', { csrf: 'x' }, { Referer })
  expect(asked).toContain('name="next" value="/admin/people?q=a"')
})
