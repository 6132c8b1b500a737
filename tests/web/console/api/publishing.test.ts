// What the console's API says before and while a draft is published that other programs' questions hang on.

import { beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import {
  askForPublication,
  makePublication,
  resumePublications,
  withinRequestMax,
} from '../../../../src/core/programs/publications.ts'
import { deleteDraft } from '../../../../src/db/programs/program-versions.ts'
import { lockQuestionBank } from '../../../../src/db/programs/questions.ts'
import { IntakeStore } from '../../../core/intake/intake-store.ts'
import { aPerson, ConsoleVisitor } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, usePool, useService } from '../../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../../support/held-transaction.ts'
import { aDraft, aProgram, publish, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const ada = await aPerson(sql)
const { token } = await aToken(sql, ada)
const api = ApiProgram.withToken(service, token)
const browser = await new ConsoleVisitor(service).signIn(ada.email)

const difference = async (slug: string) => (await api.ask('GET', `/programs/${slug}/difference`)).body

describe('before a draft is published, a refusal is shown', () => {
  const send = (slug: string, based_on: number, move: string[] = []) =>
    api.ask('POST', `/programs/${slug}/publish`, { based_on, move })

  test('because another program changed a question that the draft changes', async () => {
    const asks = (slug: string, text?: string) => ({
      slug,
      questions: [q.text('asked twice', { ...(text && { text }) })],
    })
    await aProgram(sql, asks('twice-a'))
    await aProgram(sql, asks('twice-b'))
    await aDraft(sql, asks('twice-a', 'Draft?'))
    expect(await difference('twice-a')).toMatchObject({ outdated: false, refusal: null, moves: [{ slug: 'twice-b' }] })
    await publish(sql, asks('twice-b', 'Published?'))
    // The draft is another by now, on the version that it was moved to.
    const { draft, outdated, refusal } = await difference('twice-a')
    expect([outdated, refusal.errors.length > 0]).toEqual([true, true])
    // The same that publishing says; and the page offers no way to publish, but to keep the draft.
    const { status, body } = await send('twice-a', draft, ['twice-b'])
    expect([status, body.errors]).toEqual([409, refusal.errors])
    const page = await browser.page('/admin/programs/twice-a/publish')
    expect(page).toContain('action="/admin/programs/twice-a/keep"')
    expect(page).not.toContain('action="/admin/programs/twice-a/publish"')
  })

  test('because another program depends on an option that it removes', async () => {
    const asks = (...ids: string[]) => q.radio('pet kept', ids)
    await aProgram(sql, { slug: 'pet-a', questions: [asks('cat', 'dog')] })
    const isDog = { question: 'pet kept', field: 'selection', operator: 'equal', value: 'dog' } as const
    await aProgram(sql, { slug: 'pet-b', questions: [asks('cat', 'dog'), q.text('dog name', { visible_when: isDog })] })
    const draft = await aDraft(sql, { slug: 'pet-a', questions: [asks('cat')] })
    const { outdated, refusal } = await difference('pet-a')
    expect([outdated, refusal.errors.length]).toEqual([false, 1])
    const { status, body } = await send('pet-a', draft.program_version_id, ['pet-b'])
    expect([status, body.errors]).toEqual([409, refusal.errors])
    const page = await browser.page('/admin/programs/pet-a/publish')
    expect(page).not.toContain('action="/admin/programs/pet-a/publish"')
  })
})

test('an option id that comes back with another meaning is compared with the versions that had it (D56)', async () => {
  const fuel = (...options: [id: string, text: string][]) => ({
    slug: 'fuels',
    questions: [q.radio('fuel', [], { options: options.map(([admin_id, text]) => ({ admin_id, text })) })],
  })
  const { program_id } = await aProgram(sql, fuel(['oil', 'Heating oil'], ['gas', 'Gas'], ['wood', 'Wood']))
  const store = new IntakeStore(sql, program_id)
  for (const selection of ['oil', 'oil', 'gas']) await store.apply(await store.register(), { fuel: { selection } })
  await publish(sql, fuel(['gas', 'Gas']))
  await aDraft(sql, fuel(['gas', 'Gas'], ['oil', 'Oil of olives'], ['wood', 'Wood'], ['coal', 'Coal']))
  const { changes, effects } = await difference('fuels')
  const [reused, returned, added] = ['oil', 'wood', 'coal'].map(id =>
    changes.find(({ detail }: { detail: string }) => detail.includes(`(${id})`)),
  )
  expect([reused.code, returned.code, added.code]).toEqual(['option_reused', 'option_returned', 'option_added'])
  expect(reused.detail).toMatch(/“Heating oil”.* version 1; 2 /)
  expect(effects).toMatchObject([reused, returned, added].map(({ code }) => ({ code, key: 'fuel' })))
  const page = await browser.page('/admin/programs/fuels/publish')
  expect(page).toContain('“Heating oil”')
})

describe('a publication that changes too many programs for one request continues afterwards, as a whole or not at all', () => {
  const others = Array.from({ length: withinRequestMax + 5 }, (_, i) => `many-${String(i).padStart(2, '0')}`)
  const asks = (slug: string, text: string) => ({ slug, questions: [q.text('asked by many', { text })] })
  const slug = others[0]!
  const move = others.slice(1)
  let wording = 0
  const draftOf = async () => (await aDraft(sql, asks(slug, `Wording ${++wording}?`))).program_version_id
  const wordings = async () =>
    new Set(
      (
        await sql<{ text: string }[]>`
          select qv.settings ->> 'text' as text
          from program p
          join program_version v on v.program_id = p.program_id and v.state = 'ACTIVE'
          join program_version_question using (program_version_id)
          join question_version qv using (question_version_id)
          where p.slug = any(${others}::text[])`
      ).map(row => row.text),
    )
  const send = (based_on: number, moves = move) =>
    api.ask('POST', `/programs/${slug}/publish`, { based_on, move: moves })
  const ended = (path: string) =>
    until('the publication to end', async () => {
      const { body } = await api.ask('GET', path.replace(/^.*\/admin\/api\/v1/, ''))
      return body.ended_at === null ? undefined : body
    })
  beforeAll(async () => {
    for (const other of others) await aProgram(sql, asks(other, 'Wording 0?'))
  })

  test('gets a 202 with the address of its progress, is one if requested twice, and gives every program the new version', async () => {
    const draft = await draftOf()
    const [first, second] = await Promise.all([send(draft), send(draft)])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.headers.get('location')).toBe(first.headers.get('location')!)
    expect(first.body).toMatchObject({
      program_version_id: draft,
      programs: move.length,
      ended_at: null,
      refusal: null,
    })
    const { refusal, programs_done } = await ended(first.headers.get('location')!)
    expect([refusal, programs_done]).toEqual([null, move.length])
    expect(await wordings()).toEqual(new Set([`Wording ${wording}?`]))
    const events = await sql<{ subject: string; actor: string }[]>`
      select subject, actor from audit_event
      where action = 'program_published' and subject = any(${others}::text[])
      order by audit_event_id desc
      limit ${others.length}`
    expect(events.map(event => event.subject).sort()).toEqual(others)
    for (const { actor } of events) expect(actor).toContain(ada.email)
  })

  test('is refused immediately if a program is not named', async () => {
    const { status, body } = await send(await draftOf(), move.slice(1))
    expect([status, body.errors.map((error: { code: string }) => error.code)]).toEqual([409, ['other_program_moves']])
  })

  test('keeps the reason of a later refusal, and gives no program a new version', async () => {
    const before = await wordings()
    const draft = await draftOf()
    // The publication waits for the bank, and the draft is gone when it has it.
    const path = await sql.begin(async tx => {
      await lockQuestionBank(tx)
      const { headers } = await send(draft)
      await deleteDraft(tx, draft)
      return headers.get('location')!
    })
    const { refusal, programs_done } = await ended(path)
    expect([typeof refusal.detail, programs_done]).toEqual(['string', 0])
    expect(await wordings()).toEqual(before)
    expect(await browser.page(path.replace('/admin/api/v1', '/admin'))).toContain(
      `href="/admin/programs/${slug}/publish"`,
    )
  })

  test('is done once by the next process if its process ends', async () => {
    const before = await wordings()
    const draft = await draftOf()
    const order = { reviewed: draft, move, actor: 'admin:test', address: undefined }
    const id = (await askForPublication(sql, slug, order))!
    const log = createLog('silent')
    // Its connection is ended when it has come to the last program.
    const midst = usePool({ url: database.url, connectionsMax: 2, applicationName: 'to-be-ended' })
    const last = sql`select program_id from program where slug = ${move.at(-1)!}`
    const release = await holdTransaction(
      sql,
      tx => tx`select from program_version where program_id in (${last}) and state = 'ACTIVE' for update`,
    )
    const making = makePublication(midst, id, { log })
    await until('it to be in the midst', async () => (await waitingForLocks(sql, 'to-be-ended')) > 0)
    const [{ programs_done } = { programs_done: 0 }] = await sql<{ programs_done: number }[]>`
      select programs_done from publication where publication_id = ${id}`
    expect(programs_done).toBeGreaterThan(0)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'to-be-ended%'`
    await making
    await release()
    expect(await wordings()).toEqual(before)
    await Promise.all([resumePublications(sql, { log }), resumePublications(sql, { log })])
    expect(await wordings()).toEqual(new Set([`Wording ${wording}?`]))
    const [{ versions } = { versions: 0 }] = await sql<{ versions: number }[]>`
      select count(*)::integer as versions from program_version join program using (program_id)
      where slug = ${move[0]!} and published_at is not null`
    const numbers = await sql<{ max: number }[]>`select count(*)::integer as max from publication where refusal is null`
    expect(versions).toBe(1 + numbers[0]!.max)
  })

  test('has a page with its progress that continues when it has ended', async () => {
    const draft = await draftOf()
    const form = { reviewed: String(draft), move }
    const sent = await browser.post(`/admin/programs/${slug}/publish`, form)
    expect(sent.status).toBe(303)
    const path = sent.headers.get('location')!
    expect(path).toMatch(new RegExp(`/admin/programs/${slug}/publications/\\d+$`))
    await ended(path.replace('/admin/', '/'))
    const page = await browser.page(path)
    expect(page).toContain('data-under-way="no"')
    expect(page).toMatch(new RegExp(`/admin/programs/${slug}/versions/${draft}["?]`))
  })
})
