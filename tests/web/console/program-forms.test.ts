// Drafts of programs in the console, as forms: questions, options, conditions, order, screens, name and statuses.

import { describe, expect, test } from 'bun:test'
import { findActiveVersion, findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import type { NamedCondition, ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { aPerson, ConsoleVisitor, decoded, errorsOf, fieldsOf, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aDraft, aProgram, everyKind, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const { email } = await aPerson(sql, { email: 'ada@example.gov' })
const ada = await new ConsoleVisitor(service).signIn(email)
const path = (slug: string, rest = ''): string => `/admin/programs/${slug}${rest}`

async function versions(slug: string) {
  const { program_id } = (await findProgram(sql, slug))!
  return { draft: await findDraftVersion(sql, program_id), active: await findActiveVersion(sql, program_id) }
}
/** What the draft says, or what is published. */
async function stored(slug: string): Promise<ProgramDefinition> {
  const { draft, active } = await versions(slug)
  return describeVersion((draft ?? active)!)
}
const questionIn = async (slug: string, name: string) =>
  (await stored(slug)).questions.find(({ admin_name }) => admin_name === name)!
const order = async (slug: string) =>
  (await stored(slug)).screens.map(({ questions }) => questions.map(({ question }) => question))

type Fields = Record<string, string | readonly string[]>
const open = async (slug: string, name: string) =>
  fieldsOf(await ada.page(path(slug, `/question?name=${encodeURIComponent(name)}`)), path(slug, '/question'))
const send = (slug: string, fields: Fields) => ada.post(path(slug, '/question'), fields)
const sendRefused = (status: number, slug: string, fields: Fields) =>
  ada.refused(status, path(slug, '/question'), fields)
const basis = async (slug: string) => {
  const { draft, active } = await versions(slug)
  return String((draft ?? active)!.program_version_id)
}

test('a form that is sent as it was opened changes nothing, for a question of each kind and each sort of condition', async () => {
  const at = (question: string, field: string, operator: 'in' | 'equal', value: string | number | string[]) =>
    ({ question, field, operator, value }) as NamedCondition
  const conditions: NamedCondition[] = [
    at('home address', 'latitude', 'equal', '21.3'),
    at('anything else', 'text', 'in', ['one, two', 'three']),
    { any: [at('household size', 'number', 'equal', -2), { question: 'owns home', operator: 'answered' }] },
    { not: at('county', 'selection', 'in', ['king', 'pierce']) },
  ]
  const conditional = conditions.map((visible_when, i) =>
    q.text(`asked & answered ${'abcd'[i]}`, { optional: true, visible_when }),
  )
  await aProgram(sql, { slug: 'untouched', questions: [...everyKind, ...conditional] })
  const list = await ada.page(path('untouched', '/questions'))
  const links = [...list.matchAll(/href="([^"]*\/question\?name=[^"]*)"/g)].map(([, link]) => link!)
  expect(links).toHaveLength((await stored('untouched')).questions.length)
  for (const link of links) {
    const fields = fieldsOf(await ada.page(link.replaceAll('&amp;', '&')), path('untouched', '/question'))
    expect([link, (await send('untouched', fields)).status]).toEqual([link, 303])
  }
  expect((await versions('untouched')).draft).toBeUndefined()
})

describe('a question', () => {
  test('gets another text, help, bounds, optional and options, in the order and without what was removed', async () => {
    await aProgram(sql, {
      slug: 'edited',
      questions: [q.checkbox('colours', ['red', 'green']), q.text('words', { max_length: 9 })],
    })
    const fields = await open('edited', 'colours')
    const response = await send('edited', {
      ...fields,
      text: 'Which <colours>?',
      help: 'Some help',
      optional: 'yes',
      min_count: '1',
      option_text_1: 'Grass',
      option_text_0: '',
      option_id_0: '',
      option_text_2: 'Sky blue',
    })
    expect(response.status).toBe(303)
    expect(await questionIn('edited', 'colours')).toMatchObject({
      text: 'Which <colours>?',
      help: 'Some help',
      min_count: 1,
      options: [
        { admin_id: 'green', text: 'Grass' },
        { admin_id: 'sky_blue', text: 'Sky blue' },
      ],
    })
    expect((await stored('edited')).screens[0]!.questions[0]).toMatchObject({ question: 'colours', optional: true })
    expect(await ada.page(path('edited', '/question?name=colours'))).toContain('Which &lt;colours>?')
    const words = await open('edited', 'words')
    await send('edited', { ...words, max_length: '' })
    expect(await questionIn('edited', 'words')).not.toHaveProperty('max_length')
  })

  test('with errors comes back as it was typed, each at its field, and nothing is saved', async () => {
    await aProgram(sql, { slug: 'wrong', questions: [q.checkbox('marks', ['a', 'b'])] })
    const text = await sendRefused(400, 'wrong', {
      ...(await open('wrong', 'marks')),
      text: '',
      min_count: '4',
      max_count: 'many',
      option_id_2: 'Not An Id',
      option_text_2: '<b>typed</b>',
    })
    for (const field of ['text', 'min_count', 'max_count', 'option_id_2']) {
      expect(text).toContain(`href="#${field}"`)
      expect(text).toContain(`id="${field}-error"`)
    }
    for (const typed of ['value="many"', 'value="Not An Id"', 'value="&lt;b>typed&lt;/b>"'])
      expect(text).toContain(typed)
    expect((await versions('wrong')).draft).toBeUndefined()
  })

  test('is asked on conditions: all of some lines, any of them, or always again; a wrong line is reported at its field', async () => {
    const number = q.number('people')
    await aProgram(sql, { slug: 'asked-when', questions: [q.radio('house', ['rent', 'own']), number, q.text('why')] })
    const fields = await open('asked-when', 'why')
    const lines = {
      when_what_0: '["house","selection"]',
      when_operator_0: 'in',
      when_value_0: ['rent', 'own'],
      when_what_1: '["people","number"]',
      when_operator_1: 'greater_than',
      when_value_1: '2',
    }
    expect((await send('asked-when', { ...fields, ...lines, when: 'any' })).status).toBe(303)
    const condition = async () => (await stored('asked-when')).screens[0]!.questions[2]!.visible_when
    expect(await condition()).toEqual({
      any: [
        { question: 'house', field: 'selection', operator: 'in', value: ['rent', 'own'] },
        { question: 'people', field: 'number', operator: 'greater_than', value: 2 },
      ],
    })
    const again = await open('asked-when', 'why')
    // Of several boxes of one name, the reader of forms here keeps the last.
    expect(again).toMatchObject({ ...lines, when: 'any', when_value_0: 'own' })
    const text = await sendRefused(400, 'asked-when', { ...again, when_value_0: ['own', 'tent'], when_value_1: 'some' })
    expect(text).toContain('id="when_value_0-error"')
    expect(text).toContain('id="when_value_1-error"')
    // What a question is asked on is asked before it, and each option that was ticked still is.
    expect(text).not.toContain('value="[&quot;why&quot;')
    expect(text.match(/name="when_value_0" value="(?:own|tent)" checked/g)).toHaveLength(2)
    // “is” takes one option: of two that are ticked neither is dropped, and it is asked which.
    const two = await sendRefused(400, 'asked-when', {
      ...again,
      when_operator_0: 'equal',
      when_value_0: ['own', 'rent'],
    })
    expect(two).toContain('id="when_value_0-error"')
    expect(two.match(/type="checkbox"[^>]* name="when_value_0" value="(?:own|rent)" checked/g)).toHaveLength(2)
    const one = { ...again, when_operator_0: 'equal', when_value_0: 'rent' }
    expect((await send('asked-when', one)).status).toBe(303)
    expect((await condition()) as unknown).toMatchObject({ any: [{ operator: 'equal', value: 'rent' }, {}] })
    const page = await ada.page(path('asked-when', '/question?name=why'))
    expect(page.match(/type="radio"[^>]* name="when_value_0"/g)).toHaveLength(2)
    const last = await open('asked-when', 'why')
    expect((await send('asked-when', { ...last, when: 'always' })).status).toBe(303)
    expect(await condition()).toBeUndefined()
  })

  test('offers in its condition what it can look at there, and what is refused is said in the words of the form', async () => {
    const job = [q.text('firm'), q.number('hours'), q.text('shift')]
    const household = q.enumerator('members', [q.date('birthday'), q.enumerator('jobs', job)])
    await aProgram(sql, {
      slug: 'looks-at',
      screens: [
        { questions: [household, q.file('payslip'), q.address('home'), q.radio('dwelling', ['rent', 'own'])] },
        { questions: [q.number('heads', { text: 'How many people?' }), q.text('once')] },
      ],
    })
    const offered = async (name: string) => {
      const page = await ada.page(path('looks-at', `/question?name=${name}`))
      const [, lines] = /<ol class="when-rows">([\s\S]*?)<\/select>/.exec(page)!
      return [...lines!.matchAll(/<option value="([^"]+)"[^>]*>([^<]*)/g)].map(([, , text]) => text!)
    }
    const around = (texts: string[]) => texts.filter(text => !/^home/.test(text))
    expect(around(await offered('once'))).toEqual(['members?', 'payslip?', 'dwelling?', 'How many people?'])
    expect(around(await offered('heads'))).toEqual(['members?', 'payslip?', 'dwelling?'])
    expect(await offered('shift')).toEqual(['members?', 'birthday?', 'jobs?', 'firm?', 'hours?'])
    expect((await offered('once')).filter(text => /file|corrected/.test(text))).toEqual([])
    // A new question can look at what comes before the end of the screen it is for, in what it is repeated for.
    const added = async (query: string) => {
      const page = await ada.page(path('looks-at', `/add-question?${query}`))
      return [/&quot;heads&quot;/.test(page), /&quot;birthday&quot;/.test(page)]
    }
    expect([await added('screen=0'), await added('screen=1')]).toEqual([
      [false, false],
      [true, false],
    ])
    expect(await added('screen=1&enumerator=members')).toEqual([true, true])

    const fields = { ...(await open('looks-at', 'once')), when: 'all' }
    const refused = async (what: string, operator: string, value: string, name = 'once') => {
      const sent = { ...fields, name, when_what_0: what, when_operator_0: operator, when_value_0: value }
      const page = await sendRefused(400, 'looks-at', sent)
      const [, detail] = /<a href="#when_\w+"[^>]*>([^<]*)/.exec(page)!
      return `${errorsOf(page).join()}: ${decoded(detail!)}`
    }
    const people = '["heads","number"]'
    expect(await refused(people, 'equal', 'some')).toMatch(
      /^when_value_0 value_does_not_fit: .*\b100\b.*“How many people\?”/,
    )
    expect(await refused(people, 'in', '1, some')).toMatch(/^when_value_0 wrong_type\b.*\b100\b.*“How many people\?”/)
    expect(await refused(people, 'includes_any', '1')).toMatch(
      /^when_operator_0 operator_does_not_fit: .*“.*“.*“How many people\?”/,
    )
    expect(await refused('["dwelling","selection"]', 'equal', 'tent')).toMatch(
      /^when_value_0 unknown_option: .*“dwelling\?”.*“tent”/,
    )
    expect(await refused('["birthday","date"]', 'equal', '2026-01-31')).toMatch(
      /^when_what_0 not_visible: .*“birthday\?”.*“members\?”/,
    )
    expect(await refused('["gone","text"]', 'equal', 'x')).toMatch(/^when_what_0 not_asked: .*“gone”/)
  })

  test('with a condition that lines cannot say keeps it, and it is edited as it is written', async () => {
    const nested = { not: { question: 'nested one', operator: 'answered' as const } }
    await aProgram(sql, {
      slug: 'nested',
      questions: [q.text('nested one'), q.text('nested two', { visible_when: nested })],
    })
    const fields = await open('nested', 'nested two')
    expect(JSON.parse(fields.when_document!)).toEqual(nested)
    expect(await sendRefused(400, 'nested', { ...fields, when_document: '{"not": ' })).toContain(
      'id="when_document-error"',
    )
    const other = { not: { not: nested } }
    expect((await send('nested', { ...fields, when_document: JSON.stringify(other) })).status).toBe(303)
    expect((await stored('nested')).screens[0]!.questions[1]!.visible_when).toEqual(other)
  })

  test('goes up and down, over the edge of a screen, and to another screen', async () => {
    await aProgram(sql, {
      slug: 'ordered',
      screens: [{ questions: [q.text('oa'), q.text('ob')] }, { questions: [q.text('oc')] }],
    })
    const move = async (name: string, to: string) =>
      (await ada.post(path('ordered', '/question/move'), { name, to, based_on: await basis('ordered') })).headers.get(
        'location',
      )
    expect(await move('ob', 'up')).toEndWith('done=saved#up-0-0')
    expect(await order('ordered')).toEqual([['ob', 'oa'], ['oc']])
    expect(await move('oa', 'down')).toEndWith('done=saved#down-1-0')
    expect(await order('ordered')).toEqual([['ob'], ['oa', 'oc']])
    await send('ordered', { ...(await open('ordered', 'ob')), screen: '1' })
    expect(await order('ordered')).toEqual([[], ['oa', 'oc', 'ob']])
  })

  test('that others look at or lie in is not moved or removed from under them: the error names them', async () => {
    const when = { question: 'looked at', operator: 'answered' as const }
    await aProgram(sql, {
      slug: 'held',
      questions: [
        q.text('looked at'),
        q.text('looking', { visible_when: when }),
        q.enumerator('person', [q.text('nickname')]),
      ],
    })
    const based_on = await basis('held')
    expect(await ada.refused(400, path('held', '/question/move'), { name: 'looked at', to: 'down', based_on })).toMatch(
      /“looking\?”.*“looked at\?”/,
    )
    const page = await sendRefused(400, 'held', { ...(await open('held', 'person')), action: 'remove' })
    expect(errorsOf(page)).toEqual(['enumerator_not_placed'])
    expect((await versions('held')).draft).toBeUndefined()
    expect((await send('held', { ...(await open('held', 'looking')), action: 'remove' })).status).toBe(303)
    expect(await order('held')).toEqual([['looked at', 'person', 'nickname']])
  })

  test('that another active program asks says so before it is changed', async () => {
    await aProgram(sql, { slug: 'sharing', questions: [q.text('shared one')] })
    await aProgram(sql, { slug: 'sharing-too', display_name: 'Sharing <Too>', questions: [q.text('shared one')] })
    await aDraft(sql, { slug: 'sharing-later', questions: [q.text('shared one')] })
    const shared = await ada.page(path('sharing', '/question?name=shared+one'))
    expect(noticesOf(shared)).toEqual(['shared'])
    expect(shared).toContain('Sharing &lt;Too>')
  })
})

describe('a question more', () => {
  const add = async (slug: string, fields: Record<string, string>) =>
    ada.post(path(slug, '/add-question'), { screen: '0', based_on: await basis(slug), ...fields })

  test('is a new one, with options and within enumerators within one another, or one of the bank', async () => {
    await aProgram(sql, { slug: 'banked-at', questions: [q.date('from the bank')] })
    await aProgram(sql, { slug: 'grown', questions: [q.text('first of all')] })
    const steps: Record<string, string>[] = [
      { admin_name: 'pet', kind: 'RADIO', text: 'Which pet?', option_list: '- A cat\n2. A dog\n\n' },
      { admin_name: 'child', kind: 'ENUMERATOR', text: 'Who?' },
      { admin_name: 'toy', kind: 'ENUMERATOR', text: 'Which toys?', enumerator: 'child' },
      { admin_name: 'toy price', kind: 'CURRENCY', text: 'Price?', enumerator: 'toy' },
    ]
    const another = Object.fromEntries(new URLSearchParams('then=another'))
    for (const step of steps) {
      const next = (await add('grown', { ...step, ...another })).headers.get('location')
      expect(next).toBe(path('grown', `/add-question?screen=0&enumerator=${step.enumerator ?? ''}&done=saved`))
    }
    // Ids stay changeable until they are published.
    expect(await ada.page(path('grown', '/question?name=pet'))).toContain('aria-label="Id of option 2"')
    const banked = { screen: '0', banked: 'from the bank', based_on: await basis('grown') }
    expect((await ada.post(path('grown', '/add-from-bank'), banked)).status).toBe(303)
    expect(await order('grown')).toEqual([['first of all', 'pet', 'child', 'toy', 'toy price', 'from the bank']])
    expect((await questionIn('grown', 'pet')).options).toEqual([
      { admin_id: 'a_cat', text: 'A cat' },
      { admin_id: 'a_dog', text: 'A dog' },
    ])
    expect(await questionIn('grown', 'toy price')).toMatchObject({ enumerator: 'toy', kind: 'CURRENCY' })
  })

  test('is named by its text, also where programs differ only in digits, which keys do not have', async () => {
    const asked = { kind: 'TEXT', text: 'Who owns it?' }
    const names: string[] = []
    for (const year of ['2024', '2025', '2026', '2027', '2028', '2029']) {
      const slug = `housing-${year}`
      await aProgram(sql, { slug, display_name: `Housing ${year}`, questions: [] })
      expect((await add(slug, asked)).headers.get('location')).toContain('done=')
      names.push((await order(slug))[0]![0]!)
    }
    expect(names).toEqual([
      'who owns it',
      'who owns it for housing 2025',
      'who owns it again',
      expect.stringMatching(/^who owns it \w+ \w+$/),
      'who owns it for housing 2028 b',
      'who owns it for housing 2029 c',
    ])
    // Within an enumerator a key is free that the bank has elsewhere, but a name is not.
    await aProgram(sql, { slug: 'housing-with-people', questions: [q.enumerator('lives here')] })
    await add('housing-with-people', { ...asked, text: 'Who owns it, 1?', enumerator: 'lives here' })
    expect(await order('housing-with-people')).toEqual([['lives here', 'who owns it 1']])
  })

  test('with errors comes back with each at its field', async () => {
    await aProgram(sql, { slug: 'not-grown', questions: [q.text('second of all')] })
    const wrong = { admin_name: '123', kind: 'RADIO', text: '', option_text_0: 'x', option_id_0: 'Bad Id' }
    const response = await add('not-grown', wrong)
    const text = await response.text()
    expect(response.status).toBe(400)
    for (const field of ['admin_name', 'text', 'option_id_0']) expect(text).toContain(`id="${field}-error"`)
    expect(text).toContain('value="123"')
    const nameless = await (await add('not-grown', { kind: 'TEXT', text: '' })).text()
    expect(errorsOf(nameless)).toEqual(['text too_short'])
  })

  test.each([
    ['of the bank', { banked: 'chosen of the bank' }],
    ['that the bank does not have', { banked: 'no such question' }],
    ['that is new', { admin_name: 'mine', kind: 'TEXT', text: 'Mine?' }],
  ])('%s, when another person saved in the meantime, is shown with what changed', async (_, fields) => {
    const slug = `raced-${crypto.randomUUID().slice(0, 8)}`
    if (!(await sql`select from program where slug = 'has-chosen'`).length)
      await aProgram(sql, { slug: 'has-chosen', questions: [q.date('chosen of the bank')] })
    await aProgram(sql, { slug, questions: [q.text('stays in place')] })
    const based_on = await basis(slug)
    await add(slug, { admin_name: `theirs ${slug.replaceAll(/[^a-z]/g, '')}`, kind: 'TEXT', text: 'Theirs?' })
    const form = 'banked' in fields ? '/add-from-bank' : '/add-question'
    const text = await ada.refused(409, path(slug, form), { screen: '0', ...fields, based_on })
    expect(text).toContain('Question added')
    expect(await order(slug)).toEqual([['stays in place', expect.stringContaining('theirs')]])
  })

  test('is found in the bank by search, without those that are asked already', async () => {
    await aProgram(sql, { slug: 'has-banked', questions: [q.text('banked before')] })
    const screens = [{ questions: [q.text('asked before')] }, { questions: [q.text('asked later')] }]
    await aProgram(sql, { slug: 'looks-in-bank', screens })
    const text = await ada.page(path('looks-in-bank', '/add-from-bank?q=ed+before&screen=0'))
    expect(text).toContain('value="banked before"')
    expect(text).not.toContain('value="asked before"')
    const found = path('looks-in-bank', '/add-from-bank?q=ed%20before')
    const added = await ada.post(found, { ...fieldsOf(text, found), banked: 'banked before' })
    expect(added.headers.get('location')).toBe(path('looks-in-bank', '/questions?done=saved#screen-0'))
    expect(await order('looks-in-bank')).toEqual([['asked before', 'banked before'], ['asked later']])
  })
})

test('screens are added, renamed, moved, and removed with their questions', async () => {
  await aProgram(sql, { slug: 'screened', screens: [{ name: 'One', questions: [q.text('s one')] }] })
  const screens = async (fields: Record<string, string>) =>
    (await ada.post(path('screened', '/screens'), { based_on: await basis('screened'), ...fields })).status
  const names = async () => (await stored('screened')).screens.map(({ name }) => name)
  expect(await screens({ action: 'add', screen_name: 'Two' })).toBe(303)
  expect(await screens({ action: 'rename', index: '0', screen_name: 'First' })).toBe(303)
  expect(await screens({ action: 'down', index: '0' })).toBe(303)
  expect(await names()).toEqual(['Two', 'First'])
  expect(await screens({ action: 'remove', index: '1' })).toBe(303)
  expect(await names()).toEqual(['Two'])
  expect(await screens({ action: 'rename', index: '0', screen_name: '' })).toBe(400)
  expect(await screens({ action: 'remove', index: '0' })).toBe(400)
})

test('name and statuses are part of the draft; a status that is listed twice is reported at its field', async () => {
  await aProgram(sql, { slug: 'named', questions: [q.text('named one')] })
  const save = async (statuses: string) =>
    ada.post(path('named', '/settings'), { based_on: await basis('named'), display_name: 'Renamed', statuses })
  const twice = await save('New\nNew')
  expect(twice.status).toBe(400)
  const text = await twice.text()
  expect(text).toContain('id="statuses-error"')
  // The other form of the page stays as it is stored.
  expect(text).toContain('value="OPEN" checked')
  expect((await save('New\r\n Old ')).status).toBe(303)
  expect(await stored('named')).toMatchObject({ display_name: 'Renamed', statuses: ['New', 'Old'] })
  expect((await versions('named')).active!.display_name).toBe('Program named')
})

test('two people at one question: the second sees what saving would change now, and nothing is lost', async () => {
  await aProgram(sql, { slug: 'two', questions: [q.text('contended one')] })
  const fields = await open('two', 'contended one')
  await aDraft(
    sql,
    { slug: 'two', questions: [q.text('contended one', { text: 'Theirs?' }), q.text('theirs too')] },
    'admin:bo@example.gov',
  )
  // Its buttons do not make it one that was made from what the other person saved.
  const longer = await (await send('two', { ...fields, edit: 'when-more' })).text()
  expect(fieldsOf(longer, path('two', '/question')).based_on).toBe(fields.based_on!)
  const text = await sendRefused(409, 'two', { ...fields, text: 'Mine?' })
  expect(text).toContain('bo@example.gov saved the draft')
  expect(text).toContain('<title>Error: ')
  expect(text).toMatch(/data-notice="changed-since" role="alert" tabindex="-1" autofocus[^>]*><h2>/)
  expect(text).toContain('Its text: “Mine?” (was: “Theirs?”).')
  expect(text).toContain('>Mine?</textarea>')
  expect((await questionIn('two', 'contended one')).text).toBe('Theirs?')
  expect((await send('two', fieldsOf(text, path('two', '/question')))).status).toBe(303)
  expect((await questionIn('two', 'contended one')).text).toBe('Mine?')
  expect(await order('two')).toEqual([['contended one', 'theirs too']])
  for (const [route, form] of [
    ['/question/move', { name: 'theirs too', to: 'up' }],
    ['/screens', { action: 'rename', index: '0', screen_name: 'Late' }],
    ['/settings', { display_name: 'Late', statuses: '' }],
  ] as const) {
    const late = await ada.post(path('two', route), { ...form, based_on: fields.based_on! })
    expect([route, late.status]).toEqual([route, 409])
  }
  await aDraft(sql, { slug: 'two', questions: [q.text('contended one')], display_name: 'Two' }, 'admin:bo@example.gov')
  const reviewed = await basis('two')
  expect((await ada.post(path('two', '/publish'), { reviewed })).status).toBe(303)
  expect(await sendRefused(409, 'two', fields)).toContain('Ada Tester published version 2')
})

test('a screen gets a heading and a condition over what is asked before it; a wrong line is reported at its field', async () => {
  await aProgram(sql, { slug: 'shown', questions: [q.radio('pets', ['yes', 'no']), q.text('which')] })
  const document = { ...(await stored('shown')), based_on: Number(await basis('shown')) }
  document.screens = [
    { name: 'One', questions: [{ question: 'pets' }] },
    { name: 'Two', questions: [{ question: 'which' }] },
  ]
  await ada.post(path('shown', '/document'), { document: JSON.stringify(document) })
  expect(await ada.page(path('shown', '/questions'))).toContain(`${path('shown', '/screen?index=1')}`)
  const page = await ada.page(path('shown', '/screen?index=1'))
  const fields = fieldsOf(page, path('shown', '/screen'))
  expect((await ada.post(path('shown', '/screen'), fields)).status).toBe(303)
  expect((await stored('shown')).screens[1]).toMatchObject({ name: 'Two' })
  // Only what is asked before it can decide.
  expect([page.includes('pets'), page.includes('&quot;which&quot;')]).toEqual([true, false])
  const what = /value="(\[&quot;pets&quot;[^"]*\])"/.exec(page)![1]!.replaceAll('&quot;', '"')
  const wanted = { ...fields, when: 'all', when_what_1: what, when_operator_1: 'equal' }
  const text = await ada.refused(400, path('shown', '/screen'), { ...wanted, name: '', when_value_1: 'perhaps' })
  for (const part of ['href="#name"', 'href="#when_value_1"']) expect(text).toContain(part)
  const saved = await ada.post(path('shown', '/screen'), { ...wanted, name: 'Your pets', when_value_1: 'yes' })
  expect(saved.headers.get('location')).toBe(path('shown', '/questions?done=saved#screen-1'))
  const renamed = { action: 'rename', index: '1', screen_name: 'All your pets', based_on: await basis('shown') }
  expect((await ada.post(path('shown', '/screens'), renamed)).status).toBe(303)
  expect((await stored('shown')).screens[1]).toMatchObject({
    name: 'All your pets',
    visible_when: { question: 'pets', operator: 'equal', value: 'yes' },
  })
  const cleared = {
    ...fieldsOf(await ada.page(path('shown', '/screen?index=1')), path('shown', '/screen')),
    when: 'always',
  }
  expect((await ada.post(path('shown', '/screen'), cleared)).status).toBe(303)
  expect((await stored('shown')).screens[1]!.visible_when).toBeUndefined()
  expect((await ada.post(path('shown', '/screen'), { ...cleared, index: '7' })).status).toBe(404)
})

