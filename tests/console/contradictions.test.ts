// D38: "A validation error at the field; nothing that was typed is dropped silently". Every form that has a choice, and fields that only
// one of its sides has a place for, is sent with both.

import { describe, expect, test } from 'bun:test'
import { findDraftVersion, findProgram } from '../../src/db/programs/programs.ts'
import { aPerson, ConsoleVisitor, fieldsOf } from '../support/console.ts'
import { ApiProgram, aToken } from '../support/console-api.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { aDraft, aProgram, type ProgramSpec, q } from '../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const when = { question: 'first', operator: 'answered' as const }
const pet = { question: 'pet', field: 'selection', operator: 'equal' as const, value: 'cat' }
const nested = { not: when }
const food: ProgramSpec = {
  slug: 'food',
  screens: [
    {
      questions: [
        q.text('first'),
        q.radio('pet', ['cat', 'dog']),
        q.text('second'),
        q.text('third', { visible_when: pet }),
      ],
    },
    { name: 'More', questions: [q.text('fourth', { visible_when: nested }), q.number('count')] },
  ],
}
await aProgram(sql, food)
const ada = await aPerson(sql, { name: 'Ada Administrator' })
const pat = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['food'], name: 'Pat Programs' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const key = await createTestKey(sql, { name: 'Stored', programs: ['food'], allowedSubnets: ['192.0.2.0/24'] })
const pulls = await createTestKey(sql, { name: 'Pulls', programs: ['food'] })
const program = '/admin/programs/food'
const first = JSON.stringify(['first', 'text'])

interface Row {
  what: string
  /** Where the page of the form is, and where the form goes: there too unless given. */
  page: string
  to?: string
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
  allowed_subnets: '',
  may: 'export',
}
const added = { admin_name: 'new one', kind: 'TEXT', text: 'New?', screen: '0' }
const addQuestion = { page: `${program}/add-question` }
const question = (name: string) => ({ page: `${program}/question?name=${name}`, to: `${program}/question` })

