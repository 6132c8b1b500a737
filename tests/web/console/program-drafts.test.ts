// Drafts of programs in the console, as documents: written, reviewed, published and discarded by one administrator or by two at once.

import { describe, expect, test } from 'bun:test'
import { findActiveVersion, findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { placeErrors } from '../../../src/web/console/programs/read-document-field.ts'
import { aPerson, ConsoleVisitor, decoded, errorsOf, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aDefinition, aDraft, aProgram, publish, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const [ada, bo] = await Promise.all(
  ['Ada', 'Bo'].map(async name => {
    const { email } = await aPerson(sql, { name, email: `${name.toLowerCase()}@example.gov` })
    return new ConsoleVisitor(service).signIn(email)
  }),
)
const path = (slug: string, rest = ''): string => `/admin/programs/${slug}${rest}`
const draftOf = async (slug: string) => findDraftVersion(sql, (await findProgram(sql, slug))!.program_id)
const activeOf = async (slug: string) => findActiveVersion(sql, (await findProgram(sql, slug))!.program_id)
const textIn = (page: string): string => decoded(/<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(page)![1]!)
const opened = async (browser: ConsoleVisitor, slug: string): Promise<ProgramDefinition> =>
  JSON.parse(textIn(await browser.page(path(slug, '/document')))) as ProgramDefinition
const saveText = (browser: ConsoleVisitor, slug: string, document: string, more: Record<string, string> = {}) =>
  browser.post(path(slug, '/document'), { document, ...more })
const save = (browser: ConsoleVisitor, document: ProgramDefinition) =>
  saveText(browser, document.slug, JSON.stringify(document, null, 2))

describe('a document', () => {
  test('is saved as the draft with an audit entry, and exports contain nothing of it (D21)', async () => {
    const { program_version_id } = await aProgram(sql, { slug: 'kept', questions: [q.text('one')] })
    const document = await opened(ada!, 'kept')
    // What is edited is what is downloaded.
    const download = await ada!.get(path('kept', `/versions/${program_version_id}/document`))
    expect(document).toEqual((await download.json()) as ProgramDefinition)
    const response = await save(ada!, { ...document, display_name: 'Renamed' })
    expect([response.status, response.headers.get('location')]).toEqual([303, path('kept', '/questions?done=saved')])
    expect((await draftOf('kept'))!.display_name).toBe('Renamed')
    expect((await activeOf('kept'))!.display_name).toBe('Program kept')
    const [event] =
      await sql`select actor, host(address) as address from audit_event where subject = 'kept' order by audit_event_id desc`
    expect(event).toEqual({ actor: 'admin:ada@example.gov', address: '127.0.0.1' })
  })

  test('with errors is shown again as entered, with path, line and column of each error', async () => {
    await aProgram(sql, { slug: 'faulty', questions: [q.text('faulty one')] })
    const { program_version_id } = (await activeOf('faulty'))!
    const typed = `{
  "slug": "faulty", "based_on": ${program_version_id}, "display_name": "<b>",
  "statuses": ["A", "A"],
  "questions": [
    {"admin_name": "faulty one", "kind": "TEXT"}
  ],
  "screens": [{"name": "S", "questions": [{"question": "faulty one"}, {"question": "nowhere"}]}]
}`
    const response = await saveText(ada!, 'faulty', typed)
    const text = await response.text()
    expect(response.status).toBe(400)
    expect(textIn(text)).toBe(typed)
    for (const [line, column, at] of [
      [3, 21, '/statuses/1'],
      [5, 5, '/questions/0/text'],
      [7, 84, '/screens/0/questions/1/question'],
    ])
      expect(text).toMatch(new RegExp(`Line ${line}, column ${column}</a>: .*?<code>${at}</code>`))
    expect(await draftOf('faulty')).toBeUndefined()
  })

  test('that is not JSON or has a duplicate key is shown again with the line', async () => {
    const errors = ['/b', '/a'].map(path => ({ path, code: 'wrong', detail: 'wrong' }))
    expect(placeErrors('{"a": 1, "b": 2}', errors).map(({ path }) => path)).toEqual(['/a', '/b'])
    await aProgram(sql, { slug: 'broken', questions: [q.text('broken one')] })
    for (const [typed, place] of [
      ['{\n  "slug": "broken",\n  oops\n}', 'Line 3, column 3'],
      ['{\n  "slug": "broken",\n  "slug": "broken"\n}', 'Line 3, column 3'],
      ['', 'Line 1, column 1'],
    ] as const) {
      const response = await saveText(ada!, 'broken', typed)
      const text = await response.text()
      expect(response.status).toBe(400)
      expect(text).toContain(place)
      expect(textIn(text)).toBe(typed)
    }
  })

  test('of another program is not saved on this program’s page', async () => {
    await aProgram(sql, { slug: 'mine', questions: [q.text('mine one')] })
    await aProgram(sql, { slug: 'yours', questions: [q.text('yours one')] })
    const document = await opened(ada!, 'yours')
    const response = await saveText(ada!, 'mine', JSON.stringify({ ...document, display_name: 'Taken over' }))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('&quot;mine&quot;')
    expect(await draftOf('yours')).toBeUndefined()
  })

  test('larger than the limit is refused without being held in memory, and a stranger’s is not even read', async () => {
    const document = 'x'.repeat(9 * 1024 * 1024)
    await aProgram(sql, { slug: 'huge', questions: [q.text('huge one')] })
    expect((await saveText(ada!, 'huge', document)).status).toBe(413)
    expect((await saveText(new ConsoleVisitor(service), 'huge', document)).status).toBe(401)
  })
})

describe('two administrators at once', () => {
  test('lose nothing, as the second sees both texts and the difference, and can then replace the first', async () => {
    await aProgram(sql, { slug: 'both', questions: [q.text('wording', { text: 'Before?' })] })
    const [first, second] = await Promise.all([opened(ada!, 'both'), opened(bo!, 'both')])
    const worded = (document: ProgramDefinition, text: string): ProgramDefinition => ({
      ...document,
      questions: [{ ...document.questions[0]!, text }],
    })
    expect((await save(ada!, worded(first, 'Ada’s words?'))).status).toBe(303)
    const theirs = JSON.stringify(worded(second, 'Bo’s <i>words</i>?'))
    const refused = await saveText(bo!, 'both', theirs)
    const page = await refused.text()
    expect(refused.status).toBe(409)
    expect(noticesOf(page)).toEqual(['changed-since'])
    expect(page).toMatch(/ by Ada\./)
    expect(textIn(page)).toBe(theirs)
    expect(page).toContain('“Bo’s &lt;i>words&lt;/i>?”')
    expect(page).toContain('Ada’s words?')
    expect((await draftOf('both'))!.questions[0]!.settings.text).toBe('Ada’s words?')
    // Between being shown and saying so, a third save would be seen again.
    const over = /name="over" value="([^"]*)"/.exec(page)![1]!
    await save(ada!, worded(await opened(ada!, 'both'), 'Ada’s second words?'))
    expect((await saveText(bo!, 'both', theirs, { over })).status).toBe(409)
    expect((await draftOf('both'))!.questions[0]!.settings.text).toBe('Ada’s second words?')
    const again = await (await saveText(bo!, 'both', theirs)).text()
    const shown = /name="over" value="([^"]*)"/.exec(again)![1]!
    expect((await saveText(bo!, 'both', theirs, { over: shown })).status).toBe(303)
    expect((await draftOf('both'))!.questions[0]!.settings.text).toBe('Bo’s <i>words</i>?')
  })

  test('cannot undo each other’s work: if one publishes while the other edits, the edit is refused with what was published', async () => {
    await aProgram(sql, { slug: 'passed', questions: [q.text('passed one')] })
    const document = await opened(bo!, 'passed')
    await publish(sql, { slug: 'passed', questions: [q.text('passed one', { text: 'Passed already?' })] })
    const theirs = JSON.stringify({ ...document, display_name: 'Bo’s name' })
    const page = await bo!.refused(409, path('passed', '/document'), { document: theirs })
    expect(noticesOf(page)).toEqual(['changed-since'])
    const differences = (html: string): string => html.split('data-notice="changed-since"')[1]!.split('<form')[0]!
    expect(differences(page)).toContain('“Passed already?”')
    // One with errors is shown to its author all the same.
    const faulty = theirs.replace('"statuses":[', '"statuses":["A","A",')
    const both = await bo!.refused(409, path('passed', '/document'), { document: faulty })
    expect([textIn(both), differences(both).includes('“Passed already?”')]).toEqual([faulty, false])
    const over = /name="over" value="([^"]*)"/.exec(page)![1]!
    expect((await saveText(bo!, 'passed', theirs, { over })).status).toBe(303)
    expect((await draftOf('passed'))!.based_on).toBe((await activeOf('passed'))!.program_version_id)
  })

  test('publish only the draft they reviewed, and discard only the draft they saw', async () => {
    await aProgram(sql, { slug: 'reviewed', questions: [q.text('reviewed one')] })
    await aDraft(sql, { slug: 'reviewed', questions: [q.text('reviewed one', { help: 'First' })] })
    const reviewed = String((await draftOf('reviewed'))!.program_version_id)
    await aDraft(sql, { slug: 'reviewed', questions: [q.text('reviewed one', { help: 'Second' })] })
    for (const action of ['publish', 'discard']) {
      const response = await ada!.post(path('reviewed', `/${action}`), { reviewed })
      expect([action, response.status]).toEqual([action, 409])
      expect(await response.text()).toContain('Second')
    }
    expect((await draftOf('reviewed'))!.questions[0]!.settings.help).toBe('Second')
  })
})

