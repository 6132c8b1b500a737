// The Intermediaries panel, as administrators and auditors work with it.

import { describe, expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor, errorsOf, fieldsOf, noticesOf, rowsOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, { intermediaries: 'listed' })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const base = '/admin/intermediaries'

async function add(name: string): Promise<string> {
  const form = fieldsOf(await browser.page(`${base}/new`), `${base}/new`)
  expect(form.name).toBe('')
  const added = await browser.post(`${base}/new`, { ...form, name })
  if (added.status !== 303) throw new Error(`adding answered ${added.status}`)
  return added.headers.get('location')!.replace('?done=added', '')
}
const actionsOn = async (subject: string) =>
  (await sql`select actor, action from audit_event where subject = ${subject} order by audit_event_id`).map(row => [
    row.actor,
    row.action,
  ])

describe('an organization', () => {
  test('is added, renamed, disabled and enabled, each in the audit log', async () => {
    const path = await add('  Harbor Legal Aid ')
    expect(noticesOf(await browser.page(`${path}?done=added`))).toEqual(['added'])
    const form = fieldsOf(await browser.page(path), path)
    expect(form.name).toBe('Harbor Legal Aid')
    expect((await browser.post(path, { ...form, name: 'Harbor Aid' })).headers.get('location')).toBe(
      `${path}?done=renamed`,
    )
    const disabled = await browser.page((await browser.post(`${path}/disable`)).headers.get('location')!)
    for (const part of ['data-notice="disabled"', 'Enable Harbor Aid']) expect(disabled).toContain(part)
    // A second time changes nothing, and is not recorded twice.
    await browser.post(`${path}/disable`)
    await browser.post(`${path}/enable`)
    expect(await browser.page(path)).toContain('Disable Harbor Aid')
    const actor = `admin:${ada.email}`
    expect(await actionsOn('Harbor Legal Aid')).toEqual([[actor, 'intermediary_organization_added']])
    expect(await actionsOn('Harbor Aid')).toEqual([
      [actor, 'intermediary_organization_renamed'],
      [actor, 'intermediary_organization_disabled'],
      [actor, 'intermediary_organization_enabled'],
    ])
  })

  test('without a name, or with the name of another in any case and spacing, is refused and shown as entered', async () => {
    await add('Taken Name')
    const other = await add('Other Name')
    for (const name of ['  ', '\u3164', 'x'.repeat(201), 'a\u0007b', 'taken  NAME']) {
      for (const path of [`${base}/new`, other]) {
        const response = await browser.post(path, { name })
        expect([name, response.status]).toEqual([name, 400])
        expect(await response.text()).toContain('href="#name"')
      }
    }
    const text = await (await browser.post(`${base}/new`, { name: 'taken  NAME' })).text()
    expect(text).toContain('value="taken  NAME"')
    expect(errorsOf(text)).toEqual(['name taken'])
    expect(await browser.page(other)).toContain('<h1 dir="auto">Other Name</h1>')
  })
})

describe('the people of an organization', () => {
  test('are added by email, disabled and enabled, each in the audit log', async () => {
    const path = await add('Food Bank')
    const added = await browser.post(`${path}/people`, { email: 'bo@example.org' })
    expect(added.headers.get('location')).toBe(`${path}?done=person-added`)
    const link = /action="([^"]*\/people\/\d+)\/disable"/.exec(await browser.page(path))![1]!
    expect((await browser.post(`${link}/disable`)).headers.get('location')).toBe(`${path}?done=person-disabled`)
    await browser.post(`${path}/people`, { email: 'cy@example.org' })
    await browser.post(`${path}/people`, { email: 'al@example.org' })
    expect(rowsOf(await browser.page(path), 'People')).toEqual([
      {
        Email: 'al@example.org',
        'Sign-in': '–',
        'Codes seen': '0',
        Status: 'active',
        Change: 'Disable al@example.org',
      },
      {
        Email: 'bo@example.org',
        'Sign-in': '–',
        'Codes seen': '0',
        Status: 'disabled',
        Change: 'Enable bo@example.org',
      },
      {
        Email: 'cy@example.org',
        'Sign-in': '–',
        'Codes seen': '0',
        Status: 'active',
        Change: 'Disable cy@example.org',
      },
    ])
    expect(rowsOf(await browser.page(`${base}?q=bank`), 'Organizations')).toEqual([
      { Organization: 'Food Bank', People: '2', Status: 'active' },
    ])
    expect((await browser.post(`${link}/enable`)).headers.get('location')).toBe(`${path}?done=person-enabled`)
    expect((await actionsOn('bo@example.org')).map(([, action]) => action)).toEqual([
      'intermediary_added',
      'intermediary_disabled',
      'intermediary_enabled',
    ])
    const elsewhere = await add('Not Theirs')
    const foreign = link.replace(path, elsewhere)
    expect((await browser.post(`${foreign}/disable`)).status).toBe(404)
  })

  test('with an invalid or existing email address are refused and shown as entered, and a person may be in two', async () => {
    const [path, other] = [await add('One Home'), await add('Other Home')]
    await browser.post(`${path}/people`, { email: 'cy@example.org' })
    for (const email of ['', 'no email', 'CY@example.org']) {
      const response = await browser.post(`${path}/people`, { email })
      expect([email, response.status]).toEqual([email, 400])
      expect(await response.text()).toContain('href="#email"')
    }
    expect((await browser.post(`${other}/people`, { email: 'cy@example.org' })).status).toBe(303)
  })
})

test('the page shows whether submissions are checked against the list', async () => {
  expect(noticesOf(await browser.page(base))).toEqual(['checked'])
  const easy = await useService(database, { intermediaries: 'any' })
  const there = await new ConsoleVisitor(easy).signIn(ada.email)
  expect(noticesOf(await there.page(base))).toEqual(['unchecked'])
})

test('many organizations and people come page by page, each once, also in a search', async () => {
  await sql`
    insert into intermediary_organization (name, name_folded, created_by)
    select 'Many ' || n, 'many ' || n, 'operator:test' from generate_series(1, 120) n`
  const walk = async (start: string, pattern: RegExp): Promise<string[]> => {
    const found: string[] = []
    let path: string | undefined = start
    while (path !== undefined) {
      const text = await browser.page(path)
      found.push(...[...text.matchAll(pattern)].map(match => match[1]!))
      path = [...text.matchAll(/href="([^"]*after=[^"]*)"/g)].at(-1)?.[1]?.replaceAll('&amp;', '&')
    }
    return found
  }
  const names = await walk(`${base}?q=MANY`, />(Many \d+)</g)
  expect(names).toHaveLength(120)
  expect(new Set(names).size).toBe(120)
  const path = await add('Crowd')
  await sql`
    insert into intermediary (organization_id, email, email_folded, created_by)
    select ${Number(path.split('/').at(-1))}::bigint, n || '@example.org', n || '@example.org', 'operator:test' from generate_series(1, 120) n`
  const emails = await walk(path, /<div>(\d+@example\.org)</g)
  expect(new Set(emails).size).toBe(120)
  expect(emails).toHaveLength(120)
})
