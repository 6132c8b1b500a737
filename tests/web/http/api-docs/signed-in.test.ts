// The docs for people of the console: without an API key, inside the same shell, and of the programs they may see.

import { describe, expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../../src/core/derived/program-docs.ts'
import { aPerson, ConsoleVisitor, decoded } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aDraft, aProgram, q } from '../../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
for (const slug of ['food', 'permits']) await aProgram(database.sql, { slug, questions: [q.text(`of ${slug}`)] })
await aDraft(database.sql, { slug: 'childcare', questions: [q.text('drafted')] })

async function visitor(role: 'ADMINISTRATOR' | 'PROGRAM_ADMINISTRATOR' | 'AUDITOR'): Promise<ConsoleVisitor> {
  const { email } = await aPerson(database.sql, { role, programs: role === 'PROGRAM_ADMINISTRATOR' ? ['food'] : [] })
  return new ConsoleVisitor(service).signIn(email)
}

const slugs = async (who: ConsoleVisitor): Promise<string[]> => {
  const answer = await who.get('/docs/api/programs', { Accept: 'application/json' })
  return ((await answer.json()) as { programs: { slug: string }[] }).programs.map(({ slug }) => slug)
}

test.each(['ADMINISTRATOR', 'AUDITOR'] as const)(
  'D7: an admin session sees all programs, active and draft: %s',
  async role => {
    const browser = await visitor(role)
    expect(await slugs(browser)).toEqual(['childcare', 'food', 'permits'])
    for (const path of ['', '/food', '/childcare/versions/draft', '/permits/versions/active/openapi.json'])
      expect([path, (await browser.get(`/docs/api/programs${path}`)).status]).toEqual([path, 200])
    expect((await browser.get('/docs/api/openapi.json')).status).toBe(200)
  },
)

test('a program administrator sees their own programs, and any other as nonexistent', async () => {
  const browser = await visitor('PROGRAM_ADMINISTRATOR')
  expect(await slugs(browser)).toEqual(['food'])
  for (const rest of ['', '/versions/active', '/versions/active/response.schema.json', '/samples/export-permits.sh']) {
    expect((await browser.get(`/docs/api/programs/food${rest.replace('permits', 'food')}`)).status).toBe(200)
    const [theirs, none] = await Promise.all(
      ['permits', 'unheard-of'].map(async slug => {
        const answer = await browser.get(`/docs/api/programs/${slug}${rest}`, { Accept: '*/*' })
        const { request_id, ...body } = (await answer.json()) as Record<string, unknown>
        expect(request_id).toBeString()
        return { status: answer.status, body }
      }),
    )
    expect(theirs!.status).toBe(404)
    expect(theirs).toEqual(none)
  }
})

describe('the shell', () => {
  test('has the navigation and the signed-in person for a session, and only the docs for an API key', async () => {
    const browser = await visitor('ADMINISTRATOR')
    const key = await createTestKey(database.sql, { programs: ['food'] })
    for (const path of ['/docs/api', '/docs/api/programs', '/docs/api/programs/food']) {
      const signedIn = await browser.page(path)
      expect(signedIn).toContain('href="/admin/people"')
      expect(signedIn).toContain('action="/admin/sign-out"')
      const keyed = await (await service.get(path, { headers: { Authorization: key.authorization } })).text()
      expect(keyed).toContain('href="/docs/api/programs"')
      expect(keyed).not.toContain('href="/admin')
    }
    expect(await browser.page('/admin/people')).toContain('href="/docs/api/programs"')
    // It stays when a browser still sends a key that it was once given.
    const both = await browser.get('/docs/api/programs', { Authorization: key.authorization })
    expect(await both.text()).toContain('/docs/api/programs/permits')
  })
})

