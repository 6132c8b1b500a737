// D38: "A validation error at the field; nothing that was typed is dropped silently". Every form that has a choice, and fields that only
// one of its sides has a place for, is sent with both.

import { describe, expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor, fieldsOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
await aProgram(sql, { slug: 'food', questions: [q.text('first')] })
const ada = await aPerson(sql, { name: 'Ada Administrator' })
const pat = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['food'], name: 'Pat Programs' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const key = await createTestKey(sql, { name: 'Stored', programs: ['food'], allowedSubnets: ['192.0.2.0/24'] })
const pulls = await createTestKey(sql, { name: 'Pulls', programs: ['food'] })
const program = '/admin/programs/food'

interface Row {
  what: string
  /** Where the page of the form is, and where the form goes. */
  page: string
  /** What is entered in the form that was opened. */
  typed: Record<string, string | readonly string[]>
  /** The field that the error is at. */
  at: string
}
const newKey = {
  name: 'Two minds',
  programs: 'food',
  expiry: '30d',
  from: 'subnets',
  allowed_subnets: '192.0.2.7',
  may: 'export',
}
const ofNewKey = (what: string, at: string, typed: Row['typed']): Row => ({
  what: `a new key: ${what}`,
  page: '/admin/keys/new',
  typed: { ...newKey, ...typed },
  at,
})

const rows: readonly Row[] = [
  {
    what: 'retention: a number of days, and permanently',
    page: `${program}/retention`,
    typed: { keep: 'ever', days: '300' },
    at: 'days',
  },
  {
    what: 'retention: days without saying for how long',
    page: `${program}/retention`,
    typed: { keep: [], days: '300' },
    at: 'keep',
  },
  ofNewKey('addresses, and from anywhere', 'allowed_subnets', { from: 'anywhere' }),
  ofNewKey('in a number of days, and on a day', 'expiry_day', { expiry_day: '2099-01-31' }),
  ofNewKey('on a day, without one', 'expiry_day', { expiry: 'day' }),
  ofNewKey('a front end, and no submitting', 'front_end', { front_end: 'portal' }),
  ofNewKey('questions it never sees, and submitting', 'hidden_questions', {
    may: 'submit',
    front_end: 'portal',
    hidden_questions: 'first',
  }),
  ofNewKey('status and note without pulling', 'may', { may: ['annotate', 'submit'], front_end: 'portal' }),
  {
    what: 'a key with addresses: another one, and from anywhere',
    page: `/admin/keys/${key.username}`,
    typed: { from: 'anywhere', allowed_subnets: '192.0.2.0/24\n192.0.2.7' },
    at: 'allowed_subnets',
  },
  {
    what: 'a key from anywhere: an address that stays alongside it',
    page: `/admin/keys/${pulls.username}`,
    typed: { allowed_subnets: '192.0.2.7' },
    at: 'allowed_subnets',
  },
  ...(['ADMINISTRATOR', 'AUDITOR'] as const).map(
    (role): Row => ({
      what: `an invitation: programs of the role ${role}`,
      page: '/admin/people/invite',
      typed: { name: 'Zoe', email: 'zoe@example.gov', role, programs: 'food' },
      at: 'programs',
    }),
  ),
  {
    what: 'a person: programs alongside a role that has none',
    page: `/admin/people/${ada.person_id}`,
    typed: { programs: 'food' },
    at: 'programs',
  },
  ...[
    { page: `/admin/people/${ada.person_id}`, at: 'name' },
    { page: `/admin/keys/${key.username}`, at: 'allowed_subnets' },
  ].map(({ page, at }) => ({ what: `what was stored: ${at} emptied`, page, typed: { [at]: '' }, at })),
]

/** Everything that a form could have changed. */
const stored = async () => ({
  programs: await sql`select * from program`,
  keys: await sql`select * from api_key order by api_key_id`,
  people: await sql`select * from person order by person_id`,
})

const opened = async ({ page }: Row) => ({ to: page, fields: fieldsOf(await browser.page(page), page) })

describe('D38: contradictory input is an error at its field, and what was entered is kept', () => {
  test.each(rows.map(row => [row.what, row] as const))('%s', async (_, row) => {
    const before = await stored()
    const { to, fields } = await opened(row)
    const html = await browser.refused(400, to, { ...fields, ...row.typed })
    expect(html).toContain(`href="#${row.at}"`)
    const field = html.split(/<div class="field|<fieldset/).find(part => part.includes(` id="${row.at}"`))!
    expect(field).toMatch(/^[^>]* wrong"/)
    expect(field).toContain('class="error"')
    const sent = Object.entries({ ...fields, ...row.typed }).filter(([, value]) => typeof value === 'string')
    expect(fieldsOf(html, to)).toMatchObject(Object.fromEntries(sent))
    expect(await stored()).toEqual(before)
  })

  test('prefilled input is dropped by a choice that excludes it', async () => {
    const form = async (page: string, typed: Record<string, string>) => {
      const { fields } = await opened({ what: '', page, typed, at: '' })
      return (await browser.post(page, { ...fields, ...typed })).status
    }
    const own = await createTestKey(sql, { programs: ['food'], allowedSubnets: ['192.0.2.0/24', '198.51.100.7/32'] })
    expect(await form(`/admin/keys/${own.username}`, { from: 'anywhere' })).toBe(303)
    const other = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['food'], name: 'Pat Programs' })
    const path = `/admin/people/${other.person_id}`
    expect(await form(path, { role: 'AUDITOR' })).toBe(303)
    const [{ detail }] = (await sql`select detail from audit_event where action = 'person_edited'`) as [
      { detail: object },
    ]
    expect(detail).toEqual({ name: 'Pat Programs', role: 'AUDITOR' })
  })
})

test('the API refuses the same contradictions, each at its member', async () => {
  const { token } = await aToken(sql, ada)
  const api = ApiProgram.withToken(service, token)
  const made = {
    name: 'A',
    programs: ['food'],
    allowed_subnets: ['192.0.2.7'],
    expires_at: '9d',
    may_export: true,
    may_submit: false,
  }
  const bodies = [
    ['POST', '/keys', { ...made, allowed_subnets: ['anywhere', '192.0.2.7'] }, '/allowed_subnets/0'],
    ['POST', '/keys', { ...made, front_end: 'portal' }, '/front_end'],
    [
      'POST',
      '/keys',
      { ...made, may_submit: true, front_end: 'portal', hidden_questions: ['first'] },
      '/hidden_questions',
    ],
    ['POST', '/people', { name: 'Z', email: 'z@example.gov', role: 'AUDITOR', programs: ['food'] }, '/programs'],
    ['PUT', `/people/${pat.person_id}`, { name: 'Pat', role: 'AUDITOR', programs: ['food'] }, '/programs'],
  ] as const
  for (const [method, path, body, at] of bodies) {
    const answer = await api.ask(method, path, body)
    expect([path, answer.status, answer.body.errors]).toEqual([path, 400, [expect.objectContaining({ path: at })]])
  }
})
