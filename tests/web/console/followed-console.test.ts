// The console of an installation that follows a CiviForm: what is changed there is shown, with why, and nothing offered that would be
// refused; and keys whose ids have characters that mean something in an address.

import { describe, expect, test } from 'bun:test'
import { useFollowing } from '../../support/civiform/following.ts'
import { aPerson, ConsoleVisitor, noticesOf } from '../../support/console.ts'
import { useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'

const program = 'rent relief'
const { civiform, database, sql, catchUp } = await useFollowing()
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }, { name: 'hours', type: 'NUMBER' }] }) // biome-ignore format: one line
await civiform.saveDraft(program, [{ name: 'job', type: 'TEXT' }])
const application = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
await civiform.setStatus(application, 'Approved')
const keyId = '+/9+/v7+/f38/Pz8/Pz8/A=='
await civiform.app`
  insert into api_keys (name, create_time, key_id, salted_key_secret, subnet, expiration, grants)
  values ('county sync', now() at time zone 'UTC', ${keyId}, ${Buffer.alloc(32, 5).toString('base64')}, '0.0.0.0/0', '2200-01-01',
    '{"programGrants": {"rent-relief": ["READ"]}}')`
await catchUp()
const own = await createTestKey(sql, { programs: ['rent-relief'] })
const service = await useService(database)
const { email } = await aPerson(sql)
const visitor = await new ConsoleVisitor(service).signIn(email)
const keyPath = `/admin/keys/${encodeURIComponent(keyId)}`

/** Addresses of the console that a page leads to, by links and by forms. */
const linksOf = (page: string): string[] => [...page.matchAll(/<a [^>]*href="(\/admin[^"#]*)"/g)].map(([, to]) => to!)
const formsOf = (page: string): string[] =>
  [
    ...page.matchAll(/<form [^>]*method="post"[^>]*action="([^"]*)"|<form [^>]*action="([^"]*)"[^>]*method="post"/g),
  ].map(([, item, other]) => item ?? other!)

describe('the console alongside a CiviForm', () => {
  test('shows that a program is followed and read-only, except for its retention period', async () => {
    expect(await visitor.page('/admin/programs/rent-relief/retention')).toContain('rent relief for all')
    for (const path of ['', '/questions', '/versions']) {
      const page = await visitor.page(`/admin/programs/rent-relief${path}`)
      expect(noticesOf(page)).toContain('followed')
      expect(page).toContain('href="/admin/programs/rent-relief/retention"')
    }
    expect(await visitor.page('/admin/programs')).toContain('CiviForm')
  })

  test('shows on the home page if the copy lags', async () => {
    const [before] = await sql`select watermark from civiform_source`
    const said = async (minutes: number): Promise<boolean> => {
      await sql`update civiform_source set watermark = now() - ${minutes} * interval '1 minute'`
      return (await visitor.page('/admin')).includes('data-attention="lagging"')
    }
    expect([await said(20), await said(5)]).toEqual([true, false])
    await sql`update civiform_source set watermark = ${before!.watermark}`
  })

  test('offers no action that would be refused: no draft, question, publication, status or earlier version', async () => {
    const versions = await sql<{ id: number }[]>`select program_version_id as id from program_version`
    const pages = [
      '/admin/programs',
      '/admin/programs/rent-relief',
      '/admin/programs/rent-relief/questions',
      '/admin/programs/rent-relief/versions',
      ...versions.map(({ id }) => `/admin/programs/rent-relief/versions/${id}`),
      '/admin/programs/rent-relief/applications',
      `/admin/programs/rent-relief/applications/${application}`,
      '/admin/questions',
      keyPath,
    ]
    for (const path of pages) {
      const page = await visitor.page(path)
      const offered = [...linksOf(page), ...formsOf(page)]
      expect(
        offered.filter(
          to =>
            /new-program|\/edit$|\/document$|discard|publish|\/take|\/settings$|rotate|retire/.test(to) &&
            !/versions\/\d+\/document$|^\/admin\/settings$/.test(to),
        ),
      ).toEqual([])
      expect(formsOf(page).filter(to => to !== '/admin/sign-out')).toEqual([])
    }
    expect(await visitor.page(`/admin/programs/rent-relief/applications/${application}`)).toContain('CiviForm')
  })

  test('opens no page or form that edits programs, and each says where they are edited', async () => {
    const routes = [
      ...['document', 'edit', 'settings', 'publish', 'discard'].map(page => `/admin/programs/rent-relief/${page}`),
      '/admin/new-program',
    ]
    for (const path of routes) {
      const answer = await visitor.get(path)
      expect([path, answer.status]).toEqual([path, 409])
      expect(await answer.text()).toContain('CiviForm')
    }
    const confirmation = String(application)
    for (const path of ['document', 'versions/1/take', `applications/${application}/erase`])
      expect([path, (await visitor.post(`/admin/programs/rent-relief/${path}`, { confirmation })).status]).toEqual([
        path,
        409,
      ])
  })

  test('links to a key of CiviForm whose ID has a slash and a plus, and edits keys made here', async () => {
    const index = await visitor.page('/admin/keys')
    const links = linksOf(index)
    expect(links).toContain(keyPath)
    const page = await visitor.page(keyPath)
    expect(noticesOf(page)).toContain('followed')
    expect(page).toContain(keyId)
    const ours = await visitor.page(`/admin/keys/${own.api_key_id}`)
    expect(noticesOf(ours)).not.toContain('followed')
    expect(ours).toContain(`/admin/keys/${own.api_key_id}/rotate`)
    expect((await visitor.get(`${keyPath}/rotate`)).headers.get('location')).toBe(keyPath)
    const answered = await visitor.get(`/admin/api/v1/keys/${encodeURIComponent(keyId)}`)
    expect(answered.status).toBe(200)
    expect(await answered.json()).toMatchObject({ api_key_id: keyId, name: 'county sync', followed: true })
    const check = await visitor.page(
      `/admin/keys/check?key=${encodeURIComponent(keyId)}&address=192.0.2.1&program=rent-relief`,
    )
    expect(check).toContain('county sync')
  })

  test('creates keys that export, and none that submit or set a status', async () => {
    const page = await visitor.page('/admin/keys/new')
    expect(page).toContain('value="export"')
    expect(page).not.toMatch(/value="(?:submit|annotate)"/)
  })
})
