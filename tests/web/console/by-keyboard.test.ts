// What administrators do, from one end to the other with the keyboard alone: Tab, arrows, Enter and Space in a real browser, with scripts
// and without. Each stop must show where the focus is, and come in the order of the page.

import { describe, expect, test } from 'bun:test'
import { generateSync } from 'otplib'
import type { BrowserContext, Page } from 'playwright-core'
import { listKeys } from '../../../src/core/keys/api-keys.ts'
import { findProgram } from '../../../src/db/programs/programs.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, publish, q } from '../../support/programs.ts'

/** What has the focus: what it is called, and whether the focus is seen. */
interface Stop {
  name: string
  isSeen: boolean
  /** Whether it comes after the stop before on the page. */
  isAfter: boolean
}

/** The parts of a date are stops within one field, where the browser itself shows the focus. After the end of the page it begins again. */
const stop = `(() => {
  const one = document.activeElement
  const before = window.stopBefore
  window.stopBefore = one
  if (one === document.body || one === before) return { name: '', isSeen: true, isAfter: true }
  const isAfter = !before?.isConnected || one.matches('.skip') || Boolean(before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING)
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const words = [...(one.labels ?? [])].map(label => label.textContent).join(' ') || one.getAttribute('aria-label') || one.textContent
  const isSeen = one.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  return { name: words.trim().replace(/\\s+/g, ' '), isAfter, isSeen }
})()`

class Keyboard {
  constructor(
    readonly page: Page,
    readonly scripts: boolean,
  ) {}

  /** Presses Tab until what begins with this, or is called so, has the focus. */
  async to(name: string | RegExp): Promise<void> {
    const passed: string[] = []
    while (passed.length < 150) {
      await this.page.keyboard.press('Tab')
      const { name: at, isSeen, isAfter } = (await this.page.evaluate(stop)) as Stop
      if (!isSeen) expect(`focus on “${at}”`).toBe('seen')
      if (!isAfter) expect(`focus on “${at}”`).toBe(`after ${passed.at(-1)}`)
      if (typeof name === 'string' ? at.startsWith(name) : name.test(at)) return
      passed.push(at)
    }
    throw new Error(`${this.page.url()} has no stop “${name}”: ${passed.join(' | ').slice(0, 2000)}`)
  }

  press = (key: string) => this.page.keyboard.press(key)

  focused = async (): Promise<string> => ((await this.page.evaluate(stop)) as Stop).name

  /** Presses Enter, which leads to another page. */
  async leave(): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), this.press('Enter')])
  }

  /** Goes there and types. */
  async fill(name: string, text: string): Promise<void> {
    await this.to(name)
    await this.page.keyboard.type(text)
  }

  /** Goes there and presses Enter; `then` is seen on the page that comes. */
  async enter(name: string | RegExp, then: string): Promise<void> {
    await this.to(name)
    await this.leave()
    await this.page.getByText(then).first().waitFor()
  }

  async tick(name: string): Promise<void> {
    await this.to(name)
    await this.press('Space')
  }

  /** Of radio buttons, which are one stop: from the one that Tab comes to, down to this one. */
  async choose(first: string, wanted: string): Promise<void> {
    await this.to(first)
    for (let i = 0; i < 30; i++) {
      await this.press('ArrowDown')
      const { name } = (await this.page.evaluate(stop)) as Stop
      if (name.startsWith(wanted)) return
    }
    throw new Error(`${this.page.url()} has no choice “${wanted}”`)
  }
}