const rows: readonly Row[] = [
  {
    what: 'retention: a number of days, and for ever',
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
  {
    what: 'a new key: addresses, and from anywhere',
    page: '/admin/keys/new',
    typed: { ...newKey, from: 'anywhere', allowed_subnets: '192.0.2.7' },
    at: 'allowed_subnets',
  },
  {
    what: 'a new key: in a number of days, and on a day',
    page: '/admin/keys/new',
    typed: { ...newKey, allowed_subnets: '192.0.2.7', expiry_day: '2099-01-31' },
    at: 'expiry_day',
  },
  {
    what: 'a new key: on a day, without one',
    page: '/admin/keys/new',
    typed: { ...newKey, allowed_subnets: '192.0.2.7', expiry: 'day' },
    at: 'expiry_day',
  },
  {
    what: 'a new key: a front end, and no submitting',
    page: '/admin/keys/new',
    typed: { ...newKey, allowed_subnets: '192.0.2.7', front_end: 'portal' },
    at: 'front_end',
  },
  {
    what: 'a new key: questions it never sees, and submitting',
    page: '/admin/keys/new',
    typed: { ...newKey, allowed_subnets: '192.0.2.7', may: 'submit', front_end: 'portal', hidden_questions: 'first' },
    at: 'hidden_questions',
  },
  {
    what: 'a new key: status and note without pulling',
    page: '/admin/keys/new',
    typed: { ...newKey, allowed_subnets: '192.0.2.7', may: ['annotate', 'submit'], front_end: 'portal' },
    at: 'may',
  },
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
  ...(['ADMINISTRATOR', 'AUDITOR'] as const).flatMap((role): Row[] => [
    {
      what: `an invitation: programs of the role ${role}`,
      page: '/admin/people/invite',
      typed: { name: 'Zoe', email: 'zoe@example.gov', role, programs: 'food' },
      at: 'programs',
    },
  ]),
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
  {
    what: 'a question: a line, and always',
    ...question('second'),
    typed: { when: 'always', when_what_0: first, when_operator_0: 'equal', when_value_0: 'typed value' },
    at: 'when',
  },
  {
    what: 'a question: another value in its line, and always',
    ...question('third'),
    typed: { when: 'always', when_value_0: 'dog' },
    at: 'when',
  },
  {
    what: 'a question: a value in a line without a question',
    ...question('second'),
    typed: { when: 'always', when_what_0: '', when_value_0: 'typed value' },
    at: 'when_what_0',
  },
  {
    what: 'a question: a comparison in a line without a question, alongside one that is whole',
    ...question('third'),
    typed: { when_what_1: '', when_operator_1: 'less_than' },
    at: 'when_what_1',
  },
  {
    what: 'a question: a value that “answered” takes none of',
    ...question('second'),
    typed: { when: 'all', when_what_0: first, when_operator_0: 'answered', when_value_0: 'typed value' },
    at: 'when_value_0',
  },
  {
    what: 'a question: a condition as a document, and always',
    ...question('fourth'),
    typed: { when: 'always', when_document: '{"not": {"not": 1}}' },
    at: 'when_document',
  },
  {
    what: 'a question: lines alongside a condition as a document',
    ...question('fourth'),
    typed: { when_what_0: first, when_value_0: 'typed value' },
    at: 'when',
  },
  {
    what: 'a screen: a line, and always',
    page: `${program}/screen?index=1`,
    to: `${program}/screen`,
    typed: { when: 'always', when_what_0: first, when_operator_0: 'answered' },
    at: 'when',
  },
  {
    what: 'an option: emptied, and not removed',
    ...question('pet'),
    typed: { option_text_1: '' },
    at: 'option_text_1',
  },
  {
    what: 'an option: a text that another has',
    ...question('pet'),
    typed: { option_text_9: 'Option cat' },
    at: 'option_text_9',
  },
  {
    what: 'a new question: options of a text',
    ...addQuestion,
    typed: { ...added, option_text_0: 'A cat' },
    at: 'options',
  },
  ...(['min', 'max', 'min_count', 'max_count'] as const).map(bound => ({
    what: `a new question: ${bound} of a text`,
    ...addQuestion,
    typed: { ...added, [bound]: '17' },
    at: bound,
  })),
  {
    what: 'a new enumerator: a bound of texts',
    ...addQuestion,
    typed: { ...added, kind: 'ENUMERATOR', max_length: '17' },
    at: 'max_length',
  },
  {
    what: 'a new question: a line, and always',
    ...addQuestion,
    typed: { ...added, when_what_0: first, when_value_0: 'typed value' },
    at: 'when',
  },
]

/** Everything that a form could have changed. */
const stored = async () => {
  const { program_id } = (await findProgram(sql, 'food'))!
  return {
    draft: await findDraftVersion(sql, program_id),
    programs: await sql`select * from program`,
    keys: await sql`select * from api_key order by api_key_id`,
    people: await sql`select * from person order by person_id`,
  }
}

const opened = async ({ page, to = page }: Row) => ({ to, fields: fieldsOf(await browser.page(page), to) })

describe('D38: two things that contradict one another are an error at their field, and what was typed is still there', () => {
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

  test('what a form was opened with gives way to a choice that has no place for it', async () => {
    const form = async (page: string, to: string, typed: Record<string, string>) => {
      const { fields } = await opened({ what: '', page, to, typed, at: '' })
      return (await browser.post(to, { ...fields, ...typed })).status
    }
    const own = await createTestKey(sql, { programs: ['food'], allowedSubnets: ['192.0.2.0/24', '198.51.100.7/32'] })
    expect(await form(`/admin/keys/${own.username}`, `/admin/keys/${own.username}`, { from: 'anywhere' })).toBe(303)
    const other = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['food'], name: 'Pat Programs' })
    const path = `/admin/people/${other.person_id}`
    expect(await form(path, path, { role: 'AUDITOR' })).toBe(303)
    for (const name of ['third', 'fourth'])
      expect(await form(`${program}/question?name=${name}`, `${program}/question`, { when: 'always' })).toBe(303)
    expect(
      await form(`${program}/question?name=pet`, `${program}/question`, { option_id_1: '', option_text_1: '' }),
    ).toBe(303)
    const { screens, questions } = (await stored()).draft!
    expect(JSON.stringify([screens, questions])).not.toContain('visible_when":{')
    const [{ detail }] = (await sql`select detail from audit_event where action = 'person_edited'`) as [
      { detail: object },
    ]
    expect(detail).toEqual({ name: 'Pat Programs', role: 'AUDITOR' })
    // As the other tests find it.
    await aDraft(sql, food)
  })
})

test('the API refuses the same, each at its member', async () => {
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
    ['POST', '/people', { name: 'Z', email: 'z@example.gov', role: 'AUDITOR', programs: ['food'] }, 'programs'],
    ['PUT', `/people/${pat.person_id}`, { name: 'Pat', role: 'AUDITOR', programs: ['food'] }, 'programs'],
  ] as const
  for (const [method, path, body, at] of bodies) {
    const answer = await api.ask(method, path, body)
    const errors = answer.body.errors as { path?: string; parameter?: string }[]
    expect([path, answer.status, errors.map(one => one.path ?? one.parameter)]).toEqual([path, 400, [at]])
  }
})

test('options are refused each with its row, in words of the form', async () => {
  const { to, fields } = await opened({ what: '', ...addQuestion, typed: {}, at: '' })
  const ids = { option_text_0: 'An oak', option_text_1: 'Maple', option_id_1: 'Ma ple', option_id_2: 'Big Fir' }
  const html = await browser.refused(400, to, { ...fields, ...added, kind: 'RADIO', ...ids, option_text_2: 'A fir' })
  for (const row of ['Row 2', 'Row 3'])
    expect(html).toContain(`${row}: must have an id of lower case letters a to z, digits, _ and - only.`)
  expect(html).not.toMatch(/legacy_id|`/)
})