test('samples have the username of the person’s newest key that can export this program now', async () => {
  const browser = await visitor('ADMINISTRATOR')
  const create = (name: string, more: Record<string, string> = {}) =>
    browser.post('/admin/keys/new', { name, may: 'export', programs: 'food', from: 'anywhere', expiry: '30d', ...more })
  await createTestKey(database.sql, { programs: ['food'] })
  const samples = async () => decoded((await browser.page('/docs/api/programs/food')).replace(/<[^>]*>/g, ''))
  expect(await samples()).toContain('-u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD"')
  for (const name of ['Older', 'Of mine']) await create(name)
  await create('Of another program', { programs: 'permits' })
  const [key] = await database.sql`select api_key_id as id from api_key where name = 'Of mine'`
  const shown = await samples()
  for (const part of [`-u "${key!.id}:$TRIBUTARY_PASSWORD"`, `TRIBUTARY_USERNAME is ${key!.id}`, ' Of mine.'])
    expect(shown).toContain(part)
  await database.sql`update api_key set disabled_at = now(), disabled_by = 'operator:test' where name = 'Of mine'`
  expect(await samples()).toContain(' Older.')
  await database.sql`update api_key set created_at = '2026-01-01', expires_at = '2026-01-02' where name = 'Older'`
  expect(await samples()).toContain('-u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD"')
})

test('without a valid session, the response is the 401 of any other client, and an API key still works (D4)', async () => {
  const stranger = await service.get('/docs/api/programs')
  const browser = await visitor('ADMINISTRATOR')
  const cookies = new Map(browser.cookies)
  await browser.post('/admin/sign-out')
  for (const cookie of [...cookies].map(([name, value]) => `${name}=${value}`).concat(`tributary=${'x'.repeat(43)}`)) {
    const answer = await service.get('/docs/api/programs', { headers: { Cookie: cookie } })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      stranger.headers.get('www-authenticate'),
    ])
    const key = await createTestKey(database.sql, { programs: ['food'] })
    const headers = { Cookie: cookie, Authorization: key.authorization }
    expect((await service.get('/docs/api/programs', { headers })).status).toBe(200)
  }
})

test('a session is refused over plain HTTP from another machine', async () => {
  const browser = await visitor('ADMINISTRATOR')
  const production = await useService(database, { environment: 'production' })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  expect((await production.get('/docs/api/programs', { headers: { Cookie: cookie } })).status).toBe(401)
})

test('only people who manage docs see when they were generated and the last error', async () => {
  const [{ program_version_id }] = await database.sql<[{ program_version_id: number }]>`
    select program_version_id from program_version join program using (program_id)
    where slug = 'food' and state = 'ACTIVE'`
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  await database.sql`
    insert into derived_status (program_version_id, job_name, state, requested, last_error)
    values (${program_version_id}, 'refresh-docs-example', 'failed', 1, 'out of <b>paper</b>')
    on conflict (program_version_id, job_name) do update set state = 'failed', last_error = excluded.last_error, fulfilled = 0`
  for (const role of ['ADMINISTRATOR', 'AUDITOR'] as const) {
    const page = await (await visitor(role)).page('/docs/api/programs')
    expect(page).toContain('class="badge bad"')
    expect(page).toContain('out of &lt;b>paper&lt;/b>')
    expect(page).toMatch(/\d+ seconds? ago|0 seconds/)
    expect(page).not.toContain('action="/admin/jobs')
  }
  for (const state of ['queued', 'running']) {
    await database.sql`update derived_status set state = ${state} where program_version_id = ${program_version_id}`
    expect(await (await visitor('AUDITOR')).page('/docs/api/programs')).toContain('class="badge info"')
  }
  const key = await createTestKey(database.sql, { programs: ['food'] })
  const headers = { Authorization: key.authorization }
  for (const page of [
    await (await visitor('PROGRAM_ADMINISTRATOR')).page('/docs/api/programs'),
    await (await service.get('/docs/api/programs', { headers })).text(),
    await (await service.get('/docs/api/programs', { headers: { ...headers, Accept: 'application/json' } })).text(),
  ]) {
    expect(page).toContain('food')
    expect(page).not.toMatch(/class="badge (bad|info)"|paper/)
  }
})