describe.skipIf(!needs('chromium'))('by keyboard alone', async () => {
  if (!needs('chromium')) return
  const { sql, ...database } = await useDatabase()
  const service = await useService({ sql, ...database })
  const browser = await useBrowser()
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const key = await createTestKey(sql, { programs: ['food'], maySubmit: true })
  const food = { slug: 'food', display_name: 'Food', statuses: ['In review', 'Approved'] }
  await aProgram(sql, { ...food, questions: [q.name('applicant name')] })
  await publish(sql, { ...food, questions: [q.name('applicant name', { text: 'Who are you?' })] })
  // So many that the list of them is filtered.
  for (const slug of 'abcdefgh') await aProgram(sql, { slug: `other-${slug}`, questions: [q.text(`words ${slug}`)] })
  const frontEnd = new FrontEnd(service, key, 'food')

  async function applied(last_name: string): Promise<number> {
    const applicant = await frontEnd.register()
    return (await frontEnd.apply(applicant, { applicant_name: { first_name: 'Ursula', last_name } })).application_id
  }

  const signedIn = new Map<boolean, BrowserContext>()

  /** A page of one session with scripts, and of another without. */
  async function at(path: string, javaScriptEnabled: boolean): Promise<Keyboard> {
    const who = { email: ada.email, password: testPassword, javaScriptEnabled }
    const context = signedIn.get(javaScriptEnabled) ?? (await openPage(browser, service.baseUrl, who)).context
    signedIn.set(javaScriptEnabled, context)
    const page = await context.newPage()
    await page.goto(path)
    return new Keyboard(page, javaScriptEnabled)
  }

  /** A task, where it begins, how it is done, and what shows that it was. */
  const tasks: readonly [string, string, (keys: Keyboard) => Promise<void>][] = [
    [
      'a key is created',
      '/admin/keys',
      async keys => {
        await keys.enter('Create key', 'Permissions')
        const name = `County sync, scripts ${keys.scripts}`
        await keys.fill('Name', name)
        await keys.tick('Set status and note')
        if (keys.scripts) await keys.fill('Filter programs', 'foo')
        await keys.tick('Food')
        await keys.fill('Addresses', '192.0.2.17')
        await keys.to('Expires')
        await keys.page.keyboard.type('On a day')
        const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
        await keys.page.getByLabel('Day').fill(day)
        await keys.to('Hidden questions none')
        await keys.press('Enter')
        await keys.tick('Who are you?')
        await keys.enter('Create key', 'Password')
        await keys.page.goto('/admin/keys/new')
        await keys.fill('Name', `${name}, front end`)
        await keys.tick('Export applications')
        await keys.tick('Submit applications')
        await keys.fill('Front end', 'city-web')
        await keys.tick('Food')
        await keys.choose('These addresses only', 'Anywhere')
        await keys.enter('Create key', 'Password')
        const made = (await listKeys(sql, Date.now() * 1000)).filter(key => key.name.startsWith(name))
        expect(made.sort((a, b) => a.name.length - b.name.length)).toMatchObject([
          {
            programs: ['food'],
            may_export: true,
            may_submit: false,
            may_annotate: true,
            allowed_subnets: ['192.0.2.17/32'],
            expires_at: (Date.parse(day) / 86_400_000 + 1) * 86_400_000_000,
            hidden_questions: ['applicant name'],
          },
          { programs: ['food'], may_export: false, may_submit: true, may_annotate: false, front_end: 'city-web' },
        ])
      },
    ],
    [
      'an application is found and given a status',
      '/admin/applications',
      async keys => {
        const id = await applied('Ibrahim')
        await keys.enter('Food', 'Name, contact or number')
        await keys.fill('Name, contact or number', 'ibra ursu')
        await keys.leave()
        await keys.enter('Ursula Ibrahim', 'History')
        await keys.to('Status')
        await keys.page.keyboard.type('Appr')
        await keys.fill('Note', 'By keyboard')
        await keys.enter('Save', 'Saved.')
        expect(
          await sql`select status, application_note as note from application where application_id = ${id}`,
        ).toMatchObject([{ status: 'Approved', note: 'By keyboard' }])
      },
    ],
    [
      'a document is kept as it is',
      '/admin/programs/food/document',
      async keys => {
        await keys.enter('Save to draft', 'No changes')
      },
    ],
    [
      'two versions are compared',
      '/admin/programs/food/versions',
      async keys => {
        await keys.enter('Compare', 'Who are you?')
      },
    ],
    [
      'an application is erased',
      '/admin/programs/food/applications',
      async keys => {
        const id = await applied('Erased')
        await keys.page.reload()
        await keys.enter('Ursula Erased', 'History')
        await keys.enter('Erase application…', 'Type')
        await keys.fill('Type', String(id))
        await keys.enter('Erase application', 'Erased.')
        const [left] = await sql`select snapshot from application where application_id = ${id}`
        expect(left?.snapshot ?? '').not.toContain('Erased')
      },
    ],
    [
      'an applicant is erased',
      '/admin/programs/food/applications',
      async keys => {
        await applied('Forgotten')
        await keys.page.reload()
        await keys.enter('Ursula Forgotten', 'History')
        await keys.enter('Erase applicant…', 'Type')
        const [, applicant] = /Type (\d+) to confirm/.exec(await keys.page.content())!
        await keys.fill('Type', applicant!)
        await keys.enter('Erase applicant', 'Erased.')
        expect(await sql`select from applicant where applicant_id = ${applicant!}`).toHaveLength(0)
      },
    ],
    [
      'a person is invited',
      '/admin/people',
      async keys => {
        const email = `new-${keys.scripts}@example.gov`
        await keys.enter('Invite person', 'The person signs in with')
        await keys.fill('Name', 'Bo Auditor')
        await keys.fill('Email', email)
        await keys.choose('Administrator', 'Auditor')
        await keys.enter('Create link', 'Invitation link')
        expect(await sql`select name, role from person where email = ${email}`).toMatchObject([
          { name: 'Bo Auditor', role: 'AUDITOR' },
        ])
      },
    ],
    [
      'a key is disabled, enabled, rotated and retired',
      '/admin/keys',
      async keys => {
        const name = `Nightly, scripts ${keys.scripts}`
        const { username } = await createTestKey(sql, { programs: ['food'], name })
        const state = async () => {
          const [row] = await sql<{ disabled: boolean; rotated: boolean; retired: boolean }[]>`
            select disabled_at is not null as disabled, earlier_secret_hash is not null as rotated, retired_at is not null as retired
            from api_key where api_key_id = ${username}`
          return row
        }
        await keys.page.reload()
        await keys.enter(name, 'Rejected requests')
        await keys.enter(/^Disable$/, 'This key has been disabled')
        expect(await state()).toMatchObject({ disabled: true })
        await keys.enter(/^Enable$/, 'Rejected requests')
        expect(await state()).toMatchObject({ disabled: false, rotated: false })
        await keys.enter('Rotate', 'Overlap in days')
        await keys.enter('Rotate key', 'The previous password keeps working')
        expect(await state()).toMatchObject({ rotated: true, retired: false })
        await keys.enter('I’ve saved it', 'Both the new and the previous password')
        await keys.enter('Retire…', 'Retire key')
        await keys.fill('Type', name)
        await keys.enter('Retire key', 'Key retired')
        expect(await state()).toMatchObject({ retired: true })
      },
    ],
    [
      'many applications get a status, after a look at what would change',
      '/admin/programs/food/applications',
      async keys => {
        const ids = [await applied('Many'), await applied('Many')]
        await keys.page.reload()
        await keys.to('Set status')
        await keys.page.keyboard.type('Appr')
        for (const id of ids.toReversed()) await keys.tick(`Select application ${id}`)
        await keys.leave()
        await keys.enter('Set 2 applications to Approved', '2 applications changed')
        expect(
          await sql`select status from application where application_id = any(${ids}::bigint[]) and status = 'Approved'`,
        ).toHaveLength(2)
      },
    ],
    [
      'a program is paused, with a text for applicants, and archived',
      '/admin/programs',
      async keys => {
        const slug = keys.scripts ? 'other-a' : 'other-b'
        const intake = async () =>
          (await sql`select intake_state, intake_text from program where slug = ${slug}`)[0] as object
        await keys.page.goto(`/admin/programs/${slug}/settings`)
        await keys.choose('open', 'paused')
        await keys.fill('Message for applicants', 'Back on Monday')
        await keys.enter(/^Save$/, 'Saved.')
        expect(await intake()).toEqual({ intake_state: 'PAUSED', intake_text: 'Back on Monday' })
        await keys.choose('paused', 'archived')
        await keys.enter(/^Save$/, 'Saved.')
        expect(await intake()).toMatchObject({ intake_state: 'ARCHIVED' })
      },
    ],
    [
      'a program begins as a copy of another one, and its preview is filled in to the end',
      '/admin/new-program',
      async keys => {
        const slug = keys.scripts ? 'copied' : 'plain-copy'
        await keys.fill('Name', slug.replace('-', ' '))
        await keys.to('Start from')
        await keys.page.keyboard.type('Copy of Food')
        await keys.enter(/^Create draft$/, 'Who are you?')
        await keys.enter('Preview', 'Nothing you enter')
        await keys.enter(/^Continue$/, 'Not ready')
        await keys.enter('Go to', 'Who are you?')
        await keys.fill('First name', 'Ursula')
        await keys.fill('Last name', 'Ibrahim')
        await keys.enter(/^Continue$/, 'End of the application')
        expect(await findProgram(sql, slug)).toMatchObject({ slug })
      },
    ],
    [
      'how long a program keeps its applications is set',
      '/admin/settings/retention',
      async keys => {
        const slug = keys.scripts ? 'other-c' : 'other-d'
        await keys.enter(`Program ${slug}`, 'Effect')
        await keys.choose('permanently', 'for a number of days')
        await keys.fill('Days', '365')
        await keys.enter(/^Save$/, 'Saved.')
        expect(await sql`select retention_days from program where slug = ${slug}`).toMatchObject([
          { retention_days: 365 },
        ])
      },
    ],
    [
      'the audit log is filtered, and a filter taken off',
      '/admin/audit',
      async keys => {
        await keys.fill('Subject', 'food')
        await keys.to(/^Action\b/)
        await keys.page.keyboard.type('Program published')
        await keys.enter('Search', 'Remove filter')
        expect(new URL(keys.page.url()).searchParams.get('action')).toBe('program_published')
        await keys.enter('Remove filter on', 'Remove filter')
        expect([...new URL(keys.page.url()).searchParams.keys()]).toEqual(['action'])
      },
    ],
    [
      'a token is created',
      '/admin/account/tokens',
      async keys => {
        const name = `Report, scripts ${keys.scripts}`
        await keys.enter('Create token', 'Select only what the token needs')
        await keys.fill('Name', name)
        await keys.tick('keys:read')
        await keys.enter('Create token', 'only this once')
        expect(await sql`select scopes from admin_token where name = ${name}`).toMatchObject([
          { scopes: ['keys:read'] },
        ])
      },
    ],
    [
      'what is wrong with a form is read first, and leads to its field',
      '/admin/people/invite',
      async keys => {
        await keys.enter('Create link', 'a problem')
        expect(await keys.page.title()).toStartWith('Error: ')
        const focused = 'document.activeElement.getAttribute("aria-labelledby") ?? document.activeElement.id'
        expect(await keys.page.evaluate(focused)).toBe('errors')
        await keys.press('Tab')
        await keys.press('Enter')
        expect(await keys.page.evaluate(focused)).toBe('name')
      },
    ],
  ]

  test('a second factor is set up and used to sign in', async () => {
    const bo = await aPerson(sql)
    const { page } = await openPage(browser, service.baseUrl)
    const keys = new Keyboard(page, true)
    const signIn = async () => {
      await keys.fill('Email', bo.email)
      await keys.fill('Password', testPassword)
    }
    await page.goto('/admin/account/second-factor')
    await signIn()
    await keys.leave()
    const secret = (await page.locator('#secret').textContent())!
    await keys.fill('Code', generateSync({ secret }))
    await keys.leave()
    const codes = (await page.locator('#codes').textContent())!.split('\n')
    await keys.enter('Sign out', 'Sign in')
    await signIn()
    await keys.fill('Code', codes[0]!)
    await keys.leave()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }, 60_000)

  const ways = [true, false].flatMap(scripts => tasks.map(task => [scripts, ...task] as const))
  test.each(ways)(
    'scripts %p: %s',
    async (scripts, _, path, work) => {
      const keys = await at(path, scripts)
      await work(keys)
      await keys.page.close()
    },
    180_000,
  )
})
