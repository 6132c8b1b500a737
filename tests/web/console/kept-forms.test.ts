// D38: "nothing that was typed is dropped silently, at the end of a session neither": a form that was sent too late comes back as it was
// typed, to the person who typed it, and one that waits for a password is done when that is right.

import { describe, expect, spyOn, test } from 'bun:test'
import { consolePages } from '../../../src/web/console/console.ts'
import type { Deps } from '../../../src/web/http/server/deps.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, ConsoleVisitor, fieldsOf, noticesOf, testPassword } from '../../support/console.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
let now = Date.now() * 1000
const service = await useService(database, { authFailuresPerMinute: 1000 }, { now: () => now })
await aProgram(sql, { slug: 'food', questions: [q.text('first')] })
const ada = await aPerson(sql, { name: 'Ada Administrator' })
const eve = await aPerson(sql, { name: 'Eve Else' })
const minutes = 60_000_000
const edit = '/admin/programs/food/document'
const signedIn = () => new ConsoleVisitor(service).signIn(ada.email)
const typed = { document: '{"display_name": "What is \\"<it\\" called?",\n"help": "Täglich ☂" }' }

/** The program with another heading of its screen, ready to be sent. */
async function documentNow(name = 'Another name'): Promise<string> {
  const { document } = fieldsOf(await (await signedIn()).page(edit), edit)
  const program = JSON.parse(document!) as { screens: { name: string }[] }
  program.screens[0]!.name = name
  return JSON.stringify(program)
}

/** The form of this page with something typed in it, and a visitor whose session has ended in the meantime. */
async function late(fields: Record<string, string> = typed, page = edit) {
  const visitor = await signedIn()
  const form = fieldsOf(await visitor.page(page), page)
  const csrf = await visitor.csrf()
  visitor.cookies.clear()
  return { visitor, form: { ...form, csrf, ...fields } }
}
describe('a form sent after its session has ended', () => {
  test('changes nothing, and is shown again to the person who filled it in when they have signed in again', async () => {
    const { visitor, form } = await late()
    const refused = await visitor.refused(401, edit, form)
    expect(refused).toContain('href="/admin/sign-in?next=/admin/signed-in"')
    expect(refused).not.toContain('Täglich')
    // A browser sends the same when the page is reloaded.
    await visitor.signIn(ada.email)
    const shown = await visitor.post(edit, form)
    const again = await shown.text()
    expect([shown.status, noticesOf(again)]).toEqual([200, ['shown-again']])
    const ready = fieldsOf(again, edit)
    expect(ready).toMatchObject(typed)
    expect((await visitor.post(edit, { ...ready, document: await documentNow() })).status).toBe(303)
  })

  test('is shown to no other user, who sees why', async () => {
    const { form } = await late()
    const other = await new ConsoleVisitor(service).signIn(eve.email)
    const shown = await other.refused(403, edit, form)
    expect(shown).not.toContain('Täglich')
  })

  test('gets a small page without being read, however much was sent, with or without a cookie', async () => {
    const fields = Object.fromEntries(Array.from({ length: 4900 }, (_, i) => [`f${i}`, '"'.repeat(40)]))
    const { visitor, form } = await late({ ...typed, ...fields })
    for (const cookie of [undefined, 'x'.repeat(43)]) {
      if (cookie !== undefined) visitor.cookies.set('tributary', cookie)
      expect((await visitor.refused(401, edit, form)).length).toBeLessThan(3000)
    }
    const unread = await visitor.post(edit, { csrf: 'x' }, { 'Content-Type': 'text/nonsense' })
    expect(unread.status).toBe(401)
  })

  test('of another origin, or without an origin, is refused before it is read', async () => {
    const { visitor, form } = await late()
    expect(await visitor.refused(403, edit, form, { Origin: 'https://evil.example' })).not.toContain('Täglich')
    const stranger = await signedIn()
    expect((await stranger.post(edit, { ...typed, csrf: 'x' })).status).toBe(403)
  })

  test('is shown again completely, however long it is', async () => {
    const { form } = await late({ document: 'x'.repeat(300 * 1024) })
    const visitor = await signedIn()
    expect(fieldsOf(await (await visitor.post(edit, form)).text(), edit).document).toHaveLength(300 * 1024)
  })

  test('gets a problem document if the client prefers JSON', async () => {
    const { visitor, form } = await late()
    const response = await visitor.post(edit, form, { Accept: 'application/json' })
    expect([response.status, ((await response.json()) as { title: string }).title]).toEqual([401, 'Unauthorized'])
  })

  test('without any input leads back to its page', async () => {
    const { visitor } = await late()
    const page = `${service.baseUrl}/admin/people/${eve.person_id}?done=saved`
    const send = (referer: string) =>
      visitor.refused(401, `/admin/people/${eve.person_id}/disable`, { csrf: 'x' }, { Referer: referer })
    expect(await send(page)).toContain(`name="next" value="/admin/people/${eve.person_id}?done=saved"`)
    expect(await send('https://evil.example/admin/keys')).toContain('name="next" value="/admin"')
  })

  test('keeps the state it was based on, so what another person stored meanwhile is not overwritten unseen', async () => {
    const key = await createTestKey(sql, { programs: ['food'], allowedSubnets: ['192.0.2.7'] })
    const path = `/admin/keys/${key.username}`
    const { form } = await late({ name: 'Mine' }, path)
    await sql`update api_key set name = 'Theirs' where api_key_id = ${key.username}`
    const visitor = await signedIn()
    const again = fieldsOf(await (await visitor.post(path, form)).text(), path)
    expect(again.name).toBe('Mine')
    expect(noticesOf(await visitor.refused(409, path, again))).toContain('changed-since')
  })

  test('is shown again, for every form with an input field', () => {
    const without = consolePages(service.foundation as Deps)
      .filter(route => route.method === 'POST' && route.roles !== 'anyone' && route.again === undefined)
      .map(({ path }) => path.replace('/admin/', ''))
    const buttons =
      /\/(?:retire|take|publish|keep|discard|disable|enable|link|unlink|retry|regenerate|verify|sign-out|second-factor|reset-second-factor|client-code|revoke)$|^sign-out$|^webhooks\/:webhookId\/(?:rotate|test|resend|remove)$/
    expect(without.filter(path => !buttons.test(path))).toEqual([
      // Passwords, which go through no page.
      'confirm',
      // Nothing is typed.
      'account/time-zone',
      'account/password',
    ])
  })
})