describe('publishing', () => {
  test('of a first version is reviewed without repeating the screen of each question', async () => {
    await aDraft(sql, { slug: 'first', questions: [q.text('first words'), q.radio('first choice', ['a', 'b'])] })
    const labelsOf = (html: string) => [...html.matchAll(/<dt>([^<]*)<\/dt>/g)].map(([, label]) => label)
    const labels = labelsOf(await ada!.page(path('first', '/publish')))
    expect(labels).toContain('Options')
    expect(labels).not.toContain('Screen')
  })

  test('is preceded by a review of the changes and their effects on clients', async () => {
    await aProgram(sql, { slug: 'review', questions: [q.radio('choice', ['a', 'b']), q.text('goes')] })
    await aDraft(sql, {
      slug: 'review',
      questions: [q.radio('choice', ['a', 'b', 'c']), q.date('comes')],
      statuses: ['New'],
    })
    const text = await ada!.page(path('review', '/publish'))
    for (const part of [
      'comes?</span> <span class="badge good">new</span>',
      '<dt>Options</dt><dd dir="auto"><div>Option c (c)</div></dd>',
      'goes?</span> <span class="badge bad">removed</span>',
    ])
      expect(text).toContain(part)
    const effects = [...text.matchAll(/<li dir="auto" data-code="(\w+)" data-key="(\w+)">/g)]
    expect(effects.map(([, code, key]) => `${code} ${key}`).sort()).toEqual([
      'option_added choice',
      'question_added comes',
      'question_removed goes',
      'statuses_changed status',
    ])
    const reviewed = String((await draftOf('review'))!.program_version_id)
    const response = await ada!.post(path('review', '/publish'), { reviewed })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      path('review', `/versions/${reviewed}?done=published`),
    ])
    const published = await ada!.page(path('review', `/versions/${reviewed}?done=published`))
    for (const next of [
      '/admin/keys/new?programs=review',
      path('review', '/edit#program'),
      path('review', '/retention'),
    ])
      expect(published).toContain(`href="${next}"`)
    expect(await ada!.page(path('review', `/versions/${reviewed}`))).not.toContain('id="next-steps"')
    expect(String((await activeOf('review'))!.program_version_id)).toBe(reviewed)
    const [event] =
      await sql`select actor, address from audit_event where action = 'program_published' and subject = 'review' order by audit_event_id desc`
    expect(event).toEqual({ actor: 'admin:ada@example.gov', address: '127.0.0.1' })
  })

  test('changes other active programs only if each is selected, and shows their changes', async () => {
    const shared = [q.text('shared words', { text: 'Old?', help: 'Old help' })]
    await aProgram(sql, { slug: 'mover', questions: shared })
    for (const slug of ['moved-one', 'moved-two']) await aProgram(sql, { slug, questions: shared })
    await aDraft(sql, { slug: 'mover', questions: [q.text('shared words', { text: 'New <u>?' })] })
    const before = (await activeOf('moved-one'))!.program_version_id
    const page = await ada!.page(path('mover', '/publish'))
    expect(page.match(/name="move"/g)).toHaveLength(2)
    // Said once, with the names of the programs it is also changed in.
    expect(page).toContain(' Program moved-one, Program moved-two<')
    const reviewed = String((await draftOf('mover'))!.program_version_id)
    for (const move of [[], ['moved-two']]) {
      const text = await ada!.refused(400, path('mover', '/publish'), { reviewed, move })
      expect(errorsOf(text)).toEqual(['move required'])
      expect(text.match(/checked/g) ?? []).toHaveLength(move.length)
      expect((await activeOf('moved-one'))!.program_version_id).toBe(before)
      expect(await draftOf('mover')).toBeDefined()
    }
    const response = await ada!.post(path('mover', '/publish'), { reviewed, move: ['moved-one', 'moved-two'] })
    expect(response.status).toBe(303)
    expect((await activeOf('moved-one'))!.questions[0]!.settings.text).toBe('New <u>?')
    expect((await activeOf('moved-one'))!.program_version_id).not.toBe(before)
  })

  test('of an outdated draft is refused until it is confirmed with what it reverts', async () => {
    await aProgram(sql, { slug: 'overtaken', questions: [q.text('overtaken one')] })
    await aDraft(sql, { slug: 'overtaken', questions: [q.text('overtaken one'), q.date('drafted')] })
    await publish(sql, { slug: 'overtaken', questions: [q.text('overtaken one'), q.date('published past')] })
    const text = await ada!.page(path('overtaken', '/publish'))
    expect(noticesOf(text)).toContain('overtaken')
    expect(text).not.toContain('name="reviewed"')
    const shown = String((await draftOf('overtaken'))!.program_version_id)
    const stale = await ada!.post(path('overtaken', '/publish'), { reviewed: shown })
    expect(stale.status).toBe(409)
    const active = String((await activeOf('overtaken'))!.program_version_id)
    expect((await ada!.post(path('overtaken', '/keep'), { active, draft: active })).status).toBe(409)
    const kept = await ada!.post(path('overtaken', '/keep'), { active, draft: shown })
    expect([kept.status, kept.headers.get('location')]).toEqual([303, path('overtaken', '/publish')])
    const after = await ada!.page(path('overtaken', '/publish'))
    expect(after).toContain('published past?</span> <span class="badge bad">removed</span>')
    const publishes = async () =>
      (
        await ada!.post(path('overtaken', '/publish'), {
          reviewed: String((await draftOf('overtaken'))!.program_version_id),
        })
      ).headers.get('location')
    expect(await publishes()).toEndWith('?done=published')
    // Brought up to date by hand, a draft says what is published already.
    await aDraft(sql, {
      slug: 'overtaken',
      display_name: 'Other',
      questions: [q.text('overtaken one'), q.date('drafted')],
    })
    await sql`update program_version set display_name = 'Program overtaken' where display_name = 'Other'`
    expect(await publishes()).toBe(path('overtaken', '/questions?done=same'))
  })
})