test('a new question has help, bounds and a condition from the start; a bound that its type lacks is reported at its field', async () => {
  await aProgram(sql, { slug: 'more', questions: [q.radio('own', ['yes', 'no'])] })
  const page = await ada.page(path('more', '/add-question'))
  const what = /value="(\[&quot;own&quot;[^"]*\])"/.exec(page)![1]!.replaceAll('&quot;', '"')
  const fields = {
    based_on: await basis('more'),
    admin_name: 'rooms',
    kind: 'NUMBER',
    text: 'How many rooms?',
    help: 'Bathrooms too.',
    min: '1',
    max: '20',
    screen: '0',
    optional: 'yes',
    when: 'all',
    when_what_0: what,
    when_operator_0: 'equal',
    when_value_0: 'yes',
  }
  const text = await ada.refused(400, path('more', '/add-question'), { ...fields, max_length: '9' })
  for (const part of ['href="#max_length"', 'Bathrooms too.']) expect(text).toContain(part)
  expect((await ada.post(path('more', '/add-question'), fields)).status).toBe(303)
  expect(await questionIn('more', 'rooms')).toMatchObject({ help: 'Bathrooms too.', min: 1, max: 20 })
  expect((await stored('more')).screens[0]!.questions.at(-1)).toMatchObject({
    question: 'rooms',
    optional: true,
    visible_when: { question: 'own', value: 'yes' },
  })
})