describe('a form that asks for the password', () => {
  const wanted = {
    name: 'Waits',
    programs: 'food',
    from: 'subnets',
    allowed_subnets: '127.0.0.1',
    expiry: '9d',
    may: 'export',
  }
  const path = '/admin/keys/new'

  test('is kept by that page, and carried out when the password is right', async () => {
    const visitor = await signedIn()
    const form = { ...fieldsOf(await visitor.page(path), path), ...wanted }
    now += 11 * minutes
    const asked = await visitor.refused(403, path, form)
    const kept = fieldsOf(asked, path)
    expect(kept).toMatchObject(wanted)
    expect(await visitor.refused(401, path, { ...kept, confirm_password: 'not it' })).toContain(
      'href="#confirm_password"',
    )
    expect(await sql`select from api_key where name = 'Waits'`).toHaveLength(0)
    const done = await visitor.post(path, { ...kept, confirm_password: testPassword })
    expect([done.status, done.headers.get('location')]).toEqual([303, expect.stringMatching(/\/issued$/)])
    expect(await sql`select from api_key where name = 'Waits'`).toHaveLength(1)
    // The next page does not ask again.
    expect((await visitor.get(path)).status).toBe(200)
  })

  test('stays on its page while too many people confirm their password', async () => {
    const visitor = await signedIn()
    const form = { ...fieldsOf(await visitor.page(path), path), ...wanted, confirm_password: testPassword }
    now += 11 * minutes
    const held = Promise.withResolvers<boolean>()
    const verify = spyOn(Bun.password, 'verify').mockImplementation(() => held.promise)
    endWithTest(() => verify.mockRestore())
    const sent = Array.from({ length: 9 }, () => visitor.post(path, form))
    const busy = await Promise.race(sent)
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '5'])
    expect(fieldsOf(await busy.text(), path)).toMatchObject(wanted)
    held.resolve(false)
    await Promise.all(sent)
  })

  test('never contains a password in a page', async () => {
    const visitor = await signedIn()
    const form = { ...fieldsOf(await visitor.page(path), path), ...wanted, password: 'secret one', code: 'secret two' }
    now += 11 * minutes
    expect(await visitor.refused(403, path, form)).not.toContain('secret')
  })

  test('is checked for its own token before the password', async () => {
    const visitor = await signedIn()
    now += 11 * minutes
    const html = await visitor.refused(403, path, { ...wanted, csrf: 'x', confirm_password: testPassword })
    expect(html).toContain('earlier session')
  })
})

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const browser = await useBrowser()
  test.each([true, false])(
    'input is kept while signing in again, and stored when it is sent; scripts: %p',
    async javaScriptEnabled => {
      const name = javaScriptEnabled ? 'with scripts' : 'without scripts'
      const { page, context, complaints } = await openPage(browser, service.baseUrl, {
        email: ada.email,
        password: testPassword,
        javaScriptEnabled,
      })
      await page.goto(edit)
      await page.locator('#document').fill(await documentNow(`“quoted” & <angled> ${name}`))
      await context.clearCookies()
      await page.getByRole('button', { name: 'Save to draft', exact: true }).click()
      const tab = context.waitForEvent('page')
      await page.locator('a[target=_blank]').click()
      const other = await tab
      await other.getByLabel('Email').fill(ada.email)
      await other.getByLabel('Password').fill(testPassword)
      await other.getByRole('button', { name: 'Sign in' }).click()
      await other.waitForURL(/signed-in/)
      await page.reload()
      await page.locator('[data-notice=shown-again]').waitFor()
      expect(await page.locator('#document').inputValue()).toContain(`<angled> ${name}`)
      await page.getByRole('button', { name: 'Save to draft', exact: true }).click()
      await page.waitForURL(/\/questions\?done=saved/)
      await page.getByText(`“quoted” & <angled> ${name}`).first().waitFor()
      // The page that refused without a session is no fault of the page's own.
      expect(complaints.filter(complaint => !complaint.includes('401'))).toEqual([])
      await context.close()
    },
    60_000,
  )
})