test('discarding shows what is lost, and removes only the draft', async () => {
  await aProgram(sql, { slug: 'discarded', questions: [q.text('stays')] })
  await aDraft(sql, { slug: 'discarded', questions: [q.text('stays'), q.date('only drafted')] })
  const text = await ada!.page(path('discarded', '/discard'))
  expect(text).toContain('only drafted?</span> <span class="badge good">new</span>')

  const reviewed = String((await draftOf('discarded'))!.program_version_id)
  expect((await ada!.post(path('discarded', '/discard'), { reviewed })).status).toBe(303)
  expect(await draftOf('discarded')).toBeUndefined()
  const [event] = await sql`
    select actor, host(address) as address from audit_event where (action, subject) = ('program_draft_discarded', 'discarded')`
  expect(event).toEqual({ actor: 'admin:ada@example.gov', address: '127.0.0.1' })
  expect((await activeOf('discarded'))!.questions).toHaveLength(1)
  expect(await sql`select from question where admin_name = 'only drafted'`).toHaveLength(0)
  expect((await ada!.get(path('discarded', '/discard'))).status).toBe(303)
})

describe('a new program', () => {
  test('begins as a draft from a document or a name, and a taken slug is refused', async () => {
    const { based_on: _, ...document } = aDefinition({ slug: 'brand-new', questions: [q.text('brand new one')] })
    const response = await ada!.post('/admin/new-program', { document: JSON.stringify(document) })
    expect(response.headers.get('location')).toBe(path('brand-new', '/questions?done=begun'))
    const same = await ada!.post('/admin/new-program', { document: JSON.stringify(document) })
    expect(same.headers.get('location')).toBe(path('brand-new', '/questions?done=same'))
    const named = await ada!.post('/admin/new-program', { slug: 'from-a-name', display_name: 'From a Name' })
    expect(named.status).toBe(303)
    expect((await draftOf('from-a-name'))!.screens).toHaveLength(1)
    const others: Record<string, string>[] = [
      { document: JSON.stringify({ ...document, display_name: 'Another' }) },
      { slug: 'brand-new', display_name: 'Again' },
    ]
    for (const form of others) {
      expect(errorsOf(await ada!.refused(400, '/admin/new-program', form)).join()).toMatch(/\btaken$/)
    }
  })

  test('begins from a file downloaded here or elsewhere', async () => {
    const { based_on: _, ...document } = aDefinition({ slug: 'uploaded', questions: [q.text('uploaded one')] })
    const file = (text: string | Uint8Array<ArrayBuffer>, name: string) => new File([text], name)
    const begun = await ada!.upload(
      '/admin/new-program',
      { document: '' },
      'document',
      file(JSON.stringify({ ...document, based_on: 999_999 }), 'elsewhere.json'),
    )
    expect(begun.headers.get('location')).toBe(path('uploaded', '/questions?done=begun'))
    const changed = JSON.stringify({ ...(await opened(ada!, 'uploaded')), display_name: 'Filed' })
    const typed = { document: 'what stands in the field' }
    const kept = await ada!.upload(path('uploaded', '/document'), typed, 'document', file(changed, 'mine.json'))
    expect(kept.headers.get('location')).toBe(path('uploaded', '/questions?done=saved'))
    expect((await draftOf('uploaded'))!.display_name).toBe('Filed')
    // None was chosen: what stands in the field holds.
    const none = await ada!.upload(path('uploaded', '/document'), typed, 'document', file('', ''))
    expect(none.status).toBe(400)
    expect(textIn(await none.text())).toBe(typed.document)
    const broken = await ada!.upload('/admin/new-program', {}, 'document', file('name,slug\na,b', 'table.csv'))
    expect(broken.status).toBe(400)
    const shown = await broken.text()
    expect(shown).toContain('Line 1, column 1')
    expect(textIn(shown)).toBe('name,slug\na,b')
  })

  test('never changes an existing program, whatever its document is based on', async () => {
    await aDraft(sql, { slug: 'there-already', questions: [q.text('there already')] })
    await aProgram(sql, { slug: 'published-already', questions: [q.text('published already')] })
    for (const slug of ['there-already', 'published-already']) {
      const document = JSON.stringify({ ...(await opened(ada!, slug)), display_name: 'From a file' })
      const before = await draftOf(slug)
      const file = new File([document], 'mine.json')
      const refused = await ada!.upload('/admin/new-program', { document: '' }, 'document', file)
      const page = await refused.text()
      expect(refused.status).toBe(400)
      expect(errorsOf(page).join()).toMatch(/\btaken$/)
      expect(page).toContain(`<a href="${path(slug, '/document')}">the document of ${slug}</a>`)
      expect(textIn(page)).toBe(document)
      expect(await draftOf(slug)).toEqual(before)
    }
  })

  test('with a file that is not text, too large or incomplete is refused with the reason', async () => {
    for (const bytes of [
      [0x89, 0x50, 0x4e, 0x47, 0xff],
      [0x7b, 0, 0x7d],
    ]) {
      const picture = new File([new Uint8Array(bytes)], 'photo.png')
      const refused = await ada!.upload('/admin/new-program', {}, 'document', picture)
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain('photo.png')
    }
    const huge = new File(['x'.repeat(9 * 1024 * 1024)], 'huge.json')
    expect((await ada!.upload('/admin/new-program', {}, 'document', huge)).status).toBe(413)
    const cut = await service.get('/admin/new-program', {
      method: 'POST',
      body: '--b\r\nContent-Disposition: form-data; name="document"; filename="a.json"\r\n\r\n{}',
      headers: {
        Accept: 'text/html',
        Origin: service.baseUrl,
        'Content-Type': 'multipart/form-data; boundary=b',
        Cookie: [...ada!.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
    expect(cut.status).toBe(400)
    await until('the reason', () => service.logLines.some(line => line.reason === 'broken_form'))
  })

  test('can be started again after its only draft was discarded', async () => {
    const named = { slug: 'begun-twice', display_name: 'Begun Twice' }
    const document = { ...aDefinition({ ...named, questions: [q.text('begun twice')] }), based_on: 999_999 }
    for (const form of [named, named, { document: JSON.stringify(document) }]) {
      const begun = await ada!.post('/admin/new-program', form)
      const to = 'document' in form ? '/questions?done=begun' : '/edit'
      expect(begun.headers.get('location')).toBe(path('begun-twice', to))
      const reviewed = String((await draftOf('begun-twice'))!.program_version_id)
      await ada!.post(path('begun-twice', '/discard'), { reviewed })
      expect(await ada!.page(path('begun-twice'))).not.toContain('class="badge attention"')
    }
  })
})

test('a program begins from a name, with a slug derived from it, or as a copy of another program', async () => {
  const form = { slug: '', copy_of: '' }
  const named = await ada!.post('/admin/new-program', { ...form, display_name: 'Trees & Hedges, für Höfe' })
  expect(named.headers.get('location')).toBe('/admin/programs/trees-hedges-fur-hofe/edit')
  // Cut where a word ends.
  const long = await ada!.post('/admin/new-program', { ...form, display_name: `${'a'.repeat(59)} and more` })
  expect(long.headers.get('location')).toBe(`/admin/programs/${'a'.repeat(59)}/edit`)
  await aProgram(sql, { slug: 'to-copy', questions: [q.radio('copied one', ['yes', 'no']), q.text('copied two')] })
  const copy = await ada!.post('/admin/new-program', { ...form, display_name: 'The Copy', copy_of: 'to-copy' })
  expect(copy.headers.get('location')).toContain('/admin/programs/the-copy/questions')
  expect((await draftOf('the-copy'))!.questions.map(({ admin_name }) => admin_name)).toEqual([
    'copied one',
    'copied two',
  ])
  expect((await draftOf('the-copy'))!.display_name).toBe('The Copy')
  // Nothing is published that it would change.
  const copied = await ada!.page(copy.headers.get('location')!)
  expect(noticesOf(copied)).toContain('begun')
  expect(copied).toContain('<span class="badge attention">Draft</span>')
  expect((await draftOf('trees-hedges-fur-hofe'))!.questions).toEqual([])
  expect(await ada!.page('/admin/new-program')).toContain('<option value="trees-hedges-fur-hofe"')
})

test('the review lists what is unusual with links to the editor, and warns of a program that nobody can submit', async () => {
  await aDraft(sql, { slug: 'unusual', statuses: [], questions: [q.static('read this first')] })
  const remarks = (page: string) =>
    [...page.matchAll(/data-remark="([a-z_]+)"><a href="[^"]*edit#([^"]*)"/g)].map(([, code, hash]) => [code, hash])
  const page = await ada!.page(path('unusual', '/publish'))
  expect(remarks(page)).toEqual([
    ['no_answers', 'question-read%20this%20first'],
    ['no_statuses', 'program'],
  ])
  expect(noticesOf(page)).toContain('no_answers')
  await aDraft(sql, { slug: 'usual', statuses: ['Received'], questions: [q.text('what is usual')] })
  const review = await ada!.page(path('usual', '/publish'))
  expect([remarks(review), noticesOf(review)]).toEqual([[], []])
})