test('a draft that something was published after is kept from its form, with the fields that were typed', async () => {
  await aProgram(sql, { slug: 'overtaken', questions: [q.text('kept one')] })
  await aDraft(
    sql,
    { slug: 'overtaken', questions: [q.text('kept one', { text: 'Drafted?' })] },
    'admin:bo@example.gov',
  )
  const { draft } = await versions('overtaken')
  await aProgram(sql, { slug: 'overtaken', questions: [q.text('kept one'), q.text('published in the meantime')] })
  const { active, draft: left } = await versions('overtaken')
  expect(left?.based_on).toBe(draft!.based_on)
  const fields = await open('overtaken', 'kept one')
  const text = await sendRefused(409, 'overtaken', { ...fields, text: 'Mine?' })
  expect(noticesOf(text)).toContain('overtaken')
  expect(text).toContain(`Version ${active!.version_number} `)
  const keep = / name="keep" value="([^"]*)"/.exec(text)![1]!
  const again = fieldsOf(text, path('overtaken', '/question'))
  expect((await send('overtaken', { ...again, keep: '1-2' })).status).toBe(409)
  expect((await send('overtaken', { ...again, keep })).status).toBe(303)
  const kept = (await versions('overtaken')).draft!
  expect(kept.based_on).toBe(active!.program_version_id)
  expect((await questionIn('overtaken', 'kept one')).text).toBe('Mine?')
})
